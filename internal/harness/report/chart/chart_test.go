package chart

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// Whatever the data, labels fit an axis, ascend, and stand where their values do.
func TestScales(t *testing.T) {
	ident := func(v float64) string { return short(v) }
	for name, c := range map[string]struct {
		scale  Scale
		values []float64
		least  int
	}{
		"log, one value":      {NewLog([]float64{3}), []float64{3}, 1},
		"log, narrow":         {NewLog([]float64{0.8, 1.3}), []float64{0.8, 1.3}, 2},
		"log, wide":           {NewLog([]float64{0.02, 9000}), []float64{0.02, 9000}, 3},
		"log, nothing":        {NewLog(nil), nil, 1},
		"linear":              {NewLinear([]float64{0, 50}, ident), []float64{0, 50}, 3},
		"linear, one value":   {NewLinear([]float64{7}, ident), []float64{7}, 2},
		"recall":              {NewRecall([]float64{0.7, 0.999}, 1e-4), []float64{0.7, 0.999}, 3},
		"recall of 1":         {NewRecall([]float64{0.96, 1}, 1e-3), []float64{0.96, 1}, 3},
		"shares, all of them": {NewShares([]float64{1, 1}), []float64{1}, 3},
		"shares, poor":        {NewShares([]float64{0.03, 0.9}), []float64{0.03, 0.9}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			ticks := c.scale.Ticks()
			if len(ticks) < c.least || len(ticks) > 12 {
				t.Errorf("%d ticks: %v", len(ticks), ticks)
			}
			last := -1.0
			for _, tick := range ticks {
				at := c.scale.Place(tick.Value)
				if at <= last || at < 0 || at > 1 {
					t.Errorf("tick %s stands at %v, the one before at %v", tick.Label, at, last)
				}
				last = at
			}
			for _, v := range c.values {
				if at := c.scale.Place(v); math.IsNaN(at) || at < 0 || at > 1 {
					t.Errorf("%v stands at %v", v, at)
				}
			}
		})
	}
	if s := NewShares([]float64{0.97}); s.Place(1) != 1 || s.Ticks()[len(s.Ticks())-1].Label != "100 %" {
		t.Errorf("the end of a scale of shares is %v", s.Ticks())
	}
	if s := NewRecall([]float64{0.96, 1}, 1e-3); s.Place(1) != 1 || s.Place(0.999) >= 1 {
		t.Error("a recall of 1 does not stand beyond 0.999")
	}
}

// Names come from files that others wrote.
func TestDrawingEscapes(t *testing.T) {
	const bad = `"><script>x</script>`
	d := XY{Label: bad, XTitle: bad, Better: bad, Height: 100, X: NewLog([]float64{1}), Y: NewLog([]float64{1}),
		Series: []Series{{Name: bad, Class: bad, Line: true, Points: []Point{{X: 1, Y: 1, Name: bad, Label: bad}, {X: 1, Y: 1}}}}}
	if text := string(d.HTML() + Key(bad, Circle)); strings.Contains(text, "<script>") || strings.Contains(text, `""`) {
		t.Errorf("a name is taken for markup: %s", text)
	}
}

// Labels of neighbouring points are pushed apart and stay inside.
func TestLabelsDoNotTouch(t *testing.T) {
	d := XY{Height: 100, X: NewLog([]float64{1}), Y: NewLog([]float64{1, 1.01, 1.02, 1.5}), Series: []Series{{Points: []Point{
		{X: 1, Y: 1, Label: "a"}, {X: 1, Y: 1.01, Label: "b"}, {X: 1, Y: 1.02, Label: "c"}, {X: 1, Y: 1.5, Label: "d"}}}}}
	var at []float64
	for _, part := range strings.Split(string(d.HTML()), `class="label`)[1:] {
		_, rest, _ := strings.Cut(part, ` y="`)
		number, _, _ := strings.Cut(rest, `"`)
		at = append(at, parse(t, number))
	}
	for i := 1; i < len(at); i++ {
		if at[i]-at[i-1] < labelHeight-0.1 {
			t.Errorf("labels stand at %v", at)
		}
	}
	if len(at) != 4 || at[3] > 100+head {
		t.Errorf("labels stand at %v, want 4 above %d", at, 100+head)
	}
}

func TestBarsAndRatiosFit(t *testing.T) {
	b := Bars{Groups: []BarGroup{{Bars: []Bar{{Total: 4, Parts: []Part{{Value: 1}, {Value: 3}}}, {Total: 2, Parts: []Part{{Value: 2}}}}}}}.Fit()
	if p := b.Groups[0].Bars; p[0].Parts[0].Width != "25.00%" || p[0].Parts[1].Width != "75.00%" || p[1].Parts[0].Width != "50.00%" {
		t.Errorf("widths are %+v", p)
	}
	r := Ratios{Groups: []RatioGroup{{Ratios: []Ratio{
		{Value: 0.25, Lo: 0.2, Hi: 0.3}, {Value: 4, Lo: math.NaN(), Hi: math.NaN()}, {Value: 1.02, Lo: 0.98, Hi: 1.06}}}}}.Fit()
	for i, want := range []string{"better", "worse", "even"} {
		if got := r.Groups[0].Ratios[i].Sense(); got != want {
			t.Errorf("ratio %d is %s, want %s", i, got, want)
		}
	}
	if r.One() != "50.00%" || !r.Groups[0].Ratios[0].HasInterval() || r.Groups[0].Ratios[1].HasInterval() {
		t.Errorf("1 stands at %s", r.One())
	}
}

func parse(t *testing.T, text string) float64 {
	t.Helper()
	v := 0.0
	if _, err := fmt.Sscan(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
