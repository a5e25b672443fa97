-- sorted_hnsw_check(): whom it answers, about what, and what it says of slots
-- that a broken command left. Damage is tested with files, outside of SQL.
SET client_min_messages = warning;

CREATE TABLE hc (id int, v svec(4), kind int) WITH (autovacuum_enabled = off);
CREATE INDEX hc_v ON hc USING sorted_hnsw (v svec_l2_ops, kind);
CREATE INDEX hc_w ON hc USING sorted_hnsw (v) WHERE id < 50;
CREATE INDEX hc_id ON hc (id);
SELECT * FROM sorted_hnsw_check('hc');
INSERT INTO hc SELECT i, ARRAY[i, i % 7, i % 11, 1]::real[]::svec, i % 3 FROM generate_series(1, 200) i;
SELECT * FROM sorted_hnsw_check('hc');
SELECT * FROM sorted_hnsw_check('hc_v');
SELECT * FROM sorted_hnsw_check('hc_id');

-- A cancelled insert leaves a row that nobody sees, and nothing to complain of.
BEGIN;
INSERT INTO hc SELECT i, ARRAY[i, 1, 2, 3]::real[]::svec, 1 FROM generate_series(201, 250) i;
SELECT * FROM sorted_hnsw_check('hc');
ROLLBACK;
SELECT * FROM sorted_hnsw_check('hc');
UPDATE hc SET kind = 5 WHERE id < 20;
DELETE FROM hc WHERE id > 190;
SELECT * FROM sorted_hnsw_check('hc');
VACUUM hc;
SELECT * FROM sorted_hnsw_check('hc');

-- An index that says what it should not: its rows are those of another time.
CREATE FUNCTION hc_moved(svec) RETURNS svec LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1; END';
CREATE INDEX hc_f ON hc USING sorted_hnsw ((hc_moved(v)::svec(4)) svec_l2_ops) WHERE id <= 3;
SELECT * FROM sorted_hnsw_check('hc_f');
CREATE OR REPLACE FUNCTION hc_moved(svec) RETURNS svec LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN $1 OPERATOR(public.+) public.svec '[1,1,1,1]'; END$$;
SELECT object, regexp_replace(fault, '\(.*\)', '(...)') AS fault, severity FROM sorted_hnsw_check('hc_f');
DROP INDEX hc_f;

-- A predicate that has changed its mind: rows are missing.
CREATE FUNCTION hc_wanted(int) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1 = 20; END';
CREATE INDEX hc_p ON hc USING sorted_hnsw (v svec_l2_ops) WHERE hc_wanted(id);
CREATE OR REPLACE FUNCTION hc_wanted(int) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1 IN (20, 22); END';
SELECT object, regexp_replace(fault, '\(.*\)', '(...)') AS fault, severity FROM sorted_hnsw_check('hc_p');

-- Functions of indexes run with the rights of the table's owner.
CREATE ROLE hc_owner;
CREATE ROLE hc_monitor IN ROLE pg_monitor;
CREATE ROLE hc_other;
GRANT CREATE, USAGE ON SCHEMA public TO hc_owner;
DROP INDEX hc_p;
ALTER TABLE hc OWNER TO hc_owner;
CREATE FUNCTION hc_who(svec) RETURNS svec LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	IF current_user <> 'hc_owner' THEN RAISE EXCEPTION 'runs as %', current_user; END IF;
	RETURN $1;
END $$;
SET ROLE hc_owner;
CREATE INDEX hc_x ON hc USING sorted_hnsw ((hc_who(v)::svec(4)) svec_l2_ops);
RESET ROLE;
SET ROLE hc_monitor;
SELECT * FROM sorted_hnsw_check('hc');
SET ROLE hc_other;
SELECT * FROM sorted_hnsw_check('hc');
SELECT * FROM sorted_hnsw_check('hc_v');
RESET ROLE;

-- Other relations.
CREATE VIEW hc_view AS SELECT * FROM hc;
SELECT * FROM sorted_hnsw_check('hc_view');
CREATE TABLE hc_parent (id int, v svec(4)) PARTITION BY RANGE (id);
SELECT * FROM sorted_hnsw_check('hc_parent');
SELECT * FROM sorted_hnsw_check(0);
SELECT * FROM sorted_hnsw_check(NULL);

DROP TABLE hc, hc_parent CASCADE;
DROP FUNCTION hc_moved, hc_wanted, hc_who;
REVOKE ALL ON SCHEMA public FROM hc_owner;
DROP ROLE hc_owner, hc_monitor, hc_other;
