package report

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"sortedheap/fixtures"
	"sortedheap/internal/harness/report/chart"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/targets"
)

// pageFiles are the template, the style sheet and the script of a page. They are
// written into it, so that a page is one file and asks no network for anything.
//
//go:embed page/*
var pageFiles embed.FS

// page is what the template shows.
type page struct {
	Title string
	Made  string
	// Busy says so where the machine had other work when runs began.
	Busy string
	// Processors of all machines, each once.
	Processors []string
	Style      template.CSS
	Script     template.JS
	Lead       []tile
	Glance     *chart.Ratios
	Matrix     *matrix
	Goals      *goals
	Sections   []section
	Machines   []machine
	Notes      []string
}

// tile is one figure in large print.
type tile struct {
	Value, What, Note string
	Good              bool
}

// goals are targets that the files tell about.
type goals struct {
	Met, Found, All int
	Groups          []goalGroup
}

type goalGroup struct {
	Title    string
	Outcomes []targets.Outcome
}

// section is one scenario of one file.
type section struct {
	ID, Name, Title string
	Chips           []string
	Notes           []int // numbers of footnotes
	Figures         []figure
	Tables          template.HTML
	Missing         []string
}

// figure is one or more drawings under a title.
type figure struct {
	Title, Caption string
	Legend         []legendEntry
	Panels         []panel
	Bars           *chart.Bars
	Ratios         *chart.Ratios
}

type legendEntry struct {
	Name string
	Key  template.HTML
}

// panel is a drawing, and the same as a table.
type panel struct {
	Title   string
	Drawing template.HTML
	XY      chart.XY
}

// machine is an environment, and the sections that were measured there.
type machine struct {
	Names []string
	Facts [][2]string
}

// writePage writes files as one page that needs nothing beside itself: charts
// with tables behind them, environments, and warnings as footnotes.
func writePage(w io.Writer, files []*result.File) error {
	text, err := template.New("page.html").Funcs(template.FuncMap{"inc": func(i int) int { return i + 1 }, "minus": func(a, b int) int { return a - b }}).ParseFS(pageFiles, "page/page.html")
	if err != nil {
		return err
	}
	p, err := newPage(files)
	if err != nil {
		return err
	}
	return text.Execute(w, p)
}

func newPage(files []*result.File) (*page, error) {
	style, err := pageFiles.ReadFile("page/page.css")
	if err != nil {
		return nil, err
	}
	script, err := pageFiles.ReadFile("page/page.js")
	if err != nil {
		return nil, err
	}
	p := &page{Title: "Graph retrieval, measured", Style: template.CSS(style), Script: template.JS(script)}
	ids := map[string]int{}
	busiest := 0.0
	files = inReadingOrder(files)
	for _, f := range files {
		p.Made = max(p.Made, f.Env.Time)
		if f.Env.Cores > 0 && f.Env.Load1 > float64(f.Env.Cores) && f.Env.Load1 > busiest {
			busiest = f.Env.Load1
			p.Busy = fmt.Sprintf("Runs began on a busy machine, with a load of up to %.0f on %d cores: quality and sizes stand, times mean little.", busiest, f.Env.Cores)
		}
		var notes []int
		for _, w := range f.Warnings {
			p.Notes = append(p.Notes, w)
			notes = append(notes, len(p.Notes))
		}
		var names []string
		for _, name := range scenarios(f) {
			s := newSection(f, name)
			ids[name]++
			if n := ids[name]; n > 1 {
				s.ID = fmt.Sprintf("%s-%d", s.ID, n)
			}
			s.Name = shortName(f, name)
			if slices.ContainsFunc(p.Sections, func(o section) bool { return o.Name == s.Name }) {
				s.Name = fmt.Sprintf("%s (%d)", s.Name, ids[name])
			}
			s.Notes = notes
			names = append(names, s.Name)
			p.Sections = append(p.Sections, s)
		}
		p.addMachine(f.Env, names)
	}
	p.Glance, p.Lead = glance(files)
	if p.Glance != nil {
		p.Matrix = newMatrix(*p.Glance)
	}
	if p.Goals, err = newGoals(files); err != nil {
		return nil, err
	}
	if g := p.Goals; g != nil {
		p.Lead = append(p.Lead, tile{fmt.Sprintf("%d of %d", g.Met, g.Found), "measured targets met", "each by its worst row; see Targets", g.Met*2 > g.Found})
	}
	if at, err := time.Parse(time.RFC3339, p.Made); err == nil {
		p.Made = at.UTC().Format("2 January 2006, 15:04 UTC")
	}
	return p, nil
}

// inReadingOrder has whole questions first, then their parts, whatever the files are
// called; runs of one scenario by name.
func inReadingOrder(files []*result.File) []*result.File {
	order := []string{"multihop", "gutenberg", "butler", "synthetic", "code", "ask", annScenario, "openshare", "crud"}
	place := func(f *result.File) (int, string) {
		names := scenarios(f)
		if len(names) == 0 {
			return len(order), ""
		}
		if at := slices.Index(order, names[0]); at >= 0 {
			return at, shortName(f, names[0])
		}
		return len(order), shortName(f, names[0])
	}
	return slices.SortedStableFunc(slices.Values(files), func(a, b *result.File) int {
		first, firstName := place(a)
		second, secondName := place(b)
		return cmp.Or(cmp.Compare(first, second), cmp.Compare(firstName, secondName))
	})
}

// newGoals is nil where no target can be held against the files.
func newGoals(files []*result.File) (*goals, error) {
	list, err := targets.Parse(fixtures.Targets())
	if err != nil {
		return nil, err
	}
	outcomes := list.Measure(files)
	g := &goals{}
	g.Met, g.Found, g.All = targets.Count(outcomes)
	for i, group := range outcomes {
		found := slices.DeleteFunc(group, func(o targets.Outcome) bool { return !o.Found })
		if len(found) > 0 {
			g.Groups = append(g.Groups, goalGroup{list.Groups[i].Title, found})
		}
	}
	if g.Found == 0 {
		return nil, nil
	}
	return g, nil
}

func newSection(f *result.File, name string) section {
	rows := where(f.Rows, func(r result.Row) bool { return r.Scenario == name })
	measured := middleBuilds(where(rows, func(r result.Row) bool { return r.Error == "" }))
	s := section{ID: name, Name: name, Title: strings.TrimSuffix(scenarioTitle(name)+", "+corpusTitle(f, name), ", "), Chips: append(parameters(f), fmt.Sprintf("load before the run %.1f", f.Env.Load1))}
	if name == annScenario {
		s.Figures = annCharts(measured)
	} else {
		s.Figures = slices.Concat(questionCharts(measured), streamCharts(measured), openShareCharts(measured), buildCharts(measured))
	}
	var tables strings.Builder
	writeScenario(&tables, f, name, pageTables)
	s.Tables = template.HTML(tables.String())
	for _, r := range rows {
		if r.Error != "" {
			s.Missing = append(s.Missing, strings.Join(strings.Fields(r.Engine+" "+r.Case+" "+r.Point), " ")+": "+r.Error)
		}
	}
	return s
}

// scenarioTitle is what a reader who knows no scenario understands.
func scenarioTitle(name string) string {
	titles := map[string]string{
		"multihop":  "Two hops with an answer key",
		"gutenberg": "Paragraphs of books",
		"butler":    "Seven facts",
		"synthetic": "Hops from given entities",
		"openshare": "Lookups while the zone map has open blocks",
		"crud":      "Writes and plain reads",
		"ann":       "Nearest neighbours",
		"code":      "Questions about source text",
		"ask":       "Questions over a graph of code",
	}
	if t, ok := titles[name]; ok {
		return t
	}
	return name
}

// addMachine lists equal environments once.
func (p *page) addMachine(e result.Env, names []string) {
	processor := fmt.Sprintf("%s, %d cores", e.CPU, e.Cores)
	if !slices.Contains(p.Processors, processor) {
		p.Processors = append(p.Processors, processor)
	}
	facts := [][2]string{
		{"CPU", processor},
		{"Memory", fmt.Sprintf("%.1f GB", float64(e.MemoryMB)/1024)},
		{"System", strings.TrimSpace(fmt.Sprintf("%s %s, kernel %s", e.OS, e.Arch, e.Kernel))},
		{"PostgreSQL", e.Postgres},
		{"Extensions", pairsOf(e.Extensions)},
		{"Settings", pairsOf(e.Settings)},
		{"Commit", e.Commit},
		{"Go", e.GoVersion},
	}
	facts = slices.DeleteFunc(facts, func(f [2]string) bool { return f[1] == "" })
	for i, m := range p.Machines {
		if slices.Equal(m.Facts, facts) {
			p.Machines[i].Names = append(p.Machines[i].Names, names...)
			return
		}
	}
	p.Machines = append(p.Machines, machine{Names: names, Facts: facts})
}

func pairsOf(m map[string]string) string {
	var out []string
	for k, v := range m {
		out = append(out, k+" "+v)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// legendOf has an entry for each engine.
func legendOf(names []string) []legendEntry {
	out := make([]legendEntry, 0, len(names))
	for _, name := range names {
		class, mark := look(name)
		out = append(out, legendEntry{name, chart.Key(class, mark)})
	}
	return out
}
