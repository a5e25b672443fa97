package render_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"sortedheap/internal/codegraph/query"
	"sortedheap/internal/codegraph/query/querytest"
	"sortedheap/internal/codegraph/render"
)

var shots = flag.String("screenshots", "", "folder to write pictures of the page to")

func answer(t testing.TB, fixture, question string) *query.Answer {
	t.Helper()
	f := querytest.Read(t, fixture, "ask", "rows", "has", "lacks", "reading", "budget", "tokens", "context", "order")
	c, err := query.Open(t.Context(), querytest.Graph(t, f.Graph))
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Ask(t.Context(), question, query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func page(t testing.TB, a *query.Answer) string {
	t.Helper()
	var b strings.Builder
	if err := render.Page(&b, a, "2 files changed since"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const fixtures = "../query/testdata/ask/"

func TestPageHoldsTheAnswer(t *testing.T) {
	text := page(t, answer(t, fixtures+"phrasings.txtar", "Who calls ChargeCustomerService?"))
	for _, want := range []string{"Who calls ChargeCustomerService?", `App\ChargeCustomerCancellationFee::run()`, "app/BalanceAccountService.php:14",
		"2 files changed since", `<path class="arc inferred"`, "answers, tests"} {
		if !strings.Contains(text, want) {
			t.Errorf("page lacks %q", want)
		}
	}
	for _, bad := range []string{"<script", "http:", "https:", "url(", "callStoreWithAmount"} {
		if strings.Contains(text, bad) {
			t.Errorf("page has %q", bad)
		}
	}
}

// Names in sources are text on the page, never markup.
func TestPageEscapes(t *testing.T) {
	const bad = `<script>bad</script>`
	c, err := query.Open(t.Context(), querytest.Graph(t, `
node a function evil "src/`+bad+`.go:3" qual="pkg.`+bad+`evil"
node b function `+bad+` "src/'onload=.go:7" qual="p.`+bad+`"
edge b calls a at="src/`+bad+`.go:8" why="`+bad+`"
`))
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Ask(t.Context(), "who calls `evil` "+bad, query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := page(t, a)
	if at := strings.Index(text, bad); at >= 0 {
		t.Errorf("markup from a source: %s", text[max(0, at-100):at+40])
	}
	if !strings.Contains(text, "&lt;script&gt;bad") {
		t.Error("the page does not show the text")
	}
}

type survey struct {
	Width, Scroll, Arcs int
	SmallestText        float64 // pixels
	Outside             []string
}

const look = `(() => {
	const width = document.documentElement.clientWidth;
	const seen = (e) => { const b = e.getBoundingClientRect(); return b.width > 0 && b.height > 0; };
	const svg = document.querySelector("svg.arcs");
	const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
	return {
		Width: width, Scroll: document.documentElement.scrollWidth,
		Arcs: [...document.querySelectorAll(".arc")].filter((e) => e.getTotalLength() > 5 && seen(e)).length,
		SmallestText: Math.min(...[...svg.querySelectorAll("text")].map((e) => parseFloat(getComputedStyle(e).fontSize) * scale)),
		Outside: [...document.querySelectorAll("body *")].filter((e) => !e.closest(".scroll") && e.tagName != "title" && seen(e) &&
			(e.getBoundingClientRect().right > width + 1 || e.getBoundingClientRect().left < -1))
			.map((e) => e.tagName + " " + e.textContent.slice(0, 40)),
	};
})()`

// On a phone and on a desk the page fits, draws its arcs, and its text is large
// enough to read.
func TestPageInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes seconds to start")
	}
	path := filepath.Join(t.TempDir(), "page.html")
	text := page(t, answer(t, fixtures+"phrasings.txtar", "Who calls ChargeCustomerService?"))
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	browser := startBrowser(t)
	for _, c := range []struct {
		name, scheme  string
		width, height int64
	}{{"phone-light", "light", 360, 780}, {"phone-dark", "dark", 390, 844}, {"desk-light", "light", 1280, 900}} {
		t.Run(c.name, func(t *testing.T) {
			tab, closeTab := chromedp.NewContext(browser)
			t.Cleanup(closeTab)
			if err := chromedp.Do(tab, chromedp.EmulateViewport(c.width, c.height, chromedp.EmulateScale(1))); err != nil {
				t.Fatal(err)
			}
			_, err := chromedp.Call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: c.scheme}}})
			if err != nil {
				t.Fatal(err)
			}
			if err := chromedp.Do(tab, chromedp.Navigate("file://"+path)); err != nil {
				t.Fatal(err)
			}
			s, err := chromedp.Run(tab, chromedp.Evaluate[survey](look))
			if err != nil {
				t.Fatal(err)
			}
			if s.Width != int(c.width) || s.Scroll > s.Width || len(s.Outside) > 0 || s.Arcs < 8 || s.SmallestText < 10 {
				t.Errorf("survey %+v", s)
			}
			if *shots != "" {
				picture, err := chromedp.Run(tab, chromedp.FullScreenshot(100))
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(*shots, c.name+".png"), picture, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
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
