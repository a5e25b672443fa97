package difftest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// keyExpressions turn an int i into a key, in the order of i. Among them are a
// key that is shorter than what the map keeps of it, one whose kept prefix is
// shared by all, and one that is toasted for some.
var keyExpressions = map[string]struct{ sqlType, expression string }{
	"int":       {"int", "i"},
	"bigint":    {"bigint", "i::bigint * 1000003 - 5000000000"},
	"date":      {"date", "date '2000-01-01' + i"},
	"timestamp": {"timestamptz", "timestamptz '2000-01-01 00:00:00+00' + i * interval '1 minute'"},
	"uuid":      {"uuid", "(lpad(to_hex(i / 7), 16, '0') || lpad(to_hex(i), 16, '0'))::uuid"},
	"text":      {`text COLLATE "C"`, "'k' || lpad(i::text, 9, '0')"},
	"prefix":    {`text COLLATE "C"`, "'https://example.org/' || lpad(i::text, 9, '0')"},
	"toasted":   {`text COLLATE "C"`, "lpad(i::text, 9, '0') || CASE WHEN i % 97 = 0 THEN (SELECT string_agg(md5((i * 100 + n)::text), '') FROM generate_series(1, 80) n) ELSE '' END"},
	"smallint":  {"smallint", "least(i / 4, 32767)::smallint"},
	"oid":       {"oid", "(3000000000 + i)::oid"},
	"local":     {"timestamp", "timestamp '1970-01-01' + i * interval '1 second'"},
	"varchar":   {`varchar(40) COLLATE "C"`, "'v' || lpad(i::text, 9, '0')"},
	"bytea":     {"bytea", "decode(lpad(to_hex(i), 8, '0'), 'hex')"},
}

// KeyTypes names what Config.Key may be, sorted.
func KeyTypes() []string { return slices.Sorted(maps.Keys(keyExpressions)) }

const (
	mapped = "mapped" // has the zone map
	plain  = "plain"  // has a btree on the key instead

	// fillfactor makes rows lie thinly: a table that is quickly read through
	// spans several zone pages.
	fillfactor = 20
)

// createTwins makes the tables and the function difftest_key, and fills both.
// The primary key leads with the key, so that rewrites bring rows into its
// order.
func createTwins(ctx context.Context, conn *pgx.Conn, cfg Config) error {
	key := keyExpressions[cfg.Key]
	persistence := ""
	if cfg.Unlogged {
		persistence = "UNLOGGED"
	}
	returns, _, _ := strings.Cut(key.sqlType, " ")
	statements := []string{
		fmt.Sprintf(`CREATE FUNCTION difftest_key(i int) RETURNS %s LANGUAGE sql IMMUTABLE AS $$ SELECT %s $$`, returns, key.expression),
		`CREATE TABLESPACE difftest_space LOCATION ''`,
	}
	for _, twin := range []struct{ name, am string }{{mapped, cfg.AccessMethod}, {plain, "heap"}} {
		statements = append(statements,
			fmt.Sprintf(`CREATE %s TABLE %s (id bigint, w int NOT NULL, k %s, r smallint, pad text,
				o %s GENERATED ALWAYS AS (coalesce(k, difftest_key(0))) STORED,
				v svec GENERATED ALWAYS AS (ARRAY[abs(id %% 7), abs(id %% 5), 1]::real[]::svec) STORED,
				PRIMARY KEY (o, id)) USING %s WITH (fillfactor = %d)`,
				persistence, twin.name, key.sqlType, key.sqlType, twin.am, fillfactor),
			fmt.Sprintf(`INSERT INTO %s (id, w, k, r, pad) SELECT i, i %% %d, difftest_key(i), CASE WHEN i %% 11 <> 0 THEN i %% 5 END, repeat('x', 60) FROM generate_series(1, %d) i`,
				twin.name, cfg.Connections, cfg.Rows))
	}
	// Core's index answers for the plain twin.
	statements = append(statements, fmt.Sprintf(`CREATE INDEX plain_btree ON %s (k, r)`, plain))
	if cfg.expands() {
		statements = append(statements,
			fmt.Sprintf(`SELECT sorted_heap_graph_register('%s', %s)`, mapped, graphColumns),
			fmt.Sprintf(`SELECT sorted_heap_graph_register('%s', %s)`, plain, graphColumns))
	}
	statements = append(statements, fmt.Sprintf(`CREATE INDEX mapped_zone ON %s USING sorted_zone (k, r)`, mapped))
	if cfg.AccessMethod == "sorted_heap" { // what merge goes by
		statements = append(statements, fmt.Sprintf(`CREATE INDEX mapped_order ON %s USING sorted_zone (o, id)`, mapped))
	}
	if err := execute(ctx, conn, statements...); err != nil {
		return err
	}
	if err := checkPlan(ctx, conn); err != nil {
		return err
	}
	if cfg.Btree {
		return execute(ctx, conn, fmt.Sprintf(`CREATE INDEX mapped_btree ON %s (k, r)`, mapped))
	}
	return nil
}

// execute runs statements one by one.
func execute(ctx context.Context, conn *pgx.Conn, statements ...string) error {
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}
