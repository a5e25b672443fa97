package main

import (
	"errors"
	"fmt"
	"os/exec"

	"github.com/spf13/cobra"
)

func newClusterCommand(p process) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "A throw-away PostgreSQL to play in",
		Long: "cluster starts a PostgreSQL server that listens on a unix socket only, with the\n" +
			"settings of the benchmark. Everything in it is gone after down.\n\n" + exitCodes,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return usageError{errors.New("say what to do: up, psql or down")}
		},
	}
	cmd.AddCommand(newClusterUp(p), newClusterKeep(p), newClusterPsql(p), newClusterDown(p))
	return cmd
}

func newClusterUp(p process) *cobra.Command {
	var o keeperOptions
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start a cluster that stays until down",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := startKeeper(cmd.Context(), p, o)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.stdout, "cluster %q is up\n  connection string: %s\n  shell:             benchgraph cluster psql --name %s\n  remove:            benchgraph cluster down --name %s\n",
				o.name, state.DSN, o.name, o.name)
			return err
		},
	}
	o.addFlags(cmd)
	return cmd
}

// newClusterKeep is the process behind up: the server lives as long as it.
func newClusterKeep(p process) *cobra.Command {
	var o keeperOptions
	cmd := &cobra.Command{
		Use:    "keep",
		Short:  "Hold a cluster until terminated",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return keep(cmd.Context(), p, o)
		},
	}
	o.addFlags(cmd)
	return cmd
}

func newClusterPsql(p process) *cobra.Command {
	var o keeperOptions
	cmd := &cobra.Command{
		Use:   "psql [-- PSQL-ARGUMENTS]",
		Short: "Open psql on the cluster",
		RunE: func(cmd *cobra.Command, args []string) error {
			state, err := readState(p, o.name)
			var none noClusterError
			if errors.As(err, &none) {
				return fmt.Errorf("%w; start one with: benchgraph cluster up --name %s", err, o.name)
			}
			if err != nil {
				return err
			}
			psql := exec.CommandContext(cmd.Context(), state.Psql, args...)
			psql.Env = append(p.environ(), state.Env...)
			psql.Stdin, psql.Stdout, psql.Stderr = p.stdin, p.stdout, p.stderr
			if err := psql.Run(); err != nil {
				return fmt.Errorf("run psql: %w", err)
			}
			return nil
		},
	}
	o.addName(cmd)
	return cmd
}

func newClusterDown(p process) *cobra.Command {
	var o keeperOptions
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Stop the cluster and remove it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := stopKeeper(cmd.Context(), p, o.name)
			var none noClusterError
			if errors.As(err, &none) {
				return fmt.Errorf("%w: nothing to remove (--name chooses another)", err)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.stdout, "cluster %q is gone\n", o.name)
			return err
		},
	}
	o.addName(cmd)
	return cmd
}
