package chart

import (
	"html/template"
	"math"
)

// Bars are lengths side by side, a table whose cells carry the bars.
type Bars struct {
	Label  string // the whole drawing in a sentence
	What   string // heading of the value column
	Groups []BarGroup
	Stages []Stage // legend of the parts; empty: bars have one part, coloured by series
}

// BarGroup is bars of one subject. All bars of a group have one scale.
type BarGroup struct {
	Title string // may be empty
	Bars  []Bar
}

// Bar is one length.
type Bar struct {
	Name  string
	Note  string // in small print beside the name
	Class string
	Mark  Mark
	Value string // as text
	Parts []Part
	Total float64 // sum of the parts
}

// Part is a piece of a bar.
type Part struct {
	Class string // s-CLASS of a series or p-CLASS of a stage
	Value float64
	Tip   string
	Width template.CSS // filled by Fit
}

// Stage is a kind of part.
type Stage struct{ Class, Name string }

// Fit gives every part its width; the longest bar of a group is as long as the
// place allows.
func (b Bars) Fit() Bars {
	for _, g := range b.Groups {
		longest := 0.0
		for _, bar := range g.Bars {
			longest = max(longest, bar.Total)
		}
		for _, bar := range g.Bars {
			for i := range bar.Parts {
				bar.Parts[i].Width = Percent(bar.Parts[i].Value / longest)
			}
		}
	}
	return b
}

// Key is the mark of the bar's series.
func (b Bar) Key() template.HTML { return Key(b.Class, b.Mark) }

// Ratios are factors around 1 on a common logarithmic scale.
type Ratios struct {
	Label  string
	Better string // what lies to the left
	Worse  string // what lies to the right
	Groups []RatioGroup
	ticks  []Tick
	scale  Scale
}

// RatioGroup is ratios of one subject.
type RatioGroup struct {
	Title  string
	Ratios []Ratio
}

// Ratio is one factor. Below 1 is better.
type Ratio struct {
	What    string
	Against string
	Class   string // of what it is against
	Mark    Mark
	Note    string
	Value   float64
	Lo, Hi  float64 // interval; NaN: none
	Text    string
	Verdict string
	bar     [2]float64
	span    [2]float64
}

// Fit makes the scale, which is as wide on one side of 1 as the data needs.
func (r Ratios) Fit() Ratios {
	values := []float64{0.5, 2}
	for _, g := range r.Groups {
		for _, one := range g.Ratios {
			values = append(values, one.Value)
		}
	}
	lo, hi := extent(values)
	r.scale = Scale{lo: lo / 1.1, hi: hi * 1.1, bend: math.Log10}
	for _, t := range []float64{0.001, 0.01, 0.03, 0.1, 0.25, 0.5, 1, 2, 4, 10, 30, 100, 1000} {
		if t >= r.scale.lo && t <= r.scale.hi {
			r.scale.ticks = append(r.scale.ticks, Tick{t, short(t) + "×"})
		}
	}
	// The label of 1 stays, whatever else must go.
	kept := r.scale.ticks[:0]
	at := func(t Tick) float64 { return r.scale.Place(t.Value) }
	one := r.scale.Place(1)
	for _, t := range r.scale.ticks {
		near := math.Abs(at(t)-one) < 0.08 && t.Value != 1
		if !near && (len(kept) == 0 || t.Value == 1 || at(t)-at(kept[len(kept)-1]) >= 0.08) {
			kept = append(kept, t)
		}
	}
	r.ticks = kept
	for _, g := range r.Groups {
		for i := range g.Ratios {
			g.Ratios[i].place(r.scale)
		}
	}
	return r
}

func (r *Ratio) place(s Scale) {
	one, value := s.Place(1), s.Place(r.Value)
	r.bar = [2]float64{min(one, value), max(one, value)}
	if !math.IsNaN(r.Lo) && !math.IsNaN(r.Hi) && r.Lo > 0 {
		r.span = [2]float64{s.Place(r.Lo), s.Place(r.Hi)}
	}
}

// Ticks are labelled places with where they are.
func (r Ratios) Ticks() []PlacedTick {
	out := make([]PlacedTick, 0, len(r.ticks))
	for _, t := range r.ticks {
		out = append(out, PlacedTick{t.Label, Percent(r.scale.Place(t.Value))})
	}
	return out
}

// PlacedTick is a label and where it stands.
type PlacedTick struct {
	Label string
	At    template.CSS
}

// One is where no difference lies.
func (r Ratios) One() template.CSS { return Percent(r.scale.Place(1)) }

// Key is the mark of what the ratio is against.
func (r Ratio) Key() template.HTML { return Key(r.Class, r.Mark) }

// Sense is a class of the style sheet: better, worse or, where no difference is
// shown, even.
func (r Ratio) Sense() string {
	switch {
	case r.Lo <= 1 && r.Hi >= 1 || r.Value == 1:
		return "even"
	case r.Value < 1:
		return "better"
	}
	return "worse"
}

// Left is where the bar begins.
func (r Ratio) Left() template.CSS { return Percent(r.bar[0]) }

// Width is how long the bar is.
func (r Ratio) Width() template.CSS { return Percent(max(r.bar[1]-r.bar[0], 0.004)) }

// HasInterval says whether the ratio has one.
func (r Ratio) HasInterval() bool { return r.span[1] > r.span[0] }

// SpanLeft is where the interval begins.
func (r Ratio) SpanLeft() template.CSS { return Percent(r.span[0]) }

// SpanWidth is how long the interval is.
func (r Ratio) SpanWidth() template.CSS { return Percent(r.span[1] - r.span[0]) }
