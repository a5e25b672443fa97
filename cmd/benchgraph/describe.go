package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/harness/result"
)

// describeServer reads what a result file records about the server: version,
// settings that are not its defaults, extensions.
func describeServer(ctx context.Context, dsn string) (env result.Env, err error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return env, fmt.Errorf("describe server: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	if err := conn.QueryRow(ctx, "SHOW server_version").Scan(&env.Postgres); err != nil {
		return env, fmt.Errorf("describe server: %w", err)
	}
	// Where files lie says nothing about speed and changes with every run.
	env.Settings, err = pairs(ctx, conn, `SELECT name, current_setting(name) FROM pg_settings
WHERE source NOT IN ('default', 'override', 'client') AND name !~ '(directory|directories|_file|port|application_name)$' OR name = 'shared_buffers'`)
	if err != nil {
		return env, fmt.Errorf("describe server: %w", err)
	}
	env.Extensions, err = pairs(ctx, conn, "SELECT extname::text, extversion FROM pg_extension")
	if err != nil {
		return env, fmt.Errorf("describe server: %w", err)
	}
	return env, nil
}

func pairs(ctx context.Context, conn *pgx.Conn, sql string) (map[string]string, error) {
	rows, err := conn.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	var key, value string
	_, err = pgx.ForEachRow(rows, []any{&key, &value}, func() error {
		out[key] = value
		return nil
	})
	return out, err
}
