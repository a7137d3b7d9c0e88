package page

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// path is where in a page a line stands: the signatures of the innermost blocks around it, the nearest first. It does
// not count siblings, so that a line keeps its path when others come and go around it.
type path [4]uint32

// pathOf returns the path of the content of n.
func pathOf(n *html.Node) path {
	var p path
	for i := 0; i < len(p) && n != nil; n = n.Parent {
		if n.Type == html.ElementNode && roleOf(n, stateIn(n)) != inline {
			p[i] = signature(n)
			i++
		}
	}
	return p
}

// within returns the path of the content of n, which stands at p.
func (p path) within(n *html.Node) path {
	return path{signature(n), p[0], p[1], p[2]}
}

// signature is a hash of an element's name, id and classes. Parts of names with a digit are left out: they look made up
// for one build or one visit.
func signature(n *html.Node) uint32 {
	h := hash32Start
	h.add(n.Data)
	for _, a := range n.Attr {
		switch a.Key {
		case "id":
			if !hasDigit(a.Val) {
				h.add("#")
				h.add(a.Val)
			}
		case "class":
			var list [maxClasses]string
			classes := list[:0]
			for c := range classesOf(a.Val) {
				if !hasDigit(c) {
					classes = append(classes, c)
				}
			}
			slices.Sort(classes)
			for _, c := range classes {
				h.add(".")
				h.add(c)
			}
		}
	}
	return uint32(h)
}

// hash32 is FNV-1a, 32 bits, written out: what is learned is kept by it, and each block of a page has its own.
type hash32 uint32

const (
	hash32Start hash32 = 2166136261
	hash32Prime hash32 = 16777619
)

func (h *hash32) add(s string) {
	sum := *h
	for i := range len(s) {
		sum = (sum ^ hash32(s[i])) * hash32Prime
	}
	*h = sum
}

func hasDigit(s string) bool { return strings.ContainsFunc(s, unicode.IsDigit) }
