package view

import (
	"time"

	"tidings"
)

// Publication is a channel whose items this node pushes to readers, signed with a publisher's key.
type Publication struct {
	Channel     string `json:"channel"`     // canonical URL
	Key         string `json:"key"`         // the key's name on this node
	Fingerprint string `json:"fingerprint"` // by which readers know the key: 64 hexadecimal digits
	Topic       string `json:"topic"`       // 40 hexadecimal digits
	// seconds within which readers are promised a word; 0: nothing is promised
	MaxSilence  int64     `json:"max_silence"`
	Watched     string    `json:"watched,omitempty"`
	FullContent string    `json:"full_content,omitempty"` // directory with whole contents
	ThirdParty  bool      `json:"third_party,omitempty"`  // the channel is somebody else's, as PublishOrder has it
	Items       uint64    `json:"items"`                  // how many were published: the number of the last
	Last        time.Time `json:"last,omitzero"`          // when that was
	Unsent      int       `json:"unsent"`                 // items that no other node is known to have
	Started     time.Time `json:"started"`
	Stopped     time.Time `json:"stopped,omitzero"`  // zero: it goes on
	Trouble     string    `json:"trouble,omitempty"` // why it does not get on, in plain words
	// another node publishes with the same key: nothing is published before a person says so
	Halted bool `json:"halted,omitempty"`
	// for what its items wait, in plain words: that is how it has to be
	Waiting string `json:"waiting,omitempty"`
}

// PublishOrder requests that a document's new items are published. The document is a conventional feed, or news, which
// is not a list of all items. Items under embargo are published when that is over, if the order is to watch; else they
// are refused.
type PublishOrder struct {
	// absolute path of a file that the node reads, or URL; beside a Document, where that came from
	Source      string `json:"source"`
	Document    []byte `json:"document,omitempty"`     // the document itself, a feed or news (NITF, NewsML-G2, ninjs)
	Channel     string `json:"channel,omitempty"`      // the feed's URL; empty: the source, or what the feed says
	Key         string `json:"key,omitempty"`          // empty: the only one there is
	Passphrase  string `json:"passphrase,omitempty"`   // of the key; the node remembers it while it runs
	FullContent string `json:"full_content,omitempty"` // absolute path of a directory with whole contents
	MaxSilence  int64  `json:"max_silence,omitempty"`  // seconds; 0: an hour, -1: nothing is promised
	Watch       bool   `json:"watch,omitempty"`        // from now on, whenever the source changes
	// the channel is somebody else's: its server is asked as readers ask it
	ThirdParty bool `json:"third_party,omitempty"`
}

// Issued says what was published.
type Issued struct {
	Publication Publication  `json:"publication"`
	Items       []IssuedItem `json:"items"` // none: there was nothing new
	// Announced reports, of a feed that was read, whether it says by which key it is published: without
	// that, readers do not know that they can have its items pushed.
	Announced bool `json:"announced"`
	// Embargoed is when the first of the items is published that are under embargo; zero: none is.
	Embargoed time.Time `json:"embargoed,omitzero"`
}

// IssuedItem is an item that was published.
type IssuedItem struct {
	Number uint64             `json:"number"`
	ID     string             `json:"id"`
	Title  string             `json:"title,omitempty"`
	Change tidings.ChangeKind `json:"change"`
	// Nodes is how many other nodes have accepted it by now, of those that hand it on to
	// readers. 0: none so far; it is kept, and sent again.
	Nodes int `json:"nodes"`
}

// Bounds on posting.
const (
	MaxPostedItems = 100  // of one order
	MaxPosted      = 1000 // channels of posted items, of all people of a node together
)

// PostOrder asks that items be put into a channel of a person's own.
type PostOrder struct {
	// its name, which is its title, too; a token for posting may leave it out
	Channel string `json:"channel"`
	// 1 to MaxPostedItems. One without an id has that of its URL, or of its text
	Items []tidings.PublishedEntry `json:"items"`
}

// PostResult says what became of posted items.
type PostResult struct {
	Channel string `json:"channel"` // URL
	New     int    `json:"new"`
	Changed int    `json:"changed"` // those that were there, and said something else
}
