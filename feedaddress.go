package tidings

import (
	"strings"
	"time"
)

// FeedSelection says which entries a feed of a person's own has.
type FeedSelection string

const (
	SelectRiver   FeedSelection = "river"   // all that the person follows
	SelectUnread  FeedSelection = "unread"  // what is unread of it
	SelectStarred FeedSelection = "starred" // what is starred of it
	SelectFolder  FeedSelection = "folder"  // what is in a folder, and in those within it
	SelectSearch  FeedSelection = "search"  // what a search finds
	SelectChannel FeedSelection = "channel" // one channel: a feed, a page, a query or a zone
)

// Bounds on feed addresses.
const (
	MaxFeedAddresses   = 100  // of a person
	MaxFeedAddressName = 80   // bytes
	MaxFeedAddressOf   = 8192 // bytes
)

// FeedAddress is an address at which one feed of a person's own can be read. The secret in it is all that a feed reader
// needs: anyone with the address can read that feed, and nothing else.
type FeedAddress struct {
	ID        int64         `json:"id"`
	Name      string        `json:"name,omitempty"`
	Selection FeedSelection `json:"selection"`
	Of        string        `json:"of,omitempty"` // path of the folder, words of the search, or URL of the channel
	Created   time.Time     `json:"created"`
	Used      time.Time     `json:"used,omitzero"` // to the day; zero: never
}

// Validate reports what cannot be stored.
func (f FeedAddress) Validate() error {
	of := strings.TrimSpace(f.Of)
	switch f.Selection {
	case SelectRiver, SelectUnread, SelectStarred:
		if of != "" {
			return Invalidf("a feed of %s is of nothing in particular", f.Selection)
		}
	case SelectFolder, SelectSearch, SelectChannel:
		if of == "" {
			return Invalidf("say which %s the feed is of", f.Selection)
		}
	default:
		return Invalidf("a feed is of river, unread, starred, folder, search or channel, and not of %s", Quote(string(f.Selection)))
	}
	switch {
	case len(f.Of) > MaxFeedAddressOf:
		return Invalidf("the %s has more than %d bytes", f.Selection, MaxFeedAddressOf)
	case len(f.Name) > MaxFeedAddressName:
		return Invalidf("a feed's name has at most %d bytes", MaxFeedAddressName)
	}
	return nil
}

// Query returns what selects the feed's entries.
func (f FeedAddress) Query() EntryQuery {
	switch f.Selection {
	case SelectUnread:
		return EntryQuery{Unread: true}
	case SelectStarred:
		return EntryQuery{Starred: true}
	case SelectFolder:
		return EntryQuery{Folder: f.Of}
	case SelectSearch:
		return EntryQuery{Search: f.Of}
	case SelectChannel:
		return EntryQuery{Channel: f.Of}
	}
	return EntryQuery{}
}

// Label returns the feed's name, or else what it is of, for people to read.
func (f FeedAddress) Label() string {
	if f.Name != "" {
		return f.Name
	}
	return f.What()
}

// What returns what the feed is of, for people to read.
func (f FeedAddress) What() string {
	switch f.Selection {
	case SelectUnread:
		return "Unread"
	case SelectStarred:
		return "Starred"
	case SelectFolder:
		return "Folder " + FolderLabel(f.Of)
	case SelectSearch:
		return "Search " + f.Of
	case SelectChannel:
		return PublicURL(f.Of)
	}
	return "River"
}
