package openshare

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/corpus/pyrand"
	"sortedheap/internal/harness/engine/postgres"
)

// degree is the number of facts of an entity.
const degree = 16

// table is one facts table with a share of open blocks.
type table struct {
	name     string
	label    string // in case names
	entities int
	dim      int
	blocks   int64
	open     int64 // blocks without bounds, as the map counts them
}

// create loads rows in key order. Pages keep a tenth of their space, so that an
// update finds room beside its old version.
func (t *table) create(ctx context.Context, conn *pgx.Conn) error {
	return exec(ctx, conn,
		postgres.DropOwn("TABLE", t.name),
		fmt.Sprintf(`CREATE TABLE %s (entity_id int4 NOT NULL, relation_id int2 NOT NULL, target_id int4 NOT NULL,
	embedding svec NOT NULL, payload text NOT NULL, PRIMARY KEY (entity_id, relation_id, target_id))
	USING sorted_heap WITH (fillfactor = 90, toast_tuple_target = 8160)`, t.name),
		fmt.Sprintf(`INSERT INTO %s SELECT e, 1 + s %% 4, 1 + (e * 31 + s * 811) %% %d, array_fill(1 + e::real, ARRAY[%d])::svec, 'fact:' || e || ':' || s
FROM generate_series(1, %d) AS e, generate_series(0, %d) AS s`, t.name, t.entities, t.dim, t.entities, degree-1),
		"SELECT sorted_heap_compact('"+t.name+"'::regclass)",
		"VACUUM (ANALYZE) "+t.name)
}

// readMap asks the map for its state.
func (t *table) readMap(ctx context.Context, conn *pgx.Conn) error {
	err := conn.QueryRow(ctx, "SELECT blocks, open + loose + tried + gathering FROM sorted_heap_zonemap_stats($1::text::regclass)", t.name).
		Scan(&t.blocks, &t.open)
	if err != nil {
		return fmt.Errorf("read zone map of %s: %w", t.name, err)
	}
	return nil
}

// openBlocks makes strays until the share of blocks is open: in blocks drawn
// without repetition the first row gets a key from anywhere.
func (t *table) openBlocks(ctx context.Context, conn *pgx.Conn, percent float64) error {
	if err := t.readMap(ctx, conn); err != nil {
		return err
	}
	want := int64(float64(t.blocks)*percent/100 + 0.5)
	draws := pyrand.New(42)
	order, err := draws.Sample(int(t.blocks), int(t.blocks))
	if err != nil {
		return fmt.Errorf("draw blocks: %w", err)
	}
	for used := 0; t.open < want; {
		if used == len(order) {
			return fmt.Errorf("open %g %% of %s: strays in all %d blocks opened only %d", percent, t.name, t.blocks, t.open)
		}
		take := min(max(1, int(want-t.open)), len(order)-used)
		batch := &pgx.Batch{}
		for i, block := range order[used : used+take] {
			// Relation and target set strays apart from all other keys.
			batch.Queue("UPDATE "+t.name+" SET entity_id = $2, relation_id = 5, target_id = $3 WHERE ctid = $1::text::tid",
				fmt.Sprintf("(%d,1)", block), 1+int(draws.Below(uint64(t.entities))), used+i+1)
		}
		if err := conn.SendBatch(ctx, batch).Close(); err != nil {
			return fmt.Errorf("make strays in %s: %w", t.name, err)
		}
		used += take
		if err := t.readMap(ctx, conn); err != nil {
			return err
		}
	}
	return nil
}

// scatter replaces n rows by others with keys from anywhere, which fill the
// space that VACUUM has freed.
func (t *table) scatter(ctx context.Context, conn *pgx.Conn, n int) error {
	draws := pyrand.New(42)
	victims, err := draws.Sample(t.entities*degree, n)
	if err != nil {
		return fmt.Errorf("draw rows: %w", err)
	}
	entities, slots := make([]int32, n), make([]int32, n)
	for i, v := range victims {
		entities[i], slots[i] = int32(v/degree)+1, int32(v%degree)
	}
	if _, err := conn.Exec(ctx, "DELETE FROM "+t.name+" AS f USING unnest($1::int4[], $2::int4[]) AS v(e, s) WHERE f.entity_id = v.e AND f.payload = 'fact:' || v.e || ':' || v.s",
		entities, slots); err != nil {
		return fmt.Errorf("delete rows of %s: %w", t.name, err)
	}
	if err := exec(ctx, conn, "VACUUM "+t.name); err != nil {
		return err
	}
	for i := range entities {
		entities[i] = 1 + int32(draws.Below(uint64(t.entities)))
	}
	if _, err := conn.Exec(ctx, "INSERT INTO "+t.name+" SELECT e, 5, n, array_fill(1 + e::real, ARRAY[$2::int4])::svec, 'stray:' || n FROM unnest($1::int4[]) WITH ORDINALITY AS v(e, n)",
		entities, t.dim); err != nil {
		return fmt.Errorf("insert strays into %s: %w", t.name, err)
	}
	return t.readMap(ctx, conn)
}

func exec(ctx context.Context, conn *pgx.Conn, statements ...string) error {
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%.60s: %w", sql, err)
		}
	}
	return nil
}
