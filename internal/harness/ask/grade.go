package ask

import (
	"slices"
	"strings"
)

// Row is what a contestant shows: something of code, or a place.
type Row struct {
	Name    string // qualified
	File    string
	Line    int   // where it is defined
	EndLine int   // last line of the definition; 0: unknown
	Sites   []int // lines in File that the row points at; empty: none
	// Enclosing says that the row stands for all that it encloses, such as the
	// type that owns a caller.
	Enclosing bool
}

// Reply is an answer as it can be graded.
type Reply struct {
	Rows  []Row  // shown, in the order shown
	Text  string // all that was shown
	Nodes int    // reached or considered
}

// Grade of one answer. Shares are of 1.
type Grade struct {
	Recall float64 // true rows that are shown
	// Lead is the share of true ones among the rows up to the last true one; 0
	// without any. 1 minus it is what stood in the way.
	Lead  float64
	First bool // the first row is true
	All   bool // every true row is shown
	Rows  int  // shown
}

// grade compares rows with the truth. A row is true if it meets any truth, and a
// truth is met by its site, by the definition around it, or by its name.
func grade(rows []Row, truth []Truth) Grade {
	met := make([]bool, len(truth))
	g := Grade{Rows: len(rows)}
	hits, leading := 0, 0
	for i := range rows {
		hit := false
		for j := range truth {
			if meets(&rows[i], &truth[j]) {
				met[j], hit = true, true
			}
		}
		if hit {
			hits++
			leading = i + 1
			g.First = g.First || i == 0
		}
	}
	found := 0
	for _, m := range met {
		if m {
			found++
		}
	}
	g.Recall = float64(found) / float64(len(truth))
	g.All = found == len(truth)
	if leading > 0 {
		g.Lead = float64(hits) / float64(leading)
	}
	return g
}

func meets(r *Row, t *Truth) bool {
	if t.File != "" && r.File != t.File {
		return false
	}
	if t.Line > 0 {
		if slices.Contains(r.Sites, t.Line) || r.Line == t.Line {
			return true
		}
		// A definition around the line is the caller; so is its type, where rows are
		// of types.
		around := r.Line > 0 && r.Line <= t.Line && t.Line <= r.EndLine
		return around && (len(r.Sites) == 0 || r.Enclosing)
	}
	return sameName(r.Name, t.Name) || r.Enclosing && strings.HasPrefix(parts(t.Name), parts(r.Name)+" ")
}

// sameName compares the last parts of qualified names.
func sameName(long, name string) bool {
	l, n := parts(long), parts(name)
	return n != "" && (l == n || strings.HasSuffix(l, " "+n) || strings.HasSuffix(n, " "+l))
}

// parts are the parts of a qualified name, separated by spaces.
func parts(name string) string {
	name = strings.NewReplacer("(*", "", "(", "", ")", "").Replace(name)
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(`\/:.->#`, r) }), " ")
}
