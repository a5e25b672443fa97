package exttest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/pgvector/pgvector-go"
	pgxvec "github.com/pgvector/pgvector-go/pgx"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/pgtest"
)

// TestPgvectorAbsent: sorted_heap works in a database without pgvector, and the
// extension of casts says what it misses.
func TestPgvectorAbsent(t *testing.T) {
	conn := pgtest.Database(t, pgtest.Start(t))
	_, err := conn.Exec(t.Context(), "CREATE EXTENSION sorted_heap_pgvector")
	if err == nil || !strings.Contains(err.Error(), `required extension "vector"`) {
		t.Errorf("got error %v, want one about the required extension", err)
	}
	if got := pgtest.One[float64](t, conn, "SELECT '[1,2]'::hsvec <-> '[4,6]'::svec"); got != 5 {
		t.Errorf("distance without pgvector is %v, want 5", got)
	}
}

// both gives a database with sorted_heap, pgvector and the casts, and one with
// pgvector alone; it skips where the server has no pgvector.
func both(t *testing.T) (all, alone *pgx.Conn) {
	t.Helper()
	server := pgtest.Start(t)
	all = pgtest.Database(t, server)
	if !pgtest.One[bool](t, all, "SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector')") {
		t.Skip("this PostgreSQL has no pgvector")
	}
	pgtest.Exec(t, all, "CREATE EXTENSION vector", "CREATE EXTENSION sorted_heap_pgvector")
	return all, pgvectorAlone(t, server)
}

func pgvectorAlone(t *testing.T, server *cluster.Cluster) *pgx.Conn {
	t.Helper()
	conn := pgtest.Database(t, server)
	pgtest.Exec(t, conn, "DROP EXTENSION sorted_heap", "CREATE EXTENSION vector")
	return conn
}

func TestPgvectorCasts(t *testing.T) {
	all, alone := both(t)
	t.Run("mixed pairs", func(t *testing.T) { testMixedPairs(t, all) })
	t.Run("pgvector stays what it was", func(t *testing.T) { testUnchanged(t, all, alone) })
	t.Run("type modifiers", func(t *testing.T) { testModifiers(t, all) })
	t.Run("no rewrite", func(t *testing.T) { testNoRewrite(t, all) })
	t.Run("graph functions", func(t *testing.T) { testGraphQuery(t, all) })
}

// testMixedPairs: each operator over each pair of types has one meaning.
func testMixedPairs(t *testing.T, conn *pgx.Conn) {
	type pair struct{ left, right, result string }
	for _, p := range []pair{
		{"vector", "svec", "svec"}, {"svec", "vector", "svec"},
		{"halfvec", "hsvec", "hsvec"}, {"hsvec", "halfvec", "hsvec"},
		{"vector", "hsvec", "svec"}, {"hsvec", "vector", "svec"},
		{"vector", "vector", "vector"}, {"svec", "svec", "svec"},
	} {
		for _, op := range []string{"<=>", "<->", "<#>", "<+>"} {
			sql := fmt.Sprintf("SELECT '[1,2,3]'::%s %s '[3,2,2]'::%s", p.left, op, p.right)
			want := pgtest.One[float64](t, conn, fmt.Sprintf("SELECT '[1,2,3]'::svec %s '[3,2,2]'", op))
			if got := pgtest.One[float64](t, conn, sql); got-want > 1e-7 || want-got > 1e-7 {
				t.Errorf("%s: %v, want %v", sql, got, want)
			}
		}
		sql := fmt.Sprintf("SELECT pg_typeof('[1]'::%s + '[2]'::%s)::text", p.left, p.right)
		if got := pgtest.One[string](t, conn, sql); got != p.result {
			t.Errorf("%s: %s, want %s", sql, got, p.result)
		}
		sql = fmt.Sprintf("SELECT '[1]'::%s < '[2]'::%s", p.left, p.right)
		if !pgtest.One[bool](t, conn, sql) {
			t.Errorf("%s is false", sql)
		}
	}
	// Two implicit casts in a row are none: an error, not a guess.
	_, err := conn.Exec(t.Context(), "SELECT '[1]'::halfvec <-> '[1]'::svec")
	if err == nil || !strings.Contains(err.Error(), "operator does not exist") {
		t.Errorf("halfvec <-> svec: error %v", err)
	}
}

// testUnchanged: what a user of pgvector writes means the same, errors included,
// once our types and casts are there.
func testUnchanged(t *testing.T, all, alone *pgx.Conn) {
	outcome := func(conn *pgx.Conn, expression string) string {
		var text *string
		err := conn.QueryRow(t.Context(), "SELECT ("+expression+")::text").Scan(&text)
		if err != nil {
			return err.Error()
		}
		return *text
	}
	var expressions []string
	for _, a := range []string{"'[1,2]'::vector", "'[1,2]'::halfvec", "'[1,2]'", "'{1:1,2:2}/2'::sparsevec"} {
		for _, f := range []string{"vector_norm", "l2_norm", "l2_normalize", "vector_dims", "avg", "sum", "max",
			"array_ndims", "cardinality"} {
			expressions = append(expressions, fmt.Sprintf("%s(%s)", f, a))
		}
		for _, cast := range []string{"real[]", "vector", "halfvec", "text"} {
			expressions = append(expressions, fmt.Sprintf("(%s)::%s", a, cast))
		}
		for _, b := range []string{"'[1,2]'::vector", "'[1,2]'::halfvec", "'[1,2]'", "ARRAY[1,2]", "ARRAY[1,2]::real[]"} {
			for _, op := range []string{"<=>", "<->", "<#>", "<+>", "=", "<", "+", "*", "||"} {
				expressions = append(expressions, fmt.Sprintf("%s %s %s", a, op, b))
			}
			for _, f := range []string{"l2_distance", "cosine_distance", "inner_product", "l1_distance"} {
				expressions = append(expressions, fmt.Sprintf("%s(%s, %s)", f, a, b))
			}
		}
	}
	for _, e := range expressions {
		if got, want := outcome(all, e), outcome(alone, e); got != want {
			t.Errorf("%s: %s, with pgvector alone %s", e, got, want)
		}
	}
}

func testModifiers(t *testing.T, conn *pgx.Conn) {
	pgtest.Exec(t, conn, "CREATE TEMP TABLE m (v vector(2), s svec(2), h halfvec(2), hs hsvec(2))",
		"INSERT INTO m VALUES ('[1,2]'::svec, '[1,2]'::vector, '[1,2]'::hsvec, '[1,2]'::halfvec)")
	for column, from := range map[string]string{"v": "svec", "s": "vector", "h": "hsvec", "hs": "halfvec"} {
		_, err := conn.Exec(t.Context(), fmt.Sprintf("INSERT INTO m (%s) VALUES ('[1,2,3]'::%s)", column, from))
		if err == nil || !strings.Contains(err.Error(), "expected 2 dimensions, not 3") {
			t.Errorf("three dimensions of %s into %s: error %v", from, column, err)
		}
	}
}

func testNoRewrite(t *testing.T, conn *pgx.Conn) {
	pgtest.Exec(t, conn, "CREATE TABLE moved (v vector(3), h halfvec(3))",
		"INSERT INTO moved VALUES ('[1,2,3]', '[4,5,6]')")
	before := pgtest.One[uint32](t, conn, "SELECT pg_relation_filenode('moved')")
	pgtest.Exec(t, conn, "ALTER TABLE moved ALTER v TYPE svec, ALTER h TYPE hsvec")
	if after := pgtest.One[uint32](t, conn, "SELECT pg_relation_filenode('moved')"); after != before {
		t.Error("changing vector to svec rewrote the table")
	}
	if got := pgtest.One[string](t, conn, "SELECT v::text || h::text FROM moved"); got != "[1,2,3][4,5,6]" {
		t.Errorf("rows became %s", got)
	}
}

func testGraphQuery(t *testing.T, conn *pgx.Conn) {
	pgtest.Exec(t, conn, `CREATE TABLE facts (entity_id int4, relation_id int2, target_id int4, embedding svec(2),
		payload text, PRIMARY KEY (entity_id, relation_id, target_id))`,
		"INSERT INTO facts VALUES (1, 1, 2, '[1,0]', 'near'), (1, 1, 3, '[0,1]', 'far')")
	got := pgtest.One[string](t, conn, "SELECT payload FROM sorted_heap_expand_rerank('facts', '{1}', '[1,0]'::vector, 1)")
	if got != "near" {
		t.Errorf("got %s, want near", got)
	}
}

// TestHalvesThroughPgvectorGo: pgvector-go's codec of halfvec works under the
// OID of hsvec.
func TestHalvesThroughPgvectorGo(t *testing.T) {
	conn := pgtest.Connect(t, pgtest.Start(t), "postgres")
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name:  "hsvec",
		OID:   pgtest.One[uint32](t, conn, "SELECT 'hsvec'::regtype::oid"),
		Codec: &pgxvec.HalfVectorCodec{},
	})
	pgtest.Exec(t, conn, "CREATE TEMP TABLE halves (id int, v hsvec)")
	long := make([]float32, 16000)
	for i := range long {
		long[i] = float32(i%2048) / 16
	}
	samples := [][]float32{{1}, {0.5, -2, 65504}, {0x1p-24, -0x1p-14}, long}
	for i, want := range samples {
		var got pgvector.HalfVector
		err := conn.QueryRow(t.Context(), "INSERT INTO halves VALUES ($1, $2) RETURNING v", i,
			pgvector.NewHalfVector(want)).Scan(&got)
		if err != nil {
			t.Fatalf("%d dimensions: %v", len(want), err)
		}
		if !sameBits(got.Slice(), want) {
			t.Errorf("%d dimensions came back as others", len(want))
		}
		if text := pgtest.One[bool](t, conn, "SELECT v = $2::text::hsvec FROM halves WHERE id = $1", i,
			pgvector.NewVector(want).String()); !text {
			t.Errorf("%d dimensions: text and binary differ", len(want))
		}
	}
}
