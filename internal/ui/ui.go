// Package ui shows progress to a person. It is the only place that knows
// whether somebody is looking: bars are drawn on a terminal, and plain lines
// are written anywhere else.
package ui

import (
	"fmt"
	"io"
	"os"
	"time"
)

// Progress shows steps of work, one after another. Close ends the last one;
// nothing may be shown after it.
type Progress interface {
	// Step starts a piece of work of total units; 0 when that is not known.
	Step(name string, total int)
	// Done says how many units of the current step are done.
	Done(units int)
	// Note is a line that stays.
	Note(format string, args ...any)
	// Close ends the display.
	Close()
}

// New returns bars when w is a terminal, and lines otherwise.
func New(w io.Writer) Progress {
	if IsTerminal(w) {
		return newBars(w)
	}
	return &Lines{w: w, now: time.Now}
}

// IsTerminal reports whether w is a terminal that can redraw a line.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Mode()&os.ModeDevice != 0
}

// Lines writes one line per step, and one more at each quarter of a long one.
type Lines struct {
	w       io.Writer
	now     func() time.Time
	name    string
	total   int
	quarter int
	started time.Time
}

var _ Progress = (*Lines)(nil)

// longStep is how long a step lasts before its quarters are worth a line.
const longStep = 5 * time.Second

// Step implements Progress.
func (l *Lines) Step(name string, total int) {
	l.name, l.total, l.quarter, l.started = name, total, 0, l.now()
	l.print("%s ...", name)
}

// Done implements Progress.
func (l *Lines) Done(units int) {
	if l.total < 1 || units >= l.total {
		return
	}
	if q := 4 * units / l.total; q > l.quarter && l.now().Sub(l.started) > longStep {
		l.quarter = q
		l.print("%s: %d %%", l.name, 25*q)
	}
}

// Note implements Progress.
func (l *Lines) Note(format string, args ...any) { l.print(format, args...) }

// Close implements Progress.
func (l *Lines) Close() {}

// print has nobody to report a failed write to: its own writer is the channel.
func (l *Lines) print(format string, args ...any) {
	_, _ = fmt.Fprintf(l.w, format+"\n", args...)
}
