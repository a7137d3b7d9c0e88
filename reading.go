package tidings

import "time"

// AccountID names an account on this node. The first, Owner, always exists.
type AccountID int64

// Owner is the account of whoever runs the node: the one account of a new node, and
// the one that speaks through the socket in the data directory.
const Owner AccountID = 1

// Subscription is a channel as one account sees it.
type Subscription struct {
	Channel
	Name       string    `json:"name,omitempty"`   // the account's own name for it; empty: Title
	Folder     string    `json:"folder,omitempty"` // path of nested folders, see FolderPath; empty: none
	Since      time.Time `json:"since"`            // when the account subscribed
	Unread     int       `json:"unread"`
	LastChange time.Time `json:"last_change,omitzero"` // when the latest version was stored
	Health     Health    `json:"health"`
	Failures   int       `json:"failures,omitempty"` // polls in a row that did not read it
	Last       Poll      `json:"last,omitzero"`

	// Polling is nil as long as the network has not told, as of a channel that is not public.
	Polling  *PollingStats `json:"polling,omitempty"`
	Detected Detection     `json:"detected,omitzero"` // of its latest changes

	// FolderBefore is the folder in which it was before it was followed again with another; nil where it has not moved, and
	// in all answers but the one to that.
	FolderBefore *string `json:"folder_before,omitempty"`

	// Push is nil unless the channel's document names a publisher's key that is trusted here.
	Push *Push `json:"push,omitempty"`
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

// Entry is one line of a reader's river: one item in one revision, or one version of a page.
type Entry struct {
	ID          int64       `json:"id"`      // strictly increasing in the order of arrival
	Item        int64       `json:"item"`    // what read and star state hang on: shared by an item's revisions
	Update      int64       `json:"update"`  // the update that brought it
	Channel     string      `json:"channel"` // canonical URL
	Label       string      `json:"label"`   // the account's name for the channel
	Kind        Kind        `json:"kind"`
	Version     Version     `json:"version"`
	Received    time.Time   `json:"received"`
	FoundBy     string      `json:"found_by,omitempty"`     // of its update, as there
	SignedBy    string      `json:"signed_by,omitempty"`    // of its update, as there
	ConfirmedBy []string    `json:"confirmed_by,omitempty"` // of its update, as there
	Withdrawn   *Withdrawal `json:"withdrawn,omitempty"`    // of its update, as there
	ThirdParty  bool        `json:"third_party,omitempty"`  // of its update, as there
	Change      ChangeKind  `json:"change"`
	Content     Item        `json:"content"`          // of a page: only Title and URL
	Before      *Item       `json:"before,omitempty"` // what a changed item was, when known; only where one entry is asked for
	Delta       string      `json:"delta,omitempty"`  // of a page
	Read        bool        `json:"read"`
	Starred     bool        `json:"starred"`
	Snippet     string      `json:"snippet,omitempty"` // search results: plain text around the match, matches between U+0002 and U+0003
}

// EntryQuery asks for entries, newest first. The zero value of a field asks for everything.
type EntryQuery struct {
	Channel string // canonical URL
	Folder  string // path, see FolderPath; those in it count
	Unread  bool
	Starred bool
	Search  string // words; all must occur; "quoted phrases"; word*
	Before  int64  // only entries with a smaller ID
	After   int64  // only entries with a larger ID
	Limit   int    // at most MaxLimit; 0: 50
	Bytes   int    // the result is cut after so much text, but never before its first entry; 0: by the store's own bound
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

// Token is an app password: a program or a feed reader uses it in an account's name. Its secret is shown once and not kept.
type Token struct {
	ID        int64     `json:"id"`
	Label     string    `json:"label"`
	FeverUser string    `json:"fever_user,omitempty"` // the user name that it is for, by the Fever API alone; empty: for all else
	Created   time.Time `json:"created"`
	LastUsed  time.Time `json:"last_used,omitzero"`
}
