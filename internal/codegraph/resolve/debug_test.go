package resolve

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"runtime"

	"sortedheap/internal/codegraph/extract"
	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/syntax"
)

func TestDebug(t *testing.T) {
	root := os.Getenv("TREE")
	if root == "" { t.Skip() }
	ps, _ := syntax.NewParsers(syntax.DefaultLimits())
	var files []*extract.File
	start := time.Now()
	errs := 0
	filepath.Walk(root, func(pth string, info os.FileInfo, err error) error {
		if err != nil || !info.Mode().IsRegular() { return nil }
		rel, _ := filepath.Rel(root, pth)
		l, ok := syntax.Detect(pth, nil)
		if !ok { return nil }
		src, _ := os.ReadFile(pth)
		tr, err := ps.Parse(t.Context(), l, src)
		if err != nil { fmt.Println(pth, err); return nil }
		errs += tr.Errors
		files = append(files, extract.Extract(tr, rel))
		return nil
	})
	fmt.Println("extract", len(files), time.Since(start), "errors", errs)
	start = time.Now()
	mods := map[string]string{}
	if m := os.Getenv("MOD"); m != "" { mods["."] = m }
	out, err := Build(t.Context(), Input{Files: files, Roots: Roots{GoModules: mods}, Workers: 2})
	if err != nil { t.Fatal(err) }
	fmt.Println("resolve", time.Since(start))
	g := out.Graph
	info, _ := g.Info(t.Context())
	fmt.Printf("%+v\n%+v\n", info, out.Calls)
	var ms runtime.MemStats
	runtime.ReadMemStats(&ms)
	fmt.Println("heap", ms.HeapAlloc>>20, "sys", ms.Sys>>20)
	rel := map[string]int{}
	for _, e := range g.Edges() { rel[e.Relation.String()+" "+e.Confidence.String()]++ }
	fmt.Println(rel)
	un := map[string]int{}
	for _, u := range g.AllUnresolved() { un[u.Name]++ }
	type kv struct{ k string; v int }
	_ = kv{}
	for _, want := range strings.Fields(os.Getenv("WHO")) {
		for i := range int32(g.Len()) {
			if n := g.Node(i); strings.EqualFold(n.Qualified, want) || strings.HasSuffix(n.ID, want) {
				fmt.Println("==", n.ID, n.Kind, n.Signature)
				for _, e := range g.InEdges(i) {
					ed := g.Edges()[e]
					fmt.Println("  <-", ed.Relation, ed.Context, ed.Confidence, ed.Why, g.Node(ed.Source).ID, ed.File, ed.Line)
				}
				us, _ := g.Unresolved(t.Context(), []int32{i}, graph.In)
				for _, u := range us { fmt.Println("  ?", u.Name, u.Receiver, u.File, u.Line, u.Total) }
			}
		}
	}
	if os.Getenv("UN") != "" {
		for k, v := range un { fmt.Println("UN", v, k) }
		for i, u := range g.AllUnresolved() { if i % 97 == 0 { fmt.Println("EX", u.Receiver, u.Name, u.File, u.Line, u.Total) } }
	}
}
