package tidings

import "time"

// News is what a news item says of itself, and what subscriptions by query select by: the fields that NITF,
// NewsML-G2 and ninjs have in common. Items of feeds and pages have it too, as far as their documents say. Texts are
// valid UTF-8 and bounded.
type News struct {
	GUID      string     `json:"guid"`                // the same for all versions of an item
	Version   int        `json:"version,omitempty"`   // a higher one replaces a lower one
	Publisher string     `json:"publisher,omitempty"` // its provider: the provider's code or name, or the host of a feed
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
