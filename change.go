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
	Was   ItemIdentity // the identity of that item, as it was compared; zero: nobody says
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
