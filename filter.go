package tidings

import "time"

// Filter is a rule of one account that acts on articles as they arrive: on those of which its condition is true, it
// does what its Actions say. Filters are applied in the account's order.
type Filter struct {
	ID        int64         `json:"id"` // never used twice
	Name      string        `json:"name,omitempty"`
	Condition string        `json:"condition"` // canonical
	Actions   FilterActions `json:"actions"`
	Created   time.Time     `json:"created"`

	Matched   int64     `json:"matched"`             // articles on which it has acted
	MatchedAt time.Time `json:"matched_at,omitzero"` // the last time
	Hidden    int       `json:"hidden,omitempty"`    // articles that it hides at present
	Skipped   int64     `json:"skipped,omitempty"`   // articles that it was not compared with: too much work
	Problem   string    `json:"problem,omitempty"`   // why it does nothing; "": it is applied
	SkippedAt time.Time `json:"skipped_at,omitzero"` // the last time
}

// FilterActions are what a filter does to an article of which its condition is true. At least one of them is set beside
// Stop.
type FilterActions struct {
	Drop   bool      `json:"drop,omitempty"`      // the account does not see it, and no later filter is applied to it
	Read   bool      `json:"read,omitempty"`      // mark it read
	Star   bool      `json:"star,omitempty"`      // star it
	Labels []string  `json:"labels,omitempty"`    // add these
	Notify bool      `json:"notify,omitempty"`    // send it to all targets of the account, whatever those select
	Mute   time.Time `json:"mute_until,omitzero"` // until then mark it read, and send it to no target; zero: no
	Stop   bool      `json:"stop,omitempty"`      // apply no later filter to it
}

// IsNone reports whether nothing would be done.
func (a FilterActions) IsNone() bool {
	return !a.Drop && !a.Read && !a.Star && len(a.Labels) == 0 && !a.Notify && a.Mute.IsZero()
}

// FilterSettings is what a person says of a filter.
type FilterSettings struct {
	Name      string        `json:"name,omitempty"`
	Condition string        `json:"condition"`
	Actions   FilterActions `json:"actions"`
}

// Bounds of filters.
const (
	MaxFilters      = 1000 // of an account
	MaxFilterName   = 200  // bytes
	MaxFilterLabels = 8    // that a filter adds
	MaxFilterTests  = 8    // of a form
	MaxLabel        = 1024 // bytes of a label of articles

	MaxFilterSearch  = 500 // articles that a filter is tried on: those that came last
	MaxFilterMatches = 50  // that are shown of them
)

// FilterForm is what a simple form asks of articles.
type FilterForm struct {
	Any   bool         `json:"any,omitempty"` // one of the tests is enough; else all must hold
	Tests []FilterTest `json:"tests"`         // one without a value is passed over
}

// FilterTest compares a field of an article with a value.
type FilterTest struct {
	Field FilterField `json:"field"`
	Not   bool        `json:"not,omitempty"`
	How   FilterHow   `json:"how"`
	Value string      `json:"value"`
}

// FilterField is a field of an article.
type FilterField string

// The fields.
const (
	FieldTitle    FilterField = "title"
	FieldText     FilterField = "text" // with the title
	FieldAuthor   FilterField = "author"
	FieldCategory FilterField = "category"
	FieldLink     FilterField = "link"
	FieldChannel  FilterField = "channel" // address or title
	FieldLanguage FilterField = "language"
	FieldAge      FilterField = "age" // days
)

// FilterFields are all fields, in the order in which people are offered them.
var FilterFields = []FilterField{FieldTitle, FieldText, FieldAuthor, FieldCategory, FieldLink, FieldChannel, FieldLanguage, FieldAge}

// FilterHow is how a field is compared.
type FilterHow string

// The comparisons.
const (
	HowContains FilterHow = "contains" // whatever the case
	HowIs       FilterHow = "is"
	HowMatches  FilterHow = "matches"   // a regular expression
	HowMoreThan FilterHow = "more_than" // of FieldAge alone, which has no other
)

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
