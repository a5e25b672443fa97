package exttest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/pgtest"
)

// cFunctions lists every C function of the extension with its arguments. Procedures
// have no place in a query; those there are check the right and raise an error
// (tableam_merge_who.sql).
const cFunctions = `
SELECT p.oid::regprocedure::text AS signature, p.proname::text AS name,
       'regclass'::regtype = ANY (p.proargtypes) OR 'regclass[]'::regtype = ANY (p.proargtypes) AS takes_relation,
       p.proleakproof AS leakproof, p.proparallel = 's' AS parallel_safe, p.prosecdef AS definer
FROM pg_proc p
JOIN pg_language l ON l.oid = p.prolang AND l.lanname = 'c'
JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'sorted_heap' AND p.prokind <> 'p'
ORDER BY 1`

type cFunction struct {
	Signature     string
	Name          string
	TakesRelation bool
	Leakproof     bool
	ParallelSafe  bool
	Definer       bool
}

// noTable names the C functions that were reviewed and read no table: they
// compute on their arguments, or serve the server's own machinery (handlers,
// planner support) or the backend's own counters. A new function is on no list
// and fails the test until somebody has classified it.
var noTable = []string{
	"array_to_svec", "cosine_distance", "inner_product", "l1_distance", "l2_distance", "l2_norm",
	"l2_normalize", "subvector", "svec", "svec_accum", "svec_add", "svec_avg", "svec_cmp",
	"svec_combine", "svec_concat", "svec_cosine_distance", "svec_dims", "svec_eq", "svec_ge",
	"svec_gt", "svec_hash", "svec_hash_extended", "svec_in", "svec_le", "svec_lt", "svec_mul",
	"svec_ne", "svec_negative_inner_product", "svec_norm", "svec_out", "svec_recv", "svec_send",
	"svec_sub", "svec_sum", "svec_to_float4", "svec_to_float8", "svec_to_int4", "svec_typmod_in",
	"svec_typmod_out", "vector_dims",
	"array_to_hsvec", "hsvec", "hsvec_accum", "hsvec_add", "hsvec_avg", "hsvec_cmp", "hsvec_combine",
	"hsvec_concat", "hsvec_cosine_distance", "hsvec_dims", "hsvec_eq", "hsvec_ge", "hsvec_gt",
	"hsvec_hash", "hsvec_hash_extended", "hsvec_in", "hsvec_le", "hsvec_lt", "hsvec_mul", "hsvec_ne",
	"hsvec_negative_inner_product", "hsvec_norm", "hsvec_out", "hsvec_recv", "hsvec_send",
	"hsvec_sub", "hsvec_sum", "hsvec_to_float4", "hsvec_to_float8", "hsvec_to_int4", "hsvec_to_svec",
	"hsvec_typmod_in", "hsvec_typmod_out", "svec_to_hsvec",
	"sorted_heap_tableam_handler", "sorted_heap_graph_support", "sorted_zone_handler", "sorted_hnsw_handler",
	"sorted_heap_graph_rag_stats", "sorted_heap_graph_rag_reset_stats",
	"sorted_heap_scan_stats", "sorted_heap_reset_stats",
	"sorted_hnsw_scan_stats", "sorted_hnsw_reset_scan_stats", "sorted_hnsw_cache_stats",
}

// A tableFunction is a C function that takes a relation; %d in call stands for
// the relation's OID.
type tableFunction struct {
	call  string
	owner bool // only the owner may call it, else whoever may SELECT
	// matviews says that materialized views are tables to this function.
	matviews bool
}

// tableFunctions must have every C function with a regclass argument.
var tableFunctions = map[string]tableFunction{
	"sorted_heap_expand_ids":                  {call: "sorted_heap_expand_ids(%d, '{1,2,3}')"},
	"sorted_heap_expand_rerank":               {call: "sorted_heap_expand_rerank(%d, '{1,2,3}', '[1,0]', 20)"},
	"sorted_heap_expand_twohop_rerank":        {call: "sorted_heap_expand_twohop_rerank(%d, '{1,2,3}', '[1,0]', 20)"},
	"sorted_heap_expand_twohop_path_rerank":   {call: "sorted_heap_expand_twohop_path_rerank(%d, '{1,2,3}', '[1,0]', 20)"},
	"sorted_heap_expand_multihop_rerank":      {call: "sorted_heap_expand_multihop_rerank(%d, '{1,2,3}', '[1,0]', 20, '{1,1}')"},
	"sorted_heap_expand_multihop_path_rerank": {call: "sorted_heap_expand_multihop_path_rerank(%d, '{1,2,3}', '[1,0]', 20, '{1,1}')"},
	"sorted_heap_graph_rag_scan":              {call: "sorted_heap_graph_rag_scan(%d, '[1,0]', 20, 20)"},
	"sorted_heap_graph_rag_twohop_scan":       {call: "sorted_heap_graph_rag_twohop_scan(%d, '[1,0]', 20, 20)"},
	"sorted_heap_graph_rag_twohop_path_scan":  {call: "sorted_heap_graph_rag_twohop_path_scan(%d, '[1,0]', 20, 20)"},
	"sorted_heap_graph_rag":                   {call: "sorted_heap_graph_rag(%d, '[1,0]', '{NULL,NULL}', 20, 20)"},
	"sorted_heap_graph_register":              {call: "sorted_heap_graph_register(%d)", owner: true},
	"sorted_heap_graph_unregister":            {call: "sorted_heap_graph_unregister(%d)", owner: true},
	"sorted_heap_graph_config":                {call: "sorted_heap_graph_config(%d)", owner: true},
	"sorted_heap_compact":                     {call: "sorted_heap_compact(%d)", owner: true},
	"sorted_heap_merge":                       {call: "sorted_heap_merge(%d)", owner: true},
	"sorted_heap_check":                       {call: "sorted_heap_check(%d)", owner: true, matviews: true},
	"sorted_hnsw_check":                       {call: "sorted_hnsw_check(%d)", owner: true, matviews: true},
	"sorted_heap_zonemap_stats":               {call: "sorted_heap_zonemap_stats(%d)", owner: true, matviews: true},
	"sorted_heap_rebuild_zonemap":             {call: "sorted_heap_rebuild_zonemap(%d)", owner: true, matviews: true},
}

// TestFunctionPrivileges proves for every C function of the extension that
// takes a relation that it refuses or filters wherever SQL would, and that
// every other one has been reviewed. Run with -v it prints the table.
func TestFunctionPrivileges(t *testing.T) {
	c := pgtest.Start(t)
	admin := pgtest.Database(t, c)
	functions := listFunctions(t, admin)
	world := newPrivilegeWorld(t, c, admin)

	var report strings.Builder
	for _, f := range functions {
		if f.Leakproof || f.Definer {
			t.Errorf("%s is leakproof or security definer", f.Signature)
		}
		if !f.TakesRelation {
			if !slices.Contains(noTable, f.Name) {
				t.Errorf("%s is not classified: review it and add it to noTable or tableFunctions", f.Signature)
			}
			continue
		}
		if f.ParallelSafe {
			t.Errorf("%s reads a table and is parallel safe", f.Signature)
		}
		tf, ok := tableFunctions[f.Name]
		if !ok {
			t.Errorf("%s takes a relation and is not in tableFunctions", f.Signature)
			continue
		}
		fmt.Fprintf(&report, "\n%s\n", f.Signature)
		for _, s := range privilegeScenarios {
			verdict, err := world.check(t, tf, s)
			if err != nil {
				t.Errorf("%s, %s: %v", f.Name, s.name, err)
			}
			fmt.Fprintf(&report, "    %-28s %s\n", s.name, verdict)
		}
	}
	t.Logf("%d C functions, %d reviewed as reading no table%s",
		len(functions), len(noTable), report.String())
}

// listFunctions reads the catalogs and checks that the lists name nothing that
// does not exist.
func listFunctions(t *testing.T, conn *pgx.Conn) []cFunction {
	t.Helper()
	rows, err := conn.Query(t.Context(), cFunctions)
	if err != nil {
		t.Fatal(err)
	}
	functions, err := pgx.CollectRows(rows, pgx.RowToStructByPos[cFunction])
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range functions {
		names[f.Name] = true
	}
	for _, name := range noTable {
		if !names[name] {
			t.Errorf("noTable names %s, which is no C function of the extension", name)
		}
	}
	for name := range tableFunctions {
		if !names[name] {
			t.Errorf("tableFunctions names %s, which is no C function of the extension", name)
		}
	}
	return functions
}

// outcome is what a call gave: its rows as text, or an SQLSTATE.
type outcome struct {
	rows []string
	code string
	text string
}

func (o outcome) verdict() string {
	if o.code != "" {
		return o.code + " " + o.text
	}
	return fmt.Sprintf("%d rows", len(o.rows))
}

// callOnce calls a function in a transaction that is rolled back.
func callOnce(t *testing.T, conn *pgx.Conn, sql string) outcome {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}()
	rows, err := tx.Query(t.Context(), sql)
	if err != nil {
		return sqlError(t, err)
	}
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return sqlError(t, err)
	}
	return outcome{rows: texts}
}

func sqlError(t *testing.T, err error) outcome {
	t.Helper()
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		t.Fatal(err)
	}
	return outcome{code: pgErr.Code, text: pgErr.Message + pgErr.Detail}
}

// connections of a privilege world, by what the session is.
type privilegeWorld struct {
	sessions map[string]*pgx.Conn
	oids     map[string]uint32
}

func newPrivilegeWorld(t *testing.T, c *cluster.Cluster, admin *pgx.Conn) *privilegeWorld {
	t.Helper()
	database := admin.Config().Database
	pgtest.Exec(t, admin, privilegeSetup)
	w := &privilegeWorld{sessions: map[string]*pgx.Conn{
		"superuser":   admin,
		"reader":      pgtest.ConnectAs(t, c, database, "priv_reader"),
		"reader, off": pgtest.ConnectAs(t, c, database, "priv_reader"),
		"owner":       pgtest.ConnectAs(t, c, database, "priv_owner"),
		"set role":    pgtest.Connect(t, c, database),
		"other":       pgtest.Connect(t, c, database),
	}, oids: map[string]uint32{}}
	pgtest.Exec(t, w.sessions["reader, off"], "SET row_security = off")
	pgtest.Exec(t, w.sessions["set role"], "SET ROLE priv_reader")
	pgtest.Exec(t, w.sessions["other"], `
		CREATE TEMP TABLE other_temp (LIKE priv.visible INCLUDING INDEXES);
		GRANT SELECT ON other_temp TO priv_reader`)
	rows, err := admin.Query(t.Context(), `
		SELECT relname::text, oid FROM pg_class
		WHERE relnamespace IN ('priv'::regnamespace, 'priv_closed'::regnamespace) OR relname = 'other_temp'`)
	if err != nil {
		t.Fatal(err)
	}
	var name string
	var oid uint32
	if _, err := pgx.ForEachRow(rows, []any{&name, &oid}, func() error {
		w.oids[name] = oid
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return w
}
