package report

import (
	"fmt"
	"strings"

	"sortedheap/internal/harness/result"
)

// questionTitle says in words what a group of rows asks.
func questionTitle(r result.Row) string {
	hops := hopsOf(r)
	var words []string
	switch len(hops) {
	case 0:
		words = append(words, "Nearest facts")
	case 1:
		words = append(words, "One hop")
	case 2:
		words = append(words, "Two hops")
	default:
		words = append(words, fmt.Sprintf("%d hops", len(hops)))
	}
	for _, hop := range hops {
		if hop != "0" {
			words = append(words, "by relation")
			break
		}
	}
	title := strings.Join(words, " ")
	switch {
	case len(hops) == 0:
	case r.Params["score"] == "path":
		title += ", ranked by path"
	case r.Params["score"] == "endpoint":
		title += ", ranked by last fact"
	case r.Params["output"] == "count":
		title += ", all rows, counted"
	default:
		title += ", all rows"
	}
	return title + seedsTitle(r)
}

func seedsTitle(r result.Row) string {
	switch {
	case r.Params["seeding"] == "given" && r.Params["given"] != nil:
		return fmt.Sprintf(", %v given seeds", r.Params["given"])
	case r.Params["seeding"] == "given":
		return ", given seeds"
	case r.Params["seed_by"] == "entity" && len(hopsOf(r)) > 0 && r.Scenario == "gutenberg":
		return ", seeds by entity"
	}
	return ""
}

// hopsOf is the relation filter of each hop, "0" for none, whether the row was
// just measured or read from a file.
func hopsOf(r result.Row) []string {
	if r.Params["hops"] == nil {
		return nil
	}
	return strings.Fields(strings.Trim(fmt.Sprint(r.Params["hops"]), "[]"))
}

// formTitle says in words how a row computes its answer.
func formTitle(r result.Row) string {
	exact := ""
	if r.Params["seeding"] == "exact" {
		exact = ", exact seeds"
	}
	switch r.Params["form"] {
	case "in":
		if len(hopsOf(r)) == 0 {
			return strings.TrimPrefix(exact, ", ")
		}
		return "SQL array" + exact
	case "join":
		return "SQL join" + exact
	case "fn":
		return "expand function" + exact
	case "topk_fn":
		return "expand and rerank" + exact
	case "fused_fn":
		return "fused hops" + exact
	case "scan_fn":
		return "one call" + exact
	}
	return fmt.Sprint(r.Case)
}

// measureOfQuality is the quality value that tells answers of a group apart:
// hits where there is an answer key, else recall.
func measureOfQuality(rows []result.Row) (name string, of func(result.Row) *float64) {
	for _, m := range []struct {
		name string
		of   func(result.Row) *float64
	}{
		{"right answer first (hit@1)", func(r result.Row) *float64 { return quality(r).HitAt1 }},
		{"recall of the exact answer", func(r result.Row) *float64 { return quality(r).RecallAtK }},
	} {
		for _, r := range rows {
			if m.of(r) != nil {
				return m.name, m.of
			}
		}
	}
	return "", nil
}
