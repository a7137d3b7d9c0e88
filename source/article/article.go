package article

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"tidings/charset"
	"tidings/markup"
	"tidings/source/page"
)

// Bounds.
const (
	MaxBytes    = 5 << 20 // of a page
	MaxElements = 20_000  // of a page: the largest recorded articles have 6,000
	MaxContent  = 1 << 20 // bytes of an article's markup
	minLetters  = 100     // letters and digits of an article
	maxLine     = 300     // characters of a title or an author's name
)

// Why a page has no article.
var (
	ErrNone  = errors.New("no article text was found")
	ErrKind  = errors.New("the address has no web page")
	ErrLarge = errors.New("the page is too large")
)

// Article is what a page is about.
type Article struct {
	Title, Author string // one line each; "": the page does not say
	Content       string // HTML that may stay, with absolute addresses
	Letters       int    // in Content: letters and digits
}

// Extract returns the article of a page that was received from an address. contentType is what its server declares. It
// fails with [ErrNone], [ErrKind] or [ErrLarge], or with another error for a page that cannot be read.
func Extract(doc []byte, contentType, address string) (a Article, err error) {
	defer func() { // what reads strangers' pages may be wrong about them
		if cause := recover(); cause != nil {
			a, err = Article{}, fmt.Errorf("looking for the article of a page: %v", cause)
		}
	}()
	if len(doc) > MaxBytes {
		return Article{}, fmt.Errorf("%w: %d bytes", ErrLarge, len(doc))
	}
	if !isHTML(doc, contentType) {
		return Article{}, ErrKind
	}
	base, err := url.Parse(address)
	if err != nil {
		return Article{}, fmt.Errorf("reading the address of a page: %w", err)
	}
	text := string(charset.Decode(doc, charset.InHeader(contentType), charset.InHTML(doc)).UTF8)
	return extract(page.Tree(text), base)
}

// isHTML reports whether a document is HTML by what its server declares, or else by how it begins.
func isHTML(doc []byte, contentType string) bool {
	media, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	switch strings.TrimSpace(media) {
	case "text/html", "application/xhtml+xml":
		return true
	case "", "text/plain", "application/octet-stream", "application/xml", "text/xml":
		head := bytes.ToLower(doc[:min(len(doc), 1024)])
		return bytes.Contains(head, []byte("<html")) || bytes.Contains(head, []byte("<!doctype html"))
	}
	return false
}

func extract(root *html.Node, base *url.URL) (Article, error) {
	elements := 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if elements++; elements > MaxElements {
			return Article{}, fmt.Errorf("%w: it has more than %d elements", ErrLarge, MaxElements)
		}
		switch n.DataAtom {
		case atom.Base:
			if to, err := base.Parse(attribute(n, "href")); err == nil && isWeb(to) {
				base = to
			}
		case atom.Img:
			loadNow(n)
		}
	}
	reader := readability.NewParser()
	reader.MaxElemsToParse = MaxElements
	found, err := reader.ParseAndMutate(root, base)
	if err != nil {
		return Article{}, fmt.Errorf("looking for the article of a page: %w", err)
	}
	if found.Node == nil {
		return Article{}, ErrNone
	}
	var out bytes.Buffer
	if err := found.RenderHTML(&out); err != nil {
		return Article{}, fmt.Errorf("writing the article of a page: %w", err)
	}
	a := Article{
		Title:   markup.Line(found.Title(), maxLine),
		Author:  markup.Line(found.Byline(), maxLine),
		Content: strings.TrimSpace(markup.Sanitize(out.String())),
	}
	if len(a.Content) > MaxContent {
		return Article{}, fmt.Errorf("%w: its article has %d bytes", ErrLarge, len(a.Content))
	}
	if a.Letters = Letters(a.Content); a.Letters < minLetters {
		return Article{}, ErrNone
	}
	return a, nil
}

func isWeb(u *url.URL) bool { return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" }

// loadNow gives a picture the address from which a script of the page would load it.
func loadNow(n *html.Node) {
	addresses, lazy := markup.Addresses(n.Attr)
	if len(addresses) == 0 || lazy == 0 && attribute(n, "src") != "" {
		return
	}
	kept := n.Attr[:0]
	for _, a := range n.Attr {
		if a.Key != "src" {
			kept = append(kept, a)
		}
	}
	n.Attr = append(kept, html.Attribute{Key: "src", Val: addresses[0]})
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == name {
			return a.Val
		}
	}
	return ""
}

// Letters counts the letters and digits that markup shows: by them texts are compared, however they are written.
func Letters(content string) (n int) {
	for _, c := range markup.Text(content, cmp.Or(len(content), 1)) {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			n++
		}
	}
	return n
}
