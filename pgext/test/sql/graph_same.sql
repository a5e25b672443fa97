-- Each helper against plain SQL, on random graphs, on both access methods,
-- with pages, by btree and by zone map, and with queries: the same rows in the
-- same order.
SET client_min_messages = warning;
SELECT setseed(0.5);
CREATE TABLE same_heap (
	entity_id int4, relation_id int2, target_id int4, embedding svec, payload text) USING heap;
-- Few values, so that ties and duplicate rows abound; some nulls, some of no norm.
INSERT INTO same_heap
SELECT random() * 60 - 20, random() * 3, nullif(random() * 60 - 20, 0)::int4,
	CASE WHEN random() < .05 THEN NULL ELSE
		ARRAY[floor(random() * 3), floor(random() * 3), floor(random() * 2)]::real[]::svec END,
	'p' || i
FROM generate_series(1, 1500) i;
CREATE INDEX ON same_heap (entity_id);
CREATE TABLE same_sorted (n serial, LIKE same_heap, PRIMARY KEY (n)) USING sorted_heap;
INSERT INTO same_sorted (entity_id, relation_id, target_id, embedding, payload)
	SELECT * FROM same_heap ORDER BY entity_id, relation_id, target_id;
-- An index that answers key-only hops where pages are all-visible: most are,
-- some no longer.
CREATE INDEX ON same_sorted (entity_id, relation_id) INCLUDE (target_id);
VACUUM same_sorted;
-- Zone maps of a table in order and of one without any.
CREATE INDEX ON same_sorted USING sorted_zone (entity_id, relation_id);
CREATE INDEX ON same_heap USING sorted_zone (entity_id);
UPDATE same_sorted SET target_id = entity_id WHERE n % 500 = 0;
UPDATE same_sorted SET payload = payload || '+' WHERE n % 500 = 1;
DELETE FROM same_sorted WHERE n % 500 = 2;
-- As same_heap, but read through queries: an empty child is a child.
CREATE TABLE same_query (LIKE same_heap);
INSERT INTO same_query SELECT * FROM same_heap;
CREATE INDEX ON same_query (entity_id);
CREATE TABLE same_child () INHERITS (same_query);

-- Rows as (entity, relation, target, distance): payloads of equal rows may
-- come in any order.
CREATE FUNCTION by_sql(t regclass, seeds int4[], q svec, k int, path int4[], mode text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	hops text := 'SELECT unnest($1) AS id, 0::float8 AS cost';
	last int := cardinality(path);
	result text;
BEGIN
	FOR i IN 1 .. last - 1 LOOP
		hops := format('SELECT f.target_id AS id, min(%s) AS cost FROM %s f JOIN (%s) h ON f.entity_id = h.id
			WHERE ($3)[%s] IS NULL OR f.relation_id = ($3)[%s] GROUP BY 1',
			CASE mode WHEN 'path' THEN 'h.cost + nullif(f.embedding <=> $2, ''NaN'')' ELSE '0' END, t, hops, i, i);
	END LOOP;
	EXECUTE format('SELECT string_agg(concat_ws('','', e, r, t, round(d::numeric, 9)), '';'' ORDER BY d, e, r, t) FROM (
		SELECT f.entity_id e, f.relation_id r, f.target_id t, h.cost + (f.embedding <=> $2) d
		FROM %s f JOIN (SELECT id, min(cost) AS cost FROM (%s) x GROUP BY 1) h ON f.entity_id = h.id
		WHERE (($3)[%s] IS NULL OR f.relation_id = ($3)[%s]) AND h.cost + (f.embedding <=> $2) < ''NaN''
		ORDER BY 4, 1, 2, 3 LIMIT $4) s', t, hops, last, last)
	INTO result USING seeds, q, path, k;
	RETURN result;
END $$;
CREATE FUNCTION by_call(access text, call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	PERFORM set_config('sorted_heap.graph_access', access, true);
	EXECUTE 'SELECT string_agg(concat_ws('','', entity_id, relation_id, target_id, round(distance::numeric, 9)), '';'' ORDER BY n)
		FROM ' || call || ' WITH ORDINALITY AS c (entity_id, relation_id, target_id, payload, distance, n)' INTO result;
	RETURN result;
END $$;
CREATE FUNCTION nearest(t regclass, q svec, k int, id text) RETURNS int4[] LANGUAGE plpgsql AS $$
DECLARE result int4[];
BEGIN
	EXECUTE format('SELECT array_agg(DISTINCT %s) FROM (SELECT * FROM %s WHERE embedding <=> $1 < ''NaN''
		ORDER BY embedding <=> $1, entity_id, relation_id, target_id LIMIT $2) s', id, t) INTO result USING q, k;
	RETURN result;
END $$;

CREATE TABLE cases AS
SELECT i, ARRAY(SELECT (random() * 60 - 20)::int4 FROM generate_series(1, 1 + i % 9)) AS seeds,
	ARRAY[random(), random(), random()]::real[]::svec AS q, 1 + (random() * 30)::int AS k,
	ARRAY(SELECT nullif((random() * 3)::int4, 3) FROM generate_series(0, i % 4)) AS path,
	CASE WHEN random() < .5 THEN 'path' ELSE 'endpoint' END AS mode
FROM generate_series(1, 20) i;

SELECT t, access, what, count(*), count(*) FILTER (WHERE want IS NOT NULL) > 10 AS answers,
	count(*) FILTER (WHERE got IS DISTINCT FROM want) AS different
FROM (VALUES ('same_heap'::regclass, 'btree'), ('same_heap', 'zone'), ('same_sorted', 'btree'),
	('same_sorted', 'zone'), ('same_sorted', 'auto'), ('same_query', 'auto')) AS tables (t, access), cases c,
LATERAL (VALUES
	('multihop', by_sql(t, seeds, q, k, path, mode),
		by_call(access, format('sorted_heap_expand_multihop%s_rerank(%L, %L, %L, %s, %L)',
			CASE mode WHEN 'path' THEN '_path' ELSE '' END, t, seeds, q, k, path))),
	('rerank', by_sql(t, seeds, q, k, path[1:1], 'endpoint'),
		by_call(access, format('sorted_heap_expand_rerank(%L, %L, %L, %s, %L)', t, seeds, q, k, path[1]))),
	('twohop', by_sql(t, seeds, q, k, ARRAY[path[1], 1], mode),
		by_call(access, format('sorted_heap_expand_twohop%s_rerank(%L, %L, %L, %s, %L, 1)',
			CASE mode WHEN 'path' THEN '_path' ELSE '' END, t, seeds, q, k, path[1]))),
	('rag scan', by_sql(t, nearest(t, q, k, 'target_id'), q, k, path[1:1], mode),
		by_call(access, format('sorted_heap_graph_rag_scan(%L, %L, %s, %s, %L)', t, q, k, k, path[1]))),
	('rag', by_sql(t, nearest(t, q, k, 'entity_id'), q, k, path, mode),
		by_call(access, format('sorted_heap_graph_rag(%L, %L, %L, %s, %s, %L)', t, q, path, k, k, mode)))
) AS v (what, want, got)
GROUP BY t, access, what ORDER BY t::text, access, what;

DROP FUNCTION by_sql, by_call, nearest;
DROP TABLE same_child, same_query, same_heap, same_sorted, cases;
