package evidence

import (
	"container/heap"
	"math"
	"slices"
)

// runCost is how many tokens the mark before a run, its line's number and the colon
// take: a token for up to three digits.
func runCost(number int) int {
	n := 3
	for ; number >= 1000; number /= 1000 {
		n++
	}
	return n
}

// packer chooses lines under a budget. A facet is something that a line can show:
// a term of the question, or a name. Lines are taken greedily, most new facets
// for a token first, those of better fragments before others.
type packer struct {
	w       *weights
	q       *question
	budget  Budget
	counter Counter
	facets  *facets
	sheets  []*sheet // of chosen files, best first
	spent   int
	headers map[string]int  // tokens of a file's header
	opened  map[string]bool // files with a header
	queue   lineQueue
}

// sheet is a fragment whose lines are being chosen.
type sheet struct {
	*candidate
	text   []string
	facets [][]int32 // of each line
	worth  float64
	shown  []bool
}

func newPacker(w *weights, q *question, b Budget, c Counter) *packer {
	return &packer{w: w, q: q, budget: b, counter: c, opened: map[string]bool{}, headers: map[string]int{}}
}

// pack chooses from candidates sorted best first.
func (p *packer) pack(found []candidate) error {
	p.facets = weighFacets(p.w, p.q, found)
	files := chooseFiles(found, p.budget.Files)
	for _, f := range files {
		n, err := p.counter.Count(fileHeader(f))
		if err != nil {
			return err
		}
		p.headers[f] = n
	}
	for i := range found {
		c := &found[i]
		if slices.Contains(files, c.File) {
			text := c.Fragment.lines()
			s := &sheet{candidate: c, worth: math.Pow(c.score, p.w.scorePower), text: text, shown: make([]bool, len(text)), facets: make([][]int32, len(text))}
			for j := range text {
				s.facets[j] = p.facets.of(c.lines[j])
			}
			p.sheets = append(p.sheets, s)
		}
	}
	p.takeWhole()
	p.takeLines()
	return nil
}

// chooseFiles returns the best files, best first: a file is worth its best
// fragment, and half, a quarter and so on of the next.
func chooseFiles(found []candidate, limit int) []string {
	worth, share := map[string]float64{}, map[string]float64{}
	var files []string
	for i := range found {
		c := &found[i]
		if _, ok := share[c.File]; !ok {
			share[c.File] = 1
			files = append(files, c.File)
		}
		worth[c.File] += c.score * share[c.File]
		share[c.File] /= 2
	}
	slices.SortStableFunc(files, func(a, b string) int {
		switch {
		case worth[a] > worth[b]:
			return -1
		case worth[a] < worth[b]:
			return 1
		}
		return 0
	})
	return files[:min(len(files), limit)]
}

// cost is what showing a line adds, at most.
func (p *packer) cost(s *sheet, line int) int {
	n := s.Tokens[line]
	if (line == 0 || !s.shown[line-1]) && (line+1 == len(s.text) || !s.shown[line+1]) {
		n += runCost(s.StartLine + line)
	}
	if !p.opened[s.File] {
		n += p.headers[s.File]
	}
	return n
}

// show takes lines of a sheet, all or none: it reports whether the budget paid.
func (p *packer) show(s *sheet, lines ...int) bool {
	total := 0
	fresh := make([]int, 0, len(lines))
	opened := p.opened[s.File]
	for _, line := range lines {
		if s.shown[line] {
			continue
		}
		total += p.cost(s, line)
		s.shown[line] = true
		p.opened[s.File] = true
		fresh = append(fresh, line)
	}
	if p.spent+total > p.budget.Tokens {
		for _, line := range fresh {
			s.shown[line] = false
		}
		p.opened[s.File] = opened
		return false
	}
	p.spent += total
	for _, line := range fresh {
		p.facets.see(s.facets[line])
	}
	return true
}

// takeWhole shows the best fragments entire, as far as they are small.
func (p *packer) takeWhole() {
	limit := int(p.w.wholeShare * float64(p.budget.Tokens))
	for _, s := range p.sheets {
		size := 0
		for _, n := range s.Tokens {
			size += n
		}
		if s.isType() || size > int(p.w.wholeLargest*float64(p.budget.Tokens)) {
			continue
		}
		if p.spent+size > limit {
			break
		}
		p.show(s, upTo(len(s.text))...)
	}
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// signature are the lines of a sheet that go with any other of it.
func (s *sheet) signature() []int {
	if s.Cut != CutSyntax || s.Lead == 0 || s.Symbol == "" {
		return nil
	}
	return []int{min(s.Lead, len(s.text)) - 1}
}

// takeLines shows lines by their gain for a token until nothing fits.
func (p *packer) takeLines() {
	for _, s := range p.sheets {
		for line := range s.text {
			p.offer(s, line)
		}
	}
	for p.queue.Len() > 0 {
		top := p.queue.pop()
		if top.sheet.shown[top.line] {
			continue
		}
		density := p.density(top.sheet, top.line)
		// Gains shrink as facets are seen; a line goes back until its turn.
		if p.queue.Len() > 0 && density < p.queue[0].density {
			p.offer(top.sheet, top.line)
			continue
		}
		if density <= 0 || !p.show(top.sheet, append(top.sheet.signature(), top.line)...) {
			continue
		}
		for _, next := range []int{top.line - 1, top.line + 1} {
			if next >= 0 && next < len(top.sheet.text) {
				p.offer(top.sheet, next)
			}
		}
	}
}

// offer queues a line that would show something.
func (p *packer) offer(s *sheet, line int) {
	if s.shown[line] || len(s.facets[line]) == 0 {
		return
	}
	if density := p.density(s, line); density > 0 {
		heap.Push(&p.queue, offer{s, line, density})
	}
}

// density is a line's gain for a token.
func (p *packer) density(s *sheet, line int) float64 {
	return s.worth * p.facets.gain(s.facets[line]) / math.Pow(float64(p.cost(s, line)), p.w.costPower)
}

func (p *packer) answer() Answer {
	a := Answer{Tokens: p.spent}
	for _, s := range p.sheets {
		var lines []Line
		for i, shown := range s.shown {
			if shown {
				lines = append(lines, Line{s.StartLine + i, s.text[i]})
			}
		}
		if len(lines) == 0 {
			continue
		}
		a.Passages = append(a.Passages, Passage{
			File: s.File, StartLine: s.StartLine, EndLine: s.EndLine, Symbol: s.Symbol, Kind: s.Kind, Cut: s.Cut,
			Score: s.score, Found: s.found(), Lines: lines,
		})
	}
	return a
}

// offer is a line that may be shown.
type offer struct {
	sheet   *sheet
	line    int
	density float64
}

// lineQueue is a heap of offers, densest first.
type lineQueue []offer

func (q lineQueue) Len() int           { return len(q) }
func (q lineQueue) Less(i, j int) bool { return q[i].density > q[j].density }
func (q lineQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *lineQueue) Push(x any)        { *q = append(*q, x.(offer)) }
func (q *lineQueue) Pop() any          { panic("use pop") }

func (q *lineQueue) pop() offer {
	old := *q
	top := old[0]
	last := len(old) - 1
	old[0] = old[last]
	*q = old[:last]
	if last > 0 {
		heap.Fix(q, 0)
	}
	return top
}
