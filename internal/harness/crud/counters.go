package crud

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// counter is what the server has counted for one table so far.
type counter struct {
	buffers int64 // shared buffer accesses of its statements
	widens  int64
}

// openCounters finds out whether the server counts buffers.
func (b *bench) openCounters(ctx context.Context) error {
	err := b.control.QueryRow(ctx, "SELECT current_setting('shared_preload_libraries') LIKE '%pg_stat_statements%'").Scan(&b.counted)
	if err != nil {
		return fmt.Errorf("set up counters: %w", err)
	}
	if !b.counted {
		b.warnings = append(b.warnings, "no buffer counts: pg_stat_statements is not in shared_preload_libraries")
		return nil
	}
	if _, err := b.control.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements"); err != nil {
		return fmt.Errorf("set up counters: %w", err)
	}
	if _, err := b.control.Exec(ctx, "SET pg_stat_statements.track = 'none'"); err != nil {
		return fmt.Errorf("set up counters: %w", err)
	}
	return nil
}

// counters reads both tables' sums. Statements are told apart by the table's
// name in their text; maintenance is left out.
func (b *bench) counters(ctx context.Context) (out [2]counter, err error) {
	for k, s := range b.sides {
		if b.counted {
			err := b.control.QueryRow(ctx, `SELECT coalesce(sum(shared_blks_hit + shared_blks_read), 0)::int8 FROM pg_stat_statements
WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND position($1 IN query) > 0
	AND query !~* '^(vacuum|truncate|select sorted_heap|drop|create)'`, s.table).Scan(&out[k].buffers)
			if err != nil {
				return out, fmt.Errorf("read buffer counts: %w", err)
			}
		}
		if s.mapped {
			err := b.control.QueryRow(ctx, "SELECT widens FROM sorted_heap_zonemap_stats($1::text::regclass)", s.table).Scan(&out[k].widens)
			if err != nil && !errors.Is(err, pgx.ErrNoRows) {
				return out, fmt.Errorf("read zone map of %s: %w", s.table, err)
			}
		}
	}
	return out, nil
}

func (b *bench) walPosition(ctx context.Context) (int64, error) {
	var at int64
	if err := b.control.QueryRow(ctx, "SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::int8").Scan(&at); err != nil {
		return 0, fmt.Errorf("read WAL position: %w", err)
	}
	return at, nil
}

// fault tells how the tables differ, or what is wrong with the map; "" when
// nothing is.
func (b *bench) fault(ctx context.Context) (string, error) {
	var sums [2]string
	for k, s := range b.sides {
		err := s.conn.QueryRow(ctx, "SELECT concat_ws(' ', count(*), sum(entity_id), sum(target_id), sum(hashtext(payload)), sum(hashint8(entity_id * 4294967296 + target_id))) FROM "+s.table).Scan(&sums[k])
		if err != nil {
			return "", fmt.Errorf("sum up %s: %w", s.table, err)
		}
	}
	if sums[0] != sums[1] {
		return fmt.Sprintf("the tables differ: %s has sums %s, %s has %s", b.sides[0].table, sums[0], b.sides[1].table, sums[1]), nil
	}
	var faults *string
	err := b.control.QueryRow(ctx, "SELECT string_agg(fault, '; ') FROM sorted_heap_check($1::text::regclass) WHERE severity = 'fault'", b.sides[1].table).Scan(&faults)
	if err != nil {
		return "", fmt.Errorf("check zone map: %w", err)
	}
	if faults != nil {
		return "sorted_heap_check: " + *faults, nil
	}
	return "", nil
}

// mapState is how many blocks of the mapped table the map has bounds for.
func (b *bench) mapState(ctx context.Context) (map[string]any, error) {
	var blocks, bounded int64
	err := b.control.QueryRow(ctx, "SELECT blocks, sealed + wide + empty FROM sorted_heap_zonemap_stats($1::text::regclass)", b.sides[1].table).
		Scan(&blocks, &bounded)
	if err != nil {
		return nil, fmt.Errorf("read zone map: %w", err)
	}
	return map[string]any{"blocks": blocks, "bounded": bounded}, nil
}
