-- Text form of svec: what is read, what is refused, what is written.

-- white space may stand around brackets, numbers and commas
SELECT E' [ 1,\t2 ,\n   3\x0b\f\r ] '::svec;
-- every spelling of a decimal number
SELECT '[1.,.5,+2,-3,1e2,1E-2,1e+03,00012]'::svec;
-- the shortest text that reads back as the same float4
SELECT '[0.1,0.3333333333,16777217,1.1754944e-38,3.4028235e38,-0]'::svec;
SELECT '[0.1,0.3333333333,16777217,1e-45]'::svec::text::svec =
	'[0.1,0.3333333333,16777217,1e-45]';
-- too small becomes zero, with the sign it had
SELECT '[1e-46,-1e-46]'::svec;
-- what a float4 prints on its own
SELECT bool_and(('[' || f || ']')::svec::text = '[' || f || ']')
FROM (SELECT (sin(i) * 10 ^ (i % 60 - 30))::float4 AS f
	  FROM generate_series(1, 1000) i) s;

CREATE FUNCTION refusal(input text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN 'accepted: ' || input::svec::text;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- not a vector
SELECT input, refusal(input) FROM unnest(ARRAY[
	'', ' ', '1,2', '[', '[ ', '[1', '[1,2', '[1,', '[]', '[ ]', ']', '{1}',
	'[1]2', '[1]]', '[[1]]', '[1],[2]', '(1)']) AS input;
-- commas
SELECT input, refusal(input) FROM unnest(ARRAY[
	'[,]', '[,', '[,1]', '[1,]', '[1,,3]', '[1, ,3]', '[1 2]', '[1;2]']) AS input;
-- not a number
SELECT input, refusal(input) FROM unnest(ARRAY[
	'[a]', '[1a]', '[.]', '[+]', '[-]', '[--1]', '[+-1]', '[- 1]', '[1e]', '[1e+]',
	'[e5]', '[1.2.3]', '[1e2.5]', '[1_000]', '["1"]', '[NULL]']) AS input;
-- numbers that strtof would take
SELECT input, refusal(input) FROM unnest(ARRAY[
	'[0x1]', '[0x1p3]', '[0X1.8p1,2]', '[-0x1]', '[0x1p200]', '[0x]']) AS input;
-- not finite
SELECT input, refusal(input) FROM unnest(ARRAY[
	'[NaN]', '[1,nan]', '[-NaN ,1]', '[nan(1)]', '[nano]', '[inf]', '[-inf]',
	'[Infinity,1]', '[+INFINITY]', '[ -infinity ]', '[infinite]',
	'[1e39]', '[-4e38,1]', '[1,1e400]', '[3.4028236e38]']) AS input;

-- the number of dimensions
SELECT svec_dims(('[' || repeat('1,', 15999) || '1]')::svec);
SELECT refusal('[' || repeat('1,', 16000) || '1]');
SELECT refusal('[' || repeat('1,', 100000) || '1]');

-- the longest text a component can have, 16000 times
SELECT length(v::text), v::text::svec = v
FROM (SELECT ('[' || repeat('-1.17549435e-38,', 15999) || '-1.17549435e-38]')::svec AS v) s;

-- wire format: dim, zero, float4s
SELECT svec_send('[1,-2,0.5]');

-- storage: pgvector's header and size, kept out of line uncompressed
SELECT pg_column_size(('[' || repeat('1,', 99) || '1]')::svec) AS bytes;
SELECT typstorage, typalign, typlen, typbyval FROM pg_type WHERE typname = 'svec';

-- from 16 on errors of the text form are soft
SELECT current_setting('server_version_num')::int >= 160000 AS has_soft_errors \gset
\set soft_errors_work t
\if :has_soft_errors
SELECT pg_input_is_valid('[1,2]', 'svec') AND
	bool_and(NOT pg_input_is_valid(input, kind)) AS soft_errors_work
FROM (VALUES ('', 'svec'), ('[', 'svec'), ('[]', 'svec'), ('[1,]', 'svec'),
	('[1]1', 'svec'), ('[nan]', 'svec'), ('[inf]', 'svec'), ('[1e39]', 'svec'),
	('[1,2]', 'svec(3)'), ('[' || repeat('1,', 16000) || '1]', 'svec')) AS t (input, kind) \gset
\endif
\echo :soft_errors_work

DROP FUNCTION refusal(text);
