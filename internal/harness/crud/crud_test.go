package crud

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
	bad := Params{Seconds: -1, Cases: regexp.MustCompile("nothing")}
	err := bad.Validate()
	for _, want := range []string{"rows", "copy-rows", "dim", "pairs", "seconds", "no case matches"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not mention %s", err, want)
		}
	}
}

// Keys are within range, look drawn, and are the same for both tables.
func TestScattered(t *testing.T) {
	seen := map[int]int{}
	for i := range 10_000 {
		k := scattered(i, 100)
		if k < 1 || k > 100 || k != scattered(i, 100) {
			t.Fatalf("key %d of statement %d", k, i)
		}
		seen[k]++
	}
	if len(seen) != 100 {
		t.Errorf("%d of 100 keys are hit", len(seen))
	}
	for k, n := range seen {
		if n < 50 || n > 150 {
			t.Errorf("key %d comes %d times in 10000", k, n)
		}
	}
}

func TestCopyRows(t *testing.T) {
	for _, shuffled := range []bool{false, true} {
		rows := &copyRows{keys: make([]int32, 500), dim: 2, text: "x"}
		rows.fill(shuffled)
		if slices.IsSorted(rows.keys) == shuffled {
			t.Errorf("shuffled %t: keys %v...", shuffled, rows.keys[:5])
		}
		var keys []int32
		for rows.Next() {
			values, err := rows.Values()
			if err != nil || len(values) != 5 {
				t.Fatalf("values %v, error %v", values, err)
			}
			keys = append(keys, rows.key)
		}
		slices.Sort(keys)
		if len(keys) != 500 || keys[0] != 1 || keys[499] != 500 {
			t.Errorf("shuffled %t: %d keys", shuffled, len(keys))
		}
	}
}

// Two pairs in which the second table needs 5 and 25 % more CPU for a row, and
// as much time.
func TestThroughput(t *testing.T) {
	b := &bench{counted: true, sides: [2]*side{{}, {mapped: true}}}
	m := &samples{
		pairs: []pair{
			{{rows: 100, seconds: 2, cpu: 1, wal: 1000}, {rows: 100, seconds: 2, cpu: 1.05, wal: 1100}},
			{{rows: 200, seconds: 4, cpu: 2, wal: 2000}, {rows: 200, seconds: 4, cpu: 2.5, wal: 2200}},
		},
		buffers: [2]int64{900, 1200}, widens: [2]int64{0, 30},
	}
	heap, ours := b.throughput(m, 0), b.throughput(m, 1)
	if heap.SpeedRatio != nil || heap.Widens != nil || heap.Rows != 300 || heap.RowsPerSecond != 50 || *heap.Buffers != 3 {
		t.Errorf("reference %+v", heap)
	}
	if ours.CPUMicros != nil || ours.CPURatio != nil {
		t.Errorf("CPU figures without a clock: %+v", ours)
	}
	if ours.SpeedRatio.Value != 1 || math.Abs(ours.WALBytes-11) > 1e-9 || *ours.Buffers != 4 || *ours.Widens != 0.1 {
		t.Errorf("throughput %+v", ours)
	}
}
