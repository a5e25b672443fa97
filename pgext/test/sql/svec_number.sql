-- Components are rounded from text once: always what float4 reads.

CREATE FUNCTION differing(texts text[]) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT t FROM unnest(texts) t
	WHERE ('[' || t || ']')::svec::text IS DISTINCT FROM '[' || (t::float4)::text || ']'
$$;

-- middles between two float4, a little below and above, few and many digits
SELECT differing(ARRAY['16777217', '16777219', '8388608.5', '8388609.5', '-8388609.5',
	'1677721.7e1', '167772170e-1', '33554434', '33554438', '33554435', '33554437',
	'16777217.0000001', '16777216.9999999', '16777217.00000000000000000001',
	'1.000000059604644775390625', '1.00000005960464477539062', '1.00000005960464477539063',
	'0.000000059604648328104', '5e-1', '0.5000000298023224', '9007199254740993',
	'9007199791611905', '1e22', '1e23', '12345678901234567890', '123456789012345e10']);
-- so near to a middle that the nearest double is the middle itself, which then
-- rounds to the wrong side
SELECT differing(ARRAY['171846559169353e-19', '167065491041285e-19', '229575140401721e-16',
	'135005883872509e-15', '308123966678977e-16', '-300178226098069e-19']);
-- the ends of the range: the largest, the smallest normal; below there float4 and
-- svec part ways only where float4 raises an error
SELECT differing(ARRAY['3.4028235e38', '3.40282346638528859e38', '340282346638528859811704183484516925440',
	'1.17549435e-38', '1.17549429e-38', '1.1754944e-38', '1.17549428e-38', '1e-45', '1.4e-45',
	'2.1e-45', '7.1e-46', '0.' || repeat('0', 37) || '1175494350822287508', '-1e-40']);
-- zeros before, between and after
SELECT differing(ARRAY['0', '-0', '0.0', '.0', '0e99', '-0e-99', '000.1250', '1' || repeat('0', 30),
	'0.' || repeat('0', 30) || '1', repeat('0', 400) || '7', '1.' || repeat('0', 400) || '1',
	'1' || repeat('0', 300) || 'e-300', '0.' || repeat('0', 300) || '1e300', '0e999999999999']);
-- a fraction and an exponent that take each other back, both very long
SELECT ('[0.' || repeat('0', 150000) || '1e150000]')::svec, ('[0.' || repeat('0', 150000) || '1e100000]')::svec;
SELECT '[1e-999999999999999999999]'::svec;
SELECT '[1e999999999999999999999]'::svec;

-- pseudo-random mantissas of 1 to 17 digits under all exponents
SELECT count(t), count(DISTINCT t) > 20000 AS many, (SELECT differing(array_agg(t)) LIMIT 1)
FROM (SELECT substr((('x' || substr(md5(i::text), 1, 15))::bit(60)::bigint)::text, 1, 1 + i % 17) ||
			 CASE i % 3 WHEN 0 THEN '' WHEN 1 THEN '.' ELSE 'e' || (i % 40 - 30)::text END AS t
	  FROM generate_series(1, 30000) i) s;
-- and numbers as embeddings have them, six to nine decimals
SELECT count(t), (SELECT differing(array_agg(t)) LIMIT 1)
FROM (SELECT CASE i % 2 WHEN 0 THEN '' ELSE '-' END || '0.' ||
			 substr(lpad((('x' || md5(i::text))::bit(32)::bigint)::text, 10, '0'), 1, 6 + i % 4) AS t
	  FROM generate_series(1, 30000) i) s;

DROP FUNCTION differing(text[]);
