package page

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// maxAttributes bounds the attributes of an element; further ones are left out. Recorded pages have below 50.
	maxAttributes = 200
	// maxCopies bounds the elements and attributes that the parser may make besides those written: it repeats open
	// formatting elements in each block, and goes over all attributes of html and body where they stand again.
	maxCopies = 500_000
	// maxSteps bounds the open elements that the parser may visit, as it does for each block and each end tag. The
	// first deepEnough of a tag are not counted.
	maxSteps   = 5_000_000
	deepEnough = 32
	// maxMoved bounds the bytes that the parser may copy when it joins adjacent texts. Where the tags between them make
	// nothing, it copies the whole text for each.
	maxMoved = 200 << 20
)

// explodes reports whether the rules of HTML would make much more of a document than stands in it. It follows the
// tags roughly, and rather overrates.
func explodes(text string) bool {
	z := html.NewTokenizer(strings.NewReader(text))
	var w weigher
	for w.copies <= maxCopies && w.steps <= maxSteps && w.moved <= maxMoved {
		switch z.Next() {
		case html.ErrorToken:
			return false
		case html.TextToken:
			w.text(z.Raw())
		case html.StartTagToken, html.SelfClosingTagToken:
			name, attrs := tagOf(z)
			if w.attrs += attrs; attrs > maxAttributes || w.attrs > maxAllAttributes {
				return true
			}
			w.start(name, attrs)
			if w.foreign {
				z.NextIsNotRawText()
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			w.end(atom.Lookup(name))
		}
	}
	return true
}

// tagOf returns the name of a start tag and how many attributes it has, above maxAttributes one more.
func tagOf(z *html.Tokenizer) (atom.Atom, int) {
	b, more := z.TagName()
	name, n := atom.Lookup(b), 0
	for ; more && n <= maxAttributes; n++ {
		_, _, more = z.TagAttr()
	}
	return name, n
}

// weigher estimates what the parser makes besides what is written.
type weigher struct {
	weights map[atom.Atom][]int // of the open formatting elements: one, and one for each attribute
	open    int                 // the sum
	root    int                 // attributes of html and body so far
	copies  int
	attrs   int  // of all tags
	foreign bool // in SVG or MathML, where the text of styles and scripts is markup
	list    bool // in a select element, whose inside may be left out

	openElements
	steps    int // through open elements
	run      int // bytes of text since an element began
	fostered int // bytes of text in tables and not in cells, all of which comes to stand before the table
	moved    int // bytes
}

// text weighs a text as it is written.
func (w *weigher) text(raw []byte) {
	if w.betweenCells() && len(bytes.TrimSpace(raw)) > 0 {
		w.fostered += len(raw)
		w.moved += w.fostered
		return
	}
	w.run += len(raw)
	w.moved += w.run
}

func (w *weigher) start(name atom.Atom, attrs int) {
	if roles[name] != inline {
		w.steps += max(0, len(w.openElements)-deepEnough)
	}
	if w.openElements.start(name) && (!w.list || name == atom.Option) {
		w.run = 0
	}
	switch name {
	case atom.Html, atom.Body:
		w.root += attrs
		w.copies += w.root
	case atom.Svg, atom.Math:
		w.foreign = true
	case atom.Select:
		w.list = true
	}
	if !formats[name] {
		w.copies += w.open
		return
	}
	if name == atom.A || name == atom.Nobr { // one in another ends it
		w.endFormat(name)
	}
	if w.weights == nil {
		w.weights = make(map[atom.Atom][]int)
	}
	w.weights[name] = append(w.weights[name], 1+attrs)
	w.open += 1 + attrs
}

func (w *weigher) end(name atom.Atom) {
	w.steps += max(0, len(w.openElements)-deepEnough)
	w.openElements.end(name)
	w.endFormat(name)
}

func (w *weigher) endFormat(name atom.Atom) {
	switch name {
	case atom.Svg, atom.Math:
		w.foreign = false
	case atom.Select:
		w.list = false
	}
	list := w.weights[name]
	if len(list) == 0 || w.foreign || w.list {
		return
	}
	w.open -= list[len(list)-1]
	w.weights[name] = list[:len(list)-1]
}

// formats are the formatting elements (HTML standard, 13.2.4.3).
var formats = map[atom.Atom]bool{
	atom.A: true, atom.B: true, atom.Big: true, atom.Code: true, atom.Em: true, atom.Font: true, atom.I: true,
	atom.Nobr: true, atom.S: true, atom.Small: true, atom.Strike: true, atom.Strong: true, atom.Tt: true, atom.U: true,
}
