package news

import (
	"strconv"
	"strings"

	"tidings"
)

// newsKinds are the items of NewsML-G2 that are news.
var newsKinds = map[string]bool{"newsItem": true, "packageItem": true}

// otherKinds are the other roots of NewsML-G2, and parts of documents that are met alone, with what they are.
var otherKinds = map[string]string{
	"conceptItem":   "describes a concept, not news",
	"knowledgeItem": "describes a set of concepts, not news",
	"planningItem":  "says what is planned, and is not news yet",
	"catalogItem":   "lists vocabularies, not news",
	"catalog":       "lists vocabularies, not news",
	"contentSet":    fragment, "contentMeta": fragment, "itemMeta": fragment, "groupSet": fragment,
}

const fragment = "is a part of an item: the root element newsItem, with its guid, is missing"

// xml reads NITF and NewsML-G2.
func (p *parser) xml(text string) error {
	root, err := tree(text, p.cfg)
	if err != nil {
		return err
	}
	p.doc.Format = formatOf(root.name)
	var failed error
	switch why := otherKinds[root.name]; {
	case root.name == "nitf":
		p.nitfDocument(root, &failed)
	case root.name == "newsMessage":
		p.message(root, &failed)
	case newsKinds[root.name]:
		it, err := p.newsItem(root)
		p.addItem(it, err, &failed)
	case why == fragment:
		return root.fails(NewsMLG2, ErrIncomplete, "%s", why)
	case why != "":
		return root.fails(NewsMLG2, ErrNotNews, "%s", why)
	default:
		return root.fails(Unknown, ErrNotNews,
			"is XML of another kind: news begins with nitf, newsItem, packageItem or newsMessage")
	}
	if len(p.doc.Items) == 0 {
		return failed
	}
	return nil
}

// message reads a newsMessage.
func (p *parser) message(root *node, failed *error) {
	for _, set := range root.all("itemSet") {
		for _, n := range set.kids {
			switch {
			case newsKinds[n.name]:
				it, err := p.newsItem(n)
				p.addItem(it, err, failed)
			case n.name != "":
				p.note("left out a %s, which is not news", n.name)
			}
		}
	}
	if len(p.doc.Items) == 0 && *failed == nil {
		*failed = root.fails(NewsMLG2, ErrIncomplete, "has no newsItem or packageItem in its itemSet")
	}
}

// g2 is a NewsML-G2 item that is being read.
type g2 struct {
	*parser
	aliases map[string]string // of the item's own catalog, for schemes that are known here
	asserts map[string]*node  // what the item says of concepts apart from where it names them, by qcode or URI
}

// newsItem reads a newsItem or packageItem.
func (p *parser) newsItem(n *node) (*Item, error) {
	it := &Item{}
	if it.News.GUID = p.id(n.attr("guid")); it.News.GUID == "" {
		if len(n.attr("guid")) > p.cfg.MaxID {
			return nil, n.fails(NewsMLG2, ErrLimit, "its guid is longer than %d bytes", p.cfg.MaxID)
		}
		return nil, n.fails(NewsMLG2, ErrIncomplete, "has no guid")
	}
	it.News.Version = p.version(n.name+"@version", n.attr("version"))
	g := &g2{parser: p, aliases: make(map[string]string), asserts: make(map[string]*node)}
	for _, scheme := range n.child("catalog").all("scheme") {
		if known := canonicalScheme(scheme.attr("uri")); known != scheme.attr("uri") {
			g.aliases[scheme.attr("alias")] = known
		}
	}
	for _, a := range n.all("assert") {
		g.asserts[a.attr("qcode")], g.asserts[a.attr("uri")] = a, a
	}
	g.itemMeta(n, it)
	g.contentMeta(n, it)
	if g.content(n.child("contentSet"), it); n.name == "packageItem" {
		g.groups(n, it)
	}
	if it.News.Language == "" {
		it.News.Language = p.language("xml:lang", n.lang())
	}
	return it, nil
}

// itemMeta reads what is said of the item as an item.
func (g *g2) itemMeta(n *node, it *Item) {
	meta, news := n.child("itemMeta"), &it.News
	for _, c := range append(meta.all("provider"),
		append(n.child("contentMeta").all("infoSource"), n.child("rightsInfo").all("copyrightHolder")...)...) {
		if news.Publisher == "" {
			news.Publisher = g.party(c)
		}
	}
	news.Revised = g.date("versionCreated", meta.child("versionCreated").inner())
	news.Created = g.date("firstCreated", meta.child("firstCreated").inner())
	news.Status = g.status("pubStatus", codeOf(meta.child("pubStatus")))
	g.embargo(news, "embargoed", meta.child("embargoed").inner())
	for _, e := range meta.all("expires") {
		if e.attr("pubconstraint") == "" { // others hold for some uses only
			news.Expires = g.date("expires", e.inner())
		}
	}
	news.Note = g.line(meta.child("edNote").inner())
	for _, s := range meta.all("signal") {
		if news.Signal == "" {
			news.Signal = signal(codeOf(s))
		}
	}
	news.Headline = g.line(meta.child("title").inner())
}

// contentMeta reads what is said of the content.
func (g *g2) contentMeta(n *node, it *Item) {
	meta, news := n.child("contentMeta"), &it.News
	news.Urgency = g.urgency("urgency", meta.child("urgency").inner())
	if h := g.line(meta.child("headline").inner()); h != "" {
		news.Headline = h
	}
	news.Slugline = g.line(meta.child("slugline").inner())
	if news.Byline = g.line(meta.child("by").inner()); news.Byline == "" {
		news.Byline = g.line(meta.child("creator", "name").inner())
	}
	news.Language = g.language("language", meta.child("language").attr("tag"))
	for _, c := range meta.all("genre") {
		if news.Genre == "" {
			news.Genre = g.line(firstOf(codeOf(c), c.child("name").inner()))
		}
	}
	for _, d := range meta.all("description") {
		if it.Summary == "" {
			it.Summary = g.summary(d.toHTML())
		}
	}
	g.concepts(meta, news)
}

// concepts reads subjects and places: first those that the item names, then those of which it says that they are the
// same or broader.
func (g *g2) concepts(meta *node, news *tidings.News) {
	var related []func()
	for _, c := range meta.all("located", "subject") {
		list := &news.Subjects
		if kind := c.attr("type") + c.attr("typeuri"); c.name == "located" || strings.HasSuffix(kind, "geoArea") ||
			strings.HasSuffix(kind, "poi") {
			list = &news.Places
		}
		g.add(list, g.concept(c))
		for _, part := range c.all("mainConcept", "facetConcept") { // of a subject put together from several
			if part.attr("qcode")+part.attr("uri") != "" {
				g.add(list, g.concept(part))
			}
		}
		for _, r := range c.all("broader", "sameAs") {
			related = append(related, func() { g.add(list, g.concept(r)) })
		}
	}
	for _, add := range related {
		add()
	}
}

// concept reads a property that names a concept by qcode, URI, literal or name.
func (g *g2) concept(n *node) tidings.Subject {
	s := tidings.Subject{Name: n.child("name").inner()}
	qcode, uri := n.attr("qcode"), n.attr("uri")
	if alias, code, ok := strings.Cut(qcode, ":"); ok {
		s.Scheme, s.Code = firstOf(g.aliases[alias], alias), code
	} else {
		s.Scheme, s.Code = fromURI(uri, firstOf(n.attr("literal"), qcode))
	}
	for _, id := range []string{qcode, uri} {
		if s.Name == "" && id != "" {
			s.Name = g.asserts[id].child("name").inner()
		}
	}
	return s
}

// party reads the identity of a party: a code or literal, the host of an address, or a name.
func (g *g2) party(n *node) string {
	if uri := webURL(n.attr("uri")); uri != "" && n.attr("qcode") == "" && n.attr("literal") == "" &&
		!strings.Contains(uri, "cv.iptc.org/") {
		return Publisher(uri)
	}
	if host, ok := strings.CutPrefix(n.attr("qcode"), "web:"); ok { // the scheme of hosts
		return Publisher("//" + host)
	}
	return g.line(firstOf(codeOf(n), n.child("name").inner()))
}

// codeOf returns the code of a property without its scheme, from its qcode, literal or URI.
func codeOf(n *node) string {
	if _, code, ok := strings.Cut(n.attr("qcode"), ":"); ok && n.attr("literal") == "" {
		return code
	}
	if n.attr("literal") != "" {
		return n.attr("literal")
	}
	_, code := fromURI(n.attr("uri"), "")
	return firstOf(n.attr("qcode"), code)
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}

// content reads the content and the files, and what an NITF body says of itself that the item does not.
func (g *g2) content(set *node, it *Item) {
	for _, c := range set.all("inlineXML", "inlineData", "remoteContent") {
		kind := c.attr("contenttype")
		switch nitf := c.child("nitf"); {
		case c.name == "remoteContent":
			size, _ := strconv.ParseInt(c.attr("size"), 10, 64)
			if href := webURL(c.attr("href")); kind == "text/html" && it.URL == "" {
				it.URL = href
			} else {
				g.enclose(it, tidings.Enclosure{URL: href, Type: kind, Length: max(size, 0)})
			}
		case nitf != nil:
			g.fill(it, g.nitf(nitf))
		case it.Content != "":
		case c.name == "inlineXML" && c.child("html") != nil:
			it.Content = g.markup(c.child("html", "body").toHTML())
		case c.name == "inlineXML" && (kind == "" || strings.Contains(kind, "html")):
			it.Content = g.markup(c.toHTML())
		case c.name == "inlineData" && strings.Contains(kind, "html"):
			it.Content = g.markup(c.inner())
		case c.name == "inlineData" && c.attr("encoding") == "" && (kind == "" || strings.HasPrefix(kind, "text/")):
			it.Content = g.plain(c.inner())
		}
	}
}

// groups makes the content of a package: a list of what it refers to.
func (g *g2) groups(n *node, it *Item) {
	var b strings.Builder
	for _, group := range n.child("groupSet").all("group") {
		for _, ref := range group.all("itemRef") {
			if title := ref.child("title").toHTML(); title != "" {
				b.WriteString("<li>" + title + "</li>")
			}
		}
	}
	if b.Len() > 0 && it.Content == "" {
		it.Content = g.markup("<ul>" + b.String() + "</ul>")
	}
}
