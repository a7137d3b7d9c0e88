package news

import (
	"strings"

	"tidings"
)

// nitfDocument reads a stand-alone NITF document. One that cancels or withholds another document gives a second item:
// the other one with its new status.
func (p *parser) nitfDocument(root *node, failed *error) {
	it := p.nitf(root)
	id := root.child("head", "docdata", "doc-id")
	switch {
	case len(id.attr("id-string")) > p.cfg.MaxID:
		p.addItem(nil, id.fails(NITF, ErrLimit, "its id-string is longer than %d bytes", p.cfg.MaxID), failed)
	case it.News.GUID == "":
		p.addItem(nil, root.fails(NITF, ErrIncomplete, "has no doc-id with an id-string in head/docdata"), failed)
	default:
		p.addItem(it, nil, failed)
		if other := p.killed(root, it); other != nil {
			p.addItem(other, nil, failed)
		}
	}
}

// killed returns the item that a document cancels or withholds, nil if there is none. Its version is that of the
// document, since the document does not say which version it had.
func (p *parser) killed(root *node, by *Item) *Item {
	data := root.child("head", "docdata")
	guid := p.nitfID(data.child("doc-id").attr("regsrc"), data.attr("management-doc-idref"))
	status := p.status("docdata@management-idref-status", data.attr("management-idref-status"))
	if guid == "" || guid == by.News.GUID || status != tidings.Withheld && status != tidings.Canceled {
		return nil
	}
	n := by.News
	return &Item{News: tidings.News{GUID: guid, Version: n.Version, Publisher: n.Publisher, Status: status,
		Urgency:  n.Urgency,
		Language: n.Language, Revised: n.Revised, Note: n.Note}}
}

// nitfID makes a GUID of an id-string and its issuer, if that is stated.
func (p *parser) nitfID(regsrc, id string) string {
	if id = p.id(id); id == "" || regsrc == "" {
		return id
	}
	return p.id(regsrc + ":" + id)
}

// nitf reads an nitf element, alone or in another item. What it does not say is zero.
func (p *parser) nitf(root *node) *Item {
	it := &Item{}
	head, body := root.child("head"), root.child("body")
	p.docdata(head, &it.News)
	p.nitfSubjects(head, &it.News)
	p.nitfPlaces(head, body, &it.News)
	n, bodyHead := &it.News, body.child("body.head")
	n.Publisher = p.line(firstOf(head.child("pubdata").attr("name"), bodyHead.child("distributor").inner(),
		head.child("docdata", "del-list", "from-src").attr("src-name"),
		head.child("docdata", "doc.copyright").attr("holder")))
	it.URL = webURL(head.child("pubdata").attr("ex-ref"))
	n.Language = p.language("xml:lang", firstOf(root.lang(), body.langOf(), body.child("body.content").langOf()))
	n.Genre = p.line(head.child("tobject", "tobject.property").attr("tobject.property.type"))
	n.Headline = p.line(firstOf(bodyHead.child("hedline", "hl1").inner(), head.child("title").inner()))
	n.Byline = p.line(bodyHead.child("byline").inner())
	it.Summary = p.summary(bodyHead.child("abstract").toHTML())
	it.Content = p.markup(body.child("body.content").toHTML())
	return it
}

func (n *node) langOf() string {
	if n == nil {
		return ""
	}
	return n.lang()
}

// docdata reads what NITF says of the document itself.
func (p *parser) docdata(head *node, n *tidings.News) {
	data := head.child("docdata")
	id := data.child("doc-id")
	n.GUID = p.nitfID(id.attr("regsrc"), id.attr("id-string"))
	n.Status = p.status("docdata@management-status", data.attr("management-status"))
	n.Urgency = p.urgency("urgency@ed-urg", data.child("urgency").attr("ed-urg"))
	n.Revised = p.date("date.issue", data.child("date.issue").attr("norm"))
	n.Expires = p.date("date.expire", data.child("date.expire").attr("norm"))
	p.embargo(n, "date.release", data.child("date.release").attr("norm"))
	if data.attr("management-status") == "embargoed" && n.Embargo.IsZero() {
		p.note("the item is withheld, since it is embargoed without a date.release")
		n.Status = tidings.Withheld
	}
	n.Slugline = p.line(firstOf(data.child("du-key").attr("key"), data.child("fixture").attr("fix-id"),
		data.child("series").attr("series.name")))
	n.Version = p.nitfVersion(head)
	for _, h := range head.all("revision-history") {
		if t := p.date("revision-history", h.attr("norm")); n.Created.IsZero() || !t.IsZero() && t.Before(n.Created) {
			n.Created = t
		}
	}
	message, correction := data.child("ed-msg"), data.child("correction")
	n.Note = p.line(firstOf(message.attr("info"), correction.attr("info")))
	if n.Signal = signal(message.attr("msg-type")); correction != nil {
		n.Signal = tidings.Corrected
	}
}

// generations is how many versions a generation of a du-key can have.
const generations = 1000

// nitfVersion makes one number of the du-key's generation and of the version within it, so that a later one is higher.
// If only one of them is there, that is the version. Without a du-key it is the number of listed revisions.
func (p *parser) nitfVersion(head *node) int {
	key := head.child("docdata", "du-key")
	generation := p.version("du-key@generation", key.attr("generation"))
	version := p.version("du-key@version", key.attr("version"))
	switch {
	case generation > 0 && version > 0:
		return int(min(int64(generation)*generations+int64(min(version, generations-1)), maxVersion))
	case generation+version > 0:
		return generation + version
	}
	return len(head.all("revision-history"))
}

// nitfSubjects reads subjects from the three places where NITF has them.
func (p *parser) nitfSubjects(head *node, n *tidings.News) {
	for _, s := range head.child("tobject").all("tobject.subject") {
		code := firstOf(s.attr("tobject.subject.refnum"), s.attr("tobject.subject.code"))
		subject := tidings.Subject{Code: code, Scheme: s.attr("tobject.subject.ipr"),
			Name: firstOf(s.attr("tobject.subject.detail"), s.attr("tobject.subject.matter"),
				s.attr("tobject.subject.type"))}
		if is8Digits(code) && (subject.Scheme == "" || strings.EqualFold(subject.Scheme, "IPTC")) {
			subject.Scheme = refnum(code)
		}
		p.add(&n.Subjects, subject)
	}
	data := head.child("docdata")
	for _, c := range data.child("identified-content").all("classifier", "person", "org", "event", "object.title") {
		p.add(&n.Subjects, tidings.Subject{Code: c.attr("value"), Scheme: c.attr("idsrc"), Name: c.inner()})
	}
	for _, k := range data.child("key-list").all("keyword") {
		p.add(&n.Subjects, tidings.Subject{Name: k.attr("key")})
	}
}

// isoCountries is the scheme of the countries' codes of two letters that NITF has in iso-cc.
const isoCountries = "iso3166-1a2"

// nitfPlaces reads where things happened, and where the item was written.
func (p *parser) nitfPlaces(head, body *node, n *tidings.News) {
	data := head.child("docdata")
	for _, l := range append(data.child("identified-content").all("location"),
		body.child("body.head", "dateline").all("location")...) {
		parts := l.all("sublocation", "city", "state", "region", "country")
		for _, part := range parts {
			place := tidings.Subject{Name: part.inner()}
			if part.attr("iso-cc") != "" {
				place.Code, place.Scheme = part.attr("iso-cc"), isoCountries
			}
			p.add(&n.Places, place)
		}
		if len(parts) == 0 {
			p.add(&n.Places, tidings.Subject{Code: l.attr("location-code"), Scheme: l.attr("code-source"),
				Name: l.inner()})
		}
	}
	for _, e := range data.all("evloc") {
		p.add(&n.Places, tidings.Subject{Name: e.attr("city")})
		p.add(&n.Places, tidings.Subject{Name: e.attr("state-prov")})
		p.add(&n.Places, tidings.Subject{Code: e.attr("iso-cc"), Scheme: isoCountries})
	}
}
