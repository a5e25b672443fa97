-- A scan through the map finds what a sequential scan finds: every operator
-- class, operator, list, range and NULL.
CREATE SCHEMA zone_scan;
SET search_path = zone_scan, public;
SET TimeZone = 'UTC';

-- Runs a condition both ways; returns the count, or the difference, and
-- whether the map was used.
CREATE FUNCTION both_ways(tab text, condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	by_map text;
	by_scan text;
	line text;
	used bool := false;
	query text := format('SELECT count(*) || '' '' || coalesce(sum(hashtext(t::text)), 0) FROM %s t WHERE %s', tab, condition);
BEGIN
	SET LOCAL enable_bitmapscan = on;
	SET LOCAL enable_seqscan = off;
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		used := used OR line LIKE '%Bitmap Index Scan on%zone%';
	END LOOP;
	EXECUTE query INTO by_map;
	SET LOCAL enable_bitmapscan = off;
	SET LOCAL enable_seqscan = on;
	EXECUTE query INTO by_scan;
	IF NOT used THEN
		RETURN 'not used';
	END IF;
	IF by_map <> by_scan THEN
		RETURN format('map %s, scan %s', by_map, by_scan);
	END IF;
	RETURN split_part(by_map, ' ', 1);
END $$;

-- One table for each type: values f(0), f(1), ... f(999), in order but for
-- some, with a second column that has NULLs.
CREATE FUNCTION try_type(type text, f text) RETURNS TABLE (condition text, result text) LANGUAGE plpgsql AS $$
DECLARE
	low text;
	mid text;
BEGIN
	EXECUTE format('CREATE TABLE tt (a %s, b int, pad text)', CASE type WHEN 'text' THEN 'text COLLATE "C"' ELSE type END);
	EXECUTE format('INSERT INTO tt SELECT (%s)::%s, CASE WHEN i %% 5 <> 0 THEN i %% 7 END, repeat(''x'', 200) FROM generate_series(0, 999) i', f, type);
	EXECUTE format('INSERT INTO tt SELECT (%s)::%s, 1, ''stray'' FROM generate_series(0, 999, 111) i', f, type);
	INSERT INTO tt VALUES (NULL, NULL, 'null');
	CREATE INDEX tt_zone ON tt USING sorted_zone (a, b);
	EXECUTE format('SELECT (%s)::%s::text FROM (SELECT 10 AS i) x', f, type) INTO low;
	EXECUTE format('SELECT (%s)::%s::text FROM (SELECT 500 AS i) x', f, type) INTO mid;
	FOREACH condition IN ARRAY ARRAY[
		format('a = %L', mid), format('a < %L', low), format('a <= %L', low), format('a >= %L', mid), format('a > %L', mid),
		format('a > %L AND a < %L', low, mid), format('a = ANY (ARRAY[%L, NULL, %L]::%s[])', low, mid, type),
		format('a = %L AND b = 3', mid), format('a = %L AND b IS NULL', mid), format('a >= %L AND a <= %L AND b > 4', low, mid)]
	LOOP
		-- Before 17 the planner turns "a = true" into "a" and does not ask us.
		CONTINUE WHEN type = 'bool' AND condition LIKE 'a = ''%';
		result := both_ways('tt', condition);
		RETURN NEXT;
	END LOOP;
	DROP TABLE tt;
END $$;

SELECT * FROM try_type('int2', 'i * 30 - 15000');
SELECT * FROM try_type('int4', 'i * 4000000::bigint - 2000000000');
SELECT * FROM try_type('int8', 'i * 9000000000000000 - 4500000000000000000');
SELECT * FROM try_type('oid', '4294967295 - (999 - i)::bigint * 4000000');
SELECT * FROM try_type('bool', 'i >= 500');
SELECT * FROM try_type('date', 'date ''1970-01-01'' + i');
SELECT * FROM try_type('timestamp', 'CASE i WHEN 0 THEN ''-infinity'' WHEN 999 THEN ''infinity'' ELSE timestamp ''1999-12-31'' + i * interval ''1 minute'' END');
SELECT * FROM try_type('timestamptz', 'timestamptz ''1999-12-31'' + i * interval ''1 hour''');
SELECT * FROM try_type('uuid', '(lpad(to_hex(i / 300), 16, ''0'') || lpad(to_hex(i), 16, ''0''))::uuid');
SELECT * FROM try_type('text', 'left(''a common prefix, then '' || lpad(i::text, 4, ''0''), 20 + i % 7)');
SELECT * FROM try_type('bytea', 'decode(repeat(''00'', 1 + i % 3) || lpad(to_hex(i), 4, ''0''), ''hex'')');

-- Constants of another integer type, beyond the column's range as well.
CREATE TABLE n AS SELECT (i / 4)::smallint AS a, i % 4 AS b, repeat('x', 300) AS pad FROM generate_series(0, 1999) i;
CREATE INDEX n_zone ON n USING sorted_zone (a, b);
SELECT c, both_ways('n', c) FROM unnest(ARRAY[
	'a = 77::bigint', 'a = 70000', 'a < 70000 AND a > 490::bigint', 'a < -9223372036854775808', 'a > 9223372036854775807',
	'a = ANY (''{1,70000,3}''::int[])', 'a = ANY (''{}''::int[])', 'a = ANY (''{NULL}''::int[])', 'a = NULL', 'a = ANY (NULL::int[])',
	'a IN (5, 6, 300) AND b IN (1, 3)', 'a = 7 AND b BETWEEN 1 AND 2', 'a BETWEEN 5 AND 9 AND b = 2', 'a > ANY (''{490,495}''::int[])',
	'a >= 3 AND a = ANY (''{1,2,3,4}''::int[]) AND a < 4', 'a = ANY (''{1,2}''::int[]) AND a = ANY (''{2,3}''::int[])']) c;

-- No clause on the first column: the map is of no use, and not used.
SELECT both_ways('n', 'b = 1');

-- A parameter and a lateral array reach the map at run time.
SET enable_seqscan = off;
SET plan_cache_mode = force_generic_plan;
PREPARE p (int[]) AS SELECT count(*) FROM n WHERE a = ANY ($1);
EXPLAIN (COSTS off) EXECUTE p ('{1,2}');
EXECUTE p ('{1,2,9999}');
SELECT s, (SELECT count(*) FROM n WHERE a = ANY (ARRAY[s, s + 1])) FROM generate_series(3, 400, 199) s;
-- Rescans with other values, as the inner side of a join.
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SELECT g, count(*) FROM generate_series(1, 301, 100) g JOIN n ON n.a = g GROUP BY g ORDER BY g;
SET client_min_messages = warning;
DROP SCHEMA zone_scan CASCADE;
