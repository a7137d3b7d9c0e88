package page

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/antchfx/xpath"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxXPathSteps bounds the steps from node to node, and bytes of text, of one XPath in a page. A short expression can
// go through a page as often as the page has elements.
const maxXPathSteps = 10_000_000

// maxXPathNodes bounds what one XPath may select.
const maxXPathNodes = 100_000

var errXPathSteps = errors.New("it takes too many steps in this page: write it more narrowly")

// byXPath returns what an XPath selects in a tree: elements of the tree, and everything else, such as attributes,
// texts, numbers and the results of functions, as elements of their own.
func byXPath(root *html.Node, expr *xpath.Expr) (elements map[*html.Node]bool, others []*html.Node, err error) {
	left := maxXPathSteps
	defer func() {
		switch failure := recover(); {
		case failure == nil:
		case failure == errXPathSteps:
			err = errXPathSteps
		default: // the library panics where a function gets what it cannot use
			err = fmt.Errorf("it cannot be used on this page: %.200v", failure)
		}
	}()
	elements = make(map[*html.Node]bool)
	switch v := expr.Evaluate(&walker{root: root, at: root, attr: none, left: &left}).(type) {
	case *xpath.NodeIterator:
		for n := 0; v.MoveNext(); n++ {
			if n == maxXPathNodes {
				return nil, nil, fmt.Errorf("it selects more than %d places", maxXPathNodes)
			}
			at := v.Current().(*walker)
			switch {
			case at.attr != none || at.at.Type == html.TextNode || at.at.Type == html.CommentNode:
				others = append(others, textPart(at.Value()))
			case at.at.Type == html.ElementNode || at.at == root:
				elements[at.at] = true
			}
		}
	case float64:
		others = append(others, textPart(strconv.FormatFloat(v, 'f', -1, 64)))
	default:
		others = append(others, textPart(fmt.Sprint(v)))
	}
	return elements, others, nil
}

// textPart returns a part of a page that has nothing but a text.
func textPart(text string) *html.Node {
	part := &html.Node{Type: html.ElementNode, Data: atom.Div.String(), DataAtom: atom.Div}
	part.AppendChild(&html.Node{Type: html.TextNode, Data: text})
	return part
}

// none says that a walker stands at a node itself.
const none = -1

// walker goes through a tree for an XPath. It panics with errXPathSteps when the steps are used up, since the library
// has no other way out.
type walker struct {
	root, at *html.Node
	attr     int  // of at; none: at itself
	left     *int // steps
}

func (w *walker) step() {
	if *w.left--; *w.left < 0 {
		panic(errXPathSteps)
	}
}

// NodeType is xpath.NodeNavigator's, as all that follow.
func (w *walker) NodeType() xpath.NodeType {
	switch {
	case w.attr != none:
		return xpath.AttributeNode
	case w.at.Type == html.TextNode:
		return xpath.TextNode
	case w.at.Type == html.ElementNode:
		return xpath.ElementNode
	case w.at.Type == html.DocumentNode:
		return xpath.RootNode
	}
	return xpath.CommentNode // of a doctype too, which nobody selects
}

func (w *walker) LocalName() string {
	if w.attr != none {
		return w.at.Attr[w.attr].Key
	}
	return w.at.Data
}

func (w *walker) Prefix() string { return "" }

func (w *walker) Value() string {
	switch {
	case w.attr != none:
		return w.at.Attr[w.attr].Val
	case w.at.Type == html.TextNode || w.at.Type == html.CommentNode:
		return w.at.Data
	}
	var b strings.Builder
	for n := range w.at.Descendants() {
		w.step()
		if n.Type == html.TextNode {
			*w.left -= len(n.Data)
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

func (w *walker) Copy() xpath.NodeNavigator {
	w.step()
	other := *w
	return &other
}

func (w *walker) MoveToRoot() { w.step(); w.at, w.attr = w.root, none }

func (w *walker) MoveToParent() bool {
	if w.attr != none {
		w.attr = none
		return true
	}
	return w.at != w.root && w.move(w.at.Parent)
}

func (w *walker) MoveToNextAttribute() bool {
	w.step()
	if w.at.Type != html.ElementNode || w.attr+1 >= len(w.at.Attr) {
		return false
	}
	w.attr++
	return true
}

func (w *walker) MoveToChild() bool { return w.attr == none && w.move(w.at.FirstChild) }

func (w *walker) MoveToNext() bool { return w.attr == none && w.move(w.at.NextSibling) }

func (w *walker) MoveToPrevious() bool { return w.attr == none && w.move(w.at.PrevSibling) }

func (w *walker) MoveToFirst() bool {
	if w.attr != none || w.at.Parent == nil {
		return false
	}
	return w.move(w.at.Parent.FirstChild)
}

func (w *walker) MoveTo(other xpath.NodeNavigator) bool {
	to, ok := other.(*walker)
	if !ok || to.root != w.root {
		return false
	}
	w.step()
	w.at, w.attr = to.at, to.attr
	return true
}

func (w *walker) move(to *html.Node) bool {
	w.step()
	if to == nil {
		return false
	}
	w.at = to
	return true
}
