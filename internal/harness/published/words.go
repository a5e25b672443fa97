package published

import (
	"cmp"
	"fmt"

	"sortedheap/internal/harness/result"
)

// This file has the tables of corpora whose answers are graded by keywords.

// worded sets one such table beside the file of its setting.
func (d *document) worded(t Table) {
	d.columns(2, "engine", "case", "note", "/ref", "server", "client", "/ref", "note keywords/full", "keywords/full", "paid", "tokens", "note rows", "rows")
	reference := t.reference()
	for _, c := range t.Cases {
		d.wordedFigure(t, c, reference)
	}
	d.line("")
	for _, why := range t.Why {
		d.line("- %s", why)
	}
	if len(t.Why) > 0 {
		d.line("")
	}
}

func (d *document) wordedFigure(t Table, c Figure, reference *Figure) {
	f := d.files.first(t.settingOf(c))
	r := find(f, c.Engine, c.Case)
	name, noteRatio, ratio := c.Case, "", ""
	if reference != nil {
		if c.MS != nil && reference.MS != nil {
			noteRatio = fmt.Sprintf("%.2f", *c.MS / *reference.MS)
		}
		ratio = against(r, find(f, reference.Engine, reference.Case))
		if c.Engine == reference.Engine && c.Case == t.Reference {
			name += " ·"
		}
	}
	cells := []string{c.Engine, name, number(c.MS, "%.3f"), noteRatio}
	if r == nil || r.Error != "" {
		d.row(append(cells, absent(f, c.Engine, r))...)
		return
	}
	server := ""
	if r.ServerMS != nil {
		server = fmt.Sprintf("%.3f", r.ServerMS.P50)
	}
	q := cmp.Or(r.Quality, &result.Quality{})
	d.row(append(cells, server, fmt.Sprintf("%.3f", r.ClientMS.P50), ratio, pair(c.KeywordPct, c.FullPct), pair(q.KeywordPct, q.FullPct),
		pair(q.KeywordBudget, q.FullBudget), number(q.TokensMean, "%.0f"), number(c.Rows, "%.2f"), fmt.Sprintf("%.2f", r.RowsMean))...)
}
