package tidings

import (
	"net/url"
	"strings"
	"time"
)

// A query that is followed is a channel of KindQuery. Its URL is QueryURL of the query's canonical text.
const queryScheme = "query:"

// QueryURL returns the URL of the channel of a query, whose text is in canonical form.
func QueryURL(text string) string { return queryScheme + url.PathEscape(text) }

// QueryText returns the text of the query that a channel's URL stands for; false if the URL is not that of a query.
func QueryText(channel string) (string, bool) {
	escaped, is := strings.CutPrefix(channel, queryScheme)
	if !is {
		return "", false
	}
	text, err := url.PathUnescape(escaped)
	return text, err == nil
}

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
	Channel  string    `json:"channel"` // URL of the channel that it came from
	Title    string    `json:"title"`   // that channel's
	Received time.Time `json:"received"`
	Item     Item      `json:"item"` // without Summary and Content
}
