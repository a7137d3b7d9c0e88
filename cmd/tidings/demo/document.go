package demo

import (
	"bytes"
	"fmt"
	"html"
	"net/http"
	"strings"
	"sync"
	"time"
)

// document is a feed or page that changes on demand.
type document struct {
	name, title, folder string
	next                func(n int, at time.Time) (body []byte, headline string)

	mu    sync.Mutex
	state int // how many there were
	body  []byte
}

// newDocument makes a document that has passed its first states. So it looks as if it had existed for long.
func newDocument(name, title, folder string, next func(int, time.Time) ([]byte, string)) *document {
	d := &document{name: name, title: title, folder: folder, next: next}
	d.change(time.Now())
	return d
}

// change makes the next state and returns what is new in it.
func (d *document) change(at time.Time) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	body, said := d.next(d.state, at)
	d.state, d.body = d.state+1, body
	return said
}

// ServeHTTP answers with the present state, or that it is known.
func (d *document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	state, body := d.state, d.body
	d.mu.Unlock()
	w.Header().Set("ETag", fmt.Sprintf(`"%d"`, state))
	w.Header().Set("Content-Type", http.DetectContentType(body))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// shown is how many stories a feed holds, before how many of them it had at the beginning.
const (
	shown  = 8
	before = 4
)

func (p paper) document() *document {
	var items []string // newest first
	return newDocument(p.name, p.title, p.folder, func(n int, at time.Time) ([]byte, string) {
		said := ""
		if n == 0 {
			for k := before; k > 0; k-- {
				said = p.add(&items, before-k, at.Add(-time.Duration(k)*7*time.Hour))
			}
		} else {
			said = p.add(&items, before+n-1, at)
		}
		items = items[:min(len(items), shown)]
		return fmt.Appendf(nil, `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0"><channel><title>%s</title><link>https://%s.example/</link><description>Made up for the demonstration</description>
%s</channel></rss>
`, html.EscapeString(p.title), p.name, strings.Join(items, "")), said
	})
}

// add puts the k-th story before the others and returns its title.
func (p paper) add(items *[]string, k int, at time.Time) string {
	title := p.story(k)
	item := fmt.Sprintf(
		"<item><title>%s</title><link>https://%s.example/%d</link><guid "+
			"isPermaLink=\"false\">%s-%d</guid><author>%s</author><pubDate>%s</pubDate><description>%s</description></item>\n",
		html.EscapeString(title), p.name, k+1, p.name, k, html.EscapeString(p.author), at.Format(time.RFC1123Z),
		html.EscapeString("<p>"+p.texts[k%len(p.texts)]+"</p>"))
	*items = append([]string{item}, *items...)
	return title
}

// story returns the title of the k-th story. All pairs of a beginning and an end come before one
// comes again.
func (p paper) story(k int) string {
	begins, ends := len(p.begins), len(p.ends)
	return p.begins[k%begins] + " " + p.ends[(k%begins+k/begins)%ends]
}

func (s sheet) document() *document {
	says := make([]int, len(s.lines))
	return newDocument(s.name, s.title, s.folder, func(n int, _ time.Time) ([]byte, string) {
		said := s.lead
		if n > 0 {
			// Lines alternate, in an order that looks like none.
			i := (n * 3) % len(s.lines)
			if len(s.lines)%3 == 0 {
				i = n % len(s.lines)
			}
			says[i]++
			said = s.line(i, says[i])
		}
		var b strings.Builder
		fmt.Fprintf(&b, "<!doctype html>\n<html lang=\"en\"><head><meta "+
			"charset=\"utf-8\"><title>%s</title></head><body><main>\n<h1>%[1]s</h1>\n<p>%s</p>\n<ul>\n",
			html.EscapeString(s.title), html.EscapeString(s.lead))
		for i := range s.lines {
			fmt.Fprintf(&b, "<li>%s</li>\n", html.EscapeString(s.line(i, says[i])))
		}
		b.WriteString("</ul>\n</main></body></html>\n")
		return []byte(b.String()), said
	})
}

func (s sheet) line(i, state int) string {
	l := s.lines[i]
	return l.label + " " + l.says[state%len(l.says)]
}

// documents returns everything that the demonstration's origin serves.
func documents() (all []*document) {
	for _, p := range papers {
		all = append(all, p.document())
	}
	for _, s := range sheets {
		all = append(all, s.document())
	}
	return all
}
