package page

import (
	"fmt"

	"golang.org/x/net/html"
)

const (
	// A document of at least minScripted bytes of which less than one in minTextShare
	// is text is probably filled by its scripts.
	minScripted  = 20_000
	minTextShare = 100
)

// readHTML reads title and lines from an HTML document.
func (d *Document) readHTML(text, pageURL string, r rules, c Config) ([]line, error) {
	text, cut := cutPieces(text)
	if cut {
		d.Notes = append(d.Notes, fmt.Sprintf("cut after %d tags and texts: the page is too long", maxPieces))
	}
	root, flat := parse(text)
	if flat {
		d.Notes = append(d.Notes, "nested too deeply, or repeating too much, for HTML's rules: read flat")
	}
	openShadows(root)
	d.readHead(root, pageURL)
	if r.prices {
		if d.offers = offerLines(root); len(d.offers) == 0 {
			return nil, noOffers()
		}
		if r.selection.isEmpty() {
			return nil, nil
		}
	}
	parts, err := r.selection.parts(root)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, part := range parts {
		total += totalText(part)
	}
	if size := len(text); size > minScripted && total < size/minTextShare {
		d.Notes = append(d.Notes, "hardly any text: the page may be made by its scripts, which are not run")
	}
	lines := d.coreLines(parts, r, total, c)
	if len(lines) == 0 && !ignoresAll(parts, r, total) {
		lines = d.otherwise(parts, r, total)
	}
	return lines, nil
}

// coreLines returns the lines without the frame of the page, unless there is next to nothing else.
func (d *Document) coreLines(parts []*html.Node, r rules, total int, c Config) []line {
	core := flatten(parts, r, total, false)
	if float64(lineText(core)) >= c.MinCore*float64(total) && len(core) > 0 {
		if len(r.keep.patterns) > 0 {
			return keepMatching(flatten(parts, r, total, true), r.keep)
		}
		return core
	}
	whole := flatten(parts, r, total, true)
	if len(whole) > len(core) {
		d.Notes = append(d.Notes, "kept navigation and the like: there is hardly anything else")
	}
	return whole
}

// keepMatching drops the lines of the frame except those that a person wants.
func keepMatching(lines []line, keep mixed) []line {
	kept := lines[:0]
	for _, l := range lines {
		if !l.chrome || l.kept || keep.inLine(l.text) {
			kept = append(kept, l)
		}
	}
	return kept
}

func lineText(lines []line) int {
	n := 0
	for _, l := range lines {
		n += textSize(l.text)
	}
	return n
}
