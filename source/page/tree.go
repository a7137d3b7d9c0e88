package page

import (
	"cmp"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxFlatDepth bounds how deep the tree of a document is that is read flat.
const maxFlatDepth = 128

// maxPieces bounds how many tags, and texts between them, of a document are read. Each may become a node of the tree,
// which needs about a hundred times the bytes of "<b>". The largest of the recorded pages have 50,000 tags.
const maxPieces = 250_000

// cutPieces cuts text before the tag that is one too many.
func cutPieces(text string) (string, bool) {
	at := 0
	for pieces := 0; pieces < maxPieces; pieces++ {
		next := strings.IndexByte(text[at:], '<')
		if next < 0 {
			return text, false
		}
		at += next + 1
		if at > 1 && text[at-2] != '>' {
			pieces++
		}
	}
	return text[:at-1], true
}

// Tree returns the tree of any HTML document, hostile ones too. Of a document that is too long it is that of the first
// part. Of one that is nested too deeply, or repeats too much, it is a tree without the repairs of HTML's rules.
func Tree(text string) *html.Node {
	text, _ = cutPieces(text)
	root, _ := parse(text)
	return root
}

// TreeOf returns the tree of an HTML document as Extract reads it, with the bounds of that; false for a document that
// is something else, or that can be read flat alone.
func TreeOf(body []byte, contentType string) (*html.Node, bool) {
	if form, err := sniff(body, contentType); err != nil || form != formHTML {
		return nil, false
	}
	text, _ := decode(body, contentType)
	text, _ = cutPieces(text)
	root, flat := parse(text)
	return root, !flat
}

// parse returns the tree of an HTML document. The parser of x/net/html refuses
// documents with more than 512 elements open at a time; they are read flat, as are those of
// which it would make much more than stands in them.
func parse(text string) (root *html.Node, flat bool) {
	if explodes(text) {
		return parseFlat(text), true
	}
	root, err := html.Parse(strings.NewReader(text))
	if err == nil {
		return root, false
	}
	return parseFlat(text), true
}

// parseFlat makes a tree without any of the repairs that the HTML standard asks for.
// An element below maxFlatDepth stands beside its parent instead of in it.
func parseFlat(text string) *html.Node {
	root := &html.Node{Type: html.DocumentNode}
	open := []*html.Node{root}
	attrs := attrReader{left: maxAllAttributes}
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return root
		case html.TextToken:
			open[len(open)-1].AppendChild(&html.Node{Type: html.TextNode, Data: string(z.Text())})
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			n := &html.Node{Type: html.ElementNode, DataAtom: atom.Lookup(name)}
			if n.Data = n.DataAtom.String(); n.DataAtom == 0 {
				n.Data = string(name)
			}
			n.Attr = attrs.of(z, more)
			open[len(open)-1].AppendChild(n)
			if kind == html.StartTagToken && !isVoid(n.DataAtom) && len(open) < maxFlatDepth {
				open = append(open, n)
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			open = closeTo(open, string(name))
		}
	}
}

// maxAllAttributes bounds the attributes of a document that is read flat; further ones are left out.
const maxAllAttributes = 400_000

// attrReader reads the attributes of tags, as many as are left for all of them.
type attrReader struct{ left int }

// of returns the first attributes of the tag that z stands at.
func (a *attrReader) of(z *html.Tokenizer, more bool) (list []html.Attribute) {
	for more && len(list) < maxAttributes && a.left > 0 {
		var key, val []byte
		key, val, more = z.TagAttr()
		list = append(list, html.Attribute{Key: string(key), Val: string(val)})
		a.left--
	}
	return list
}

// closeTo closes the innermost open element of that name, and those in it.
func closeTo(open []*html.Node, name string) []*html.Node {
	for i := len(open) - 1; i > 0; i-- {
		if open[i].Data == name {
			return open[:i]
		}
	}
	return open
}

func isVoid(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input,
		atom.Link, atom.Meta, atom.Param, atom.Source, atom.Track, atom.Wbr:
		return true
	}
	return false
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func hasAttr(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

// maxHeadings bounds the headings in which a title is looked for.
const maxHeadings = 20

// maxTitle bounds a title in characters.
const maxTitle = 300

// readHead reads the title and the canonical address from the tree.
func (d *Document) readHead(root *html.Node, pageURL string) {
	base, err := url.Parse(pageURL)
	if err != nil {
		base = &url.URL{}
	}
	named, heading, headings := "", "", 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Title:
			if d.Title == "" && n.Namespace == "" {
				d.Title = shorten(collapse(plainText(n)), maxTitle)
			}
		case atom.Meta:
			if named == "" && strings.EqualFold(attr(n, "property"), "og:title") {
				named = shorten(collapse(attr(n, "content")), maxTitle)
			}
		case atom.H1:
			if headings++; heading == "" && headings <= maxHeadings {
				heading = shorten(collapse(plainText(n)), maxTitle)
			}
		case atom.Link:
			if d.Canonical == "" && strings.EqualFold(attr(n, "rel"), "canonical") {
				d.Canonical = webAddress(base, attr(n, "href"))
			}
		case atom.Input:
			d.password = d.password || isPasswordField(n)
		}
	}
	d.Title = cmp.Or(d.Title, named, heading)
}

// webAddress resolves href, and returns nothing unless that is an address of the web
// without credentials.
func webAddress(base *url.URL, href string) string {
	if len(href) > 2048 {
		return ""
	}
	u, err := base.Parse(strings.TrimSpace(href))
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	u.Fragment = ""
	return u.String()
}

// plainText returns the text in n, at most a few kilobytes of it.
func plainText(n *html.Node) string {
	const most = 4 << 10
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
		if b.Len() > most {
			break
		}
	}
	return b.String()
}
