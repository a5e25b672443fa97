package report

import (
	"fmt"
	"math"
	"strings"

	"sortedheap/internal/harness/result"
)

// questions groups measured rows that answer the same question, whatever the
// engine and form, in the order of first appearance. Searched and exact seeds
// are one question: the approximate ones are meant to find the exact ones.
func questions(rows []result.Row) [][]result.Row {
	var groups [][]result.Row
	at := map[string]int{}
	for _, r := range rows {
		if r.Error != "" {
			continue
		}
		given := r.Params["seeding"] == "given"
		id := fmt.Sprint(r.Corpus, r.Params["question"], given, r.Params["given"], r.Params["seed_by"], r.Params["hops"], r.Params["score"], r.Params["output"])
		i, known := at[id]
		if !known {
			i = len(groups)
			at[id] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// fastestSQL is the row that ratios of a group refer to: plain SQL, and seeds
// as the engine finds them best.
func fastestSQL(group []result.Row, engine string) *result.Row {
	var best *result.Row
	for i := range group {
		r := &group[i]
		form := r.Params["form"]
		if r.Engine != engine || (form != "in" && form != "join") || r.Params["seeding"] == "exact" {
			continue
		}
		if best == nil || median(*r) < median(*best) {
			best = r
		}
	}
	return best
}

// namedReference is the row of the group that a row's parameters name.
func namedReference(group []result.Row, r result.Row) *result.Row {
	name, named := r.Params["reference"]
	if !named {
		return nil
	}
	for i := range group {
		if group[i].Case == name && group[i].Corpus == r.Corpus && group[i].Error == "" {
			return &group[i]
		}
	}
	return nil
}

// median is on the server clock where there is one.
func median(r result.Row) float64 {
	if r.ServerMS != nil {
		return r.ServerMS.P50
	}
	return r.ClientMS.P50
}

// against compares medians on the server's clock where both rows have it, else on
// the client's.
func against(r result.Row, reference *result.Row) string {
	if reference == nil {
		return ""
	}
	_, from, to := commonClock(*reference, r)
	return ratio(to.P50 / from.P50)
}

func quality(r result.Row) result.Quality {
	if r.Quality == nil {
		return result.Quality{}
	}
	return *r.Quality
}

func ms(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return fmt.Sprintf("%.3f", v)
}

func ratio(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return fmt.Sprintf("%.2f", v)
}

func percent(v *float64) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf("%.1f", 100**v)
}

// whole is a number of things, or nothing where it is not known.
func whole(v *float64) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf("%.0f", *v)
}

func number(v float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0")
}

func mb(bytes int64) string { return fmt.Sprintf("%.1f", float64(bytes)/1e6) }

func buffers(b *result.Buffers) string {
	if b == nil {
		return ""
	}
	if b.Read < 0.05 {
		return number(b.Hit)
	}
	return number(b.Hit) + "+" + number(b.Read)
}
