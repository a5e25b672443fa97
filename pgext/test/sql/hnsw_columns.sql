-- Columns after the vector: conditions in the index give the rows of SQL, for all
-- types, operators, lists and nulls; what may be a column at all.
CREATE SCHEMA hnsw_columns;
SET search_path = hnsw_columns, public;
SET sorted_hnsw.iterative_scan = relaxed;

-- A literal of a type: values that meet each other often, and the ends of the
-- type. Text shares prefixes shorter than, as long as and longer than what the
-- index keeps of it.
CREATE FUNCTION literal(type text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	n int := floor(random() * 12);
	text_value text := CASE WHEN type IN ('int2', 'int4', 'int8') THEN
		CASE WHEN n < 10 THEN (n - 5)::text
			WHEN type = 'int2' THEN (ARRAY['-32768', '32767'])[n - 9]
			WHEN type = 'int4' THEN (ARRAY['-2147483648', '70000'])[n - 9]
			ELSE (ARRAY['-9223372036854775808', '9223372036854775807'])[n - 9] END
		WHEN type = 'oid' THEN (ARRAY['0', '4294967295'])[n - 9]
		WHEN type = 'bool' THEN (n % 2 = 0)::text
		WHEN type IN ('date', 'timestamp', 'timestamptz') THEN
			CASE n WHEN 10 THEN 'infinity' WHEN 11 THEN '-infinity'
				ELSE (date '1999-12-28' + n)::text END
		WHEN type = 'uuid' THEN format('%s-0000-0000-0000-00000000000%s',
			(ARRAY['00000000', 'ffffffff', '01234567'])[1 + n % 3], n % 4)
		WHEN type = 'text' THEN (ARRAY['', 'a', 'b', 'é', repeat('x', 14), repeat('x', 15),
			repeat('x', 15) || 'y', repeat('x', 16), repeat('x', 16) || 'a',
			repeat('x', 16) || 'b', repeat('x', 17), repeat('y', 3000)])[n + 1]
		END;
BEGIN
	IF random() < 0.06 THEN
		RETURN 'NULL::' || type;
	END IF;
	RETURN quote_literal(coalesce(text_value, n::text)) || '::' || type;
END $$;

CREATE TABLE numbers (id int, e svec(4), i2 int2, i4 int4, i8 int8, o oid, b bool,
	d date, ts timestamp, tz timestamptz);
CREATE TABLE strings (id int, e svec(40), u uuid, t text COLLATE "C", v varchar COLLATE "C");
SELECT setseed(0.25);
DO $$
BEGIN
	FOR i IN 1..600 LOOP
		EXECUTE format('INSERT INTO numbers VALUES (%s, ARRAY[random(), random(), random(), 1], %s, %s, %s, %s, %s, %s, %s, %s)',
			i, literal('int2'), literal('int4'), literal('int8'), literal('oid'),
			literal('bool'), literal('date'), literal('timestamp'), literal('timestamptz'));
		EXECUTE format('INSERT INTO strings VALUES (%s, (SELECT array_agg(random() - 0.5 + 0 * %s) FROM generate_series(1, 40)), %s, %s, %s)',
			i, i, literal('uuid'), literal('text'), literal('text'));
	END LOOP;
END $$;
CREATE INDEX numbers_e ON numbers USING sorted_hnsw (e, i2, i4, i8, o, b, d, ts, tz);
CREATE INDEX strings_e ON strings USING sorted_hnsw (e, u, t, v);

-- Constants that are known when planning, and others.
CREATE FUNCTION constant(type text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN random() < 0.6 THEN l ELSE '(SELECT ' || l || ')' END
	FROM (SELECT literal(type)) s(l) $$;

CREATE FUNCTION condition(col text, types text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	type text := types[1 + floor(random() * array_length(types, 1))];
	op text := (ARRAY['<', '<=', '=', '>=', '>', '='])[1 + floor(random() * 6)];
	kind int := floor(random() * 10);
BEGIN
	RETURN CASE WHEN kind = 0 THEN format('%s IS NULL', col)
		WHEN kind = 1 THEN format('%s IS NOT NULL', col)
		WHEN kind = 2 THEN format('%s BETWEEN %s AND %s', col, constant(type), constant(type))
		WHEN kind IN (3, 4) THEN format('%s %s ANY (ARRAY[%s, %s, %s])', col, op,
			constant(type), constant(type), constant(type))
		ELSE format('%s %s %s', col, op, constant(type)) END;
END $$;

-- The ids of rows that meet a condition, by the index or without it.
CREATE FUNCTION answer(tab text, cond text, dim int, indexed bool) RETURNS int[]
LANGUAGE plpgsql AS $$
DECLARE
	ids int[];
	line text;
	plan text := '';
	query text := format('SELECT array_agg(id ORDER BY id) FROM (SELECT id FROM %2$s WHERE %3$s ORDER BY e <=> %1$L::svec LIMIT 1000) s',
		'[' || repeat('1,', dim - 1) || '1]', tab, cond);
BEGIN
	PERFORM set_config('enable_seqscan', (NOT indexed)::text, true);
	PERFORM set_config('enable_indexscan', indexed::text, true);
	EXECUTE query INTO ids;
	IF NOT indexed THEN
		RETURN ids;
	END IF;
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := plan || line;
	END LOOP;
	IF plan !~ 'One-Time Filter: false' AND plan !~ 'Index Scan using' THEN
		RAISE EXCEPTION 'plan of % is %', cond, plan;
	END IF;
	RETURN ids;
END $$;

CREATE FUNCTION differences(tab text, dim int, columns text[][], n int) RETURNS TABLE (mode text, cond text, by_index int[], exact int[])
LANGUAGE plpgsql AS $$
DECLARE
	i int;
	found int := 0;
BEGIN
	FOR k IN 1..n LOOP
		cond := NULL;
		FOR j IN 0..floor(random() * 2.5) LOOP
			i := 1 + floor(random() * array_length(columns, 1));
			cond := concat_ws(' AND ', cond,
				condition(columns[i][1], string_to_array(columns[i][2], ' ')));
		END LOOP;
		exact := answer(tab, cond, dim, false);
		found := found + (array_length(exact, 1) BETWEEN 1 AND 599)::int;
		FOREACH mode IN ARRAY ARRAY['flat', 'graph'] LOOP
			PERFORM set_config('sorted_hnsw.scan_mode', mode, true);
			by_index := answer(tab, cond, dim, true);
			IF by_index IS DISTINCT FROM exact THEN
				RETURN NEXT;
			END IF;
		END LOOP;
	END LOOP;
	-- Conditions that all or no rows meet show little.
	IF found < n / 3 THEN
		RAISE WARNING 'only % of % conditions select', found, n;
	END IF;
END $$;

SELECT * FROM differences('numbers', 4, '{{i2,int2 int4 int8}, {i4,int2 int4 int8}, {i8,int2 int4 int8}, {o,oid}, {b,bool}, {d,date}, {ts,timestamp}, {tz,timestamptz}}', 120);
SELECT * FROM differences('strings', 40, '{{u,uuid}, {t,text}, {v,text}}', 100);

-- Every value comes back from its image.
SELECT * FROM sorted_hnsw_check('numbers') UNION ALL SELECT * FROM sorted_hnsw_check('strings');

-- An operator between types of different images says nothing: rows are looked at.
BEGIN;
ALTER OPERATOR FAMILY date_hnsw_ops USING sorted_hnsw ADD OPERATOR 3 = (date, timestamp);
SELECT answer('numbers', 'd = timestamp ''2000-01-01''', 4, true) =
	answer('numbers', 'd = timestamp ''2000-01-01''', 4, false) AS same;
ROLLBACK;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM numbers
WHERE i4 > 1::int8 AND i2 = 2::int8 AND d IS NOT NULL AND ts < '2000-01-01' AND o IS NULL
ORDER BY e <=> '[1,1,1,1]' LIMIT 5;

-- Lists reach the index, also beside an order, and are costed there.
EXPLAIN (COSTS OFF) SELECT id FROM numbers
WHERE i4 = ANY ('{1,2}') AND i2 > 0 AND o IN (3, 4, 5) ORDER BY e <=> '[1,1,1,1]' LIMIT 5;
EXPLAIN (COSTS OFF) SELECT n, near.id FROM generate_series(1, 3) n, LATERAL (
	SELECT m.id FROM numbers m WHERE m.i2 = ANY (ARRAY[n, 3]) ORDER BY m.e <=> '[1,1,1,1]' LIMIT 2) near;
EXPLAIN (COSTS OFF) SELECT id FROM numbers
WHERE i4 <> ALL ('{1,2}') AND i2 = ANY (ARRAY[i4, 3]) ORDER BY e <=> '[1,1,1,1]' LIMIT 5;

-- What cannot be a column.
CREATE TABLE other (e svec(3), i int, t text COLLATE "en-x-icu", c text COLLATE "C", n numeric, u uuid);
CREATE INDEX ON other USING sorted_hnsw (e, t);
CREATE INDEX ON other USING sorted_hnsw (e, n);
CREATE INDEX ON other USING sorted_hnsw (e, i) INCLUDE (c);
CREATE INDEX ON other USING sorted_hnsw (e, i, i, i, i, i) INCLUDE (u, u, u, u);
CREATE INDEX ON other USING sorted_hnsw (e, t COLLATE "C", i) INCLUDE (u, i);
SET client_min_messages = warning;
DROP SCHEMA hnsw_columns CASCADE;
