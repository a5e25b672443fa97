-- hsvec: text, binary, type modifier; what half precision keeps and refuses.

-- rounded to the nearest half, ties to even: 2049 lies between 2048 and 2050
SELECT E' [ 1,\t-2 ,0.5 ] '::hsvec, '[0.1,2049,2051,65504,65519.99]'::hsvec;
-- below the smallest denormal, 2^-24, half of it is the limit
SELECT '[6e-8,5.9604645e-8,2.9e-8,-2.9e-8,-0]'::hsvec;
-- a text reads back as the same bits, for every finite half
SELECT count(*), bool_and(hsvec_send(v::text::hsvec) = hsvec_send(v))
FROM generate_series(0, 31743) h,
	LATERAL (SELECT CASE WHEN h < 1024 THEN h * 2.0 ^ -24
		ELSE (1024 + h % 1024) * 2.0 ^ (h / 1024 - 25) END) AS f (value),
	LATERAL (SELECT ARRAY[value, -value]::float8[]::hsvec) AS t (v);

CREATE FUNCTION refusal(input text, kind text = 'hsvec') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT %L::%s', input, kind) INTO result;
	RETURN 'accepted: ' || result;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

SELECT input, refusal(input) FROM unnest(ARRAY[
	'', '[]', '[1,]', '[1]2', '[a]', '[0x1]', '[NaN]', '[1,-inf]', '[Infinity]',
	'[65520]', '[1,-7e4]', '[1e400]', '{1}']) AS input;

-- the number of dimensions
SELECT hsvec_dims(('[' || repeat('1,', 31999) || '1]')::hsvec);
SELECT refusal('[' || repeat('1,', 32000) || '1]');
SELECT refusal('[1,2]', 'hsvec(2)'), refusal('[1,2]', 'hsvec(3)');
SELECT '[1]'::hsvec(0);
SELECT '[1]'::hsvec(32001);
SELECT '[1]'::hsvec(1, 1);
CREATE TABLE t (v hsvec(3));
SELECT format_type(atttypid, atttypmod) FROM pg_attribute
WHERE attrelid = 't'::regclass AND attname = 'v';
INSERT INTO t VALUES ('[1,2,3]');
INSERT INTO t VALUES ('[1,2]');
INSERT INTO t SELECT '[1,2]'::hsvec;

-- wire format and storage: dim, zero, halves
SELECT hsvec_send('[1,-2,0.5]');
SELECT pg_column_size(('[' || repeat('1,', 99) || '1]')::hsvec) AS bytes;
SELECT typstorage, typalign, typlen FROM pg_type WHERE typname = 'hsvec';

DROP FUNCTION refusal(text, text);
DROP TABLE t;

-- a datum that lies about its size is an error, not a read behind its end
CREATE CAST (bytea AS hsvec) WITHOUT FUNCTION;
SELECT '\x0000'::bytea::hsvec;
SELECT '\x03000000003c0040'::bytea::hsvec;
SELECT '\xffff0000003c'::bytea::hsvec <-> '[1]';
DROP CAST (bytea AS hsvec);
