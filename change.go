package tidings

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"
)

// ItemIdentity is what is remembered of an item to know it again: 64-bit hashes, compared
// only within one channel. 0 means that the item has no such part. Package
// source/feed makes and compares them; everybody else only keeps them.
type ItemIdentity struct {
	ID    uint64 // the guid or id as published
	Link  uint64 // the link, without what changes from fetch to fetch
	Title uint64
	Date  uint64 // the published date as written
	Print uint64 // fingerprint of what a reader sees: title and text, not dates or markup
}

// ContentHash names what a feed with these items says: two nodes that read the same document find the same. It is made
// of what readers see of the items (guid, or else link; title; text) whatever their order, in which many feeds are
// served as chance will have it.
func ContentHash(items []ItemIdentity) [sha256.Size]byte {
	type part [3]uint64
	parts := make([]part, len(items))
	for i, m := range items {
		parts[i] = part{cmp.Or(m.ID, m.Link), m.Title, m.Print}
	}
	slices.SortFunc(parts, func(a, b part) int { return slices.Compare(a[:], b[:]) })
	b := make([]byte, 0, 8+24*len(parts))
	b = append(b, "feed 1\n\x00"...)
	for _, p := range parts {
		for _, v := range p {
			b = binary.BigEndian.AppendUint64(b, v)
		}
	}
	return sha256.Sum256(b)
}

// KnownItem is an item that the store holds.
type KnownItem struct {
	Row int64 // the store's name for the item; never 0
	ItemIdentity
	Listed bool // whether it was in the latest document
}

// FoundItem is an item of a document, as it compares with those already known.
type FoundItem struct {
	Item        // Item.Change: New, Changed, or empty if a reader has nothing to learn: then texts are left out
	Row   int64 // the known item that it is; 0: none
	Mark  ItemIdentity
	Was   ItemIdentity // KnownItem.Mark of that item, as it was compared; zero: nobody says
	Raw   string       // content (else summary) as published, before it was sanitised; kept for New and Changed
	Quiet bool         // with empty Change: what no reader sees (guid, link, dates) differs and is to be stored
	// Signed, with empty Change, says that the texts are there all the same, as the item's publisher has signed them:
	// they replace those that a poll has found, which may have less.
	Signed bool
}

// Change is a version of a channel's content that somebody found: the seam between
// what finds it (this node's polls, later other nodes and publishers) and the store.
// It becomes an update when the store gives it a version.
type Change struct {
	Kind  Kind
	Title string // the channel's, as the document says; empty: unchanged
	Site  string
	Icon  string // as Channel.Icon; empty: unchanged

	// Feeds: the whole document in its order. A change in which no item has a
	// Change makes no new version; its quiet items and its order are stored.
	Items []FoundItem
	// KnownUpTo is the largest KnownItem.Row that the items were compared with; 0: none.
	// The store refuses a change that was compared before other items became known, or before one of its own
	// became another (FoundItem.Was).
	KnownUpTo int64
	// Partial says that Items are only a part of the document (RFC 3229): items that
	// are missing from it have not left the feed.
	Partial bool
	// Past says that Items, all of them new, are of a state of the document that has been replaced since:
	// they are reported, and the document stays as it is.
	Past bool

	// Quiet says that a page's version is to have no item: it can be looked up, and nobody is notified of it.
	Quiet bool

	// Pages: the lines found, and the delta from the lines whose hash is BaseHash.
	// The store refuses a change whose BaseHash is not that of the latest version.
	Lines    []string
	Delta    string
	BaseHash string // empty: there was no version
	Hash     string

	// Raw is the document as received, after decompression, with its Content-Type; kept for the latest version alone.
	// Of a feed it is nil unless somebody wants it (source.Poller.KeepsDocument).
	Raw     []byte
	RawType string

	// Notice is what the node reports to subscribers of the channel itself, such as that
	// it has ended. A change with a notice holds no content: its version has that of the
	// one before, and its update one item, which says the notice.
	Notice *Item

	// Files are files of Items whose bytes their publisher has signed.
	Files []File

	Found         time.Time
	FoundBy       string    // node ID
	ConfirmedBy   []string  // node IDs, as in Update
	SignedBy      string    // fingerprint of the publisher's key that signed it; empty: it was found, not pushed
	ThirdParty    bool      // that key is a third party's
	OriginChanged time.Time // zero where the origin cannot be believed
}

// Preview is what a poll of an address finds, without storing anything.
type Preview struct {
	Asked   string    `json:"asked"`   // the address as it was given, without credentials
	Channel string    `json:"channel"` // canonical URL of what would be followed
	Kind    Kind      `json:"kind"`
	Title   string    `json:"title,omitempty"`
	Site    string    `json:"site,omitempty"`
	Icon    string    `json:"icon,omitempty"` // as Channel.Icon
	Privacy Privacy   `json:"privacy"`
	Count   int       `json:"count"`           // of items, or of lines, in the document
	Items   []Item    `json:"items,omitempty"` // the first of them
	Lines   []string  `json:"lines,omitempty"`
	Choices []Choice  `json:"choices,omitempty"` // all feeds that the page offers, best first
	Fetched []Fetched `json:"fetched"`           // every request made for it, in order
	Notes   []string  `json:"notes,omitempty"`   // how it was read, and what was repaired, in plain words
	Poll    Poll      `json:"poll"`              // with the next poll as it would be
}

// Choice is a feed that a page offers.
type Choice struct {
	URL   string `json:"url"`
	Title string `json:"title,omitempty"`
	Type  string `json:"type,omitempty"` // media type as claimed
}

// Fetched describes one request.
type Fetched struct {
	URL    string        `json:"url"`
	Status int           `json:"status,omitempty"`
	Type   string        `json:"type,omitempty"` // media type as claimed
	Bytes  int64         `json:"bytes"`          // received, before decompression
	Size   int64         `json:"size"`           // after decompression
	Took   time.Duration `json:"took"`           // nanoseconds
	Error  string        `json:"error,omitempty"`
}

// SubscribeRequest is what an account says when it subscribes.
type SubscribeRequest struct {
	URL    string `json:"url,omitempty"`   // of a feed or page; may carry user:password@
	Query  string `json:"query,omitempty"` // in the place of URL: follow the items that it selects
	Title  string `json:"title,omitempty"` // what others call it; shown until the document says better
	Name   string `json:"name,omitempty"`
	Folder string `json:"folder,omitempty"` // path, see FolderPath

	Tags []string `json:"tags,omitempty"` // of a channel that is followed already, beside those that it has

	EditsAsItems *bool         `json:"edits_as_items,omitempty"` // as in Subscription; nil: no, or as it was
	FullText     *bool         `json:"full_text,omitempty"`      // as in Subscription; nil: no, or as it was
	Pictures     *PicturesWish `json:"pictures,omitempty"`       // as in Subscription; nil: as the browser is set, or as it was

	// Access is what the origin is sent of its own, and a proxy; for a channel that is followed already, what of it
	// changes.
	Access AccessChange `json:"access,omitzero"`

	Options PageOptions `json:"options,omitzero"`
	AsPage  bool        `json:"as_page,omitempty"` // watch the page itself even if it offers feeds
	Privacy Privacy     `json:"privacy,omitempty"` // empty: as the address suggests
}

// ChannelChange says what of a followed channel is to become another; nil leaves it.
type ChannelChange struct {
	Name   *string `json:"name,omitempty"`
	Folder *string `json:"folder,omitempty"`

	Tags *TagChange `json:"tags,omitempty"`

	EditsAsItems *bool         `json:"edits_as_items,omitempty"` // as in Subscription
	FullText     *bool         `json:"full_text,omitempty"`      // as in Subscription
	Pictures     *PicturesWish `json:"pictures,omitempty"`       // as in Subscription

	Privacy *Privacy      `json:"privacy,omitempty"`
	Access  *AccessChange `json:"access,omitempty"`
	Options *PageOptions  `json:"-"`
}

// Status says how a node is, and how it stands among the others. Its ID is known even if
// the node works alone.
type Status struct {
	Network

	Version       string    `json:"version"`
	Started       time.Time `json:"started"`
	DataDir       string    `json:"data_dir"`
	Page          string    `json:"page"` // address of the web page
	Interval      string    `json:"interval"`
	Channels      int       `json:"channels"`
	Subscriptions int       `json:"subscriptions"`
	Items         int64     `json:"items"`
	LatestUpdate  int64     `json:"latest_update"`
	StoreBytes    int64     `json:"store_bytes"`

	ByHealth map[Health]int `json:"by_health"`
	NextPoll time.Time      `json:"next_poll,omitzero"`
	// Since the node started:
	Polls       int64             `json:"polls"`
	ByOutcome   map[Outcome]int64 `json:"by_outcome"`
	Bytes       int64             `json:"bytes"`        // received from origins
	Updates     int64             `json:"updates"`      // found
	PollingNow  int               `json:"polling_now"`  // requests under way
	Overdue     int               `json:"overdue"`      // polls that are due and wait for their turn
	MemoryBytes uint64            `json:"memory_bytes"` // of the whole process, from the operating system
	// Slots reports whether channels are polled in time.
	Slots Slots `json:"slots"`

	// CoopChannels says how channels are watched together with other nodes.
	CoopChannels CoopChannels `json:"coop_channels"`
	Coop         CoopStatus   `json:"coop"`

	// Archive says what is kept for the network's archive of published items.
	Archive StorageUse `json:"archive"`
	// Files says what is kept of larger files: what readers here wanted, and what was published here.
	Files StorageUse `json:"files"`

	// Hub is what the node's WebSub hub does; zero: it has none.
	Hub HubStatus `json:"hub,omitzero"`

	// Problems are what keeps the node from keeping or reading what it should; each ends by itself when its
	// cause has, but that repairs are shown until the next start.
	Problems []Problem `json:"problems,omitempty"`

	// OriginClock compares this machine's clock with those of the origins that were asked last.
	OriginClock Clock `json:"origin_clock,omitzero"`

	// Connections counts those to the page, the API and the proxy by TCP.
	Connections Connections `json:"connections"`

	// NoPassword says that everybody that can connect to the page is the owner: any program on this machine.
	NoPassword bool `json:"no_password,omitempty"`
}

// Connections says how many connections there are, and whether those were too many.
type Connections struct {
	Open  int `json:"open"`
	Limit int `json:"limit"` // more are never open; one client has a quarter of it
	// Since the node started:
	Closed  uint64 `json:"closed"`  // to make room for others
	Refused uint64 `json:"refused"` // as no other could make room

	Full      time.Time `json:"full,omitzero"`      // when a new one last found no room
	Exhausted time.Time `json:"exhausted,omitzero"` // when the system last had no descriptor for one
}

// Slots counts the polls that may be under way at a time, and of those that did not end in time.
type Slots struct {
	All     int           `json:"all"`
	Overran int64         `json:"overran,omitempty"` // polls given up since the node started
	Hanging int           `json:"hanging,omitempty"` // of them have not come back so far
	Waited  time.Duration `json:"waited,omitempty"`  // nanoseconds that a channel followed here has waited for its turn, at most
}

// Problem is something that is wrong with a node, in plain words.
type Problem struct {
	What string `json:"what"`
	Hint string `json:"hint,omitempty"` // what to do about it
}
