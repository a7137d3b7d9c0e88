package feed

import (
	"cmp"
	"net/url"
	"strings"

	"golang.org/x/net/html"

	"tidings/markup"
)

// Render fills Summary and Content with sanitised HTML: no scripts, styles, forms,
// frames, SVG or MathML, no handlers, only http, https and mailto links, made
// absolute, no tracking pixels; every tag that is opened is closed. What it embeds
// (a player, say) becomes a link. It is the costly part of reading an item, so that
// Match calls it only for items that are new or changed.
func (it *Item) Render() {
	it.render(newAllowance())
}

func (it *Item) render(left *allowance) {
	it.Summary = sanitize(it.summary, it.base, left)
	it.Content = sanitize(it.content, it.base, left)
}

// allowance is what rendering may still make: of one item, or of all items of a document together. A text breaks off
// where its tags are used up, and its addresses go where those are.
type allowance struct {
	tags  int
	links int
	bytes int // of addresses, which grow by what they refer to
}

func newAllowance() *allowance {
	return &allowance{tags: 250_000, links: 50_000, bytes: 8 << 20}
}

// isUsedUp reports whether anything was left out.
func (a *allowance) isUsedUp() bool { return a.tags < 0 || a.links < 0 || a.bytes < 0 }

// maxOpen bounds the elements that are open at once in rendered HTML; deeper tags go,
// their text stays.
const maxOpen = 100

// maxAttributes bounds the attributes of an element in a published text that are looked at.
const maxAttributes = 200

// usualAttributes is how many attributes a tag has in texts as people publish them; each further one counts as a tag.
const usualAttributes = 8

// linksPerFrame is how many links a frame counts as, since a paragraph is made for it.
const linksPerFrame = 4

// Sanitize makes HTML from anywhere safe to show, as Render does: links in it refer to base.
func Sanitize(markup, base string) string { return sanitize(body{text: markup}, base, newAllowance()) }

// sanitize makes a published text safe to show.
func sanitize(b body, base string, left *allowance) string {
	text := b.text
	if text == "" {
		return ""
	}
	if b.plain {
		return strings.ReplaceAll(escape(text), "\n", "<br>\n")
	}
	if strings.IndexByte(text, '<') < 0 {
		return escape(plainRunes(unescape(text)))
	}
	t := tidier{base: parseBase(base), left: left}
	t.run(text)
	return strings.TrimSpace(markup.Sanitize(t.out.String()))
}

func parseBase(base string) *url.URL {
	u, err := url.Parse(base)
	if err != nil {
		return &url.URL{}
	}
	return u
}

// tidier rewrites HTML token by token before markup.Sanitize, the last wall: addresses become absolute, what is hidden
// or only watches the reader goes, tags are balanced. It is linear and keeps no tree.
type tidier struct {
	base *url.URL
	left *allowance
	out  strings.Builder
	open []string
	ends map[string]bool // by name of a hidden element: whether it has an end

	picture string          // the address of the first source of the picture element that is open
	waiting bool            // for a noscript, which may have the picture that an img before it has not
	stopgap strings.Builder // the tag of that img
	gap     string          // the blanks that followed it first
}

func (t *tidier) run(src string) {
	z := html.NewTokenizer(strings.NewReader(src))
	z.SetMaxBuf(len(src) + 4096)
	hidden := "" // the element whose inside is left out
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		if kind == html.CommentToken || kind == html.DoctypeToken {
			continue
		}
		if kind != html.TextToken {
			if t.left.tags--; t.left.tags < 0 {
				break
			}
		}
		tok := z.Token()
		t.settleStopgap(tok, hidden)
		t.left.tags -= max(0, len(tok.Attr)-usualAttributes)
		tok.Attr = tok.Attr[:min(len(tok.Attr), maxAttributes)]
		switch {
		case hidden != "":
			if kind == html.EndTagToken && tok.Data == hidden {
				hidden = ""
			}
		case kind == html.TextToken:
			if !t.waiting {
				t.out.WriteString(escape(plainRunes(tok.Data)))
			}
		case kind == html.EndTagToken:
			t.end(tok.Data)
		case tok.Data == "iframe" || tok.Data == "embed":
			t.embedded(tok)
			if tok.Data == "iframe" && kind == html.StartTagToken {
				hidden = "iframe"
			}
		case hiddenNames[tok.Data]:
			if kind == html.StartTagToken && t.mayHide(src, tok.Data) {
				hidden = tok.Data
			}
		case !droppedNames[tok.Data]:
			t.start(tok, kind == html.SelfClosingTagToken)
		}
	}
	t.settleStopgap(html.Token{}, "")
	for len(t.open) > 0 {
		t.end(t.open[len(t.open)-1])
	}
}

// mayHide reports whether the element has an end somewhere: one that is never closed must not hide the rest of the
// text.
func (t *tidier) mayHide(src, name string) bool {
	ends, ok := t.ends[name]
	if !ok {
		if t.ends == nil {
			t.ends = make(map[string]bool)
		}
		ends = hasEnd(src, name)
		t.ends[name] = ends
	}
	return ends
}

// droppedNames are elements whose tags go and whose inside stays.
var droppedNames = set(`html head body base basefont link meta form input button select option optgroup
	label fieldset legend output frame frameset param applet marquee blink dialog area map canvas
	source-set slot portal`)

// plainRunes leaves out characters that no text may have; a tokenizer makes some of
// them out of references.
func plainRunes(s string) string {
	if isASCII(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if isIllegal(r) || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 {
			return -1
		}
		return r
	}, s)
}

func (t *tidier) start(tok html.Token, selfClosing bool) {
	name := tok.Data
	if !voidNames[name] && len(t.open) >= maxOpen {
		return
	}
	if parent := parents[name]; parent != nil && !t.within(parent) {
		return
	}
	if name == "picture" {
		t.picture = ""
	}
	attrs, lazy, ok := t.attrs(name, tok.Attr)
	t.waiting = name == "img" && !lazy && isStopgap(attrs, tok.Attr)
	if !ok {
		return
	}
	out := &t.out
	if t.waiting {
		out = &t.stopgap
	}
	out.WriteByte('<')
	out.WriteString(name)
	for _, a := range attrs {
		out.WriteString(" " + a.Key + `="` + escape(a.Val) + `"`)
	}
	out.WriteByte('>')
	switch {
	case voidNames[name]:
	case selfClosing:
		t.out.WriteString("</" + name + ">")
	default:
		t.open = append(t.open, name)
	}
}

// parents holds elements and their possible parents. Outside of these they would close or join an element of the page
// that shows the text.
var parents = map[string]map[string]bool{
	"li": set("ul ol"), "dt": set("dl"), "dd": set("dl"),
	"tr": set("table"), "td": set("tr"), "th": set("tr"), "tbody": set("table"), "thead": set("table"),
	"tfoot": set("table"), "caption": set("table"),
}

func (t *tidier) within(names map[string]bool) bool {
	for _, name := range t.open {
		if names[name] {
			return true
		}
	}
	return false
}

func (t *tidier) end(name string) {
	for i := len(t.open) - 1; i >= 0; i-- {
		if t.open[i] != name {
			continue
		}
		for j := len(t.open) - 1; j >= i; j-- {
			t.out.WriteString("</" + t.open[j] + ">")
		}
		t.open = t.open[:i]
		return
	}
}

// embedded puts a link where something would be loaded from elsewhere.
func (t *tidier) embedded(tok html.Token) {
	if addresses, _ := markup.Addresses(tok.Attr); len(addresses) > 0 {
		t.left.links -= linksPerFrame - 1
		if link, _ := t.firstOf(addresses); link != "" {
			t.out.WriteString(`<p><a href="` + escape(link) + `" rel="noopener noreferrer">` + escape(shownLink(link)) +
				`</a></p>`)
		}
	}
}

// firstOf makes the first address absolute that may be kept, and says which that is.
func (t *tidier) firstOf(addresses []string) (link string, which int) {
	for which, address := range addresses {
		if link := t.absolute(address, false); link != "" {
			return link, which
		}
	}
	return "", len(addresses)
}

// isStopgap reports whether an img shows nothing of its own until a script has put its picture in place. No attribute
// for scripts has another address of it.
func isStopgap(attrs, published []html.Attribute) bool {
	return attrValue(attrs, "src") == "" || strings.Contains(strings.ToLower(attrValue(published, "class")), "lazy")
}

// maxNoscript bounds the text of a noscript in which a picture is looked for.
const maxNoscript = 4096

// settleStopgap decides what stands where a picture is waited for, once tok has come: the picture in a noscript that
// follows at once, for readers without scripts; else what there is.
func (t *tidier) settleStopgap(tok html.Token, hidden string) {
	switch {
	case !t.waiting, tok.Type == html.StartTagToken && tok.Data == "noscript":
		return
	case tok.Type == html.TextToken && hidden == "" && strings.TrimSpace(tok.Data) == "":
		t.gap = cmp.Or(t.gap, tok.Data)
		return
	}
	instead, gap := t.stopgap.String(), t.gap
	t.stopgap.Reset()
	t.waiting, t.gap = false, ""
	if tok.Type == html.TextToken && hidden == "noscript" {
		z := html.NewTokenizer(strings.NewReader(tok.Data[:min(len(tok.Data), maxNoscript)]))
		for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
			inner := z.Token()
			if inner.Data != "img" || kind == html.EndTagToken {
				continue
			}
			if attrs, _, ok := t.attrs("img", inner.Attr); ok && !isStopgap(attrs, nil) {
				t.start(inner, true)
				return
			}
			break
		}
	}
	t.out.WriteString(instead + escape(plainRunes(gap)))
}

// shownLink is a link as people read it.
func shownLink(link string) string {
	_, rest, _ := strings.Cut(link, "://")
	rest, _, _ = strings.Cut(rest, "?")
	return cutText(strings.TrimSuffix(rest, "/"), 200)
}

// attrs returns the attributes that an element gets. lazy says that it is loaded from where a script would load it, ok
// that it stays.
func (t *tidier) attrs(name string, in []html.Attribute) (out []html.Attribute, lazy, ok bool) {
	width, height, hidden := "", "", false
	link, placed := "", false
	if loads[name] {
		link, lazy = t.source(name, in)
	}
	for _, a := range in {
		switch a.Key {
		case "href":
			if a.Val = t.absolute(a.Val, true); a.Val == "" {
				continue
			}
		case "src":
			if !loads[name] {
				link = t.absolute(a.Val, false)
			}
			if link == "" || placed {
				continue
			}
			a.Val, placed = link, true
		case "poster", "cite":
			if a.Val = t.absolute(a.Val, false); a.Val == "" {
				continue
			}
		case "rel", "controls":
			continue
		case "style":
			hidden = hidden || isHidingStyle(a.Val)
			continue
		case "hidden":
			hidden = true
			continue
		case "width":
			width = a.Val
		case "height":
			height = a.Val
		}
		out = append(out, a)
	}
	if link != "" && !placed {
		out = append(out, html.Attribute{Key: "src", Val: link})
	}
	switch name {
	case "a":
		out = append(out, html.Attribute{Key: "rel", Val: "noopener noreferrer"})
	case "audio", "video":
		out = append(out, html.Attribute{Key: "controls", Val: "controls"})
	case "img":
		return out, lazy, link != "" && !hidden && !isPixel(width, height) && !isBeacon(link)
	}
	return out, lazy, true
}

// loads are the elements that show what they load, from addresses in several attributes.
var loads = set("img source audio video")

// source returns where an element is loaded from, and whether a script would load it from there. A picture has sources
// for its img.
func (t *tidier) source(name string, in []html.Attribute) (link string, lazy bool) {
	addresses, scripts := markup.Addresses(in)
	link, which := t.firstOf(addresses)
	if t.within(pictureNames) {
		switch {
		case name == "source" && t.picture == "":
			t.picture = link
		case name == "img" && link == "":
			return t.picture, t.picture != ""
		}
	}
	return link, link != "" && which < scripts
}

var pictureNames = set("picture")

func attrValue(attrs []html.Attribute, key string) string {
	for _, a := range attrs {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// absolute makes an address in a text absolute; "" if it must not be kept.
func (t *tidier) absolute(ref string, mail bool) string {
	ref = strings.TrimSpace(ref)
	if ref == "" || len(ref) > MaxURL {
		return ""
	}
	if _, ok := cutPrefixFold(ref, "mailto:"); ok {
		if mail {
			return ref
		}
		return ""
	}
	if t.left.links--; t.left.links < 0 {
		return ""
	}
	u, err := url.Parse(repairURL(ref))
	if err != nil {
		return ""
	}
	if !u.IsAbs() {
		if !t.base.IsAbs() {
			return ""
		}
		u = t.base.ResolveReference(u)
	}
	if normalize(u) != nil {
		return ""
	}
	u.User = nil
	link := u.String()
	if t.left.bytes -= len(link); t.left.bytes < 0 {
		return ""
	}
	return link
}

// isPixel reports whether an image of these measures cannot be seen.
func isPixel(width, height string) bool {
	return isTiny(width) && isTiny(height)
}

func isTiny(measure string) bool {
	switch strings.TrimSuffix(strings.TrimSpace(measure), "px") {
	case "0", "1":
		return true
	}
	return false
}

func isHidingStyle(style string) bool {
	style = strings.ToLower(strings.ReplaceAll(style, " ", ""))
	return strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
}

// isBeacon reports whether an image is known to be there only to count readers.
func isBeacon(src string) bool {
	for _, sign := range beacons {
		if strings.Contains(src, sign) {
			return true
		}
	}
	return false
}

var beacons = []string{"://pixel.wp.com/", "://stats.wordpress.com/", "feedburner.com/~r/", "feedburner.com/~ff/",
	"feedsportal.com/", "doubleclick.net/", "google-analytics.com/", "://pixel.quantserve.com/",
	"://b.scorecardresearch.com/"}
