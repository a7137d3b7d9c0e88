package feed

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"tidings"
	"tidings/charset"
)

// Bounds of discovery.
const (
	maxChoices    = 20
	maxCandidates = 500    // links of a page that may be feeds
	maxLinks      = 50_000 // links of a page that are looked at
)

// Link is a <link> of a page, or one that the header of the response says in its place.
type Link struct{ Href, Rel, Type, Title string }

// Discover returns the feeds that a page offers, best first. Those announced by <link rel="alternate"> come first, in
// the page's own order. Then come those of its header, which is often the same on all pages of a site. Then come those
// of comments, and last plain links that look like feeds.
func Discover(page []byte, contentType, pageURL string, header ...Link) []tidings.Choice {
	base, err := url.Parse(pageURL)
	if err != nil {
		return nil
	}
	d := discovery{page: pageURL, base: base}
	if canonical, err := Canonical(pageURL); err == nil {
		d.page = canonical
	}
	d.read(charset.Decode(page, charset.InHeader(contentType), charset.InHTML(page)).UTF8)
	d.base = base // a <base> is the page's own
	for _, l := range header {
		d.link(l)
	}
	return d.best()
}

// discovery weighs a page's links.
type discovery struct {
	page  string // canonical
	base  *url.URL
	based bool // <base> was seen
	found []candidate

	looked int // links, candidates or not
}

type candidate struct {
	tidings.Choice
	weight int
}

// Weights of candidates; among equals the first in the page is first.
const (
	weightAnnounced = 100
	weightJSON      = 60 // announced as JSON of an unknown kind
	weightAnchor    = 20
	weightComments  = -15 // it is about something else than the page's news
	weightForeign   = -10 // a plain link to another host
)

func (d *discovery) read(page []byte) {
	z := html.NewTokenizer(bytes.NewReader(page))
	z.SetMaxBuf(1 << 20)
	anchor := -1 // candidate whose text is being read
	for len(d.found) < maxCandidates && d.looked < maxLinks {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			switch name, more := z.TagName(); string(name) {
			case "base":
				d.rebase(attrValue(d.attributes(z, more), "href"))
			case "link":
				attrs := d.attributes(z, more)
				d.link(Link{attrValue(attrs, "href"), attrValue(attrs, "rel"), attrValue(attrs, "type"),
					attrValue(attrs, "title")})
			case "a":
				anchor = d.anchor(d.attributes(z, more))
			}
		case html.TextToken:
			if anchor >= 0 {
				if c := &d.found[anchor]; len(c.Title) < 200 {
					c.Title += string(z.Text())
				}
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == "a" {
				anchor = -1
			}
		}
	}
}

// attributes returns what is needed of the first attributes of a tag that may be a link, and counts it.
func (d *discovery) attributes(z *html.Tokenizer, more bool) []html.Attribute {
	d.looked++
	var attrs []html.Attribute
	for n := 0; more && n < maxAttributes; n++ {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "href", "rel", "type", "title":
			attrs = append(attrs, html.Attribute{Key: string(key), Val: string(value)})
		}
	}
	return attrs
}

func (d *discovery) rebase(href string) {
	if d.based || href == "" {
		return
	}
	if u, err := d.base.Parse(repairURL(href)); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		d.base, d.based = u, true
	}
}

// link weighs a link.
func (d *discovery) link(l Link) {
	rels := strings.Fields(strings.ToLower(l.Rel))
	if !slices.Contains(rels, "alternate") && !slices.Contains(rels, "feed") || slices.Contains(rels, "stylesheet") {
		return
	}
	typ, _, _ := strings.Cut(strings.ToLower(l.Type), ";")
	typ = strings.TrimSpace(typ)
	weight, ok := feedTypes[typ]
	if !ok {
		if typ != "" || !slices.Contains(rels, "feed") {
			return
		}
		weight = weightAnnounced
	}
	d.add(l.Href, l.Title, typ, weight)
}

// feedTypes are the media types under which feeds are announced.
var feedTypes = map[string]int{
	"application/rss+xml": weightAnnounced, "application/atom+xml": weightAnnounced,
	"application/feed+json": weightAnnounced, "application/rdf+xml": weightAnnounced,
	"application/x-rss+xml": weightAnnounced, "text/rss+xml": weightAnnounced, "text/rss": weightAnnounced,
	"text/atom+xml": weightAnnounced, "application/rss": weightAnnounced, "application/atom": weightAnnounced,
	"application/xml": weightJSON, "text/xml": weightJSON, "application/json": weightJSON,
}

// anchor weighs an <a>, and returns its index among the candidates, -1 if it is none.
func (d *discovery) anchor(attrs []html.Attribute) int {
	href := attrValue(attrs, "href")
	u, err := d.base.Parse(repairURL(href))
	if err != nil || !looksLikeFeed(u) {
		return -1
	}
	weight := weightAnchor
	if u.Host != d.base.Host {
		weight += weightForeign
	}
	if !d.add(href, "", "", weight) {
		return -1
	}
	return len(d.found) - 1
}

// looksLikeFeed judges by the address alone.
func looksLikeFeed(u *url.URL) bool {
	switch extension(u) {
	case ".rss", ".atom", ".rdf":
		return true
	case ".xml", ".json":
		name := strings.ToLower(u.Path[strings.LastIndexByte(u.Path, '/')+1:])
		for _, sign := range []string{"feed", "rss", "atom", "index.xml"} {
			if strings.Contains(name, sign) {
				return true
			}
		}
		return false
	}
	segments := strings.Split(strings.Trim(strings.ToLower(u.Path), "/"), "/")
	switch segments[len(segments)-1] {
	case "feed", "feeds", "rss", "rss2", "atom":
		return true
	}
	q := u.Query()
	return q.Has("feed") || q.Get("format") == "feed" || q.Get("format") == "rss" || q.Get("format") == "atom"
}

// add accepts a candidate, unless it can be no feed of this page.
func (d *discovery) add(href, title, typ string, weight int) bool {
	if href == "" || len(href) > MaxURL {
		return false
	}
	if _, ok := cutPrefixFold(href, "feed:"); ok {
		href = withScheme(href)
	}
	u, err := d.base.Parse(repairURL(href))
	if err != nil {
		return false
	}
	link, err := Canonical(u.String())
	if err != nil || link == d.page {
		return false
	}
	path := strings.ToLower(u.Path)
	if strings.Contains(path, "/wp-json") || strings.Contains(path, "oembed") || strings.Contains(path, "activitypub") {
		return false // interfaces for programs, announced beside the feeds
	}
	if strings.Contains(path, "comment") || strings.Contains(strings.ToLower(title), "comment") {
		weight += weightComments
	}
	d.found = append(d.found, candidate{tidings.Choice{URL: link, Title: title, Type: typ}, weight})
	return true
}

func (d *discovery) best() []tidings.Choice {
	slices.SortStableFunc(d.found, func(a, b candidate) int { return b.weight - a.weight })
	var out []tidings.Choice
	for _, c := range d.found {
		if len(out) >= maxChoices {
			break
		}
		if slices.ContainsFunc(out, func(have tidings.Choice) bool { return have.URL == c.URL }) {
			continue
		}
		c.Title = plainTitle(cleanString(c.Title), 200)
		c.Type = plainTitle(cleanString(c.Type), 100)
		out = append(out, c.Choice)
	}
	return out
}
