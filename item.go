package tidings

import (
	"strings"
	"time"
)

// ChangeKind says what an update does to an item.
type ChangeKind string

const (
	New     ChangeKind = "new"     // this item was not reported before
	Changed ChangeKind = "changed" // a revision of an item that was reported before
)

// Item is one entry of a feed as of one version. Texts are valid UTF-8 and bounded;
// Summary and Content are sanitised HTML, safe to show.
type Item struct {
	ID     string `json:"id"` // the guid or id as published, else the link
	URL    string `json:"url,omitempty"`
	Title  string `json:"title,omitempty"` // plain text
	Author string `json:"author,omitempty"`
	// as claimed by the origin: may be absurd; for order there is Entry.Dated
	Published  time.Time   `json:"published,omitzero"`
	Updated    time.Time   `json:"updated,omitzero"` // as claimed by the origin
	Summary    string      `json:"summary,omitempty"`
	Content    string      `json:"content,omitempty"`
	Enclosures []Enclosure `json:"enclosures,omitempty"`
	Categories []string    `json:"categories,omitempty"`
	Change     ChangeKind  `json:"change,omitempty"`
	// Source is the channel from which a query's channel has the item; nil: it is of the channel in which it stands.
	Source *Source `json:"source,omitempty"`

	// News is what a news item says of itself; nil for items that are no news items. Of one that is withdrawn (see
	// [News.Withdrawn]) the other fields say that alone.
	News *News `json:"news,omitempty"`

	// Chapters are those of its recording; nil: none are known. Nodes do not send them to each other.
	Chapters *Chapters `json:"chapters,omitempty"`
}

// Claimed returns when the item was published, as the origin claims, or else when it was updated; zero if it claims
// neither.
func (i Item) Claimed() time.Time {
	if i.Published.IsZero() {
		return i.Updated
	}
	return i.Published
}

// noticePrefix is what the IDs of notices begin with.
const noticePrefix = "urn:tidings:"

// NoticeID returns the ID of an item by which a node reports to subscribers something of a channel itself.
func NoticeID(what string, channel ChannelID) string {
	return noticePrefix + what + ":" + channel.String()
}

// IsNotice reports whether the item is one by which a node reports to subscribers something of the channel itself.
func (i Item) IsNotice() bool { return strings.HasPrefix(i.ID, noticePrefix) }

// Source is the channel that an item came from.
type Source struct {
	URL   string `json:"url"`
	Title string `json:"title,omitempty"` // plain text
}

// Enclosure is a file that an item carries by reference.
type Enclosure struct {
	URL    string `json:"url"`
	Type   string `json:"type,omitempty"`
	Length int64  `json:"length,omitempty"` // bytes, as claimed; 0 if unknown

	// Copy is how this node has the file itself, where the publisher has signed its bytes; nil: it has not.
	// It holds for the moment of the answer, and is not stored.
	Copy *Copy `json:"copy,omitempty"`
}

// MaxChapters bounds the chapters of an item.
const MaxChapters = 200

// Chapters are the parts of a recording that an item carries.
type Chapters struct {
	// List is in the order of their beginnings; at most MaxChapters. Empty: Address leads to them.
	List []Chapter `json:"list,omitempty"`
	// Address is that of a document with them, in JSON (Podcasting 2.0); empty: there is none.
	Address string `json:"address,omitempty"`
}

// Chapter is one part of a recording.
type Chapter struct {
	At    time.Duration `json:"at"`    // nanoseconds from the beginning of the recording
	Title string        `json:"title"` // plain text, never empty
	URL   string        `json:"url,omitempty"`
}

// File is what a publisher has signed of a file that an item carries: nodes hand it on to each other.
type File struct {
	URL    string   // at its origin
	Type   string   // media type
	Length int64    // bytes
	Ref    [32]byte // names the bytes; see network/pieces
}

// CopyState says whether a node has a file.
type CopyState string

// The states of a Copy.
const (
	CopyHere     CopyState = "here"     // all of it
	CopyFetching CopyState = "fetching" // other nodes are sending it
	CopyWaiting  CopyState = "waiting"  // nobody has sent it so far; it is asked for again
	CopyNowhere  CopyState = "nowhere"  // it is asked for no longer: nobody has it, or there is no room
)

// Copy says how this node has a file whose bytes the publisher has signed. Whatever the state, the origin's address
// stands.
type Copy struct {
	State   CopyState `json:"state"`
	Percent int       `json:"percent"`        // of it that is here
	Length  int64     `json:"length"`         // bytes, as the publisher has signed them
	Path    string    `json:"path,omitempty"` // of the node's own page, where it can be downloaded; empty: not so far
	Ref     string    `json:"ref"`            // names the bytes: 64 hexadecimal digits
}

// News is what a news item says of itself, and what subscriptions by query select by: the fields that NITF,
// NewsML-G2 and ninjs have in common. Items of feeds and pages have it too, as far as their documents say. Texts are
// valid UTF-8 and bounded.
type News struct {
	GUID    string `json:"guid"`              // the same for all versions of an item
	Version int    `json:"version,omitempty"` // a higher one replaces a lower one
	// its provider: the provider's code or name, or the host of a feed
	Publisher string     `json:"publisher,omitempty"`
	Status    NewsStatus `json:"status,omitempty"`
	Signal    NewsSignal `json:"signal,omitempty"`
	Urgency   int        `json:"urgency,omitempty"` // 1, the most urgent, to 9; 5 where nothing is said
	Subjects  []Subject  `json:"subjects,omitempty"`
	Places    []Subject  `json:"places,omitempty"`
	Language  string     `json:"language,omitempty"` // BCP 47, lower case
	Genre     string     `json:"genre,omitempty"`
	Headline  string     `json:"headline,omitempty"` // plain text
	Slugline  string     `json:"slugline,omitempty"`
	Byline    string     `json:"byline,omitempty"`
	Note      string     `json:"note,omitempty"` // from editor to editor: what a correction corrects

	Created time.Time `json:"created,omitzero"` // of the first version, as claimed
	Revised time.Time `json:"revised,omitzero"` // of this version, as claimed
	Embargo time.Time `json:"embargo,omitzero"` // it must not be shown before
	Expires time.Time `json:"expires,omitzero"` // it is of no use afterwards
}

// DefaultUrgency is the urgency of items that do not state one.
const DefaultUrgency = 5

// NewsStatus says whether an item may be used.
type NewsStatus string

// The statuses. An item that says nothing is usable.
const (
	Usable   NewsStatus = "usable"
	Withheld NewsStatus = "withheld" // must not be shown until a later version is usable
	Canceled NewsStatus = "canceled" // killed: must not be shown any more
)

// NewsSignal says what a new version of an item is.
type NewsSignal string

// The signals.
const (
	Updated   NewsSignal = "update"
	Corrected NewsSignal = "correction"
)

// Withdrawn reports whether the publisher has withdrawn the item, for good or until a later version is usable: nothing
// of it may be shown but that.
func (n *News) Withdrawn() bool { return n != nil && (n.Status == Canceled || n.Status == Withheld) }

// Embargoed reports whether the item may be kept now, but not be shown so far.
func (n *News) Embargoed(now time.Time) bool {
	return n != nil && !n.Withdrawn() && now.Before(n.Embargo)
}

// Supersedes reports whether n is a later version of the item that old is of: a higher number, or the same revised
// later.
func (n *News) Supersedes(old *News) bool {
	switch {
	case n.GUID == "" || n.GUID != old.GUID:
		return false
	case n.Version != old.Version:
		return n.Version > old.Version
	}
	return n.Revised.After(old.Revised)
}

// MayReplace reports whether a node that has an item as of old accepts it as of n: no earlier version replaces a later
// one; an item is canceled by whatever version says so, and stays canceled.
func (n *News) MayReplace(old *News) bool {
	switch {
	case n.GUID != old.GUID:
		return true
	case old.Status == Canceled:
		return false
	case n.Status == Canceled:
		return true
	}
	return !old.Supersedes(n)
}

// Subject is something that an item is about, or a place. At least one of Code and Name is not empty.
type Subject struct {
	Code   string `json:"code,omitempty"`   // in the scheme, such as "15054000"
	Scheme string `json:"scheme,omitempty"` // what the code is of: "medtop", another alias, or a URL
	Name   string `json:"name,omitempty"`
}

// PublishedEntry is an entry that a content system publishes.
type PublishedEntry struct {
	ID         string      `json:"id"` // as the feed has it; the same again is a revision
	URL        string      `json:"url,omitempty"`
	Title      string      `json:"title,omitempty"`
	HTML       string      `json:"html,omitempty"` // or Text
	Text       string      `json:"text,omitempty"`
	Summary    string      `json:"summary,omitempty"` // plain text
	Author     string      `json:"author,omitempty"`
	Published  time.Time   `json:"published,omitzero"`
	Updated    time.Time   `json:"updated,omitzero"`
	Tags       []string    `json:"tags,omitempty"`
	Enclosures []Enclosure `json:"enclosures,omitempty"`
	News       *News       `json:"news,omitempty"` // what it says of itself as a news item
}
