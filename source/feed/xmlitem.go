package feed

import (
	"cmp"
	"strings"

	"tidings/source/feed/date"
)

// beginItem starts an item, whose element lies on top of the stack.
func (r *xmlReader) beginItem() {
	f := r.stack[len(r.stack)-1]
	r.item = draft{base: f.base}
	if about := r.attr("rdf:about"); about != "" {
		r.item.id, r.item.idIsLink = about, permalinkNo
	}
	if href := r.attr("href"); href != "" { // CDF
		r.better(linkHTML, f.base, href)
	}
	if changed := r.attr("lastmod"); changed != "" { // CDF
		r.item.updated = date.Read(changed)
	}
}

// endItem stores the item that was read.
func (r *xmlReader) endItem() {
	if r.full {
		return
	}
	if r.spent.items++; len(r.doc.Items) >= r.cfg.MaxItems || r.spent.items > (1+emptyPerItem)*r.cfg.MaxItems {
		r.full = true
		r.doc.note("has more items than are read: the rest is left out")
		return
	}
	d := &r.item
	if d.link.url == "" {
		switch d.idIsLink {
		case permalinkUnsaid:
			d.link.better(itemLink("", d.id, r.cfg.MaxURL), linkPermalink)
		case permalinkYes: // though it should be whole, it is written like any other link
			r.better(linkPermalink, d.idBase, d.id)
		}
	}
	for i := range d.offered {
		o := &d.offered[i]
		o.url = r.itemAddress(cmp.Or(o.base, d.link.url), o.ref)
	}
	for _, o := range bestOf(d.offered) {
		d.enclose(r.cfg, o.url, o.typ, o.length)
	}
	r.doc.noteDates(d)
	if it, ok := d.item(r.cfg); ok {
		r.doc.Items = append(r.doc.Items, it)
	}
	r.item = draft{}
}

func (r *xmlReader) strict() bool { return r.doc.Format == Atom }

// itemText reads a text element of an item.
func (r *xmlReader) itemText(f frame, t construct) {
	d := &r.item
	switch f.el {
	case elTitle:
		if d.title == "" || t.depth < d.titleDepth {
			d.title, d.titleDepth = t.title(r.strict(), r.cfg.MaxTitle), t.depth
		}
	case elMediaTitle:
		if d.fallTitle == "" {
			d.fallTitle = t.title(false, r.cfg.MaxTitle)
		}
	case elLink:
		r.itemRel(f.attr.rel, t.text, f)
	case elID:
		id := cutText(strings.TrimSpace(t.text), r.cfg.MaxURL)
		if id != "" && (d.idDepth == 0 || t.depth < d.idDepth) {
			d.id, d.idDepth = id, t.depth
			d.idIsLink, d.idBase = f.attr.permalink, f.base
		}
	case elDescription, elSummary, elContent, elEncoded, elBody, elFallback:
		r.itemBody(f, t)
	case elPublished, elUpdated, elDate, elCreated:
		r.itemDate(f.el, t.text)
	case elCategory:
		d.categorise(r.cfg, construct{text: firstOf(f.attr.label, t.text, f.attr.term)}.title(r.strict(),
			r.cfg.MaxTitle))
	case elOrigLink:
		r.better(linkOriginal, f.base, t.text)
	case elSubtitle:
		if d.subtitle.text == "" && t.isText() {
			d.subtitle = t.body(false, r.cfg.MaxText)
		}
	case elCreator:
		d.creators.add(personName(t.text), r.cfg)
	case elITunesAuthor:
		d.podcaster.add(personName(t.text), r.cfg)
	case elName, elEmail:
		r.person(f.el, t.text)
	case elNews:
		d.readNews(r.doc, r.cfg, t.text)
	}
}

// itemBody reads one of the elements that hold an item's text.
func (r *xmlReader) itemBody(f frame, t construct) {
	d := &r.item
	into, plain := &d.summary, false
	switch f.el {
	case elSummary:
		plain = r.strict()
	case elContent:
		into, plain = &d.content, r.strict()
		if f.attr.src != "" {
			r.better(linkSource, f.base, f.attr.src)
		}
	case elEncoded, elBody:
		into = &d.content
	case elFallback:
		into = &d.fallback
		t.typ = strings.TrimPrefix(t.typ, "plain") // media:description says so of HTML too
	}
	if !t.isText() || into.text != "" {
		return
	}
	*into = t.body(plain, r.cfg.MaxText)
	if len(t.text) > r.cfg.MaxText {
		r.doc.note("cut a text that is longer than all reason")
	}
	if f.el != elFallback {
		d.base = f.base
	}
}

func (r *xmlReader) itemDate(el element, raw string) {
	d := &r.item
	into := &d.published
	switch el {
	case elUpdated:
		into = &d.updated
	case elDate:
		into = &d.date
	case elCreated:
		into = &d.created
	}
	if !into.At.IsZero() {
		return
	}
	if r.spent.dates += date.Work(raw); r.spent.dates > datesPerItem*r.cfg.MaxItems {
		r.doc.note("has more dates than are read: the rest is left out")
		return
	}
	if s := date.Read(raw); s.Raw != "" {
		*into = s
	}
}

// person stores what is said of the author whose element is open.
func (r *xmlReader) person(el element, text string) {
	text = strings.TrimSpace(text)
	switch {
	case r.in[elAuthor] == 0:
	case el == elName && r.author.name == "":
		r.author.name = text
	case el == elEmail && r.author.email == "":
		r.author.email = text
	}
}

// endAuthor stores the author whose element ends.
func (r *xmlReader) endAuthor() {
	switch {
	case r.inItem():
		r.item.authors.add(r.author.label(), r.cfg)
	case r.inChannel():
		r.chann.authors.add(r.author.label(), r.cfg)
	}
	r.author = author{}
}

// link reads a link element with an address in its attribute, as in Atom.
func (r *xmlReader) link(href string, f frame) {
	switch {
	case r.inItem():
		r.itemRel(f.attr.rel, href, f)
	case r.inChannel():
		r.channelRel(f.attr.rel, href, f)
	}
}

// better adopts an address for the item's link if its rank is better than that of what there is.
func (r *xmlReader) better(rank int, base, ref string) {
	if l := &r.item.link; rank > l.rank {
		l.better(r.itemAddress(base, ref), rank)
	}
}

// enclose adds a file to the item, whose own address may follow.
func (r *xmlReader) enclose(o offer) {
	if d := &r.item; o.ref != "" && len(d.offered) < offeredPerFile*r.cfg.MaxPerItem {
		d.offered = append(d.offered, o)
	}
}

// medium returns the file of an enclosure or media:content, whose start tag was just read.
func (r *xmlReader) medium(f frame) offer {
	o := offer{base: f.base, ref: firstOf(r.attr("url"), r.attr("href")), typ: r.attr("type"),
		length: r.attr("length") + r.attr("fileSize")}
	if r.in[elMediaGroup] == 0 {
		return o
	}
	o.group, o.rank = r.item.groups, rankMedia
	switch {
	case strings.EqualFold(r.attr("isDefault"), "true"):
		o.rank = rankDefault
	case strings.HasPrefix(f.attr.typ, "image/") || r.attr("medium") == "image":
		o.rank = rankPicture
	}
	return o
}

func (r *xmlReader) itemRel(rel, href string, f frame) {
	switch rel {
	case "", "alternate":
		rank := linkAlternate
		if typ := f.attr.typ; typ == "" || strings.Contains(typ, "html") {
			rank = linkHTML
		}
		r.better(rank, f.base, href)
	case "enclosure":
		r.enclose(offer{base: f.base, ref: href, typ: f.attr.typ, length: r.attr("length")})
	}
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			return t
		}
	}
	return ""
}
