// Package tidings holds the words that all layers share: channels, items, changes, updates, polls, errors, and the
// accounts, subscriptions, entries and notifications of people, which the store keeps and interfaces serve.
//
// It imports nothing of the project and does nothing by itself. What a type promises stands on the type; what keeps
// the promise is said there too. A type that only interfaces show belongs to package view, and one of a single package
// to that package.
package tidings

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"
	"time"
	"unicode"
)

// ChannelID names a channel: the SHA-1 of its canonical URL, on the same 160-bit
// ring as node IDs.
type ChannelID [sha1.Size]byte

// IDOf returns the ID of the channel whose canonical URL is canonical.
func IDOf(canonical string) ChannelID { return sha1.Sum([]byte(canonical)) }

// String returns the ID in hexadecimal.
func (id ChannelID) String() string { return hex.EncodeToString(id[:]) }

// Kind says how a channel's documents are read.
type Kind string

const (
	KindUnknown Kind = ""     // never read so far
	KindFeed    Kind = "feed" // RSS, Atom or JSON Feed: versions differ by items
	KindPage    Kind = "page" // anything else: versions differ by lines
	// KindQuery is a channel of items that a query selects from the public channels of all nodes. It has no origin. Its
	// versions are those of a feed, and of KindFeed.
	KindQuery Kind = "query"
	// KindPosted is a channel of items that a person's own programs post. It is like one of KindQuery otherwise.
	KindPosted Kind = "posted"
	// KindZone is a channel of items that nodes send to a zone of the network. It is like one of KindQuery otherwise.
	KindZone Kind = "zone"
)

// KindOf returns the kind of a channel that is known by its URL alone: that of one without an origin. It is KindUnknown
// for addresses of the web, whose documents say.
func KindOf(channel string) Kind {
	scheme, _, _ := strings.Cut(channel, ":")
	switch scheme + ":" {
	case queryScheme:
		return KindQuery
	case zoneScheme:
		return KindZone
	case postedScheme:
		return KindPosted
	}
	return KindUnknown
}

// HasOrigin reports whether channels of the kind are documents of the web, which are polled.
func (k Kind) HasOrigin() bool { return k != KindQuery && k != KindZone && k != KindPosted }

// Version numbers the states of a channel's content. The first is 1, versions of
// a channel strictly increase, and 0 means that there is none yet.
type Version uint64

// Privacy is a channel's privacy class. It is decided before the channel is first
// fetched, and only a person may make it more open.
type Privacy string

const (
	Public       Privacy = "public"       // may be named to other nodes
	Unlisted     Privacy = "unlisted"     // long random-looking parts, or a private address: watched by this node alone
	Credentialed Privacy = "credentialed" // needs a user name and password: watched by this node alone
)

// PageOptions override what a page's core content is. The zero value has the defaults.
type PageOptions struct {
	Select []string `json:"select,omitempty"` // CSS selectors, XPath or JSONPath: only these parts, in document order
	Ignore []string `json:"ignore,omitempty"` // CSS selectors or regular expressions: never these
	// CSS selectors or regular expressions: these even where the defaults ignore them
	Keep []string `json:"keep,omitempty"`
	// Prices has the prices and the stock that a page states for programs watched; without Select nothing else of it.
	Prices bool `json:"prices,omitempty"`
	// NotifyIf holds conditions (package source/condition). A change of the page that meets none of them is a version
	// without an item: nobody is notified of it. None: every change is news.
	NotifyIf []string `json:"notify_if,omitempty"`
	// Entries has a page read as a feed of the entries that it marks up by microformats (h-feed).
	Entries bool `json:"entries,omitempty"`
}

// IsZero reports whether o changes nothing.
func (o PageOptions) IsZero() bool {
	return len(o.Select)+len(o.Ignore)+len(o.Keep)+len(o.NotifyIf) == 0 && !o.Prices && !o.Entries
}

// Kind returns the kind of channels that are read by o; KindUnknown if o leaves that to their documents.
func (o PageOptions) Kind() Kind {
	switch {
	case o.IsZero():
		return KindUnknown
	case o.Entries:
		return KindFeed
	}
	return KindPage
}

// Channel is a URL that somebody follows. A node watches a channel once, for all that follow it.
type Channel struct {
	// canonical, without credentials, or one person's own (OwnURL); the channel's identity for ever
	URL     string      `json:"url"`
	Moved   string      `json:"moved,omitempty"` // where it is fetched since a permanent redirect held; empty: at URL
	Kind    Kind        `json:"kind,omitempty"`
	Title   string      `json:"title,omitempty"` // as the document says
	Site    string      `json:"site,omitempty"`  // the page for people that a feed belongs to
	Icon    string      `json:"icon,omitempty"`  // address of the picture by which its document wants to be known
	Privacy Privacy     `json:"privacy"`
	Options PageOptions `json:"options,omitzero"`
	Version Version     `json:"version"` // the latest
	Added   time.Time   `json:"added"`
}

// ID returns the channel's ID.
func (c Channel) ID() ChannelID { return IDOf(c.URL) }

// Origin returns the address at which the channel is fetched now.
func (c Channel) Origin() string {
	if c.Moved != "" {
		return c.Moved
	}
	return PublicURL(c.URL)
}

// A channel may be one person's own. Its URL is then that of the public channel, this mark, and ownDigits hexadecimal
// digits, which a secret of the person determines. Other canonical addresses have no fragment.
const (
	ownMark   = "#~"
	ownDigits = 32
)

// OwnURL returns the URL of the own channel at a canonical address of a person with a secret. Nobody else can see whose
// it is, or whether there is one.
func OwnURL(canonical string, secret []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(canonical))
	return canonical + ownMark + hex.EncodeToString(mac.Sum(nil)[:ownDigits/2])
}

// PublicURL returns a channel's URL without what makes it one person's own.
func PublicURL(channel string) string {
	at := len(channel) - ownDigits - len(ownMark)
	if at <= 0 || channel[at:at+len(ownMark)] != ownMark ||
		strings.Trim(channel[at+len(ownMark):], "0123456789abcdef") != "" || !KindOf(channel).HasOrigin() {
		return channel
	}
	return channel[:at]
}

// IsOwnURL reports whether a URL is that of one person's own channel.
func IsOwnURL(channel string) bool { return PublicURL(channel) != channel }

// A query that is followed is a channel of KindQuery. Its URL is QueryURL of the query's canonical text.
const queryScheme = "query:"

// QueryURL returns the URL of the channel of a query, whose text is in canonical form.
func QueryURL(text string) string { return queryScheme + url.PathEscape(text) }

// QueryText returns the text of the query that a channel's URL stands for; false if the URL is not that of a query.
func QueryText(channel string) (string, bool) {
	escaped, is := strings.CutPrefix(channel, queryScheme)
	if !is {
		return "", false
	}
	text, err := url.PathUnescape(escaped)
	return text, err == nil
}

// A zone to which items are sent is followed as a channel of KindZone. Its URL is ZoneURL of the zone's path.
const zoneScheme = "zone:"

// ZoneURL returns the URL of the channel of a zone, such as zone:/eu/de.
func ZoneURL(path string) string { return zoneScheme + path }

// ZonePath returns the path of the zone that a channel's URL stands for; false if the URL is not that of a zone.
func ZonePath(channel string) (path string, is bool) { return strings.CutPrefix(channel, zoneScheme) }

// A channel of items that a person's programs post is of KindPosted. Nobody else can follow it.
const postedScheme = "posted:"

// MaxPostedName bounds the name of a channel of KindPosted, in bytes.
const MaxPostedName = 100

// PostedURL returns the URL of the channel of a name to which a person with a secret has items posted. Nobody else can
// make out whose it is.
func PostedURL(name string, secret []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(postedScheme + name))
	return postedScheme + url.PathEscape(name) + "~" + hex.EncodeToString(mac.Sum(nil)[:ownDigits/2])
}

// CleanPostedName returns a name for a channel of posted items without blanks around it; ErrInvalid if no channel can
// have it.
func CleanPostedName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > MaxPostedName || strings.ContainsFunc(name, unicode.IsControl) {
		return "", WithHint(Invalidf("a channel of posted items has a name of 1 to %d bytes without control characters",
			MaxPostedName),
			`name it in "channel", as in {"channel": "Backups", "items": [{"title": "Done"}]}`)
	}
	return name, nil
}

// Access is what a channel's origin is sent besides what every origin is sent, and the proxy by which it is reached. It
// is secret: it is kept apart from the channel, and shown to nobody. Package source/fetch checks it.
type Access struct {
	User, Password string   // HTTP basic credentials
	Headers        []string // each "Name: value", sorted; one of a name
	Cookies        []string // each "name=value", sorted; one of a name
	Proxy          string   // URL of a proxy, which may have a user name and password; empty: none
}

// IsZero reports whether the origin is asked as any other is.
func (a Access) IsZero() bool { return a.Proxy == "" && !a.Identifies() }

// Identifies reports whether the origin is sent something that is for it alone.
func (a Access) Identifies() bool {
	return a.User != "" || a.Password != "" || len(a.Headers)+len(a.Cookies) > 0
}

// Elsewhere returns what holds for addresses of other origins: the proxy alone.
func (a Access) Elsewhere() Access { return Access{Proxy: a.Proxy} }

// String hides it all.
func (a Access) String() string {
	if a.IsZero() {
		return "none"
	}
	return "…"
}

// Names returns what may be shown to those that follow the channel.
func (a Access) Names() AccessNames {
	return AccessNames{Password: a.User != "" || a.Password != "", Headers: cutAll(a.Headers, ":"),
		Cookies: cutAll(a.Cookies, "="), Proxy: a.Proxy != ""}
}

func cutAll(pairs []string, mark string) (names []string) {
	for _, pair := range pairs {
		name, _, _ := strings.Cut(pair, mark)
		names = append(names, name)
	}
	return names
}

// AccessNames says which parts an Access has, without their values.
type AccessNames struct {
	Password bool     `json:"password,omitempty"`
	Headers  []string `json:"headers,omitempty"` // names
	Cookies  []string `json:"cookies,omitempty"` // names
	Proxy    bool     `json:"proxy,omitempty"`
}

// AccessChange sets or removes parts of an Access; what it does not name stays.
type AccessChange struct {
	Headers []string `json:"headers,omitempty"` // each "Name: value"; without a value, the header is removed
	Cookies []string `json:"cookies,omitempty"` // each "name=value"; without a value, the cookie is removed
	Proxy   *string  `json:"proxy,omitempty"`   // "": removed
}

// IsZero reports whether it changes nothing.
func (c AccessChange) IsZero() bool { return len(c.Headers)+len(c.Cookies) == 0 && c.Proxy == nil }
