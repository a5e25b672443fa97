package report_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"sortedheap/internal/harness/report"
	"sortedheap/internal/harness/result"
)

var (
	pageOf = flag.String("page-of", "", "result files, separated by commas, to make the page of in place of testdata")
	shots  = flag.String("screenshots", "", "folder to write pictures of the page to")
)

// pageFiles are those of the tests, or what -page-of names.
func pageFiles(t *testing.T) []*result.File {
	t.Helper()
	paths := []string{"testdata/a.json", "testdata/ann.json", "testdata/storage.json"}
	if *pageOf != "" {
		paths = strings.Split(*pageOf, ",")
	}
	var files []*result.File
	for _, path := range paths {
		f, err := result.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// measured is what a browser says of the page.
type measured struct {
	Width, Scroll int
	Marks, Curves int // drawn with an extent, inside of the viewport's width
	Bars          int
	Empty         []string // figures without anything drawn
	Outside       []string // elements that reach beyond the viewport
	Unnamed       int      // drawings without a text alternative or a table
}

const survey = `(() => {
	const seen = (e) => { const b = e.getBoundingClientRect(); return b.width > 0 && b.height > 0; };
	const width = document.documentElement.clientWidth;
	const all = (root, what) => [...root.querySelectorAll(what)];
	const loose = (e) => !e.closest(".scroll") && !e.closest("nav") && !e.closest(".skip");
	return {
		Width: width, Scroll: document.documentElement.scrollWidth,
		Marks: all(document, ".mark > *").filter(seen).length,
		Curves: all(document, ".curve").filter((e) => e.getTotalLength() > 0).length,
		Bars: all(document, ".bar").filter(seen).length,
		Empty: all(document, "figure").filter((f) => !all(f, ".mark > *, .bar").some(seen)).map((f) => f.querySelector("h3").textContent),
		Outside: all(document, "body *").filter((e) => loose(e) && seen(e) && e.getBoundingClientRect().right > width + 1)
			.map((e) => e.tagName + "." + e.getAttribute("class") + " " + e.textContent.slice(0, 30)),
		Unnamed: all(document, "svg.plot").filter((e) => !e.getAttribute("aria-label") || !e.closest(".panel").querySelector("details tbody tr")).length,
	};
})()`

// The page is looked at as people do: on a phone and on a desk, light and dark.
// It must fit, draw what it announces, ask the network for nothing, and have no
// error.
func TestPageInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes seconds to start")
	}
	var text strings.Builder
	if err := report.Write(&text, pageFiles(t), report.Page); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	browser := startBrowser(t)
	for _, look := range []struct {
		name          string
		width, height int64
		scale         float64
		scheme        string
	}{
		{"phone-light", 360, 780, 2, "light"}, {"phone-dark", 390, 844, 2, "dark"},
		{"desk-light", 1280, 900, 1, "light"}, {"desk-dark", 1280, 900, 1, "dark"},
	} {
		t.Run(look.name, func(t *testing.T) {
			tab, faults := openTab(browser, t, path)
			_, err := chromedp.Call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look.scheme}}})
			if err != nil {
				t.Fatal(err)
			}
			if err := chromedp.Do(tab, chromedp.EmulateViewport(look.width, look.height, chromedp.EmulateScale(look.scale)),
				chromedp.Navigate("file://"+path)); err != nil {
				t.Fatal(err)
			}
			m, err := chromedp.Run(tab, chromedp.Evaluate[measured](survey))
			if err != nil {
				t.Fatal(err)
			}
			background, err := chromedp.Run(tab, chromedp.Evaluate[string](`getComputedStyle(document.body).backgroundColor`))
			if err != nil {
				t.Fatal(err)
			}
			picture, err := chromedp.Run(tab, chromedp.CaptureScreenshot())
			if err != nil {
				t.Fatal(err)
			}
			checkSurvey(t, m, int(look.width))
			if dark := background == "rgb(15, 19, 23)"; dark != (look.scheme == "dark") {
				t.Errorf("background is %s in a %s scheme", background, look.scheme)
			}
			if len(picture) < 10_000 {
				t.Errorf("the picture has %d bytes", len(picture))
			}
			for _, f := range faults() {
				t.Error(f)
			}
			if *shots != "" {
				// The page of a whole bench-all is taller than a browser draws in one
				// piece: its beginning is shown then.
				if whole, err := chromedp.Run(tab, chromedp.FullScreenshot(100)); err == nil {
					picture = whole
				} else {
					t.Logf("only the first screen is shown: %v", err)
				}
				if err := os.WriteFile(filepath.Join(*shots, look.name+".png"), picture, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// A page shows the targets that its files tell about, the missed ones like those met,
// and a cell for each rival that was compared with.
func TestPageShowsTargetsAndRivals(t *testing.T) {
	f := read(t, "a.json")
	for name, value := range map[string]any{"chains": 5000.0, "dim": 384.0, "query_set": "original", "m": 24.0, "ef_search": 128.0} {
		f.Params[name] = value
	}
	f.Env.Load1, f.Env.Cores = 8.5, 2
	var text strings.Builder
	if err := report.Write(&text, []*result.File{f}, report.Page); err != nil {
		t.Fatal(err)
	}
	// 2.0 ms to 2.5 ms is not a tenth; all answers are right.
	for _, want := range []string{`class="missed"`, "against pgvector, the same in SQL", "≤ 0.10", "<b>0.80", `class="met"`, "≥ 100.0 %",
		`href="#targets"`, `data-name="pgvector"`, "2 of 3", "a load of up to 8 on 2 cores"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if text.Reset(); report.Write(&text, []*result.File{read(t, "b.json")}, report.Page) != nil || strings.Contains(text.String(), `id="targets"`) {
		t.Error("a page that no target is told about has a heading for targets")
	}
	if strings.Contains(text.String(), "busy machine") {
		t.Error("a page of a quiet machine says that it was busy")
	}
}

// What files hold is text, never markup.
func TestPageEscapes(t *testing.T) {
	const bad = `<script>bad</script>`
	f := read(t, "ann.json")
	f.Warnings = append(f.Warnings, bad)
	f.Env.CPU, f.Params["corpus"] = bad, bad
	for i := range f.Rows {
		f.Rows[i].Plan, f.Rows[i].EngineVersion = bad, bad
	}
	f.Rows[len(f.Rows)-1].Error = bad
	var text strings.Builder
	if err := report.Write(&text, []*result.File{f}, report.Page); err != nil {
		t.Fatal(err)
	}
	if at := strings.Index(text.String(), bad); at >= 0 {
		t.Errorf("markup from a file: %s", text.String()[max(0, at-100):at+40])
	}
	if !strings.Contains(text.String(), "&lt;script&gt;bad") {
		t.Error("the page does not show the text")
	}
}

func checkSurvey(t *testing.T, m measured, width int) {
	t.Helper()
	if m.Width != width || m.Scroll > m.Width || len(m.Outside) > 0 {
		t.Errorf("the page is %d wide and scrolls to %d, want %d; outside: %q", m.Width, m.Scroll, width, m.Outside)
	}
	if *pageOf == "" && (m.Marks < 10 || m.Curves < 4 || m.Bars < 20) {
		t.Errorf("%d marks, %d curves, %d bars are drawn, want at least 10, 4, 20", m.Marks, m.Curves, m.Bars)
	}
	if len(m.Empty) > 0 || m.Unnamed > 0 {
		t.Errorf("figures without a drawing: %q; drawings without a text alternative: %d", m.Empty, m.Unnamed)
	}
}

// startBrowser skips where there is no Chromium.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	// The sandbox needs rights that containers and root lack; the page is our own.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU)
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	browser, closeBrowser := chromedp.NewContext(allocator)
	t.Cleanup(closeBrowser)
	limited, cancel := context.WithTimeout(browser, 2*time.Minute)
	t.Cleanup(cancel)
	switch err := chromedp.Do(limited); {
	case errors.Is(err, os.ErrNotExist) || err != nil && strings.Contains(err.Error(), "executable file not found"):
		t.Skipf("no Chromium to look at the page with: %v", err)
	case err != nil:
		t.Fatalf("start Chromium: %v", err)
	}
	return limited
}

// openTab watches a tab; faults are what happened there that must not.
func openTab(browser context.Context, t *testing.T, path string) (context.Context, func() []string) {
	t.Helper()
	tab, closeTab := chromedp.NewContext(browser)
	t.Cleanup(closeTab)
	var mu sync.Mutex
	var seen []string
	fault := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, what)
	}
	if err := chromedp.Do(tab); err != nil {
		t.Fatal(err)
	}
	err := chromedp.Listen(tab, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			fault("script error: " + e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			fault("console: " + string(e.Type))
		case *log.EventEntryAdded:
			fault("browser: " + e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if e.Request.URL != "file://"+path && !strings.HasPrefix(e.Request.URL, "data:") {
				fault("request: " + e.Request.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(tab, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(tab, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	return tab, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
}
