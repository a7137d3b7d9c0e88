package feed

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

func isJSONFeed(head object) bool {
	version := head.text("version")
	return strings.Contains(version, "jsonfeed.org/version/")
}

// readJSONFeed reads JSON Feed 1.0 and 1.1.
func readJSONFeed(d *Document, head object, items []json.RawMessage, base string, cfg Config) {
	d.Title = plainTitle(head.text("title"), cfg.MaxTitle)
	d.Site = itemLink(base, head.text("home_page_url"), cfg.MaxURL)
	d.Self = itemLink(base, head.text("feed_url"), cfg.MaxURL)
	d.Icon = cmp.Or(itemLink(base, head.text("favicon"), cfg.MaxURL), itemLink(base, head.text("icon"), cfg.MaxURL))
	d.Next = itemLink(base, head.text("next_url"), cfg.MaxURL)
	d.Language = cutText(head.text("language"), 64)
	d.Announcement = jsonAnnouncement(d, head)
	d.Hints.Expired = head.text("expired") == "true"
	for _, raw := range head.list("hubs", maxHubs) {
		url := itemLink(base, firstOf(toObject(raw).text("url"), scalar(raw)), cfg.MaxURL)
		if url != "" && len(d.Hubs) < maxHubs && !slices.Contains(d.Hubs, url) {
			d.Hubs = append(d.Hubs, url)
		}
	}
	feedAuthors := jsonAuthors(head, cfg)
	base = cmp.Or(d.Site, base)
	for _, raw := range items {
		o := toObject(raw)
		dr := &draft{id: cutText(strings.TrimSpace(o.text("id")), cfg.MaxURL)}
		dr.title = plainTitle(o.text("title"), cfg.MaxTitle)
		dr.link.better(itemLink(base, o.text("url"), cfg.MaxURL), linkHTML)
		dr.base = cmp.Or(dr.link.url, base) // which external_url is not: it is somebody else's page
		dr.link.better(itemLink(base, o.text("external_url"), cfg.MaxURL), linkOther)
		if strings.HasPrefix(dr.id, "http") {
			dr.link.better(itemLink("", dr.id, cfg.MaxURL), linkPermalink)
		}
		dr.published = jsonStamp(o, "date_published")
		dr.updated = jsonStamp(o, "date_modified")
		dr.content = jsonBody(o, cfg, "content_html", "content_text")
		dr.summary = newBody(o.text("summary"), true, cfg.MaxText)
		if dr.authors = jsonAuthors(o, cfg); len(dr.authors) == 0 {
			dr.authors = feedAuthors
		}
		dr.tag(o, "tags", cfg)
		dr.attach(o.list("attachments", cfg.MaxPerItem), cfg)
		if raw := o[NewsField]; len(raw) > 0 {
			dr.readNews(d, cfg, string(raw))
		}
		d.noteDates(dr)
		if it, ok := dr.item(cfg); ok {
			d.Items = append(d.Items, it)
		}
	}
}

func jsonBody(o object, cfg Config, htmlName, textName string) body {
	if b := newBody(o.text(htmlName), false, cfg.MaxText); b.text != "" {
		return b
	}
	return newBody(o.text(textName), true, cfg.MaxText)
}

// tag copies tags: a list, or all of them in one text.
func (d *draft) tag(o object, name string, cfg Config) {
	for tag := range strings.SplitSeq(scalar(o[name]), ",") {
		d.categorise(cfg, tag)
	}
	if raw := o[name]; len(raw) > 0 && raw[0] != '"' {
		for _, tag := range o.list(name, cfg.MaxPerItem) {
			d.categorise(cfg, scalarIn(tag))
		}
	}
}

// attach copies attachments. Those with the same title are one file in several renditions, as version 1.1 has it.
func (d *draft) attach(attachments []json.RawMessage, cfg Config) {
	groups := make(map[string]int)
	for _, raw := range attachments {
		file := toObject(raw)
		o := offer{url: itemLink(d.base, firstOf(file.text("url"), scalar(raw)), cfg.MaxURL),
			typ: file.text("mime_type"), length: file.text("size_in_bytes")}
		if title := file.text("title"); title != "" {
			if groups[title] == 0 {
				groups[title] = len(groups) + 1
			}
			o.group = groups[title]
		}
		d.offered = append(d.offered, o)
	}
	for _, o := range bestOf(d.offered) {
		d.enclose(cfg, o.url, o.typ, o.length)
	}
}

// jsonAuthors returns an object's authors: a list of objects in version
// 1.1, one object in 1.0, and often enough a plain string.
func jsonAuthors(o object, cfg Config) people {
	var p people
	for _, name := range []string{"authors", "author"} {
		for _, raw := range o.list(name, cfg.MaxPerItem) {
			p.add(firstOf(toObject(raw).text("name"), scalar(raw)), cfg)
		}
		if len(p) > 0 {
			break
		}
	}
	return p
}
