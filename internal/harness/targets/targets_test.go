package targets_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"sortedheap/fixtures"
	"sortedheap/internal/harness/ann"
	"sortedheap/internal/harness/crud"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/all"
	"sortedheap/internal/harness/openshare"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario"
	"sortedheap/internal/harness/targets"
)

func parse(t *testing.T, text string) *targets.List {
	t.Helper()
	l, err := targets.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The targets of the project name rows that their scenarios have: a case that is
// renamed must not turn a target into one that is never measured.
func TestTargetsNameWhatExists(t *testing.T) {
	l, err := targets.Parse(fixtures.Targets())
	if err != nil {
		t.Fatal(err)
	}
	scenarios := scenario.All()
	for _, g := range l.Groups {
		for _, target := range g.Targets {
			for _, s := range append(slices.Clone(target.Over), target.Of) {
				if !slices.Contains(append(all.Names(), "pgvector"), s.Engine) {
					t.Errorf("%s: there is no engine %q", target.Work, s.Engine)
				}
				i := slices.IndexFunc(scenarios, func(c scenario.Scenario) bool { return c.Name == s.Scenario })
				switch {
				case i >= 0:
					if !hasCase(scenarios[i], s) {
						t.Errorf("%s: %s has no case of %s that matches %q", target.Work, s.Scenario, s.Engine, s.Case)
					}
				case !slices.Contains([]string{ann.Name, crud.Name, openshare.Name}, s.Scenario):
					t.Errorf("%s: there is no scenario %q", target.Work, s.Scenario)
				}
			}
		}
	}
}

// hasCase leaves out what a row of a new session has behind its case.
func hasCase(sc scenario.Scenario, s targets.Selector) bool {
	name, _, _ := strings.Cut(s.Case, "/")
	pattern := regexp.MustCompile("^(?:" + name + ")$")
	return slices.ContainsFunc(sc.Tasks(8, 4), func(task engine.Task) bool { return pattern.MatchString(sc.CaseName(s.Engine, task)) })
}

// row is one with times of both clocks, in ms, and an interval of a tenth.
func row(engine, name, point string, server, client float64) result.Row {
	of := func(v float64) *result.Latency {
		lo, hi := 0.95*v, 1.05*v
		return &result.Latency{P50: v, P50Lo: &lo, P50Hi: &hi}
	}
	return result.Row{Scenario: "multihop", Engine: engine, Case: name, Point: point, Params: map[string]any{}, ServerMS: of(server), ClientMS: of(client)}
}

func file(at string, rows ...result.Row) *result.File {
	return &result.File{Env: result.Env{Time: at}, Params: map[string]any{"chains": 5000.0, "rows": 10000.0}, Rows: rows}
}

const ratioTarget = `{"groups": [{"title": "g", "targets": [{"work": "w", "against": "rival", "value": "server_ms", "at_most": 0.5,
 "of": {"scenario": "multihop", "engine": "ours", "case": "call", "params": {"chains": 5000}},
 "over": [{"scenario": "multihop", "engine": "rival", "case": "(in|join)", "params": {"chains": 5000}}]}]}]}`

func one(t *testing.T, text string, files ...*result.File) targets.Outcome {
	t.Helper()
	return parse(t, text).Measure(files)[0][0]
}

// The newest file counts, the rival's fastest row, and neither rows that failed nor
// those of another corpus.
func TestRatio(t *testing.T) {
	old := file("2026-01-01T00:00:00Z", row("ours", "call", "", 9, 9), row("rival", "in", "", 9, 9))
	other := file("2026-03-01T00:00:00Z", row("ours", "call", "", 9, 9), row("rival", "in", "", 9, 9))
	other.Params["chains"] = 10000.0
	failed := row("rival", "join", "", 1, 1)
	failed.Error = "it broke"
	newest := file("2026-02-01T00:00:00Z", row("ours", "call", "", 2, 3), row("rival", "in", "", 8, 9), row("rival", "join", "", 5, 9), failed)
	o := one(t, ratioTarget, old, newest, other)
	if !o.Found || o.Measured != 0.4 || !o.Met || o.File != newest || o.Row != "call" || !(o.Lo < 0.4 && o.Hi > 0.4) {
		t.Errorf("outcome %+v", o)
	}
	newest.Rows[2].ServerMS.P50 = 3
	if o := one(t, ratioTarget, newest); !o.Found || o.Met {
		t.Errorf("outcome %+v, want it missed", o)
	}
	if o := one(t, ratioTarget, file("2026-02-01T00:00:00Z", row("ours", "call", "", 2, 3))); o.Found {
		t.Errorf("outcome %+v without a rival", o)
	}
}

// Of pairs the worst counts, of builds the middle one, or the worst where every one
// must do.
func TestPairsAndBuilds(t *testing.T) {
	at := func(build, ef string, recall, reference float64) result.Row {
		r := row("ours", "call", build, 1, 1)
		r.Params["ef"], r.Params["hnswlib_recall"] = ef, reference
		r.Quality = &result.Quality{RecallAtK: &recall}
		return r
	}
	f := file("2026-01-01T00:00:00Z",
		at("build=1", "10", 0.90, 0.80), at("build=1", "20", 0.95, 0.90),
		at("build=2", "10", 0.90, 0.89), at("build=2", "20", 0.95, 0.92),
		at("build=3", "10", 0.90, 0.95), at("build=3", "20", 0.95, 0.50), at("ef=7", "10", 0, 1))
	const target = `{"groups": [{"title": "g", "targets": [{"work": "w", "value": "recall", "at_least": 0, "how": "difference", "by": ["ef"], %s
 "of": {"scenario": "multihop", "engine": "ours"}, "over": [{"scenario": "multihop", "engine": "ours", "value": "hnswlib_recall"}]}]}]}`
	for every, want := range map[string]struct {
		points, row string
		met         bool
	}{
		"": {"+1.00 points", "call, ef 10", true}, `"every_build": true,`: {"-5.00 points", "call, ef 10", false},
	} {
		o := one(t, strings.Replace(target, "%s", every, 1), f)
		if o.Builds != 3 || o.Text() != want.points || o.Row != want.row || o.Met != want.met {
			t.Errorf("%s: %s of %q in %d builds, met %t", every, o.Text(), o.Row, o.Builds, o.Met)
		}
	}
}

// Sums and growth.
func TestSumAndGrowth(t *testing.T) {
	sum := strings.Replace(ratioTarget, `"case": "(in|join)"`, `"case": "in"`, 1)
	sum = strings.Replace(sum, `"over": [`, `"over": [{"scenario": "multihop", "engine": "rival", "case": "join"},`, 1)
	if o := one(t, sum, file("", row("ours", "call", "", 3, 3), row("rival", "in", "", 2, 2), row("rival", "join", "", 4, 4))); o.Measured != 0.5 || !o.Met {
		t.Errorf("outcome %+v, want 3 over 2 and 4", o)
	}
	small, large := file("2026-01-01T00:00:00Z", row("ours", "call", "", 1, 1)), file("2026-01-02T00:00:00Z", row("ours", "call", "", 2, 2))
	large.Params["rows"] = 40000.0
	const target = `{"groups": [{"title": "g", "targets": [{"work": "w", "value": "server_ms", "at_most": 0.3, "how": "growth",
 "of": {"scenario": "multihop", "engine": "ours", "params": {"rows": 40000}}, "over": [{"scenario": "multihop", "engine": "ours", "params": {"rows": 10000}}]}]}]}`
	if o := one(t, target, small, large); o.Measured != 0.5 || o.Met {
		t.Errorf("outcome %+v, want twice the time at four times the rows to be an exponent of 0.5", o)
	}
}

// Clients are compared by rate and by their slowest calls, and times may be held to a
// difference in milliseconds.
func TestClientsAndMilliseconds(t *testing.T) {
	clients := func(engine string, rate, p99 float64) result.Row {
		r := row(engine, "clients_8_drawn", "", 1, 1)
		r.Load, r.ClientMS.P99 = &result.Load{Clients: 8, QueriesPerSecond: rate}, p99
		return r
	}
	f := file("", clients("ours", 400, 3), clients("rival", 100, 12), row("ours", "call", "", 1, 2.25), row("rival", "in", "", 1, 2))
	const target = `{"groups": [{"title": "g", "targets": [{"work": "w", "value": "VALUE", BOUND,
 "of": {"scenario": "multihop", "engine": "ours", "case": "CASE"}, "over": [{"scenario": "multihop", "engine": "rival", "case": "CASE"}]}]}]}`
	for _, c := range []struct {
		value, bound, name string
		measured           string
		met                bool
	}{
		{"queries_per_second", `"at_least": 1`, "clients_8_.*", "4.00", true},
		{"client_p99_ms", `"at_most": 0.2`, "clients_8_.*", "0.25", false},
		{"client_ms", `"at_most": 0.2, "how": "difference"`, "(call|in)", "+0.250 ms", false},
		{"queries_per_second", `"at_least": 1`, "call", "", false}, // no clients
	} {
		text := strings.NewReplacer("VALUE", c.value, "BOUND", c.bound, "CASE", c.name).Replace(target)
		if o := one(t, text, f); o.Text() != c.measured && !strings.HasPrefix(o.Text(), c.measured+" (") || o.Met != c.met {
			t.Errorf("%s of %s: %q, met %t, want %q, %t", c.value, c.name, o.Text(), o.Met, c.measured, c.met)
		}
	}
}

// The text has a line for what is met, missed and not measured.
func TestWrite(t *testing.T) {
	l := parse(t, strings.Replace(ratioTarget, `"targets": [`, `"targets": [{"work": "nowhere", "value": "client_ms", "at_most": 1, "note": "a longer run",
 "of": {"scenario": "crud", "engine": "ours"}},`, 1))
	var out strings.Builder
	if err := l.Write(&out, []*result.File{file("", row("ours", "call", "", 4, 3), row("rival", "in", "", 5, 9))}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"0 of 2 are met, 1 are missed; 1 have no result file here.",
		"| nowhere |  | client |  | ≤ 1.00 |  | not measured | a longer run |",
		"| w | rival | server |  | ≤ 0.50 | 0.80 (0.7",
		"| **missed** | call; 5000 chains, 10000 rows |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// Mistakes in the data are told, all of them.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		`{"groups": [{"title": "g", "targets": [{"work": "w", "value": "server_ms", "of": {"scenario": "a", "engine": "b"}}]}]}`:                               "at_most and at_least",
		`{"groups": [{"title": "g", "targets": [{"work": "w", "value": "speed", "at_most": 1, "of": {"scenario": "a", "engine": "b"}}]}]}`:                     `unknown value "speed"`,
		`{"groups": [{"title": "g", "targets": [{"work": "w", "value": "server_ms", "at_most": 1, "of": {"scenario": "a"}}]}]}`:                                "scenario and engine",
		`{"groups": [{"title": "g", "targets": [{"work": "w", "value": "server_ms", "at_most": 1, "how": "ratio", "of": {"scenario": "a", "engine": "b"}}]}]}`: `how is "ratio"`,
		`{"groups": [{"title": "g", "targets": [{"work": "w", "value": "server_ms", "at_most": 1, "of": {"scenario": "a", "engine": "b", "case": "("}}]}]}`:    "case:",
		`{"group": []}`: "unknown field",
	} {
		if _, err := targets.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
