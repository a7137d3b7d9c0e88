package tidings

import "time"

// FullText is the text of the page that an item links to. The node has read it for an account that asked for it, or
// that wants it of all items of the channel.
type FullText struct {
	State FullTextState `json:"state"`
	// Content is sanitised HTML. It stays while it is fetched again, and where that fails. It is empty where several
	// entries are asked for, unless Preferred.
	Content   string    `json:"content,omitempty"`
	Before    string    `json:"before,omitempty"`    // what it was before it was last fetched, if different; only where one entry is asked for
	Fetched   time.Time `json:"fetched,omitzero"`    // Content
	Shorter   bool      `json:"shorter,omitempty"`   // it says less than the feed did when it was fetched
	Older     bool      `json:"older,omitempty"`     // the feed has revised the item since
	Why       string    `json:"why,omitempty"`       // it failed, in words for a person
	Due       time.Time `json:"due,omitzero"`        // when it is fetched again, if it is
	Preferred bool      `json:"preferred,omitempty"` // the account wants it shown in place of the feed's own text, and it is the better one
}

// FullTextState says how far a full text is.
type FullTextState string

// The states of a FullText.
const (
	FullTextWanted FullTextState = "wanted" // it waits to be fetched, for the first time or again
	FullTextKept   FullTextState = "kept"
	FullTextFailed FullTextState = "failed" // it is not tried again unless somebody asks
)

// PicturesWish is what an account has set for the pictures of a channel.
type PicturesWish string

// The wishes for pictures.
const (
	PicturesAsSet  PicturesWish = "" // as each browser is set
	PicturesAlways PicturesWish = "always"
	PicturesNever  PicturesWish = "never"
)

// Validate returns ErrInvalid for anything else.
func (w PicturesWish) Validate() error {
	switch w {
	case PicturesAsSet, PicturesAlways, PicturesNever:
		return nil
	}
	return Invalidf(`pictures are "always" or "never", or "" for what the browser is set to`)
}
