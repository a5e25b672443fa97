// Command benchgraph loads fact graphs into several engines, asks all of them
// the same questions, and reports how good and how fast the answers are.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// commit is set by the linker where the Go tool cannot stamp it.
var commit string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// After the first signal the default comes back: a second one ends the
	// process at once, and the servers it started end with it.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, process{
		args: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		now: time.Now, getenv: os.Getenv, environ: os.Environ, commit: commit,
	}))
}
