-- A datum that is no svec is refused where it is fetched, before a loop runs
-- over components that are not there. Such bytes need a corrupt page, or a
-- superuser's cast that lies.

CREATE CAST (bytea AS svec) WITHOUT FUNCTION;
CREATE CAST (svec AS bytea) WITHOUT FUNCTION;

-- dim and zero as int16, then float4s, as this machine keeps them
SELECT ('[1,2]'::svec::bytea)::svec;
SELECT length('[1,2]'::svec::bytea);
CREATE FUNCTION refusal(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN 'accepted: ' || svec_norm(bytes::svec);
EXCEPTION WHEN data_corrupted THEN
	RETURN SQLERRM;
END $$;
WITH good AS (SELECT '[1,2]'::svec::bytea AS v)
SELECT what, refusal(bytes)
FROM good, LATERAL (VALUES
	('whole', v),
	('empty', ''::bytea),
	('no dim', substr(v, 1, 1)),
	('no components', substr(v, 1, 4)),
	('cut', substr(v, 1, 11)),
	('longer', v || '\x00'),
	('one component more', v || '\x00000000'),
	('dim 0', '\x0000'::bytea || substr(v, 3)),
	('dim -1', '\xffff'::bytea || substr(v, 3)),
	('dim 0, no components', '\x00000000'),
	('dim 32767', '\xff7f'::bytea || substr(v, 3)),
	('too many', '\x813e0000'::bytea || decode(repeat('00', 16001 * 4), 'hex'))
) AS t (what, bytes);

-- each function comes through the same door
SELECT '\x0300'::bytea::svec;
SELECT svec_send('\x0300'::bytea::svec);
SELECT '\x030000000000803f'::bytea::svec <=> '[1,2,3]';
SELECT '[1,2,3]'::svec = '\x030000000000803f'::bytea::svec;
SELECT '\x030000000000803f'::bytea::svec + '[1,2,3]';
SELECT '\x030000000000803f'::bytea::svec::real[];
SELECT svec_hash('\x030000000000803f'::bytea::svec);
SELECT sum('\x030000000000803f'::bytea::svec);

DROP FUNCTION refusal(bytea);
DROP CAST (bytea AS svec);
DROP CAST (svec AS bytea);
