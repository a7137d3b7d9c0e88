package console

import "time"

// Waiting says for what one waits, and for how long already: a line that is drawn over itself on a terminal, elsewhere
// a line for each new reason.
type Waiting struct {
	console *Console
	why     string
	drawn   bool
}

// Waiting begins to wait, silently.
func (c *Console) Waiting() *Waiting { return &Waiting{console: c} }

// Show shows the reason for waiting; "": there is nothing to show.
func (w *Waiting) Show(why string, since time.Duration) {
	why = Neutral(why)
	if why == "" {
		return
	}
	if w.console.Terminal {
		w.console.Printf("\r\x1b[K%s", w.console.Paint(Dim, why+" ("+Span(since.Truncate(time.Second))+")"))
		w.drawn = true
	} else if why != w.why {
		w.console.Printf("%s\n", why)
	}
	w.why = why
}

// Clear removes the line.
func (w *Waiting) Clear() {
	if w.drawn {
		w.console.Printf("\r\x1b[K")
		w.drawn = false
	}
}
