package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Standby takes a base backup and starts it as a streaming replica. Closing
// the primary closes it too.
func (c *Cluster) Standby(ctx context.Context) (*Cluster, error) {
	n := len(c.standbys) + 1
	s := &Cluster{Install: c.Install, cfg: c.cfg, owner: c.owner, base: c.base, name: fmt.Sprintf("standby%d", n), port: c.port + n}
	out, err := c.Command(ctx, "pg_basebackup", "-D", s.dataDir(), "-R", "-X", "stream", "-c", "fast").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("pg_basebackup: %w\n%s", err, out)
	}
	if err := s.writeSettings(map[string]string{"hot_standby_feedback": "on"}); err != nil {
		return nil, err
	}
	if err := s.StartServer(ctx); err != nil {
		return nil, err
	}
	c.standbys = append(c.standbys, s)
	return s, nil
}

// WaitReplay returns once the standby has replayed all that the primary has
// written when it is called.
func (c *Cluster) WaitReplay(ctx context.Context, standby *Cluster) (err error) {
	primary, err := c.Connect(ctx, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, primary.Close(context.WithoutCancel(ctx))) }()
	replica, err := standby.Connect(ctx, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, replica.Close(context.WithoutCancel(ctx))) }()

	var target string
	if err := primary.QueryRow(ctx, "SELECT pg_current_wal_insert_lsn()::text").Scan(&target); err != nil {
		return fmt.Errorf("read WAL position: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel()
	for {
		var reached bool
		if err := replica.QueryRow(ctx, "SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn", target).Scan(&reached); err != nil {
			return fmt.Errorf("wait for replay of %s: %w", target, err)
		}
		if reached {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for replay of %s: %w", target, ctx.Err())
		case <-time.After(pollEvery):
		}
	}
}

// Promote makes a standby a primary and waits until it accepts writes.
func (c *Cluster) Promote(ctx context.Context) error {
	conn, err := c.Connect(ctx, "")
	if err != nil {
		return err
	}
	var done bool
	err = conn.QueryRow(ctx, "SELECT pg_promote(true, 60)").Scan(&done)
	if err := errors.Join(err, conn.Close(context.WithoutCancel(ctx))); err != nil {
		return fmt.Errorf("promote: %w", err)
	}
	if !done {
		return errors.New("promote: the standby did not finish in 60 s")
	}
	return nil
}
