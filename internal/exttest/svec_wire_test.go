package exttest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sortedheap/internal/pgtest"
)

// wire is an svec in binary form with every field free to lie.
func wire(dim, unused int16, components ...float32) []byte {
	buf := binary.BigEndian.AppendUint16(nil, uint16(dim))
	buf = binary.BigEndian.AppendUint16(buf, uint16(unused))
	for _, c := range components {
		buf = binary.BigEndian.AppendUint32(buf, math.Float32bits(c))
	}
	return buf
}

// copyBinary is a binary COPY stream of rows with one column.
func copyBinary(values ...[]byte) []byte {
	buf := append([]byte("PGCOPY\n\xff\r\n\x00"), make([]byte, 8)...)
	for _, v := range values {
		buf = binary.BigEndian.AppendUint16(buf, 1)
		buf = binary.BigEndian.AppendUint32(buf, uint32(len(v)))
		buf = append(buf, v...)
	}
	return binary.BigEndian.AppendUint16(buf, 0xffff)
}

func TestSvecBinaryInputIsChecked(t *testing.T) {
	conn := pgtest.Connect(t, pgtest.Start(t), "postgres")
	pgtest.Exec(t, conn, "CREATE TABLE t (v svec)", "CREATE TABLE t3 (v svec(3))")
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	tests := []struct {
		name  string
		table string
		value []byte
		want  string // part of the error; empty: accepted
	}{
		{"whole", "t3", wire(3, 0, 1, 2, 3), ""},
		{"one dimension", "t", wire(1, 0, -1), ""},
		{"NaN", "t", wire(2, 0, 1, nan), "NaN not allowed in svec"},
		{"infinity", "t", wire(2, 0, inf, 1), "infinite value not allowed in svec"},
		{"minus infinity", "t", wire(1, 0, -inf), "infinite value not allowed in svec"},
		{"no dimension", "t", wire(0, 0), "svec must have at least 1 dimension"},
		{"negative dimension", "t", wire(-1, 0, 1), "svec must have at least 1 dimension"},
		{"smallest dimension", "t", wire(math.MinInt16, 0, 1), "svec must have at least 1 dimension"},
		{"too many dimensions", "t", wire(16001, 0, make([]float32, 16001)...), "svec cannot have more than 16000 dimensions"},
		{"type modifier", "t3", wire(2, 0, 1, 2), "expected 3 dimensions, not 2"},
		{"unused field", "t", wire(1, 7, 1), "expected unused field of svec to be 0, not 7"},
		{"cut in a component", "t", wire(2, 0, 1, 2)[:11], "insufficient data left in message"},
		{"component missing", "t", wire(3, 0, 1, 2), "insufficient data left in message"},
		{"component left over", "t", wire(1, 0, 1, 2), "incorrect binary data format"},
		{"cut header", "t", wire(1, 0)[:3], "insufficient data left in message"},
		{"empty", "t", []byte{}, "insufficient data left in message"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tag, err := conn.PgConn().CopyFrom(t.Context(), bytes.NewReader(copyBinary(tt.value)),
				"COPY "+tt.table+" FROM STDIN (FORMAT binary)")
			checkInput(t, tt.want, tag, err)
			oid := pgtest.One[uint32](t, conn, "SELECT 'svec'::regtype::oid")
			res := conn.PgConn().ExecParams(t.Context(), "INSERT INTO "+tt.table+" VALUES ($1)",
				[][]byte{tt.value}, []uint32{oid}, []int16{pgx.BinaryFormatCode}, nil).Read()
			want := tt.want
			if strings.HasPrefix(want, "incorrect binary") {
				want = "incorrect binary data format in bind parameter"
			}
			checkInput(t, want, res.CommandTag, res.Err)
		})
	}
	if n := pgtest.One[int64](t, conn, "SELECT (SELECT count(*) FROM t) + (SELECT count(*) FROM t3)"); n != 4 {
		t.Errorf("%d rows are stored, want the 4 accepted ones", n)
	}
}

func checkInput(t *testing.T, want string, tag pgconn.CommandTag, err error) {
	t.Helper()
	var pgErr *pgconn.PgError
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want == "" && tag.RowsAffected() != 1:
		t.Errorf("%d rows stored, want 1", tag.RowsAffected())
	case want != "" && !errors.As(err, &pgErr):
		t.Errorf("want server error %q, got %v, %v", want, tag, err)
	case want != "" && !strings.Contains(pgErr.Message, want):
		t.Errorf("error is %q, want %q", pgErr.Message, want)
	}
}

func TestSvecBesidePgvector(t *testing.T) {
	conn := pgtest.Connect(t, pgtest.Start(t), "postgres")
	if !pgtest.One[bool](t, conn, "SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector')") {
		t.Skip("pgvector is not installed beside this server")
	}
	pgtest.Exec(t, conn, "CREATE EXTENSION vector") // into the schema of ours
	t.Run("same bytes", func(t *testing.T) { testSameBytes(t, conn) })
	t.Run("unambiguous calls", func(t *testing.T) { testUnambiguousCalls(t, conn) })
}

func testSameBytes(t *testing.T, conn *pgx.Conn) {
	pgtest.Exec(t, conn, "CREATE TABLE theirs (id int, v vector)", "CREATE TABLE ours (id int, v svec)",
		`INSERT INTO theirs SELECT i, array_agg((sin(i * d) * 10 ^ (d % 60 - 30))::float4)::vector
			FROM generate_series(1, 40) i, generate_series(1, i * i) d GROUP BY i`)
	var moved bytes.Buffer
	if _, err := conn.PgConn().CopyTo(t.Context(), &moved, "COPY theirs TO STDOUT (FORMAT binary)"); err != nil {
		t.Fatalf("copy out: %v", err)
	}
	theirs := slices.Clone(moved.Bytes())
	if _, err := conn.PgConn().CopyFrom(t.Context(), &moved, "COPY ours FROM STDIN (FORMAT binary)"); err != nil {
		t.Fatalf("copy in: %v", err)
	}
	var ours bytes.Buffer
	if _, err := conn.PgConn().CopyTo(t.Context(), &ours, "COPY ours TO STDOUT (FORMAT binary)"); err != nil {
		t.Fatalf("copy out: %v", err)
	}
	if !bytes.Equal(ours.Bytes(), theirs) {
		t.Error("binary COPY of svec differs from that of vector")
	}

	// In memory, too: a cast without function carries the bytes over.
	pgtest.Exec(t, conn, "CREATE CAST (vector AS svec) WITHOUT FUNCTION", "CREATE CAST (svec AS vector) WITHOUT FUNCTION")
	got := pgtest.Column[int32](t, conn, `SELECT id FROM ours JOIN theirs USING (id)
		WHERE ours.v = theirs.v::svec AND ours.v::vector = theirs.v AND svec_send(ours.v) = vector_send(theirs.v)
		AND svec_send(theirs.v::svec) = vector_send(ours.v::vector) AND ours.v::text = theirs.v::text
		AND pg_column_size(ours.v) = pg_column_size(theirs.v)`)
	if len(got) != 40 {
		t.Errorf("%d of 40 values are the same as pgvector's", len(got))
	}
}

// A name we share with pgvector must have been overloaded there already for as
// many arguments, or its calls with untyped literals would become ambiguous.
func testUnambiguousCalls(t *testing.T, conn *pgx.Conn) {
	const members = `WITH members AS (
		SELECT e.extname, p.proname, p.pronargs FROM pg_proc p
		JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
		JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid) `
	shared := pgtest.Column[string](t, conn, members+`SELECT DISTINCT proname::text FROM members WHERE extname = 'vector'
		AND proname IN (SELECT proname FROM members WHERE extname = 'sorted_heap') ORDER BY 1`)
	if !slices.Contains(shared, "l2_distance") {
		t.Fatalf("shared names are %v: the test looks at the wrong things", shared)
	}
	broken := pgtest.Column[string](t, conn, members+`SELECT proname::text FROM members WHERE extname = 'vector'
		GROUP BY proname, pronargs HAVING count(*) = 1 AND (proname, pronargs) IN
			(SELECT proname, pronargs FROM members WHERE extname = 'sorted_heap')`)
	if len(broken) > 0 {
		t.Errorf("calls of %v with untyped literals become ambiguous", broken)
	}
	for _, sql := range []string{
		"SELECT vector_norm('[3,4]')", "SELECT '[1,2]'::vector <=> '[3,4]'", "SELECT '[1,2]'::svec <=> '[3,4]'",
		"SELECT '[1,2]' <-> '[3,4]'::svec", "SELECT '[1,2]'::svec = '[3,4]'", "SELECT '[1,2]'::vector + '[3,4]'",
		"SELECT svec_norm('[3,4]')", "SELECT ARRAY[1,2]::svec, ARRAY[1,2]::vector",
		"SELECT avg(v), sum(v) FROM unnest('{\"[1]\"}'::svec[]) v", "SELECT avg(v) FROM unnest('{\"[1]\"}'::vector[]) v",
		"SELECT '[1,2]'::svec::real[]::vector <=> '[1,2]'::vector::real[]::vector",
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
