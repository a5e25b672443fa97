package difftest

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// A cursor reads some rows of the mapped twin early in a snapshot and the rest
// late: what it has learned from the map has to hold that long.
type cursor struct {
	condition string
	ids       []int64
}

const cursorRows = 3 // that are read early

func openCursor(ctx context.Context, conn *pgx.Conn, condition string) (*cursor, error) {
	sql := fmt.Sprintf("DECLARE early NO SCROLL CURSOR FOR SELECT id FROM %s WHERE %s", mapped, condition)
	if err := execute(ctx, conn, sql); err != nil {
		return nil, err
	}
	c := &cursor{condition: condition}
	return c, c.fetch(ctx, conn, fmt.Sprintf("FETCH %d FROM early", cursorRows))
}

func (c *cursor) fetch(ctx context.Context, conn *pgx.Conn, sql string) error {
	rows, err := conn.Query(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	c.ids = append(c.ids, ids...)
	return nil
}

// finish reads the rest and compares with the plain twin.
func (c *cursor) finish(ctx context.Context, conn *pgx.Conn) error {
	if err := c.fetch(ctx, conn, "FETCH ALL FROM early"); err != nil {
		return err
	}
	twin := &cursor{}
	if err := twin.fetch(ctx, conn, fmt.Sprintf("SELECT id FROM %s WHERE %s", plain, c.condition)); err != nil {
		return err
	}
	slices.Sort(c.ids)
	slices.Sort(twin.ids)
	if !slices.Equal(c.ids, twin.ids) {
		return &Difference{Question: "cursor WHERE " + c.condition, Answers: []string{
			fmt.Sprintf("%s: %d rows", mapped, len(c.ids)), fmt.Sprintf("%s: %d rows", plain, len(twin.ids))}}
	}
	return execute(ctx, conn, "CLOSE early")
}
