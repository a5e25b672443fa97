package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// planOf is the plan of a sweep's command line.
func planOf(t *testing.T, args ...string) (*sweepPlan, error) {
	t.Helper()
	p := process{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, now: time.Now,
		getenv: func(string) string { return "" }, environ: func() []string { return nil }}
	root := newRootCommand(p)
	sub, rest, err := root.Find(append([]string{"sweep"}, args...))
	if err != nil {
		t.Fatal(err)
	}
	sub.SetContext(context.Background())
	if err := sub.ParseFlags(rest); err != nil {
		return nil, err
	}
	vary, err := sub.Flags().GetStringArray("vary")
	if err != nil {
		t.Fatal(err)
	}
	return planSweep(sub, func(string) string { return "" }, vary)
}

// Points that differ only in what a search can be told share a load; what the flags
// say besides holds at every point.
func TestSweepLoadsAsOftenAsItMust(t *testing.T) {
	plan, err := planOf(t, "multihop", "--chains", "50", "--engines", "heap,pgvector",
		"--vary", "ef_search=64,128", "--vary", "m=8,16", "--vary", "ann-k=4,8")
	if err != nil {
		t.Fatal(err)
	}
	var groups [][]string
	for _, g := range plan.groups {
		var points []string
		for _, j := range g {
			points = append(points, j.point.String())
			o := j.questions.options
			if !slices.Equal(o.engines, []string{"heap", "pgvector"}) {
				t.Errorf("engines at %s are %v", j.point, o.engines)
			}
			if want := "m=" + strconv.Itoa(o.m) + " ef_search=" + strconv.Itoa(o.efSearch) + " ann_k=" + strconv.Itoa(o.annK); want != j.point.String() {
				t.Errorf("the job at %s is %s", j.point, want)
			}
		}
		groups = append(groups, points)
	}
	want := [][]string{
		{"m=8 ef_search=64 ann_k=4", "m=8 ef_search=64 ann_k=8", "m=8 ef_search=128 ann_k=4", "m=8 ef_search=128 ann_k=8"},
		{"m=16 ef_search=64 ann_k=4", "m=16 ef_search=64 ann_k=8", "m=16 ef_search=128 ann_k=4", "m=16 ef_search=128 ann_k=8"},
	}
	if !slices.EqualFunc(groups, want, slices.Equal[[]string]) {
		t.Errorf("groups are %v, want %v", groups, want)
	}
}

// A scenario that sweeps a flag itself gets its list whole, and a load for each
// other point.
func TestSweepOfLists(t *testing.T) {
	plan, err := planOf(t, "ann", "--clusters", "5", "--vary", "m=8,16", "--vary", "ef_search=10,20,40")
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.groups) != 2 || len(plan.groups[0]) != 1 {
		t.Fatalf("%d groups, want 2 of one point", len(plan.groups))
	}
	for i, m := range []int{8, 16} {
		params := plan.groups[i][0].params
		if params["m"] != m || fmt.Sprint(params["ef_search"]) != "[10 20 40]" {
			t.Errorf("point %d has m %v, ef_search %v", i, params["m"], params["ef_search"])
		}
	}
}

func TestSweepMistakes(t *testing.T) {
	for want, args := range map[string][]string{
		"say what to vary":                                    nil,
		`--vary "m" is not of the form`:                       {"--vary", "m"},
		`--vary "m=8," is not of the form`:                    {"--vary", "m=8,"},
		`"speed" is not a parameter`:                          {"--vary", "speed=1,2"},
		`"pg" is not a parameter of this scenario that can`:   {"--vary", "pg=local,container"},
		`--vary names "ef-search" twice`:                      {"--vary", "ef_search=1,2", "--vary", "ef-search=3,4"},
		"at m=1000: --m is 1000, must be in 2..100":           {"--vary", "m=16,1000"},
		`at m=many: invalid argument "many" for "--m"`:        {"--vary", "m=many"},
		"at scan_mode=fast: --scan-mode is \"fast\", must be": {"--vary", "scan_mode=fast"},
	} {
		if _, err := planOf(t, append([]string{"multihop"}, args...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want one with %q", args, err, want)
		}
	}
}

// What is true at several points is said once.
func TestGatheredWarnings(t *testing.T) {
	got := gathered([]string{"m=8: few samples", "m=16: few samples", "m=16: a plan changed: twice",
		"m=8: slow", "m=16: slow", "m=24: slow", "m=32: slow"})
	want := []string{"at m=8; m=16: few samples", "at m=16: a plan changed: twice", "at 4 points from m=8 to m=32: slow"}
	if !slices.Equal(got, want) {
		t.Errorf("warnings are %q, want %q", got, want)
	}
}
