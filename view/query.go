package view

import (
	"time"

	"tidings"
)

// QueryForm is what a simple form asks of a query. All fields that are filled in must be fulfilled.
type QueryForm struct {
	Publisher  string `json:"publisher,omitempty"`
	Subject    string `json:"subject,omitempty"`     // a name, a code, or scheme:code
	MaxUrgency int    `json:"max_urgency,omitempty"` // 1 to 9; 0: any
	Words      string `json:"words,omitempty"`       // all must occur in the headline
	Language   string `json:"language,omitempty"`    // a tag; en includes en-GB
}

// QueryRemark says something about a place in the text of a query.
type QueryRemark struct {
	Line    int    `json:"line"`   // from 1; 0: it is about no place
	Column  int    `json:"column"` // from 1, in characters
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"` // what to do about it
	Context string `json:"context"`        // two lines: that of the query, and a caret under the place
}

// QueryCheck says what one has to know of a query before one follows it.
type QueryCheck struct {
	Query   string `json:"query"`             // in canonical form; empty if there is an error
	Channel string `json:"channel,omitempty"` // the URL that it would be followed under
	// Error says why the text is no query; nil: it is one.
	Error    *QueryRemark  `json:"error,omitempty"`
	Warnings []QueryRemark `json:"warnings,omitempty"` // what is allowed but probably not meant

	Topics []string `json:"topics,omitempty"` // those that the node names to other nodes as needed
	// Wide says that nothing narrows the query down to some topics, so that the node is sent every item of the network.
	Wide bool `json:"wide,omitempty"`
	// Network says that items of channels which this node does not have come as well, from other nodes.
	Network bool `json:"network"`

	Since    time.Time    `json:"since,omitzero"` // items that came since then were looked through
	Searched int          `json:"searched"`       // how many; at most MaxQuerySearch
	Matching int          `json:"matching"`       // how many of them match
	Matches  []QueryMatch `json:"matches"`        // the newest of those, at most MaxQueryMatches
}

// Bounds of a QueryCheck.
const (
	QueryCheckSpan  = 7 * 24 * time.Hour // how far back items are looked through
	MaxQuerySearch  = 20_000             // items, the newest
	MaxQueryMatches = 50
)

// QueryMatch is an item that a query selects.
type QueryMatch struct {
	Channel  string       `json:"channel"` // URL of the channel that it came from
	Title    string       `json:"title"`   // that channel's
	Received time.Time    `json:"received"`
	Item     tidings.Item `json:"item"` // without Summary and Content
}

// Bounds of a FilterCheck.
const (
	MaxFilterSearch  = 500 // articles, those that came last
	MaxFilterMatches = 50
)

// FilterFields are all fields of articles, in the order in which people are offered them.
var FilterFields = []tidings.FilterField{
	tidings.FieldTitle, tidings.FieldText, tidings.FieldAuthor, tidings.FieldCategory,
	tidings.FieldLink, tidings.FieldChannel, tidings.FieldLanguage, tidings.FieldAge,
}

// FilterCheck is what there is to know of the condition of a filter before it is saved.
type FilterCheck struct {
	Condition string        `json:"condition"` // in canonical form; empty if there is an error
	Error     *QueryRemark  `json:"error,omitempty"`
	Warnings  []QueryRemark `json:"warnings,omitempty"`

	Searched int           `json:"searched"` // articles that it was tried on, the newest; at most MaxFilterSearch
	Matching int           `json:"matching"`
	Matches  []FilterMatch `json:"matches"` // the newest, at most MaxFilterMatches
}

// FilterMatch is an article of which a condition is true.
type FilterMatch struct {
	Entry    int64     `json:"entry"` // its ID
	Channel  string    `json:"channel"`
	Label    string    `json:"label"` // the account's name for the channel
	Title    string    `json:"title"`
	URL      string    `json:"url,omitempty"`
	Received time.Time `json:"received"`
}
