package proxy

import (
	"cmp"
	"crypto/sha1"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tidings"
)

// document is a channel as readers are given it, in no syntax so far.
type document struct {
	id, title string
	self      string // where it is
	hub       string // URL of the WebSub hub at which one can subscribe to it; empty: there is none
	home      string // the page for people
	via       string // the origin
	channel   tidings.Channel
	updated   time.Time
	entries   []entry // newest first, each item once
	states    []state // all that a reader may have seen last, newest first

	// unordered says that an older entry may be new to a reader that has a newer one. An example is an entry that was
	// starred late. So there are no deltas, and the newest date is no validator.
	unordered bool
	most      int // entries of the whole; 0: maxItems
}

// entry is one item in its newest revision, or one version of a page.
type entry struct {
	row                int64 // tidings.Entry.ID
	id, title          string
	link, author       string
	published, updated time.Time // published may be zero
	summary, content   string    // HTML
	enclosures         []tidings.Enclosure
	categories         []string
	source             *tidings.Source // that a query has it from; nil: it is of the channel itself
	news               *tidings.News   // nil: it is no news item
	withdrawn          bool            // it turned out to be false
}

// state names what was newest when a reader last asked.
type state struct {
	id       int64 // tidings.Entry.ID
	received int64 // microseconds: IDs are used again after a return to a backup, times are not
}

// newest returns the present state; zero if there is no entry.
func (d document) newest() state {
	if len(d.states) == 0 {
		return state{}
	}
	return d.states[0]
}

// whole returns d with no more than the newest items.
func (d document) whole() document {
	d.entries = d.entries[:min(len(d.entries), cmp.Or(d.most, maxItems))]
	return d
}

// since returns d with only what came after s and what turned out to be false, and false if s is not known.
func (d document) since(s state) (document, bool) {
	if d.unordered || !slices.Contains(d.states, s) {
		return d, false
	}
	older := slices.IndexFunc(d.entries, func(e entry) bool { return e.row <= s.id })
	if older >= 0 {
		rest := d.entries[older:]
		d.entries = d.entries[:older:older]
		for _, e := range rest { // the reader has it as it was before
			if e.withdrawn {
				d.entries = append(d.entries, e)
			}
		}
	}
	return d, true
}

// newDocument makes a document of a channel's entries, as readers see them. base is the address of this node.
func newDocument(channel tidings.Subscription, entries []tidings.Entry, base, self string) document {
	doc := document{
		id:      channelID(channel.URL),
		title:   channel.Label(),
		self:    self,
		home:    webURL(cmp.Or(channel.Site, tidings.PublicURL(channel.URL))),
		via:     webURL(tidings.PublicURL(channel.URL)),
		channel: channel.Channel,
		updated: cmp.Or(channel.LastChange, channel.Since, channel.Added),
	}
	doc.show(entries, base, func(e tidings.Entry) entry { return newEntry(channel, e) })
	return doc
}

// show fills in entries, which are the newest first, as shownAs makes them. base is the address of this node if the
// reader can fetch files there, else empty.
func (d *document) show(entries []tidings.Entry, base string, shownAs func(tidings.Entry) entry) {
	seen := make(map[int64]bool, len(entries))
	size := 0
	for _, e := range entries {
		older := e.Kind != tidings.KindPage && seen[e.Item] // than a revision that is there
		if !older {
			shown := shownAs(e)
			if base != "" {
				shown.enclosures = nearest(shown.enclosures, base)
			}
			shown.withdraw(e.Withdrawn)
			if size += len(shown.content) + len(shown.summary) + len(shown.title); size > maxContent &&
				len(d.entries) > 0 {
				break // and what is further back is no known state, so that no delta has a gap
			}
			seen[e.Item] = true
			d.entries = append(d.entries, shown)
		}
		d.states = append(d.states, state{id: e.ID, received: e.Received.UnixMicro()})
	}
	if len(entries) > 0 && entries[0].Received.After(d.updated) {
		d.updated = entries[0].Received
	}
}

func newEntry(channel tidings.Subscription, e tidings.Entry) entry {
	if e.Kind == tidings.KindPage {
		return pageEntry(channel, e)
	}
	item := e.Content
	if e.FullText != nil && e.FullText.Preferred {
		item.Content = e.FullText.Content
	}
	shown := entry{
		row:        e.ID,
		id:         entryID(channel.URL, "item", e.Item),
		title:      titleOf(item),
		link:       webURL(item.URL),
		author:     item.Author,
		published:  writable(item.Published),
		updated:    e.Received,
		summary:    item.Summary,
		content:    item.Content,
		enclosures: item.Enclosures,
		categories: item.Categories,
		source:     item.Source,
		news:       item.News,
	}
	if shown.content == "" {
		shown.content, shown.summary = item.Summary, ""
	}
	if e.Change != tidings.Changed {
		shown.updated = firstDate(item, e.Received)
	}
	return shown
}

// sourceTitle returns what the source of an entry is called.
func sourceTitle(s *tidings.Source) string { return first(s.Title, tidings.PublicURL(s.URL)) }

// withdraw marks the entry as false, if it is: in its title and at the head of its text, where every reader shows it.
func (e *entry) withdraw(w *tidings.Withdrawal) {
	if w == nil {
		return
	}
	e.withdrawn = true
	e.title = "Withdrawn: " + e.title
	note := "<p><strong>Withdrawn: " + html.EscapeString(clean(w.Reason)) + ".</strong>"
	if len(w.VouchedBy) > 0 {
		note += " It was shown by the word of these nodes: " +
			html.EscapeString(clean(strings.Join(w.VouchedBy, ", "))) + "."
	}
	e.content = note + "</p>\n<del>" + e.content + "</del>"
	if e.summary != "" {
		e.summary = note + "</p>"
	}
	if w.Time.After(e.updated) {
		e.updated = writable(w.Time)
	}
	if e.news != nil {
		n := *e.news
		n.Status, n.Note = tidings.Withheld, "Withdrawn: "+w.Reason
		e.news = &n
	}
}

// nearest names files that are here at this node's address, in the place of their origins'.
func nearest(files []tidings.Enclosure, base string) []tidings.Enclosure {
	files = slices.Clone(files)
	for i := range files {
		if c := files[i].Copy; c != nil && c.State == tidings.CopyHere {
			files[i].URL, files[i].Length = base+c.Path, c.Length
		}
	}
	return files
}

// firstDate is when an item that nobody has changed was written: as it claims where
// that can be, else when it came.
func firstDate(item tidings.Item, received time.Time) time.Time {
	for _, claimed := range []time.Time{item.Updated, item.Published} {
		if claimed = writable(claimed); !claimed.IsZero() && claimed.Year() >= 1970 && !claimed.After(received) {
			return claimed
		}
	}
	return received
}

// writable returns t if RFC 3339 can write it, else the zero time.
func writable(t time.Time) time.Time {
	if year := t.UTC().Year(); t.IsZero() || year < 1 || year > 9999 {
		return time.Time{}
	}
	return t.UTC()
}

const maxTitle = 80 // runes of a title made of the text

// titleOf never returns the empty string: Atom wants a title, and readers show it.
func titleOf(item tidings.Item) string {
	if title := strings.TrimSpace(clean(item.Title)); title != "" {
		return title
	}
	for _, html := range []string{item.Summary, item.Content} {
		if text := plainText(html, maxTitle); text != "" {
			return text
		}
	}
	return first(item.URL, "(untitled)")
}

// webURL returns s if it is an absolute web address, else nothing: feeds carry no
// other links.
func webURL(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return ""
	}
	return u.String()
}

// IDs are name-based UUIDs (RFC 9562, section 5.5), because a URN is an IRI as Atom
// wants it and needs no domain of anybody's.

func channelID(channel string) string { return nameUUID(channel) }

// entryID names an item by the store's number and not by the published ID, which
// origins change, repeat and forget.
func entryID(channel, what string, n int64) string {
	return nameUUID(channel + "#" + what + "-" + strconv.FormatInt(n, 10))
}

var urlNamespace = [16]byte{0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30,
	0xc8}

func nameUUID(name string) string {
	sum := sha1.Sum(append(urlNamespace[:], name...))
	u := sum[:16]
	u[6] = u[6]&0x0f | 0x50
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
