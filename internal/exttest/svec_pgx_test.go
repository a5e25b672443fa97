package exttest

import (
	"math"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/pgvector/pgvector-go"
	pgxvec "github.com/pgvector/pgvector-go/pgx"

	"sortedheap/internal/pgtest"
)

// registerSvec lets a connection use pgvector-go's codec for svec and svec[].
func registerSvec(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	svec := &pgtype.Type{
		Name:  "svec",
		OID:   pgtest.One[uint32](t, conn, "SELECT 'svec'::regtype::oid"),
		Codec: &pgxvec.VectorCodec{},
	}
	conn.TypeMap().RegisterType(svec)
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name:  "_svec",
		OID:   pgtest.One[uint32](t, conn, "SELECT 'svec[]'::regtype::oid"),
		Codec: &pgtype.ArrayCodec{ElementType: svec},
	})
}

// samples are vectors whose components are awkward for a decimal form.
func samples() [][]float32 {
	long := make([]float32, 16000)
	for i := range long {
		long[i] = float32(math.Sin(float64(i))) * float32(math.Pow(10, float64(i%60-30)))
	}
	return [][]float32{
		{1},
		{0, float32(math.Copysign(0, -1))},
		{0.1, 1.0 / 3, 16777217},
		{math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32},
		long,
	}
}

func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool {
		return math.Float32bits(x) == math.Float32bits(y)
	})
}

func TestSvecThroughPgvectorGo(t *testing.T) {
	conn := pgtest.Connect(t, pgtest.Start(t), "postgres")
	registerSvec(t, conn)
	t.Run("formats", func(t *testing.T) { testFormats(t, conn) })
	t.Run("nulls and arrays", func(t *testing.T) { testNullsAndArrays(t, conn) })
	t.Run("copy", func(t *testing.T) { testCopy(t, conn) })
}

func testFormats(t *testing.T, conn *pgx.Conn) {
	formats := []struct {
		name string
		code int16
	}{{"text", pgx.TextFormatCode}, {"binary", pgx.BinaryFormatCode}}
	for _, in := range formats {
		for _, out := range formats {
			t.Run(in.name+" in, "+out.name+" out", func(t *testing.T) {
				for _, want := range samples() {
					roundTrip(t, conn, want, in.code, out.code)
				}
			})
		}
	}
}

// roundTrip sends a vector in one format and wants the same bits back in the
// other.
func roundTrip(t *testing.T, conn *pgx.Conn, want []float32, in, out int16) {
	t.Helper()
	types := conn.TypeMap()
	typ, ok := types.TypeForName("svec")
	if !ok {
		t.Fatal("svec is not registered")
	}
	param, err := types.Encode(typ.OID, in, pgvector.NewVector(want), nil)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	res := conn.PgConn().ExecParams(t.Context(), "SELECT $1", [][]byte{param},
		[]uint32{typ.OID}, []int16{in}, []int16{out}).Read()
	if res.Err != nil {
		t.Fatalf("%d dimensions: %v", len(want), res.Err)
	}
	if got := res.FieldDescriptions[0]; got.DataTypeOID != typ.OID || got.Format != out {
		t.Fatalf("result has type %d and format %d, want %d and %d", got.DataTypeOID, got.Format, typ.OID, out)
	}
	var got pgvector.Vector
	if err := types.Scan(typ.OID, out, res.Rows[0][0], &got); err != nil {
		t.Fatalf("scan: %v", err)
	}
	if !sameBits(got.Slice(), want) {
		t.Errorf("%d dimensions came back as others, the first is %v, want %v", len(want), got.Slice()[0], want[0])
	}
}

func testNullsAndArrays(t *testing.T, conn *pgx.Conn) {
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
		t.Run(mode.String(), func(t *testing.T) {
			var null *pgvector.Vector
			if err := conn.QueryRow(t.Context(), "SELECT $1::svec", mode, null).Scan(&null); err != nil {
				t.Fatal(err)
			}
			if null != nil {
				t.Errorf("NULL came back as %v", null)
			}
			one := pgvector.NewVector([]float32{1, 2.5})
			var got []*pgvector.Vector
			err := conn.QueryRow(t.Context(), "SELECT ARRAY[$1::svec, NULL, $1::svec || '[3]']", mode, one).Scan(&got)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != 3 || got[1] != nil || !slices.Equal(got[0].Slice(), []float32{1, 2.5}) ||
				!slices.Equal(got[2].Slice(), []float32{1, 2.5, 3}) {
				t.Errorf("array came back as %v", got)
			}
		})
	}
	list := []pgvector.Vector{pgvector.NewVector([]float32{1}), pgvector.NewVector([]float32{2, 3})}
	dims := pgtest.Column[int32](t, conn, "SELECT svec_dims(v) FROM unnest($1::svec[]) AS v", list)
	if !slices.Equal(dims, []int32{1, 2}) {
		t.Errorf("dimensions of an array parameter are %v, want [1 2]", dims)
	}
}

func testCopy(t *testing.T, conn *pgx.Conn) {
	pgtest.Exec(t, conn, "CREATE TABLE t (id int, v svec, many svec[])")
	want := samples()
	rows := make([][]any, 0, len(want)+1)
	for i, v := range want {
		vec := pgvector.NewVector(v)
		rows = append(rows, []any{i, vec, []pgvector.Vector{vec}})
	}
	rows = append(rows, []any{len(want), nil, nil})
	n, err := conn.CopyFrom(t.Context(), pgx.Identifier{"t"}, []string{"id", "v", "many"}, pgx.CopyFromRows(rows))
	if err != nil || n != int64(len(rows)) {
		t.Fatalf("copied %d rows: %v", n, err)
	}
	got := pgtest.Column[*pgvector.Vector](t, conn, "SELECT v FROM t ORDER BY id")
	inner := pgtest.Column[*pgvector.Vector](t, conn, "SELECT many[1] FROM t ORDER BY id")
	for i, v := range want {
		if !sameBits(got[i].Slice(), v) || !sameBits(inner[i].Slice(), v) {
			t.Errorf("row %d of %d dimensions changed on the way", i, len(v))
		}
	}
	if got[len(want)] != nil || inner[len(want)] != nil {
		t.Error("NULL came back as a vector")
	}
}
