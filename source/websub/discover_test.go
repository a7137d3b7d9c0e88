package websub

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tidings/source/feed"
)

// documentOf is a document as a poll has it: a feed is read by package feed.
func documentOf(t testing.TB, body, kind, header string) Document {
	t.Helper()
	d := Document{URL: "https://example.org/blog/", Body: []byte(body), HTML: kind == "text/html"}
	for part := range strings.SplitSeq(header, ", ") {
		if href, rel, ok := strings.Cut(part, "; "); ok {
			d.Header = append(d.Header, Link{strings.Trim(strings.TrimPrefix(rel, "rel="), `"`),
				strings.Trim(href, "<>")})
		}
	}
	if !d.HTML {
		doc, err := feed.Parse(d.Body, kind, d.URL, feed.Default())
		if err != nil {
			t.Fatal(err)
		}
		d.Hubs, d.Topic = doc.Hubs, doc.Self
	}
	return d
}

const (
	atomFeed = `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><id>urn:x</id><updated>2026-01-01T00:00:00Z</updated>%s` +
		`<entry><id>1</id><title>One</title><updated>2026-01-01T00:00:00Z</updated><link rel="hub" href="https://entry.example/"/></entry></feed>`
	rssFeed = `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>T</title>%s<item><guid>1</guid><title>One</title></item></channel></rss>`
	page    = `<!doctype html><html><head><title>T</title>%s</head><body><p>Text</p>%s</body></html>`
)

// Section 4, and the cases of websub.rocks S100 to S104: where hub and topic are found, and which goes before which.
func TestS100ToS104Discovery(t *testing.T) {
	links := `<link rel="hub" href="https://hub.example/"/><link rel="self" href="https://example.org/feed"/>`
	atomLinks := strings.ReplaceAll(links, "<link", "<atom:link")
	for name, c := range map[string]struct {
		header, body, kind string
		hubs, topic        string
	}{
		"S100 header": {`<https://hub.example/>; rel="hub", <https://example.org/feed>; rel="self"`,
			fmt.Sprintf(page, "", ""), "text/html",
			"https://hub.example/", "https://example.org/feed"},
		"S101 page": {"", fmt.Sprintf(page, links, ""), "text/html", "https://hub.example/",
			"https://example.org/feed"},
		"S102 Atom": {"", fmt.Sprintf(atomFeed, links), "application/atom+xml", "https://hub.example/",
			"https://example.org/feed"},
		"S103 RSS": {"", fmt.Sprintf(rssFeed, atomLinks), "text/xml", "https://hub.example/",
			"https://example.org/feed"},
		"S104 header before body": {`<https://right.example/>; rel="hub", <https://example.org/right>; rel="self"`,
			fmt.Sprintf(page, links, ""), "text/html",
			"https://right.example/", "https://example.org/right"},
		"header before feed": {`<https://right.example/>; rel="hub", <https://example.org/right>; rel="self"`,
			fmt.Sprintf(rssFeed, atomLinks), "text/xml",
			"https://right.example/", "https://example.org/right"},
		"several hubs": {`<https://a.example/>; rel="hub", <https://b.example/>; rel="hub", <https://a.example/>; rel="hub", </feed>; rel="self"`,
			fmt.Sprintf(page, "", ""), "text/html", "https://a.example/ https://b.example/",
			"https://example.org/feed"},
		"several relations": {`</hub>; rel="x HUB next", <feed>; rel="alternate self"`, fmt.Sprintf(page, "", ""),
			"text/html",
			"https://example.org/hub", "https://example.org/blog/feed"},
		"the first self counts": {`</a>; rel="self", </b>; rel="self", </hub>; rel="hub"`, fmt.Sprintf(page, "", ""),
			"text/html",
			"https://example.org/hub", "https://example.org/a"},
		"not in a page's body":  {"", fmt.Sprintf(page, "", links), "text/html", "", ""},
		"not after a paragraph": {"", "<p>Text</p>" + links, "text/html", "", ""},
		"without a head": {"", "<title>T</title>" + links + "<p>Text</p>", "text/html", "https://hub.example/",
			"https://example.org/feed"},
		"no web address": {`<ftp://hub.example/>; rel="hub", <mailto:x@example.org>; rel="hub", <https://me@x.example/>; rel="hub", <>; rel="hub"`, fmt.Sprintf(page, "", ""), "text/html", "", ""},
		"no hub":         {"", fmt.Sprintf(rssFeed, ""), "text/xml", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := Discover(documentOf(t, c.body, c.kind, c.header))
			if got := strings.Join(d.Hubs, " "); got != c.hubs || d.Topic != c.topic && c.hubs != "" {
				t.Errorf("found %q and %q, not %q and %q", got, d.Topic, c.hubs, c.topic)
			}
		})
	}
}

// Section 4: without a self there is no subscription. Hubs over TLS go before others, and WebSub before rssCloud.
func TestWhichHubIsChosen(t *testing.T) {
	for _, c := range []struct {
		d    Discovery
		want string
	}{
		{Discovery{Hubs: []string{"https://a.example/"}}, "  "},
		{Discovery{Topic: "https://t.example/"}, "  "},
		{Discovery{Hubs: []string{"http://a.example/", "https://b.example/", "https://c.example/"}, Topic: "t"},
			"websub https://b.example/ t"},
		{Discovery{Hubs: []string{"http://a.example/", "http://b.example/"}, Topic: "t"}, "websub http://a.example/ t"},
		{Discovery{Hubs: []string{"http://a.example/"}, Topic: "t", Cloud: "http://c.example/"},
			"websub http://a.example/ t"},
		{Discovery{Hubs: []string{"http://a.example/"}, Cloud: "http://c.example/"},
			"rsscloud http://c.example/ channel"},
	} {
		p, hub, topic, ok := c.d.Best("channel")
		if got := fmt.Sprintf("%s %s %s", p, hub, topic); got != c.want || ok != (p != "") {
			t.Errorf("%+v: %q, not %q", c.d, got, c.want)
		}
	}
}

// A cloud element says where its server is asked, if that is done by HTTP.
func TestClouds(t *testing.T) {
	for element, want := range map[string]string{
		`<cloud domain="rpc.example.org" port="5337" path="/rsscloud/pleaseNotify" registerProcedure="" protocol="http-post"/>`: "http://rpc.example.org:5337/rsscloud/pleaseNotify",
		`<cloud domain="example.org" port="443" path="/notify" registerProcedure="" protocol="https-post"/>`:                    "https://example.org:443/notify",
		`<cloud domain="example.org" port="443" path="notify" protocol="http-post"/>`:                                           "https://example.org:443/notify",
		`<cloud domain="example.org" path="/?a=b" protocol="http-post"></cloud>`:                                                "http://example.org/?a=b",
		`<cloud domain="example.org" port="80" path="/RPC2" registerProcedure="x" protocol="xml-rpc"/>`:                         "",
		`<cloud domain="" port="80" path="/" protocol="http-post"/>`:                                                            "",
		`<cloud domain="a b" port="80" path="/" protocol="http-post"/>`:                                                         "",
		`<cloud domain="example.org/x" port="80" path="/" protocol="http-post"/>`:                                               "",
		`<cloud domain="me@example.org" port="80" path="/" protocol="http-post"/>`:                                              "",
		`<cloud domain="example.org" port="eighty" path="/" protocol="http-post"/>`:                                             "",
		`<!-- <cloud domain="example.org" port="80" path="/" protocol="http-post"/> -->`:                                        "",
	} {
		if d := Discover(documentOf(t, fmt.Sprintf(rssFeed, element), "text/xml", "")); d.Cloud != want {
			t.Errorf("%s: %q, not %q", element, d.Cloud, want)
		}
	}
	if d := Discover(Document{URL: channel,
		Body: []byte(`<rss><channel><item><cloud domain="example.org" port="80" path="/" protocol="http-post"/></item></channel></rss>`)}); d.Cloud != "" {
		t.Errorf("of an item: %s", d.Cloud)
	}
}

// Feeds of YouTube do not name the hub that they have.
func TestAHubThatFeedsDoNotName(t *testing.T) {
	d := Discover(Document{URL: "https://www.youtube.com/feeds/videos.xml?channel_id=UC_x-1", Body: []byte("<feed/>"),
		Topic: "http://www.youtube.com/feeds/videos.xml?channel_id=UC_x-1"})
	if !slices.Equal(d.Hubs, []string{"https://pubsubhubbub.appspot.com/subscribe"}) ||
		d.Topic != "https://www.youtube.com/xml/feeds/videos.xml?channel_id=UC_x-1" {
		t.Errorf("found %+v", d)
	}
	if d := Discover(Document{URL: "https://www.youtube.com/feeds/videos.xml", Body: []byte("<feed/>")}); len(
		d.Hubs) > 0 {
		t.Errorf("found %+v", d)
	}
}

// Whatever a document says, what is found of it is within bounds.
func FuzzDiscover(f *testing.F) {
	for _, seed := range []string{
		fmt.Sprintf(page, `<link rel="hub" href="https://hub.example/">`, ""),
		fmt.Sprintf(rssFeed, `<cloud domain="a" port="1" path="/" protocol="http-post"/>`),
		`<link rel=hub href=//x><link rel=self href="http://a b">`, "<cloud", "<!doctype", "",
	} {
		f.Add([]byte(seed), true, "https://h.example/", "hub self")
		f.Add([]byte(seed), false, "//x", "hub")
	}
	f.Fuzz(func(t *testing.T, body []byte, html bool, href, rel string) {
		d := Discover(Document{URL: channel, Body: body, HTML: html, Header: []Link{{rel, href}}, Hubs: []string{href},
			Topic: href})
		if len(d.Hubs) > maxHubs {
			t.Errorf("%d hubs", len(d.Hubs))
		}
		for _, address := range append(d.Hubs, d.Topic, d.Cloud) {
			if address != "" &&
				(len(address) > maxURL || !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address,
					"https://") || strings.ContainsAny(address, "\r\n \x00")) {
				t.Errorf("found %q", address)
			}
		}
	})
}
