package feed

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"net/url"
	"slices"
	"strings"
)

// readXML reads RSS, RDF, Atom and CDF into d.
func readXML(d *Document, src, base string, cfg Config) error {
	before := *d
	r := newXMLReader(d, src, base, cfg)
	err := r.run()
	if err != nil {
		return err
	}
	r.finish()
	if r.late && d.Site != "" { // few feeds name their site behind their items, and have such addresses
		site := d.Site
		*d = before
		r = newXMLReader(d, src, base, cfg)
		r.site = site
		if err = r.run(); err == nil {
			r.finish()
		}
	}
	return err
}

func newXMLReader(d *Document, src, base string, cfg Config) *xmlReader {
	return &xmlReader{
		doc: d, cfg: cfg, base: base, seed: maphash.MakeSeed(),
		sc: scanner{src: src, maxAttrs: cfg.MaxAttrs, maxTag: cfg.MaxTag},
	}
}

// xmlReader is one pass over a document: a stack of open elements, the item being
// read, and the text being captured.
type xmlReader struct {
	doc  *Document
	cfg  Config
	base string // the document's address, to which addresses refer where nothing else is said
	site string // the channel's site, if it is known from before
	sc   scanner
	ns   namespaces

	baseText string // what addresses last referred to
	baseURL  *url.URL

	stack  []frame
	names  []openName       // of the elements in stack
	seed   maphash.Seed     // of names
	in     [numElements]int // how many elements of a kind are open
	cap    capture
	item   draft
	author author // of the innermost author element
	chann  channelDraft
	full   bool // as many items as are allowed were read
	spent  spent
	late   bool // an address of an item was read before the channel's site, to which it may refer

	announcing int    // how deep the announcement's element that counts lies while it is open; 0: it is not
	places     *Place // what is noted where; nil: nothing is
}

// spent counts what has to be bounded for a document as a whole: all of it can stand in one item or be nothing.
type spent struct{ items, bases, links, dates, again int }

const (
	maxBases      = 20_000   // xml:base attributes that count
	linksPerItem  = 10       // addresses that are read, for each item that may be read
	datesPerItem  = 4        // dates, likewise; long ones count more than once
	emptyPerItem  = 4        // items that may be empty, likewise
	maxAgain      = 4        // times a document's length that are read again, for elements without an end
	maxTitleBytes = 64 << 10 // of a title's markup that are looked at
)

// openName is the name of an open element as written, with its hash: where a hundred elements are open, and every tag
// is compared with each, comparing numbers is most of what can be saved.
type openName struct {
	hash uint64
	name string
}

// frame is an open element.
type frame struct {
	el   element
	base string // xml:base in force; empty: there is none
	attr textAttrs
	from int // where its inside starts
}

// textAttrs are the attributes that say how to read a text, and the few that matter
// of other elements.
type textAttrs struct {
	typ, mode, src string
	rel            string // without IANA's prefix
	term, label    string
	permalink      permalink
}

// permalink is what a guid says of being a link.
type permalink uint8

const (
	permalinkUnsaid permalink = iota // in RSS 2.0 it counts as one, if it is an address
	permalinkNo
	permalinkYes
)

// capture is the text element being read: everything up to its end belongs to it.
type capture struct {
	on     bool
	frame  int    // of the element in the stack
	until  int    // where it ends before an element that belongs beside it; 0: at its own end
	markup bool   // child elements occurred
	text   string // the first piece that is not blank, references resolved
	some   bool   // text is not blank
	tail   bool   // blanks followed it
	more   []byte // all pieces, if there is more than one
}

func (r *xmlReader) run() error {
	for {
		tok, err := r.sc.next()
		if err != nil {
			return err
		}
		switch tok.kind {
		case tokenEnd:
			if r.readAgain(0, tok.start) {
				continue
			}
			return r.brokenOff()
		case tokenStart:
			err = r.open(tok)
		case tokenClose:
			r.close(tok)
		case tokenText:
			r.text(unescape(tok.text))
		case tokenCData:
			r.text(tok.text)
		}
		if err != nil || r.full {
			return err
		}
	}
}

// brokenOff ends what the document left open.
func (r *xmlReader) brokenOff() error {
	if r.in[elItem] > 0 && (r.sc.broken || len(r.stack) > 2) && len(r.doc.Items) > 0 {
		// What is there of the item may be half a text. It would be reported now and
		// again, as changed, when the document comes whole.
		r.doc.note("the document breaks off within an item, which is left out")
		r.stack, r.names, r.in = nil, nil, [numElements]int{}
		return nil
	}
	if len(r.stack) > 0 {
		r.doc.note("the document ends before its elements do")
	}
	r.popTo(0, len(r.sc.src))
	return nil
}

const leftOpen = "closed elements that the document leaves open"

func (r *xmlReader) text(s string) {
	if r.cap.on {
		r.cap.add(s, r.cfg.MaxText)
		return
	}
	if n := len(r.stack); n > 0 && r.stack[n-1].el == elAuthor {
		if s = strings.TrimSpace(s); len(r.author.text) < r.cfg.MaxText {
			r.author.text = append(r.author.text, s...)
		}
	}
}

// add appends a piece of the text. Nearly all texts have one piece, or one with blanks
// around it, which costs no copy.
func (c *capture) add(s string, limit int) {
	switch {
	case len(c.more) > 0:
		if len(c.more) <= limit {
			c.more = append(c.more, s...)
		}
	case !c.some:
		c.text, c.some = s, strings.TrimSpace(s) != ""
	case strings.TrimSpace(s) == "":
		c.tail = true
	default:
		c.more = append(c.more, c.text...)
		if c.tail {
			c.more = append(c.more, ' ')
		}
		c.more = append(c.more, s...)
	}
}

// value returns the whole text.
func (c *capture) value() string {
	if len(c.more) > 0 {
		return string(c.more)
	}
	return c.text
}

func (r *xmlReader) open(tok token) error {
	if r.cap.on && r.endsText(tok) {
		r.doc.note(leftOpen)
		r.popTo(r.cap.frame, tok.start)
	}
	if r.cap.on {
		r.cap.markup = true
		// Only what could be mistaken for the end of an outer element needs following.
		if !tok.empty && r.isOpen(tok.name) {
			return r.push(tok.name, frame{})
		}
		return nil
	}
	depth := len(r.stack)
	r.ns.declare(r.sc.attrs, depth)
	f := frame{el: r.ns.element(tok.name), base: r.baseNow(), from: tok.end}
	f.attr = r.readAttrs(&f)
	if f.el == elItem && r.in[elItem] > 0 {
		if r.stack[depth-1].el != elItem {
			f.el = elSource // an item that another mentions
		} else {
			r.doc.note(leftOpen)
			r.popTo(depth-1, tok.start)
			depth--
		}
	}
	if f.el == elLink {
		if href := r.attr("href"); href != "" {
			f.el = elAtomLink
			r.link(href, f)
		}
	}
	if r.places != nil {
		r.places.begun(r, f, tok)
	}
	if err := r.push(tok.name, f); err != nil {
		return err
	}
	r.begin(f)
	if f.el.isText() { // an empty one may say something in its attributes
		r.cap = capture{on: true, frame: depth}
	}
	if tok.empty {
		r.popTo(depth, tok.end)
	}
	return nil
}

// endsText reports whether the text that is read, which has no end, ends where an element starts. One of HTML may have
// that within, and so may one that says nothing itself: they reach to their own ends, if they have them (see
// readAgain).
func (r *xmlReader) endsText(tok token) bool {
	if r.cap.until > 0 {
		return r.cap.until == tok.start
	}
	el := r.stack[r.cap.frame].el
	return r.cap.some && !r.cap.markup && (el == elTitle || !el.keepsMarkup()) && el.endsBefore(r.ns.element(tok.name))
}

func (r *xmlReader) push(name string, f frame) error {
	if len(r.stack) >= r.cfg.MaxDepth {
		return fmt.Errorf("%w: nested deeper than %d elements", ErrLimit, r.cfg.MaxDepth)
	}
	r.stack, r.names = append(r.stack, f), append(r.names, r.nameOf(name))
	r.in[f.el]++
	return nil
}

func (r *xmlReader) nameOf(name string) openName { return openName{maphash.String(r.seed, name), name} }

// isOpen reports whether an element of the name is open.
func (r *xmlReader) isOpen(name string) bool { return slices.Contains(r.names, r.nameOf(name)) }

// close ends the innermost open element of the name, and with it all that were left
// open inside; an end without a start is passed over.
func (r *xmlReader) close(tok token) {
	name := r.nameOf(tok.name)
	for i := len(r.names) - 1; i >= 0; i-- {
		if r.names[i] == name {
			if i < len(r.stack)-1 {
				r.doc.note(leftOpen)
				if r.readAgain(i+1, tok.start) {
					return
				}
			} else if r.places != nil {
				r.places.ended(r, tok)
			}
			r.popTo(i, tok.start)
			return
		}
	}
	if !r.cap.on {
		r.doc.note("passed over the end of an element that was not open")
	}
}

// readAgain looks for a text among the open elements from depth on that lacks its end, and in it for an element that
// belongs beside it. It reports whether there is one. The text is then read again up to that element, and so is what
// follows. at is where an outer element ends.
func (r *xmlReader) readAgain(depth, at int) bool {
	for i := depth; i < len(r.stack); i++ {
		f := r.stack[i]
		captured := r.cap.on && r.cap.frame == i
		if !captured && !(f.el == elSource && r.doc.Format == RSS) { // in Atom that holds elements of its own
			continue
		}
		if r.spent.again += at - f.from; r.spent.again > maxAgain*len(r.sc.src) {
			return false
		}
		next := r.sibling(f, at)
		if next < 0 {
			return false
		}
		if captured {
			r.popTo(i+1, at)
			r.cap, r.sc.pos = capture{on: true, frame: i, until: next}, f.from
		} else {
			r.cap = capture{}
			r.popTo(i, next)
			r.sc.pos = next
		}
		return true
	}
	return false
}

// sibling finds the first element that belongs beside an element which lacks its end and reaches to end. It returns
// where that starts; -1 if there is none.
func (r *xmlReader) sibling(f frame, end int) int {
	sc := scanner{src: r.sc.src[:end], pos: f.from, maxAttrs: r.cfg.MaxAttrs, maxTag: r.cfg.MaxTag}
	for {
		tok, err := sc.next()
		if err != nil || tok.kind == tokenEnd {
			return -1
		}
		if tok.kind == tokenStart && f.el.endsBefore(r.ns.element(tok.name)) && !htmlNames[lower(tok.name)] {
			return tok.start
		}
	}
}

// popTo ends open elements until depth are left; at is where their inside ends.
func (r *xmlReader) popTo(depth, at int) {
	for len(r.stack) > depth {
		top := len(r.stack) - 1
		f := r.stack[top]
		if r.cap.on && r.cap.frame == top {
			r.cap.on = false
			r.setText(f, at)
		} else if f.el == elItem {
			r.endItem()
		} else if f.el == elAuthor {
			r.endAuthor()
		} else if f.el == elPush && r.announcing == top+1 {
			r.announcing = 0
		}
		r.stack, r.names = r.stack[:top], r.names[:top]
		r.in[f.el]--
	}
	r.ns.leave(depth)
}

func (r *xmlReader) baseNow() string {
	if n := len(r.stack); n > 0 {
		return r.stack[n-1].base
	}
	return ""
}

// baseAt returns the base that an element gives for what is in it. One that no address of the web can refer to is none.
func (r *xmlReader) baseAt(outer, ref string) string {
	if r.spent.bases++; r.spent.bases > maxBases {
		return outer
	}
	if base := resolve(cmp.Or(outer, r.base), ref); len(base) <= r.cfg.MaxURL && strings.HasPrefix(base, "http") {
		return base
	}
	return outer
}

// itemAddress is address for what an item says of itself: without an xml:base it refers to the channel's site, and
// to the document if the channel has none.
func (r *xmlReader) itemAddress(base, ref string) string {
	if base == "" && !hasScheme(strings.TrimSpace(ref)) {
		base = cmp.Or(r.site, r.chann.link, r.doc.Site)
		r.late = r.late || base == ""
	}
	return r.address(base, ref)
}

// address makes of a published link one that may be followed, as itemLink does; "" if it cannot, or if the document has
// too many. Without a base it refers to the document.
func (r *xmlReader) address(base, ref string) string {
	base = cmp.Or(base, r.base)
	if r.spent.links++; r.spent.links > linksPerItem*r.cfg.MaxItems {
		r.doc.note("has more addresses than are read: the rest is left out")
		return ""
	}
	if base != r.baseText || r.baseURL == nil {
		r.baseText, r.baseURL = base, parseBase(base)
	}
	return linkUnder(r.baseURL, ref, r.cfg.MaxURL)
}

// attr returns an attribute of the start tag just read, references resolved.
func (r *xmlReader) attr(name string) string {
	for _, a := range r.sc.attrs {
		if strings.EqualFold(a.name, name) {
			return strings.TrimSpace(unescape(a.value))
		}
	}
	return ""
}

// readAttrs reads what the start tag just read says, and sets f's base.
func (r *xmlReader) readAttrs(f *frame) textAttrs {
	t := textAttrs{}
	for _, a := range r.sc.attrs {
		switch a.name {
		case "xml:base":
			f.base = r.baseAt(f.base, strings.TrimSpace(unescape(a.value)))
		case "xml:lang":
			if len(r.stack) == 0 || f.el == elChannel {
				r.doc.Language = cutText(a.value, 64)
			}
		case "type":
			t.typ = strings.ToLower(strings.TrimSpace(a.value))
		case "mode":
			t.mode = strings.ToLower(strings.TrimSpace(a.value))
		case "rel":
			t.rel = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(a.value)),
				"http://www.iana.org/assignments/relation/")
		case "src":
			t.src = unescape(a.value)
		case "term":
			t.term = unescape(a.value)
		case "label":
			t.label = unescape(a.value)
		case "text": // itunes:category
			t.term = firstOf(t.term, unescape(a.value))
		default:
			if strings.EqualFold(a.name, "isPermaLink") {
				t.permalink = permalinkNo
				if strings.EqualFold(strings.TrimSpace(a.value), "true") {
					t.permalink = permalinkYes
				}
			}
		}
	}
	return t
}

// inItem reports whether what is read belongs to an item itself, not to the source,
// image or form that it mentions.
func (r *xmlReader) inItem() bool {
	return r.in[elItem] > 0 && !r.aside()
}

func (r *xmlReader) inChannel() bool { return r.in[elItem] == 0 && !r.aside() }

func (r *xmlReader) aside() bool {
	return r.in[elSource]+r.in[elImage]+r.in[elTextInput] > 0
}

// begin acts on the start of an element, which lies on top of the stack.
func (r *xmlReader) begin(f frame) {
	switch f.el {
	case elItem:
		r.beginItem()
	case elAuthor:
		r.author = author{}
	case elChannel:
		if href := r.attr("href"); href != "" { // CDF
			r.chann.link = r.address(f.base, href)
		}
	case elPush:
		r.announced()
	case elMediaGroup:
		r.item.groups++
	case elEnclosure, elMediaContent:
		if r.inItem() {
			r.enclose(r.medium(f))
		}
	case elChapter:
		if r.inItem() {
			r.chapter(f)
		}
	case elChaptersAt:
		if r.inItem() && r.item.chapters.Address == "" {
			r.item.chapters.Address = r.address(f.base, r.attr("url"))
		}
	case elITunesImage:
		if r.inChannel() {
			r.icon(f.base, r.attr("href"), iconCover)
		}
	}
}

// setText stores the value of a text element, whose end was found at at.
func (r *xmlReader) setText(f frame, at int) {
	t := construct{text: r.cap.value(), typ: f.attr.typ, depth: len(r.stack)}
	if f.attr.mode == "base64" || f.el == elTitle && !t.isText() {
		t.text = fromBase64(t.text)
	}
	if r.cap.markup && f.el.keepsMarkup() {
		t.markup = true
		src := r.sc.src[f.from:at]
		if f.el == elTitle || f.el == elMediaTitle {
			src = cutText(src, maxTitleBytes)
		}
		t.text = innerMarkup(src, f.attr.typ)
	}
	switch {
	case r.inItem():
		r.itemText(f, t)
	case r.inChannel():
		r.channelText(f, t)
	case f.el == elAddress && r.in[elImage] > 0 && r.in[elItem]+r.in[elSource]+r.in[elTextInput] == 0:
		r.icon(f.base, t.text, iconImage)
	}
}
