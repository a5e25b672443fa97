package openshare_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"sortedheap/internal/harness/openshare"
	"sortedheap/internal/pgtest"
)

type quiet struct{}

func (quiet) Step(string, int)    {}
func (quiet) Done(int)            {}
func (quiet) Note(string, ...any) {}

func TestValidate(t *testing.T) {
	if err := openshare.Default().Validate(); err != nil {
		t.Error(err)
	}
	err := openshare.Params{Shares: []float64{101, math.NaN()}, Keys: []int{-1}, Budget: -1}.Validate()
	for _, want := range []string{"entities", "share 101", "share NaN", "-1 keys", "budget", "runs"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not mention %s", err, want)
		}
	}
}

// Small tables: as many blocks are open as asked for, forced accesses are taken,
// and the answers agree (Run checks them).
func TestRun(t *testing.T) {
	server := pgtest.Start(t)
	p := openshare.Params{Entities: 500, Dim: 32, Shares: []float64{0, 20}, StrayEntities: 2000, Strays: 30, Keys: []int{1, 8}, Inputs: 3, Passes: 1}
	rows, _, err := openshare.Run(t.Context(), p, openshare.Env{DSN: server.DSN(""), Progress: quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 18 {
		t.Errorf("%d rows, want 3 tables x 2 numbers of keys x 3 accesses", len(rows))
	}
	for _, r := range rows {
		open, blocks := number(t, r.Params["open_blocks"]), number(t, r.Params["blocks"])
		switch r.Corpus {
		case "open_0%":
			if open != 0 {
				t.Errorf("%s: %g of %g blocks open", r.Case, open, blocks)
			}
		case "open_20%":
			if share := 100 * open / blocks; math.Abs(share-20) > 3 {
				t.Errorf("%s: %.1f %% of %g blocks open", r.Case, share, blocks)
			}
		default:
			if open == 0 {
				t.Errorf("%s: strays opened no block", r.Case)
			}
		}
		if forced := fmt.Sprint(r.Params["access"]); forced != "auto" && r.Plan != "rows: "+forced {
			t.Errorf("%s went by %q", r.Case, r.Plan)
		}
	}
}

func number(t *testing.T, value any) float64 {
	t.Helper()
	n, ok := value.(int64)
	if !ok {
		t.Fatalf("%v is no count", value)
	}
	return float64(n)
}
