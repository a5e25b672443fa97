-- Casts between the types of sorted_heap and pgvector that have the same bytes.
--
-- One direction is implicit: what comes from pgvector may stand where a type of
-- ours is wanted, so a vector meets an svec by the operators of svec. The other
-- direction is an assignment, or every such pair would be ambiguous. Pairs of
-- pgvector's own types stay pgvector's.
--
-- Type modifiers are enforced by the target's own cast, which follows these.

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION sorted_heap_pgvector" to load this file. \quit

DO $$
DECLARE
	version text := extversion FROM pg_extension WHERE extname = 'vector';
BEGIN
	-- halfvec came with 0.7
	IF string_to_array(version, '.')::int[] < '{0,7}' THEN
		RAISE EXCEPTION USING
			ERRCODE = 'feature_not_supported',
			MESSAGE = format('extension "vector" has version %s, 0.7.0 or later is required', version),
			HINT = 'Run ALTER EXTENSION vector UPDATE.';
	END IF;
END $$;

CREATE CAST (vector AS svec) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (svec AS vector) WITHOUT FUNCTION AS ASSIGNMENT;
CREATE CAST (halfvec AS hsvec) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (hsvec AS halfvec) WITHOUT FUNCTION AS ASSIGNMENT;
