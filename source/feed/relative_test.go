package feed

import (
	"strings"
	"testing"
)

// hostile 83: a relative address of an item refers to its xml:base, else to the item's own link, else to the channel's
// site, else to the feed.
func TestHostile83RelativeAddresses(t *testing.T) {
	const text = `<img src="a.png"><a href="../b/">b</a><a href="#c">c</a><a href="?d=1">d</a>`
	escaped := escape(text)
	quoted := strings.ReplaceAll(text, `"`, `\"`)
	const site, own = "<link>https://site.example/home/</link>", "<link>https://site.example/x/y/</link>"
	const fromItem = `https://site.example/x/y/a.png https://site.example/x/b/ https://site.example/x/y/#c https://site.example/x/y/?d=1`
	const fromSite = `https://site.example/home/a.png https://site.example/b/ https://site.example/home/#c https://site.example/home/?d=1`
	const fromFeed = `https://origin.example/dir/a.png https://origin.example/b/ https://origin.example/dir/feed.xml#c https://origin.example/dir/feed.xml?d=1`
	const fromBase = `https://base.example/z/a.png https://base.example/b/ https://base.example/z/#c https://base.example/z/?d=1`
	const base = ` xml:base="https://base.example/z/"`
	rss := func(channel, item string) string {
		return `<rss version="2.0"><channel><title>t</title>` + channel + `<item><guid isPermaLink="false">1</guid>` +
			item + `</item></channel></rss>`
	}
	for name, c := range map[string]struct{ doc, want string }{
		"RSS, by its link": {rss(site, "<description>"+escaped+"</description>"+own), fromItem},
		"RSS, by a relative link": {rss(site, "<link>../x/y/</link><description>"+escaped+"</description>"),
			fromItem},
		// which is not the first
		"RSS, by its guid": {rss(site, `<guid isPermaLink="true">https://site.example/x/y/</guid><description>`+escaped+
			"</description>"), fromSite},
		"RSS, by the site": {rss(site, "<description>"+escaped+"</description>"), fromSite},
		"RSS, by a site named later": {rss("", "<description>"+escaped+"</description></item>"+site+"<item>"),
			fromSite},
		"RSS, by the feed": {rss("", "<description>"+escaped+"</description>"), fromFeed},
		"RSS, by a base":   {rss(site, own+"<description"+base+">"+escaped+"</description>"), fromBase},
		"RSS, by a base that is none": {rss(site, own+`<description xml:base="javascript:alert(1)//">`+escaped+
			"</description>"), fromItem},
		"RSS, by a base with password": {rss(site, own+`<description xml:base="https://me:secret@base.example/z/">`+
			escaped+"</description>"), fromBase},
		"RSS, content": {rss(site, own+"<content:encoded><![CDATA["+text+"]]></content:encoded>"),
			fromItem},
		"Atom, by its link": {atomDoc(
			`<link href="https://site.example/home/"/><entry><id>1</id><content type="html">` + escaped +
				`</content><link href="https://site.example/x/y/"/></entry>`), fromItem},
		"Atom, by the site": {atomDoc(
			`<link href="https://site.example/home/"/><entry><id>1</id><content type="html">` + escaped +
				`</content></entry>`), fromSite},
		"Atom, by the feed": {atomDoc(`<entry><id>1</id><summary type="html">` + escaped +
			`</summary></entry>`), fromFeed},
		"Atom, by the entry's base": {atomDoc(`<entry` + base + `><id>1</id><link href="/x"/><content type="html">` +
			escaped + `</content></entry>`), fromBase},
		"Atom, by the feed's base": {strings.Replace(
			atomDoc(`<link href="/"/><entry><id>1</id><link href="/x"/><content type="html">`+escaped+
				`</content></entry>`), "<feed", "<feed"+base, 1), fromBase},
		"RDF": {`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel>` + site + `</channel><item rdf:about="x">` + own +
			`<description>` + escaped + `</description></item></rdf:RDF>`, fromItem},
		"JSON Feed, by its url":      {`{"version":"https://jsonfeed.org/version/1.1","home_page_url":"https://site.example/","items":[{"id":"1","url":"x/y/","content_html":"` + quoted + `"}]}`, fromItem},
		"JSON Feed, by the site":     {`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","external_url":"https://o.example/","content_html":"` + quoted + `"}],"home_page_url":"https://site.example/home/"}`, fromSite},
		"JSON Feed, by the feed":     {`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","content_html":"` + quoted + `"}]}`, fromFeed},
		"a list in JSON, by its url": {`{"link":"https://site.example/","items":[{"id":"1","title":"t","url":"x/y/","content_html":"` + quoted + `"}]}`, fromItem},
	} {
		it := &mustParse(t, c.doc).Items[0]
		it.Render()
		if got := strings.Join(addresses(it.Content+it.Summary), " "); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

// addresses returns the addresses that HTML loads or leads to.
func addresses(html string) (all []string) {
	for _, part := range strings.Split(html, `="`)[1:] {
		if value, _, _ := strings.Cut(part, `"`); strings.Contains(value, ":") {
			all = append(all, value)
		}
	}
	return all
}

// hostile 83: so do the item's link itself, and its files, wherever they stand in the item.
func TestHostile83RelativeLinksAndFiles(t *testing.T) {
	const site, base = "<link>https://site.example/home/</link>", ` xml:base="https://base.example/z/"`
	const file, link = `<enclosure url="a.mp3"/>`, "<link>x/y/</link>"
	atom := func(feed, entry string) string { return atomDoc(feed + "<entry><id>1</id>" + entry + "</entry>") }
	for name, c := range map[string]struct{ doc, link, file string }{
		"by the site": {rssDoc(site + "<item>" + file + link + "</item>"), "https://site.example/home/x/y/",
			"https://site.example/home/x/y/a.mp3"},
		"by a site named later": {rssDoc("<item>" + link + file + "</item>" + site), "https://site.example/home/x/y/",
			"https://site.example/home/x/y/a.mp3"},
		"by the feed": {rssDoc("<item>" + link + file + "</item>"), "https://origin.example/dir/x/y/",
			"https://origin.example/dir/x/y/a.mp3"},
		"without a link": {rssDoc(site + "<item>" + file + "</item>"), "", "https://site.example/home/a.mp3"},
		"by a base of the item": {rssDoc(site + "<item" + base + ">" + file + link + "</item>"),
			"https://base.example/z/x/y/", "https://base.example/z/a.mp3"},
		"by a base of the file": {rssDoc(site + "<item>" + link + `<enclosure url="a.mp3"` + base + "/></item>"),
			"https://site.example/home/x/y/", "https://base.example/z/a.mp3"},
		"by a guid": {rssDoc(site + `<item><guid isPermaLink="true">x/y/</guid>` + file + "</item>"),
			"https://site.example/home/x/y/", "https://site.example/home/x/y/a.mp3"},
		"in Atom": {atom(`<link href="https://site.example/home/"/>`,
			`<link rel="enclosure" href="a.mp3"/><link href="x/y/"/>`), "https://site.example/home/x/y/",
			"https://site.example/home/x/y/a.mp3"},
		"in Atom, the site later": {atom("", `<link rel="enclosure" href="a.mp3"/><link href="x/y/"/></entry><link href="https://site.example/home/"/><entry>`), "https://site.example/home/x/y/", "https://site.example/home/x/y/a.mp3"},
		"in JSON Feed": {`{"version":"https://jsonfeed.org/version/1.1","home_page_url":"https://site.example/home/","items":[{"id":"1","attachments":[{"url":"a.mp3"}],"url":"x/y/"}]}`,
			"https://site.example/home/x/y/", "https://site.example/home/x/y/a.mp3"},
	} {
		it := mustParse(t, c.doc).Items[0]
		if it.URL != c.link || len(it.Enclosures) != 1 || it.Enclosures[0].URL != c.file {
			t.Errorf("%s: got %s, %v, want %s, %s", name, it.URL, it.Enclosures, c.link, c.file)
		}
	}
}
