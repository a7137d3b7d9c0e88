package tidings

import "time"

// AccountID names an account on this node. The first, Owner, always exists.
type AccountID int64

// Owner is the account of the person that runs the node: the one account of a new node, and
// the one that speaks through the socket in the data directory.
const Owner AccountID = 1

// Subscription is a channel as one account sees it.
type Subscription struct {
	Channel
	Name   string    `json:"name,omitempty"`   // the account's own name for it; empty: Title
	Folder string    `json:"folder,omitempty"` // path of nested folders, see FolderPath; empty: none
	Tags   []string  `json:"tags,omitempty"`   // sorted
	Since  time.Time `json:"since"`            // when the account subscribed
	Unread int       `json:"unread"`
	// EditsAsItems says that an item that was edited reaches the account's programs on phones as an item of its own. It
	// is the account's alone: to nobody else anything is different.
	EditsAsItems bool `json:"edits_as_items,omitempty"`
	// FullText says that the full text of each new item is fetched, and shown to the account in place of the feed's
	// text. Pictures says whether its pictures are shown to the account. Both concern the account alone.
	FullText bool         `json:"full_text,omitempty"`
	Pictures PicturesWish `json:"pictures,omitempty"`

	// Access names what the origin is sent of its own. It is there in answers about one channel alone.
	Access AccessNames `json:"access,omitzero"`

	LastChange time.Time `json:"last_change,omitzero"` // when the latest version was stored
	Health     Health    `json:"health"`
	Failures   int       `json:"failures,omitempty"` // polls in a row that did not read it
	Last       Poll      `json:"last,omitzero"`

	// Polling is nil as long as the network has not reported it, as of a channel that is not public.
	Polling  *PollingStats `json:"polling,omitempty"`
	Detected Detection     `json:"detected,omitzero"` // of its latest changes

	// FolderBefore is the folder in which it was before it was followed again with another; nil where it has not moved,
	// and in all answers but the one to that.
	FolderBefore *string `json:"folder_before,omitempty"`

	// Push is nil unless the channel's document names a publisher's key that is trusted here.
	Push *Push `json:"push,omitempty"`

	// Hub is nil unless the channel's document names a hub that notifies this node of what is new.
	Hub *HubPush `json:"hub,omitempty"`
}

// Label returns the best name there is for the channel, never empty.
func (f Subscription) Label() string {
	switch {
	case f.Name != "":
		return f.Name
	case f.Title != "":
		return f.Title
	}
	return f.URL
}

// ShowsPictures reports whether pictures are shown to the account: what is set for the channel goes before what is set
// for the page.
func (f Subscription) ShowsPictures(chosen Preferences) bool {
	if f.Pictures == PicturesAsSet {
		return chosen.Is(EveryView, PreferPictures, "on")
	}
	return f.Pictures == PicturesAlways
}

// Entry is one line of a reader's river: one item in one revision, or one version of a page.
type Entry struct {
	ID          int64          `json:"id"`             // strictly increasing in the order of arrival
	Item        int64          `json:"item"`           // what read and star state hang on: shared by an item's revisions
	Update      int64          `json:"update"`         // the update that brought it
	Channel     string         `json:"channel"`        // canonical URL
	Label       string         `json:"label"`          // the account's name for the channel
	Also        []ChannelLabel `json:"also,omitempty"` // other channels of the account that have the item: queries that select it, or where one of a query comes from
	Kind        Kind           `json:"kind"`
	Version     Version        `json:"version"`
	Received    time.Time      `json:"received"`
	Dated       time.Time      `json:"dated"`                  // when its item was published or else updated, as its latest revision claims; its arrival if that is before 1970, later or missing
	FoundBy     string         `json:"found_by,omitempty"`     // of its update, as there
	SignedBy    string         `json:"signed_by,omitempty"`    // of its update, as there
	ConfirmedBy []string       `json:"confirmed_by,omitempty"` // of its update, as there
	Withdrawn   *Withdrawal    `json:"withdrawn,omitempty"`    // of its update, as there
	ThirdParty  bool           `json:"third_party,omitempty"`  // of its update, as there
	Change      ChangeKind     `json:"change"`
	Content     Item           `json:"content"`             // of a page: only Title and URL
	Before      *Item          `json:"before,omitempty"`    // what a changed item was, when known; only where one entry is asked for
	Delta       string         `json:"delta,omitempty"`     // of a page
	FullText    *FullText      `json:"full_text,omitempty"` // nil: the account has not asked for it
	Read        bool           `json:"read"`
	Starred     bool           `json:"starred"`
	Labels      []string       `json:"labels,omitempty"`  // that the account, or a filter of it, has given the item; sorted
	Snippet     string         `json:"snippet,omitempty"` // search results: plain text around the match, matches between U+0002 and U+0003
}

// ChannelLabel is a channel by its URL, with the account's name for it.
type ChannelLabel struct {
	Channel string `json:"channel"`
	Label   string `json:"label"`
}

// Doubled is how many items are unread in the channel of a query, and unread in their original channel as well. They
// are one for their reader: a sum over both channels counts each twice.
type Doubled struct {
	Query, Of string // URLs
	Unread    int
}

// Place is where an entry stands among those that are sorted by date. The zero value stands nowhere.
type Place struct {
	Dated time.Time // Entry.Dated
	Item  int64     // Entry.Item
}

// EntryQuery asks for entries, newest first. The zero value of a field asks for everything.
type EntryQuery struct {
	Channel string // canonical URL
	Folder  string // path, see FolderPath; those in it count
	Tag     string // of the channel
	Unread  bool
	Starred bool
	Label   string // of the account; of these items the latest revisions
	Search  string // words; all must occur; "quoted phrases"; word*
	Before  int64  // only entries with a smaller ID
	After   int64  // only entries with a larger ID
	Limit   int    // at most MaxLimit; 0: 50
	Bytes   int    // the result is cut after so much text, but never before its first entry; 0: by the store's own bound

	// ByDate sorts by Entry.Dated instead of by arrival, and selects each item once, as its latest revision. It does
	// not go with Search.
	ByDate bool
	Behind Place // with ByDate: only entries that are older than this
	Ahead  Place // with ByDate: only entries that are newer than this

	// Rising selects from the other end, oldest first. With After or Ahead those are the next newer ones.
	Rising bool
}

// UpdateQuery asks for updates. The zero value of a field asks for everything.
type UpdateQuery struct {
	Channel string    // canonical URL
	Since   time.Time // received at or after
	After   int64     // only updates with a larger ID: the cursor of a stream
	Newest  bool      // the newest Limit of them instead of the oldest; the result is in rising order all the same
	Limit   int       // at most MaxLimit; 0: 50
	Bytes   int       // the result is cut after so much text, but never before its first update; 0: by the store's own bound
	IDsOnly bool      // nothing but the IDs is read
}

// MarkAction is what a person did with an entry, or with many.
type MarkAction string

// What people do. Only MarkAllRead is about a selection.
const (
	MarkRead      MarkAction = "read"
	MarkUnread    MarkAction = "unread"
	MarkStarred   MarkAction = "star"
	MarkUnstarred MarkAction = "unstar"
	MarkAllRead   MarkAction = "read-all"
)

// Mark is what a person did at some time, on a device that could not reach the node then.
type Mark struct {
	Do    MarkAction
	Entry int64      // what was marked, in the revision that the person saw; of MarkAllRead: the newest that the person could see
	Query EntryQuery // of MarkAllRead: what was marked
	At    time.Time
}

// MaxMarks bounds the marks that are applied in one call.
const MaxMarks = 1000

// MaxLimit bounds how many entries or updates one query returns.
const MaxLimit = 1000

// State is a channel's content as of one version.
type State struct {
	Channel string    `json:"channel"`
	Title   string    `json:"title"`
	Kind    Kind      `json:"kind"`
	Version Version   `json:"version"`
	Time    time.Time `json:"time"`

	// Of the update that made the version, as there.
	FoundBy     string      `json:"found_by,omitempty"`
	ConfirmedBy []string    `json:"confirmed_by,omitempty"`
	SignedBy    string      `json:"signed_by,omitempty"`
	ThirdParty  bool        `json:"third_party,omitempty"`
	Withdrawn   *Withdrawal `json:"withdrawn,omitempty"`

	Items []Item   `json:"items,omitempty"` // feeds: newest revision up to Version of each item that was in the document then, in its order
	Lines []string `json:"lines,omitempty"` // pages
}

// Token is an app password: a program or a feed reader uses it in an account's name. Its secret is shown once and not
// kept.
type Token struct {
	ID        int64     `json:"id"`
	Label     string    `json:"label"`
	FeverUser string    `json:"fever_user,omitempty"` // the user name that it is for, by the Fever API alone
	Posts     string    `json:"posts,omitempty"`      // the name of the channel to which it posts items, which is all that it is for
	Created   time.Time `json:"created"`
	LastUsed  time.Time `json:"last_used,omitzero"`
}
