-- Many expansions at once in one plan leave buffers for each other.
SET temp_buffers = 100;
CREATE TEMP TABLE pins (entity_id int, relation_id int2, target_id int, embedding svec, payload text,
	PRIMARY KEY (entity_id, target_id));
INSERT INTO pins SELECT i / 40, 1, i, '[1,2]', repeat('p', 1900) FROM generate_series(40, 679) i;
DO $$
DECLARE
	calls text := string_agg(format('LATERAL (SELECT * FROM sorted_heap_expand_ids(''pins'', ARRAY[%s]) OFFSET 0) x%s', i, i), ', ')
		FROM generate_series(1, 16) i;
	first text;
BEGIN
	SET LOCAL enable_material = off;
	EXECUTE 'SELECT length(x1.payload || x16.payload) FROM ' || calls || ' LIMIT 1' INTO first;
	RAISE NOTICE 'length %', first;
END $$;
