package result

// Overlap tells how far two settings give the same answers to the same queries.
type Overlap struct {
	Queries   int     // compared
	SameOrder int     // queries with the same rows in the same order
	SameRows  int     // queries with the same rows
	Shared    float64 // mean share of rows in common, of the longer answer; 1 for two empty ones
}

// rowKey is how many characters name a row in AnswerRows.
const rowKey = 4

// CompareAnswers compares two rows of one case query by query; false where a file
// does not name its rows or the queries are not as many.
func CompareAnswers(a, b Row) (Overlap, bool) {
	if len(a.AnswerRows) == 0 || len(a.AnswerRows) != len(b.AnswerRows) {
		return Overlap{}, false
	}
	o := Overlap{Queries: len(a.AnswerRows)}
	for i, x := range a.AnswerRows {
		y := b.AnswerRows[i]
		if x == y {
			o.SameOrder++
		}
		share := sharedRows(x, y)
		if share == 1 {
			o.SameRows++
		}
		o.Shared += share / float64(o.Queries)
	}
	return o, true
}

func sharedRows(x, y string) float64 {
	longest := max(len(x), len(y)) / rowKey
	if longest == 0 {
		return 1
	}
	left := map[string]int{}
	for ; len(x) >= rowKey; x = x[rowKey:] {
		left[x[:rowKey]]++
	}
	common := 0
	for ; len(y) >= rowKey; y = y[rowKey:] {
		if left[y[:rowKey]] > 0 {
			left[y[:rowKey]]--
			common++
		}
	}
	return float64(common) / float64(longest)
}
