package ui

import (
	"fmt"
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
)

// bars draws one redrawn line per step.
type bars struct {
	writer  progress.Writer
	stopped chan struct{}
	current *progress.Tracker
}

var _ Progress = (*bars)(nil)

func newBars(w io.Writer) *bars {
	pw := progress.NewWriter()
	pw.SetOutputWriter(w)
	pw.SetStyle(progress.StyleBlocks)
	pw.SetUpdateFrequency(100 * time.Millisecond)
	pw.SetTrackerLength(30)
	pw.SetMessageLength(28)
	pw.SetTrackerPosition(progress.PositionRight)
	pw.Style().Visibility.Value = false
	pw.Style().Visibility.ETA = true
	b := &bars{writer: pw, stopped: make(chan struct{})}
	go func() {
		defer close(b.stopped)
		pw.Render()
	}()
	return b
}

func (b *bars) Step(name string, total int) {
	b.finish()
	b.current = &progress.Tracker{Message: name, Total: int64(total)}
	b.writer.AppendTracker(b.current)
}

func (b *bars) Done(units int) {
	if b.current != nil {
		b.current.SetValue(int64(units))
	}
}

func (b *bars) Note(format string, args ...any) {
	b.writer.Log("%s", fmt.Sprintf(format, args...))
}

// Close stops the drawing. Stop does nothing before the drawing goroutine has
// begun, so it is repeated until that goroutine has ended.
func (b *bars) Close() {
	b.finish()
	for {
		b.writer.Stop()
		select {
		case <-b.stopped:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (b *bars) finish() {
	if b.current != nil {
		b.current.MarkAsDone()
		b.current = nil
	}
}
