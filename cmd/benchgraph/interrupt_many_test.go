package main

import (
	"flag"
	"strings"
	"syscall"
	"testing"

	"sortedheap/internal/pgtest"
)

var everyInterrupt = flag.Bool("every-interrupt", false, "end sweeps and repeats in all of their steps, some minutes")

// A sweep and a repeat leave nothing either, in whichever of their measurements they
// end: what earlier ones started is gone by then, what later ones would start never
// comes.
func TestInterruptManyLeavesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	spec := pgtest.Need(t)
	const quick = " --queries 20 --warm-up 1 --case-seconds 0"
	for _, c := range []struct {
		always         bool   // not only with -every-interrupt
		command, steps string // steps are lines on standard error, the signal comes after the last
		signal         syscall.Signal
		args           string // enough for that step to last
	}{
		{false, "sweep multihop", "start server", syscall.SIGINT, "--vary m=8,12 --chains 100"},
		{false, "sweep multihop", "point runs=1|point runs=1000|measure multihop", syscall.SIGINT,
			"--vary runs=1,1000 --chains 100 --engines heap,sorted_heap --cases expand2.*_in" + quick},
		{true, "sweep multihop", "point m=8|load sorted_heap", syscall.SIGTERM,
			"--vary m=8,12 --chains 500 --engines sorted_heap --cases seed_only --runs 1" + quick},
		{false, "sweep ann", "point m=8|point m=12|start server", syscall.SIGINT,
			"--vary m=8,12 --rows 300 --dim 8 --ef-search 16 --cases curve --runs 1 --warm-up 1 --queries 20"},
		{false, "sweep ann", "point m=8|point m=12|build index", syscall.SIGTERM,
			"--vary m=8,12 --rows 2000 --dim 32 --ef-search 16 --cases curve --runs 1 --warm-up 1 --queries 20"},
		{false, "sweep crud", "point pairs=1|point pairs=2|measure ", syscall.SIGINT,
			"--vary pairs=1,2 --rows 1000 --copy-rows 10 --wide-copy-rows 10 --seconds 1 --cases point"},
		{false, "sweep multihop", "point m=8|load qdrant", syscall.SIGINT,
			"--vary m=8,12 --chains 500 --engines qdrant --cases seed_only --runs 1 --qdrant " + qdrantProgram(t) + quick},
		{false, "repeat multihop", "build 1 of 2|start server", syscall.SIGINT, "--builds 2 --chains 100"},
		{true, "repeat multihop", "build 2 of 2|start server", syscall.SIGTERM, "--builds 2 --chains 100 --engines heap --cases seed_only --runs 1" + quick},
		{false, "repeat multihop", "build 2 of 2|load heap", syscall.SIGINT, "--builds 2 --chains 1500 --engines heap --cases seed_only --runs 1" + quick},
		{true, "repeat multihop", "build 2 of 2|measure multihop", syscall.SIGINT,
			"--builds 2 --chains 100 --engines heap,qdrant --cases seed_only --runs 50 --qdrant " + qdrantProgram(t) + quick},
		{false, "repeat openshare", "build 2 of 2|measure openshare", syscall.SIGINT,
			"--builds 2 --entities 200 --shares 0 --stray-entities 0 --keys 2 --warm-up 1 --runs 100 --queries 20 --case-seconds 0"},
	} {
		t.Run(c.command+", "+c.steps, func(t *testing.T) {
			if !c.always && !*everyInterrupt {
				t.Skip("one of the slower steps; -every-interrupt runs all")
			}
			args := append(strings.Fields(c.command), "--pg", "local:"+spec)
			interrupted(t, c.signal, append(args, strings.Fields(c.args)...), strings.Split(c.steps, "|")...)
		})
	}
}
