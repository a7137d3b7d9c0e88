package websub

import (
	"bytes"
	"encoding/xml"
	"io"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Protocol is how a hub is spoken to.
type Protocol string

const (
	WebSub   Protocol = "websub"
	RSSCloud Protocol = "rsscloud"
)

// Link is a link of a document, in its header or in itself.
type Link struct{ Rel, Href string }

// Discovery is what a document says of being pushed.
type Discovery struct {
	Hubs  []string // URLs, at most maxHubs
	Topic string   // URL: what is subscribed to; "": it does not say
	Cloud string   // URL at which an rssCloud server is asked for notifications; "": it names none
}

// Bounds on what is read of a document.
const (
	maxHubs   = 8
	maxURL    = 2048
	maxHead   = 256 << 10 // bytes in which links of the document itself are looked for
	maxTokens = 2000
)

// Document is what was received, and what its reader has found in it.
type Document struct {
	URL    string // where it was, after redirects
	Header []Link // links of its header, in their order; URLs may be relative
	Body   []byte

	HTML  bool     // it is a page; else it is a feed
	Hubs  []string // of a feed, absolute
	Topic string   // of a feed: its own address, absolute
}

// Discover returns what a document says (section 4): what links of its header name goes before what it names itself.
func Discover(d Document) (found Discovery) {
	base, err := url.Parse(d.URL)
	if err != nil {
		return found
	}
	found.add(base, d.Header)
	var within Discovery
	switch {
	case d.HTML:
		within.add(base, headLinks(d.Body))
	default:
		for _, hub := range d.Hubs {
			within.add(base, []Link{{"hub", hub}})
		}
		within.add(base, []Link{{"self", d.Topic}})
		found.Cloud = cloud(d.Body)
	}
	if len(found.Hubs) == 0 {
		found.Hubs = within.Hubs
	}
	if found.Topic == "" {
		found.Topic = within.Topic
	}
	if len(found.Hubs) == 0 {
		found.known(base)
	}
	return found
}

// add adds what links name.
func (d *Discovery) add(base *url.URL, links []Link) {
	for _, l := range links {
		for rel := range strings.FieldsSeq(strings.ToLower(l.Rel)) {
			if rel != "hub" && rel != "self" {
				continue
			}
			to, err := base.Parse(strings.TrimSpace(l.Href))
			if err != nil || l.Href == "" || to.Scheme != "http" && to.Scheme != "https" ||
				to.Hostname() == "" || to.User != nil {
				continue
			}
			to.Fragment, to.RawFragment = "", ""
			to.RawQuery = strings.ReplaceAll(to.RawQuery, " ", "%20")
			address := to.String()
			if len(address) > maxURL {
				continue
			}
			switch {
			case rel == "self" && d.Topic == "":
				d.Topic = address
			case rel == "hub" && len(d.Hubs) < maxHubs && !slices.Contains(d.Hubs, address):
				d.Hubs = append(d.Hubs, address)
			}
		}
	}
}

// known adds the hub of a service whose feeds do not name it.
func (d *Discovery) known(base *url.URL) {
	// https://developers.google.com/youtube/v3/guides/push_notifications
	if base.Host == "www.youtube.com" && base.Path == "/feeds/videos.xml" && base.Query().Get("channel_id") != "" {
		d.Hubs = []string{"https://pubsubhubbub.appspot.com/subscribe"}
		d.Topic = "https://www.youtube.com/xml/feeds/videos.xml?channel_id=" +
			url.QueryEscape(base.Query().Get("channel_id"))
	}
}

// without returns what a document says without some of its hubs.
func (d Discovery) without(leaveOut func(hub string) bool) Discovery {
	d.Hubs = slices.DeleteFunc(slices.Clone(d.Hubs), leaveOut)
	return d
}

// Best returns the hub to subscribe at, and the topic: by WebSub if the document names both, one over TLS before
// others. ok is false if there is none. channel is the address for rssCloud, which has no topics.
func (d Discovery) Best(channel string) (p Protocol, hub, topic string, ok bool) {
	if d.Topic != "" && len(d.Hubs) > 0 {
		hub = d.Hubs[0]
		if i := slices.IndexFunc(d.Hubs, isTLS); i >= 0 {
			hub = d.Hubs[i]
		}
		return WebSub, hub, d.Topic, true
	}
	if d.Cloud != "" {
		return RSSCloud, d.Cloud, channel, true
	}
	return "", "", "", false
}

func isTLS(address string) bool { return strings.HasPrefix(address, "https://") }

// headLinks returns the link elements in the head of a page (section 8.1: those in its body could be anybody's).
func headLinks(body []byte) (links []Link) {
	z := html.NewTokenizer(bytes.NewReader(body[:min(len(body), maxHead)]))
	for range maxTokens {
		switch z.Next() {
		case html.ErrorToken:
			return links
		case html.EndTagToken:
			if name, _ := z.TagName(); atom.Lookup(name) == atom.Head {
				return links
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			if !inHead(t.DataAtom) {
				return links
			}
			if t.DataAtom != atom.Link {
				continue
			}
			var l Link
			for _, a := range t.Attr {
				switch a.Key {
				case "rel":
					l.Rel = a.Val
				case "href":
					l.Href = a.Val
				}
			}
			links = append(links, l)
		}
	}
	return links
}

// inHead reports whether an element may stand in the head of a page: another one ends it.
func inHead(a atom.Atom) bool {
	switch a {
	case atom.Html, atom.Head, atom.Title, atom.Meta, atom.Link, atom.Base,
		atom.Style, atom.Script, atom.Noscript, atom.Template:
		return true
	}
	return false
}

// cloud returns the URL at which the cloud element of an RSS feed has a server asked for notifications; "" if there is
// none that is spoken to by HTTP.
func cloud(body []byte) string {
	body = body[:min(len(body), maxHead)]
	if !bytes.Contains(body, []byte("<cloud")) {
		return ""
	}
	x := xml.NewDecoder(bytes.NewReader(body))
	x.Strict = false
	x.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // names and addresses are ASCII
	for range maxTokens {
		token, err := x.RawToken()
		if err != nil {
			return ""
		}
		e, is := token.(xml.StartElement)
		switch {
		case !is:
		case e.Name.Local == "item":
			return ""
		case e.Name.Local == "cloud":
			return cloudURL(e.Attr)
		}
	}
	return ""
}

func cloudURL(attributes []xml.Attr) string {
	said := make(map[string]string)
	for _, a := range attributes {
		said[a.Name.Local] = strings.TrimSpace(a.Value)
	}
	scheme := map[string]string{"http-post": "http", "https-post": "https"}[said["protocol"]]
	if scheme == "" || said["domain"] == "" {
		return ""
	}
	if said["port"] == "443" {
		scheme = "https"
	}
	host := said["domain"]
	if said["port"] != "" {
		host += ":" + said["port"]
	}
	address := scheme + "://" + host + "/" + strings.TrimPrefix(said["path"], "/")
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Host != host || len(address) > maxURL {
		return ""
	}
	return address
}
