package exttest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A privilegeScenario calls each function on a relation as somebody.
type privilegeScenario struct {
	name     string
	session  string // of privilegeWorld
	relation string
	through  string // a function to call through, or ""
	// What functions for readers must do, and what those for owners must.
	reader, owner expectation
}

type expectation int

const (
	refuse      expectation = iota // insufficient_privilege, and nothing shown
	filter                         // the rows of table visible, no others
	wrongKind                      // wrong_object_type or feature_not_supported
	runNoRows                      // succeeds and shows no table row
	wrongOrDeny                    // refuse or wrongKind
)

var privilegeScenarios = []privilegeScenario{
	{"superuser (control)", "superuser", "visible", "", filter, runNoRows},
	{"owner", "owner", "visible", "", filter, runNoRows},
	{"SELECT on the table", "reader", "granted", "", filter, refuse},
	{"no SELECT", "reader", "none", "", refuse, refuse},
	{"no SELECT, policy", "reader", "none_rls", "", refuse, refuse},
	{"key columns only", "reader", "keys", "", refuse, refuse},
	{"every used column", "reader", "columns", "", filter, refuse},
	{"no USAGE on the schema", "reader", "closed", "", refuse, refuse},
	{"policy", "reader", "policy", "", filter, refuse},
	{"policy forced on the owner", "owner", "forced", "", filter, runNoRows},
	{"row_security = off", "reader, off", "policy", "", refuse, refuse},
	{"inheritance children", "reader", "parent", "", filter, refuse},
	{"children and policy", "reader", "policy_parent", "", filter, refuse},
	{"partitioned parent", "superuser", "partitioned", "", wrongKind, wrongKind},
	{"view", "superuser", "view", "", wrongKind, wrongKind},
	{"materialized view", "superuser", "matview", "", wrongKind, wrongKind},
	{"foreign table", "superuser", "foreign", "", wrongKind, wrongKind},
	{"other session's temp table", "superuser", "other_temp", "", wrongKind, wrongKind},
	{"same, as reader", "reader", "other_temp", "", wrongOrDeny, wrongOrDeny},
	{"view, no SELECT", "reader", "view", "", refuse, refuse},
	{"SET ROLE", "set role", "none", "", refuse, refuse},
	{"SET ROLE, policy", "set role", "policy", "", filter, refuse},
	{"definer may, caller may not", "reader", "none_visible", "priv.as_owner", filter, runNoRows},
	{"definer may not, caller may", "superuser", "none", "priv.as_reader", refuse, refuse},
	{"definer under a policy", "superuser", "policy", "priv.as_reader", filter, refuse},
}

// privilegeSetup makes relations that hold the rows of priv.visible, and rows
// marked SECRET wherever a scenario must not show them.
const privilegeSetup = `
CREATE ROLE priv_owner LOGIN;
CREATE ROLE priv_reader LOGIN;
CREATE SCHEMA priv AUTHORIZATION priv_owner;
CREATE SCHEMA priv_closed AUTHORIZATION priv_owner;
GRANT USAGE ON SCHEMA priv TO priv_reader;

CREATE TABLE priv.visible (entity_id int4, relation_id int2, target_id int4, embedding svec, payload text, extra int,
	PRIMARY KEY (entity_id, relation_id, target_id)) USING sorted_heap;
CREATE INDEX ON priv.visible USING sorted_zone (entity_id, relation_id);
INSERT INTO priv.visible VALUES (1, 1, 2, '[1,0]', 'open 1'), (2, 1, 3, '[1,1]', 'open 2'), (3, 1, 1, '[0,1]', 'open 3');
CREATE TABLE priv.hidden AS TABLE priv.visible WITH NO DATA;
INSERT INTO priv.hidden VALUES (1, 1, 3, '[1,.1]', 'SECRET 1'), (2, 1, 1, '[1,.2]', 'SECRET 2'), (3, 1, 2, '[1,.3]', 'SECRET 3');

DO $$
DECLARE t text;
BEGIN
	FOREACH t IN ARRAY '{granted,none,none_visible,none_rls,keys,columns,closed,policy,forced,parent,child,policy_parent,policy_child}'::text[] LOOP
		EXECUTE format('CREATE TABLE priv.%I (LIKE priv.visible INCLUDING INDEXES) USING sorted_heap', t);
		EXECUTE format('INSERT INTO priv.%I SELECT * FROM priv.visible WHERE %L NOT IN (''parent'', ''child'') OR (entity_id = 1) = (%L = ''parent'')', t, t, t);
		IF t IN ('none', 'none_rls', 'keys', 'closed', 'policy', 'forced', 'policy_child') THEN
			EXECUTE format('INSERT INTO priv.%I TABLE priv.hidden', t);
		END IF;
	END LOOP;
END $$;
ALTER TABLE priv.closed SET SCHEMA priv_closed;
ALTER TABLE priv.child INHERIT priv.parent;
DELETE FROM priv.policy_parent WHERE entity_id > 1;
DELETE FROM priv.policy_child WHERE entity_id = 1 AND payload NOT LIKE 'SECRET%';
ALTER TABLE priv.policy_child INHERIT priv.policy_parent;
CREATE VIEW priv.view AS TABLE priv.none;
CREATE MATERIALIZED VIEW priv.matview AS TABLE priv.none;
CREATE INDEX ON priv.matview USING sorted_zone (entity_id);
CREATE TABLE priv.partitioned (LIKE priv.visible INCLUDING INDEXES) PARTITION BY RANGE (entity_id);
CREATE TABLE priv.partition PARTITION OF priv.partitioned FOR VALUES FROM (0) TO (9) USING sorted_heap;
INSERT INTO priv.partitioned TABLE priv.none;
CREATE FOREIGN DATA WRAPPER priv_fdw;
CREATE SERVER priv_server FOREIGN DATA WRAPPER priv_fdw;
CREATE FOREIGN TABLE priv.foreign (entity_id int4, relation_id int2, target_id int4, embedding svec, payload text) SERVER priv_server;

GRANT SELECT ON priv.granted, priv_closed.closed, priv.policy, priv.parent, priv.policy_parent TO priv_reader;
GRANT SELECT (entity_id, relation_id, target_id) ON priv.keys TO priv_reader;
GRANT SELECT (entity_id, relation_id, target_id, embedding, payload) ON priv.columns TO priv_reader;
ALTER TABLE priv.none_rls ENABLE ROW LEVEL SECURITY;
DO $$
DECLARE t text;
BEGIN
	FOREACH t IN ARRAY '{policy,forced,policy_parent}'::text[] LOOP
		EXECUTE format('ALTER TABLE priv.%I ENABLE ROW LEVEL SECURITY', t);
		EXECUTE format('CREATE POLICY p ON priv.%I USING (payload NOT LIKE ''SECRET%%'')', t);
	END LOOP;
	FOR t IN SELECT oid::regclass FROM pg_class WHERE relnamespace IN ('priv'::regnamespace, 'priv_closed'::regnamespace) AND relkind IN ('r', 'p') LOOP
		EXECUTE format('ALTER TABLE %s OWNER TO priv_owner', t);
	END LOOP;
END $$;
ALTER TABLE priv.forced FORCE ROW LEVEL SECURITY;

CREATE FUNCTION priv.as_owner(call text) RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER
	AS $$ BEGIN RETURN QUERY EXECUTE call; END $$;
CREATE FUNCTION priv.as_reader(call text) RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER
	AS $$ BEGIN RETURN QUERY EXECUTE call; END $$;
ALTER FUNCTION priv.as_owner OWNER TO priv_owner;
ALTER FUNCTION priv.as_reader OWNER TO priv_reader;
`

// check makes one call and compares it with what the scenario expects.
func (w *privilegeWorld) check(t *testing.T, f tableFunction, s privilegeScenario) (string, error) {
	t.Helper()
	oid, ok := w.oids[s.relation]
	if !ok {
		t.Fatalf("no relation %s", s.relation)
	}
	call := func(oid uint32) string {
		return fmt.Sprintf("SELECT f::text FROM "+f.call+" f", oid)
	}
	sql := call(oid)
	if s.through != "" {
		sql = fmt.Sprintf("SELECT %s($call$%s$call$)", s.through, sql)
	}
	got := callOnce(t, w.sessions[s.session], sql)
	if strings.Contains(strings.Join(got.rows, "\n")+got.text, "SECRET") {
		return "LEAK", fmt.Errorf("shows a hidden row: %v %s", got.rows, got.text)
	}
	want := s.reader
	if f.owner {
		want = s.owner
	}
	if f.matviews && s.relation == "matview" {
		want = runNoRows
	}
	denied := got.code == "42501"
	wrong := got.code == "42809" || got.code == "0A000"
	switch want {
	case refuse:
		ok = denied
	case wrongKind:
		ok = wrong
	case wrongOrDeny:
		ok = wrong || denied
	case runNoRows:
		ok = got.code == "" && !strings.Contains(strings.Join(got.rows, "\n"), "open ")
	case filter:
		visible := callOnce(t, w.sessions["superuser"], call(w.oids["visible"]))
		slices.Sort(visible.rows)
		slices.Sort(got.rows)
		ok = got.code == "" && len(got.rows) > 0 && slices.Equal(got.rows, visible.rows)
	}
	if !ok {
		return got.verdict(), fmt.Errorf("got %s (%q)", got.verdict(), got.rows)
	}
	return got.verdict(), nil
}
