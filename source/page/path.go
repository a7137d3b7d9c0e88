package page

import (
	"hash/fnv"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// path tells where in a page a line stands: the signatures of the innermost blocks
// around it, the nearest first. It does not count siblings, so that a line keeps its
// path when others come and go around it.
type path [4]uint32

// pathOf returns the path of what stands in n.
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

// within returns the path of what stands in n, which stands at p.
func (p path) within(n *html.Node) path {
	return path{signature(n), p[0], p[1], p[2]}
}

// signature is a hash of an element's name, id and classes, without those parts of
// names that look made up for one build or one visit: whatever has a digit in it.
func signature(n *html.Node) uint32 {
	h := fnv.New32a()
	h.Write([]byte(n.Data))
	for _, a := range n.Attr {
		switch a.Key {
		case "id":
			if !hasDigit(a.Val) {
				h.Write([]byte("#" + a.Val))
			}
		case "class":
			classes := slices.Sorted(classesOf(a.Val))
			for _, c := range classes {
				if !hasDigit(c) {
					h.Write([]byte("." + c))
				}
			}
		}
	}
	return h.Sum32()
}

func hasDigit(s string) bool { return strings.ContainsFunc(s, unicode.IsDigit) }
