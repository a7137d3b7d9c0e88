package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// role is what an element does to lines.
type role int

const (
	inline  role = iota
	block        // begins and ends a line
	heading      // a block that begins with "# "
	item         // a block that begins with "- "
	verse        // a block whose text keeps its lines
	row          // cells side by side, if they are short
	cell
	br
	image
	never // no text for people, or none without running it
)

var roles = map[atom.Atom]role{
	atom.Address: block, atom.Article: block, atom.Aside: block, atom.Blockquote: block, atom.Body: block,
	atom.Caption: block, atom.Center: block, atom.Dd: block, atom.Details: block, atom.Dialog: block,
	atom.Dir: block, atom.Div: block, atom.Dl: block, atom.Dt: block, atom.Fieldset: block,
	atom.Figcaption: block, atom.Figure: block, atom.Footer: block, atom.Form: block, atom.Frameset: block,
	atom.Header: block, atom.Hgroup: block, atom.Hr: block, atom.Html: block, atom.Legend: block,
	atom.Main: block, atom.Menu: block, atom.Nav: block, atom.Ol: block, atom.P: block, atom.Search: block,
	atom.Section: block, atom.Summary: block, atom.Table: block, atom.Tbody: block, atom.Tfoot: block,
	atom.Thead: block, atom.Ul: block,

	atom.H1: heading, atom.H2: heading, atom.H3: heading, atom.H4: heading, atom.H5: heading, atom.H6: heading,
	atom.Li: item, atom.Pre: verse, atom.Listing: verse, atom.Plaintext: verse, atom.Xmp: verse,
	atom.Tr: row, atom.Td: cell, atom.Th: cell, atom.Br: br, atom.Img: image,

	atom.Audio: never, atom.Button: never, atom.Canvas: never, atom.Datalist: never, atom.Embed: never,
	atom.Head: never, atom.Iframe: never, atom.Input: never, atom.Noembed: never, atom.Noframes: never,
	atom.Noscript: never, atom.Object: never, atom.Option: never, atom.Script: never, atom.Select: never,
	atom.Style: never, atom.Svg: never, atom.Template: never, atom.Textarea: never, atom.Title: never,
	atom.Video: never, atom.Math: inline,
}

// roleOf returns the role of n, in s.
func roleOf(n *html.Node, s state) role {
	if n.DataAtom == atom.Button && s.titled {
		return inline // what opens a section is often a button in its heading
	}
	return roles[n.DataAtom]
}

// isHidden reports whether an element says that it is not shown. What stylesheets
// hide is not known here.
func isHidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			if !strings.EqualFold(a.Val, "until-found") {
				return true
			}
		case "aria-hidden":
			if strings.EqualFold(strings.TrimSpace(a.Val), "true") {
				return true
			}
		case "style":
			if hidingStyle(a.Val) {
				return true
			}
		}
	}
	return n.DataAtom == atom.Dialog && !hasAttr(n, "open")
}

func hidingStyle(style string) bool {
	if !strings.Contains(style, ":") {
		return false
	}
	for declaration := range strings.SplitSeq(strings.ToLower(style), ";") {
		key, value, _ := strings.Cut(declaration, ":")
		value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "!important"))
		switch strings.TrimSpace(key) {
		case "display":
			if value == "none" {
				return true
			}
		case "visibility":
			if value == "hidden" || value == "collapse" {
				return true
			}
		}
	}
	return false
}

// otherElements are the element names of HTML that have no role of their own here.
const otherElements = " a abbr acronym applet area b base basefont bdi bdo big cite code col colgroup data del " +
	"dfn em font frame i ins kbd label link map mark marquee meta meter nobr optgroup output param picture " +
	"progress q rp rt ruby s samp slot small source span strike strong sub sup time track tt u var wbr "

func isElement(name string) bool {
	name = strings.ToLower(name)
	if _, ok := roles[atom.Lookup([]byte(name))]; ok {
		return true
	}
	return strings.Contains(otherElements, " "+name+" ")
}
