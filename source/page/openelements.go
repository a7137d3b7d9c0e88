package page

import (
	"slices"

	"golang.org/x/net/html/atom"
)

// openElements is roughly the stack of open elements of the HTML standard (13.2.4.2), the innermost last.
type openElements []atom.Atom

// maxOpen is where the parser of x/net/html refuses a document.
const maxOpen = 512

// start opens an element, if it is one that holds others. It reports whether the element is one at all: parts of a
// table outside of one are left out, as are some elements that may stand once only.
func (o *openElements) start(name atom.Atom) bool {
	switch name {
	case atom.Html, atom.Head, atom.Body, atom.Frame, atom.Frameset:
		return false
	case atom.Form:
		if slices.Contains(*o, name) {
			return false
		}
	case atom.Table:
		if o.betweenCells() {
			o.end(name)
		}
	case atom.Td, atom.Th:
		if !o.cutTo(atom.Tr, atom.Tbody, atom.Thead, atom.Tfoot, atom.Table) {
			return false
		}
	case atom.Tr:
		if !o.cutTo(atom.Tbody, atom.Thead, atom.Tfoot, atom.Table) {
			return false
		}
	case atom.Tbody, atom.Thead, atom.Tfoot, atom.Caption, atom.Colgroup, atom.Col:
		if !o.cutTo(atom.Table) {
			return false
		}
	default:
		o.closeImplied(name)
	}
	if !isVoid(name) && len(*o) < maxOpen {
		*o = append(*o, name)
	}
	return true
}

// closeImplied closes what may be left open before an element of that name.
func (o *openElements) closeImplied(name atom.Atom) {
	if r := roles[name]; r == inline || r == never && name != atom.Option {
		return
	}
	o.close(atom.P)
	if n := len(*o); n > 0 && roles[name] == heading && roles[(*o)[n-1]] == heading {
		*o = (*o)[:n-1]
	}
	switch name {
	case atom.Li, atom.Option:
		o.close(name)
	case atom.Dd, atom.Dt:
		o.close(atom.Dd)
		o.close(atom.Dt)
	}
}

// close closes the innermost element of that name, unless another block stands in it.
func (o *openElements) close(name atom.Atom) {
	for i := len(*o) - 1; i >= 0; i-- {
		switch at := (*o)[i]; {
		case at == name:
			*o = (*o)[:i]
			return
		case roles[at] != inline:
			return
		}
	}
}

// cutTo closes what is open in the innermost element of any of those names, within the innermost table.
func (o *openElements) cutTo(names ...atom.Atom) bool {
	for i := len(*o) - 1; i >= 0; i-- {
		if slices.Contains(names, (*o)[i]) {
			*o = (*o)[:i+1]
			return true
		}
	}
	return false
}

// end closes the innermost element of that name with all in it. One that is not of formatting is not closed through a
// block, unless it is a block itself.
func (o *openElements) end(name atom.Atom) {
	through := false // a block
	for i := len(*o) - 1; i >= 0; i-- {
		switch at := (*o)[i]; {
		case at == name && through && formats[name]:
			*o = slices.Delete(*o, i, i+1)
			return
		case at == name:
			*o = (*o)[:i]
			return
		case roles[at] != inline:
			if through = true; roles[name] == inline && !formats[name] {
				return
			}
		}
	}
}

// betweenCells reports whether text that comes now stands in a table and in none of its cells.
func (o openElements) betweenCells() bool {
	if len(o) == 0 {
		return false
	}
	switch o[len(o)-1] {
	case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr:
		return true
	}
	return false
}
