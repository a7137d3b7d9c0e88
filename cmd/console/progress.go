package console

import (
	"fmt"
	"strings"
)

// Progress shows how far long work has come: a bar that is drawn over itself on a
// terminal, elsewhere a plain line for each tenth.
type Progress struct {
	console *Console
	what    string
	tenth   int
	drawn   bool
}

// Progress begins to show the work of what.
func (c *Console) Progress(what string) *Progress {
	return &Progress{console: c, what: what, tenth: -1}
}

// Show shows that done of total is done. note is a neutral remark, maybe empty.
func (p *Progress) Show(done, total int, note string) {
	if total <= 0 {
		return
	}
	count := fmt.Sprintf("%s of %s", Count(done), Count(total))
	if note != "" {
		count += ", " + note
	}
	if p.console.Terminal {
		p.draw(done, total, count)
		return
	}
	if tenth := 10 * done / total; tenth > p.tenth {
		p.tenth = tenth
		p.console.Printf("%s: %s\n", p.what, count)
	}
}

func (p *Progress) draw(done, total int, count string) {
	room := 80
	if p.console.Width > 0 {
		room = p.console.Width
	}
	size := min(40, room-Columns(p.what)-Columns(count)-6)
	bar := ""
	if size >= 5 {
		full := size * done / total
		bar = " [" + p.console.Paint(Green, strings.Repeat("█", full)) + strings.Repeat("·", size-full) + "]"
	}
	p.console.Printf("\r\x1b[K%s%s %s", p.what, bar, count)
	p.drawn = true
}

// Clear removes the bar, so that a line can be printed. The next Show draws it again.
func (p *Progress) Clear() {
	if p.drawn {
		p.console.Printf("\r\x1b[K")
		p.drawn = false
	}
}
