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
	ID         string      `json:"id"` // the guid or id as published, else the link
	URL        string      `json:"url,omitempty"`
	Title      string      `json:"title,omitempty"` // plain text
	Author     string      `json:"author,omitempty"`
	Published  time.Time   `json:"published,omitzero"` // as claimed by the origin: may be absurd; for order there is Entry.Dated
	Updated    time.Time   `json:"updated,omitzero"`   // as claimed by the origin
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

// Update is what is sent and stored: a channel, its new version, and the new items or the delta. Version 1 of a channel
// is an update too. All of its items are new, or its delta is against nothing. So a reader of all updates of a channel
// has all of its content.
type Update struct {
	// ID is the update's place in this node's stream: strictly increasing in the
	// order in which readers may see them, never used twice.
	ID      int64     `json:"id"`
	Channel string    `json:"channel"` // canonical URL
	Title   string    `json:"title"`   // the channel's
	Version Version   `json:"version"` // of the channel at this node, which counts what it has reported: strictly increasing
	Time    time.Time `json:"time"`    // when the version was found
	Kind    Kind      `json:"kind"`
	Items   []Item    `json:"items,omitempty"` // feeds: what is new or changed, in the order of the document
	// Delta is for pages: POSIX diff's normal output from the lines of version
	// Version-1 to those of Version. BaseHash and Hash are SHA-256, hexadecimal,
	// of those lines, each ended by a newline.
	Delta    string `json:"delta,omitempty"`
	BaseHash string `json:"base_hash,omitempty"`
	Hash     string `json:"hash,omitempty"`
	FoundBy  string `json:"found_by,omitempty"` // ID of the node that saw the change: this one, if its own poll was first here
	// ConfirmedBy are the IDs of other nodes that have seen the same at the origin, by polls of their own: witnesses,
	// and this node where its own poll came later; at most MaxConfirmedBy. Empty: FoundBy alone vouches for it.
	ConfirmedBy   []string  `json:"confirmed_by,omitempty"`
	SignedBy      string    `json:"signed_by,omitempty"`     // fingerprint of the publisher's key, where the publisher has pushed it
	ThirdParty    bool      `json:"third_party,omitempty"`   // the key of SignedBy is a third party's: the feed did not name it
	OriginChanged time.Time `json:"origin_changed,omitzero"` // when the origin says it changed, where it can be believed
	Received      time.Time `json:"received,omitzero"`       // when this node stored it
	// Withdrawn says that the update is false; nil: nothing is known against it.
	Withdrawn *Withdrawal `json:"withdrawn,omitempty"`
}
