// Package pagetest makes histories of web pages for tests, together with the lines that must
// be read of every state: a page is written from its headings, paragraphs, lists and tables,
// and from what else differs from fetch to fetch without being news. The table noises lists
// what was seen in recorded histories of 20 pages, and what else is known of sites.
//
// The package knows nothing of the reader that it tests. Everything follows from a seed.
package pagetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// History is what a page was over time.
type History struct {
	Name   string // of letters, digits and dashes
	Learn  bool   // its noise only shows when a state is fetched twice
	States []State
}

// State is a page as it was fetched.
type State struct {
	Body    []byte
	Again   []byte   // the same, fetched again at once
	Lines   []string // what it says; of a history that is to be learned, what it says beside the noise
	Changed bool     // it says something else than the state before
}

// Bodies returns the documents of the states.
func (h History) Bodies() [][]byte {
	var out [][]byte
	for _, s := range h.States {
		out = append(out, s.Body)
	}
	return out
}

// block is an element of the core, and the line that it is.
type block struct {
	kind  string // h1, h2, p, li, tr, pre
	words []string
}

func (b block) line() string {
	text := strings.Join(b.words, " ")
	switch b.kind {
	case "h1":
		return "# " + text
	case "h2":
		return "## " + text
	case "li":
		return "- " + text
	case "tr":
		return b.words[0] + " | " + strings.Join(b.words[1:], " ")
	}
	return text
}

// page is a state on its way into a document.
type page struct {
	blocks []block

	head, top, bottom string        // markup in the head, before the core and behind it
	last              string        // markup within the core, at its end
	after             func() string // text behind that of an item of a list; nil: none
	attrs             func() string // attributes of every element; nil: none
	wrap              string        // an element around the core
	pretty            bool          // indented
	decorate          func(word string) string
}

// html writes the document.
func (p *page) html() string {
	var b strings.Builder
	b.WriteString("<!doctype html><html lang=en><head><meta charset=utf-8><title>A page</title>" + p.head +
		"</head><body>" + p.top)
	open := func(name string) {
		b.WriteString("<" + name)
		if p.attrs != nil {
			b.WriteString(p.attrs())
		}
		b.WriteString(">")
	}
	if p.wrap != "" {
		open(p.wrap)
	}
	open("main")
	list := ""
	for _, bl := range p.blocks {
		around := map[string]string{"li": "ul", "tr": "table"}[bl.kind]
		if around != list {
			if list != "" {
				b.WriteString("</" + list + ">")
			}
			if around != "" {
				open(around)
			}
			list = around
		}
		if p.pretty {
			b.WriteString("\n\n\t  ")
		}
		open(bl.kind)
		p.inside(&b, bl)
		b.WriteString("</" + bl.kind + ">")
	}
	if list != "" {
		b.WriteString("</" + list + ">")
	}
	b.WriteString(p.last + "</main>")
	if p.wrap != "" {
		b.WriteString("</" + p.wrap + ">")
	}
	b.WriteString(p.bottom + "</body></html>")
	return b.String()
}

func (p *page) inside(b *strings.Builder, bl block) {
	text := make([]string, len(bl.words))
	for i, w := range bl.words {
		if text[i] = w; p.decorate != nil {
			text[i] = p.decorate(w)
		}
	}
	switch {
	case bl.kind == "tr":
		b.WriteString("<td>" + text[0] + "</td><td>" + strings.Join(text[1:], " ") + "</td>")
	case p.pretty && bl.kind != "pre":
		b.WriteString("\n  " + strings.Join(text, "\n \t") + " ")
	default:
		b.WriteString(strings.Join(text, " "))
	}
	if p.after != nil && bl.kind == "li" {
		b.WriteString(p.after())
	}
}

var words = strings.Fields(
	"alpha beta gamma delta Grüße мир 世界 café harbour lantern meadow orchard pebble quarry river saddle timber valley 3.14 €20 v1.2.3 2024-05-06 7")

func phrase(r *rand.Rand, n int) []string {
	out := []string{[]string{"One", "Two", "Many", "Few"}[r.IntN(4)]}
	for range n {
		out = append(out, words[r.IntN(len(words))])
	}
	return out
}

// newCore makes the core of a page.
func newCore(r *rand.Rand) []block {
	core := []block{{"h1", phrase(r, 3)}}
	for _, kind := range strings.Fields("p p h2 li li li li p h2 tr tr tr p pre p") {
		core = append(core, block{kind, append(phrase(r, 4+r.IntN(8)), fmt.Sprint("z", r.IntN(1_000_000)))})
	}
	return append(core, block{"p", strings.Fields("The end of all that is said here")})
}

// edit changes what the page says, in one of the ways in which pages change.
func edit(r *rand.Rand, core []block) []block {
	core = slices.Clone(core)
	i := 1 + r.IntN(len(core)-2)
	b := block{core[i].kind, append(phrase(r, 5), fmt.Sprint("z", r.IntN(1_000_000)))}
	switch r.IntN(4) {
	case 0: // something is added
		return slices.Insert(core, i, b)
	case 1: // something goes, and something else comes
		core[i] = b
	case 2: // one word becomes another
		b.words = slices.Clone(core[i].words)
		b.words[1+r.IntN(len(b.words)-1)] = fmt.Sprint("w", r.IntN(1_000_000))
		core[i] = b
	case 3:
		if len(core) > 12 {
			return slices.Delete(core, i, i+1)
		}
		core[i] = b
	}
	return core
}

// states is how many states a history has.
const states = 12

// Histories makes a history with every kind of noise, one with all kinds that need not be
// learned, and one without any.
func Histories(seed uint64) []History {
	var out []History
	add := func(name string, noises ...noise) {
		r := rand.New(rand.NewPCG(seed, uint64(len(out))))
		out = append(out, newHistory(r, name, noises))
	}
	var known []noise
	add("quiet")
	for _, n := range noises {
		add(n.name, n)
		if !n.learn && !n.alone {
			known = append(known, n)
		}
	}
	add("everything at once", known...)
	return out
}

// Large makes two states of a page of about so many bytes, of which the second says something else in
// three places.
func Large(seed uint64, size int) (before, after []byte) {
	r := rand.New(rand.NewPCG(seed, uint64(size)))
	var core []block
	for written := 0; written < size; {
		for _, b := range newCore(r) {
			core = append(core, b)
			written += len(b.line()) + len("<p></p>")
		}
	}
	before = []byte((&page{blocks: core}).html())
	for range 3 {
		core = edit(r, core)
	}
	return before, []byte((&page{blocks: core}).html())
}

func newHistory(r *rand.Rand, name string, noises []noise) History {
	h := History{Name: strings.ReplaceAll(name, " ", "-")}
	core := newCore(r)
	for n := range states {
		changed := n > 0 && r.IntN(2) == 0
		if changed {
			core = edit(r, core)
		}
		st := State{Changed: changed}
		for _, b := range core {
			st.Lines = append(st.Lines, b.line())
		}
		write := func() []byte {
			p := &page{blocks: core}
			for _, noise := range noises {
				noise.make(r, p, n)
				h.Learn = h.Learn || noise.learn
			}
			return []byte(p.html())
		}
		st.Body, st.Again = write(), write()
		h.States = append(h.States, st)
	}
	return h
}
