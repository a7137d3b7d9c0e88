package sync

import (
	"context"
	"time"

	"tidings"
)

// Numbers of items are within these bounds, both included. The first is large so that all have ten digits: a
// client compares them as texts. The last fits a signed integer of 32 bits, in which another keeps them.
const (
	FirstNumber = 1_000_000_001
	LastNumber  = 2_147_483_647
)

// MaxNumbers bounds how many items one list names, and one change.
const MaxNumbers = 200_000

// NoFolder is the folder of feeds that are in none. It always exists, and cannot be removed or renamed.
const NoFolder = 1

// Person is the user of a client.
type Person struct {
	ID    tidings.AccountID
	Name  string
	Admin bool
}

// Feed is a channel that a person follows.
type Feed struct {
	ID          int64 // from 1; stays when the feed is renamed or moved
	URL         string
	Site        string // page for people; may be empty
	Title       string // the person's own name for it, else the feed's; never empty
	Folder      int64
	Tags        []string  // sorted
	LastUpdated time.Time // last poll that read it; zero: none so far
	// last poll, whether it read the feed or not; before the first, when the person began to follow it
	Checked  time.Time
	Failures int    // polls in a row that did not
	Error    string // why the last did not; may be empty
	Icon     int64  // 0: none. Another picture has another number, so that clients load it
	// IconPath is the path of the node where anybody can load the icon; may be empty. Google Reader's clients load it
	// without their credentials.
	IconPath string
}

// Folder is a group of feeds. No two of a person have the same name.
type Folder struct {
	ID   int64
	Name string
}

// Tally counts items of a feed. It is apart from [Feed], because only some calls need it and counting costs time.
type Tally struct {
	Unread, Items int
	Newest        time.Time // arrival of the newest item; zero: there is none
}

// Item is one item as a person has it. An edit of an item may be an item too, with a number of its own: a person can
// have it so by feed ([tidings.Subscription].EditsAsItems). What was edited then stays as it was, read or not. The edit
// is unread until it is marked itself, and marking it read marks nothing else. It has the star and the labels of what
// was edited, which is one item on the page: whatever is starred or labelled, both are.
type Item struct {
	Number     int64 // by arrival on this node, see FirstNumber; the same for all people, never used twice
	Feed       int64
	Title      string // plain text
	Author     string
	URL        string    // may be empty
	Comments   string    // URL of a page with comments; may be empty
	HTML       string    // safe to show (markup.Sanitize)
	Published  time.Time // as DateOf has it
	Arrived    time.Time // here, in whole microseconds
	Changed    time.Time // moves with each edit, read and star
	Read       bool
	Starred    bool
	Enclosures []tidings.Enclosure
	Tags       []string // of the feed
	Labels     []string // of the person
}

// Icon is the picture of a feed.
type Icon struct {
	Type  string // such as image/png
	Bytes []byte // at most 64 KiB
}

// Which says which items a query asks for by one of their states.
type Which uint8

// Items in a state, or not in it, or both.
const (
	Any Which = iota
	Only
	Without
)

// And returns the items that both ask for, and whether there can be any.
func (w Which) And(other Which) (Which, bool) {
	switch {
	case w == Any || w == other:
		return other, true
	case other == Any:
		return w, true
	}
	return w, false
}

// Order is by what a list of items is sorted. Equal ones are sorted by number.
type Order uint8

// The orders. ByNumber is by arrival too.
const (
	ByNumber Order = iota
	ByPublished
	ByChanged
)

// Query asks for items. The zero value of a field asks for all. Times are included where they begin a range
// and excluded where they end one.
type Query struct {
	Feeds                          []int64 // those of these feeds; nil: of all. Nobody asks for those of none
	Label, NotLabel                string
	Search                         string // words, all of which must occur
	Read, Starred                  Which
	After, Before                  int64 // numbers between these, which are excluded; 0: no bound
	ArrivedFrom, ArrivedBefore     time.Time
	PublishedFrom, PublishedBefore time.Time
	ChangedFrom, ChangedBefore     time.Time
	Order                          Order
	Ascending                      bool
	Limit                          int // at most MaxNumbers+1, of which one says that there are more; 0: that
	Offset                         int // for Miniflux alone, which pages by it
}

// Change is what is done to items. A nil field leaves the state as it is.
type Change struct {
	Read, Starred           *bool
	AddLabels, RemoveLabels []string
}

// Naming is what a person calls a feed, and where it is put. A nil field leaves that as it is.
type Naming struct {
	Title  *string // empty: the feed's own
	Folder *int64
	Tags   *tidings.TagChange
}

// Articles is what a person reads. Numbers that do not exist, or are of feeds that the person does not follow, are
// ignored in silence everywhere. The reason is that clients keep such numbers for long.
type Articles interface {
	// Numbers returns the numbers of the items that q asks for, in its order.
	Numbers(ctx context.Context, p Person, q Query) ([]int64, error)
	// ItemsOf returns items with their text, in the order of numbers.
	ItemsOf(ctx context.Context, p Person, numbers []int64) ([]Item, error)
	// FullText returns the text of the page that an item links to, safe to show. It fetches the page unless it is
	// there, and waits for it at most 20 seconds. The text is empty if there is none, or none so far. An item that is
	// not the person's is [tidings.ErrNotFound]. If too many wait for pages, it fails with [tidings.ErrInvalid].
	FullText(ctx context.Context, p Person, number int64) (html string, err error)
	// Count returns how many items q asks for, whatever its Limit and Offset.
	Count(ctx context.Context, p Person, q Query) (int, error)
	// Tallies returns counts of all feeds of the person.
	Tallies(ctx context.Context, p Person) (map[int64]Tally, error)
	// Mark changes items. Those that have the state already keep their time of change.
	Mark(ctx context.Context, p Person, numbers []int64, c Change) error
	// MarkAll changes all items that q asks for, whatever its Limit, in one transaction.
	MarkAll(ctx context.Context, p Person, q Query, c Change) error
	// Labels returns the names of the labels that items of the person have, sorted.
	Labels(ctx context.Context, p Person) ([]string, error)
	// RenameLabel gives a label another name; if that exists, both are one from then on.
	RenameLabel(ctx context.Context, p Person, name, to string) error
	// RemoveLabel removes a label from all items.
	RemoveLabel(ctx context.Context, p Person, name string) error
}

// Subscriptions is what a person follows. Feeds and folders that are not the person's fail with
// [tidings.ErrNotFound].
type Subscriptions interface {
	// Feeds returns the person's feeds in the order in which they are to be shown.
	Feeds(ctx context.Context, p Person) ([]Feed, error)
	// Folders returns the person's folders in that order, NoFolder first.
	Folders(ctx context.Context, p Person) ([]Folder, error)
	// Subscribe follows the feed at url, or the one that the page there names. If the person follows it
	// already, it returns that feed as it is.
	Subscribe(ctx context.Context, p Person, url string, n Naming) (feed Feed, created bool, err error)
	// ChangeFeed renames a feed or moves it.
	ChangeFeed(ctx context.Context, p Person, feed int64, n Naming) error
	// Unsubscribe ends a subscription. The person's items of it vanish from all lists.
	Unsubscribe(ctx context.Context, p Person, feed int64) error
	// AddFolder makes a folder. It fails with [tidings.ErrExists] if there is one of that name, and with
	// [tidings.ErrInvalid] if no folder can have that name.
	AddFolder(ctx context.Context, p Person, name string) (Folder, error)
	// RenameFolder renames a folder; it fails with [tidings.ErrExists] if there is another of that name.
	RenameFolder(ctx context.Context, p Person, folder int64, name string) error
	// RemoveFolder removes a folder; its feeds go to NoFolder.
	RemoveFolder(ctx context.Context, p Person, folder int64) error
	// Icon returns the picture of that number.
	Icon(ctx context.Context, p Person, icon int64) (Icon, error)
	// Export returns the subscriptions as OPML.
	Export(ctx context.Context, p Person) ([]byte, error)
	// Import follows what an OPML document lists. It returns before the feeds are read.
	Import(ctx context.Context, p Person, document []byte) error
	// Refresh asks for a poll of feeds, nil: of all, never none, as far as their origins allow. It does not wait for
	// them.
	Refresh(ctx context.Context, p Person, feeds []int64) error
}

// Library is all that a client needs of the node. It is safe for concurrent use.
type Library interface {
	Articles
	Subscriptions
}
