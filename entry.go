package tidings

import "time"

// Entry is one line of a reader's river: one item in one revision, or one version of a page.
type Entry struct {
	ID int64 `json:"id"` // strictly increasing in the order of arrival
	// what read and star state hang on: shared by an item's revisions
	Item    int64  `json:"item"`
	Update  int64  `json:"update"`  // the update that brought it
	Channel string `json:"channel"` // canonical URL
	Label   string `json:"label"`   // the account's name for the channel
	// other channels of the account that have the item: queries that select it, or where one of a query comes from
	Also     []ChannelLabel `json:"also,omitempty"`
	Kind     Kind           `json:"kind"`
	Version  Version        `json:"version"`
	Received time.Time      `json:"received"`
	// when its item was published or else updated, as its latest revision claims; its arrival if that is before 1970,
	// later or missing
	Dated       time.Time   `json:"dated"`
	FoundBy     string      `json:"found_by,omitempty"`     // of its update, as there
	SignedBy    string      `json:"signed_by,omitempty"`    // of its update, as there
	ConfirmedBy []string    `json:"confirmed_by,omitempty"` // of its update, as there
	Withdrawn   *Withdrawal `json:"withdrawn,omitempty"`    // of its update, as there
	ThirdParty  bool        `json:"third_party,omitempty"`  // of its update, as there
	Change      ChangeKind  `json:"change"`
	Content     Item        `json:"content"` // of a page: only Title and URL
	// what a changed item was, when known; only where one entry is asked for
	Before   *Item     `json:"before,omitempty"`
	Delta    string    `json:"delta,omitempty"`     // of a page
	FullText *FullText `json:"full_text,omitempty"` // nil: the account has not asked for it
	Read     bool      `json:"read"`
	Starred  bool      `json:"starred"`
	// that the account, or a filter of it, has given the item; sorted
	Labels []string `json:"labels,omitempty"`
	// search results: plain text around the match, matches between U+0002 and U+0003
	Snippet string `json:"snippet,omitempty"`
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
	// the result is cut after so much text, but never before its first entry; 0: by the store's own bound
	Bytes int

	// ByDate sorts by Entry.Dated instead of by arrival, and selects each item once, as its latest revision. It does
	// not go with Search.
	ByDate bool
	Behind Place // with ByDate: only entries that are older than this
	Ahead  Place // with ByDate: only entries that are newer than this

	// Rising selects from the other end, oldest first. With After or Ahead those are the next newer ones.
	Rising bool
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
	Do MarkAction
	// what was marked, in the revision that the person saw; of MarkAllRead: the newest that the person could see
	Entry int64
	Query EntryQuery // of MarkAllRead: what was marked
	At    time.Time
}

// MaxMarks bounds the marks that are applied in one call.
const MaxMarks = 1000

// MaxLimit bounds how many entries or updates one query returns.
const MaxLimit = 1000

// FullText is the text of the page that an item links to. The node has read it for an account that asked for it, or
// that wants it of all items of the channel.
type FullText struct {
	State FullTextState `json:"state"`
	// Content is sanitised HTML. It stays while it is fetched again, and where that fails. It is empty where several
	// entries are asked for, unless Preferred.
	Content string `json:"content,omitempty"`
	// what it was before it was last fetched, if different; only where one entry is asked for
	Before  string    `json:"before,omitempty"`
	Fetched time.Time `json:"fetched,omitzero"`  // Content
	Shorter bool      `json:"shorter,omitempty"` // it says less than the feed did when it was fetched
	Older   bool      `json:"older,omitempty"`   // the feed has revised the item since
	Why     string    `json:"why,omitempty"`     // it failed, in words for a person
	Due     time.Time `json:"due,omitzero"`      // when it is fetched again, if it is
	// the account wants it shown in place of the feed's own text, and it is the better one
	Preferred bool `json:"preferred,omitempty"`
}

// FullTextState says how far a full text is.
type FullTextState string

// The states of a FullText.
const (
	FullTextWanted FullTextState = "wanted" // it waits to be fetched, for the first time or again
	FullTextKept   FullTextState = "kept"
	FullTextFailed FullTextState = "failed" // it is not tried again unless somebody asks
)

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

// FilterHow is how a field is compared.
type FilterHow string

// The comparisons.
const (
	HowContains FilterHow = "contains" // whatever the case
	HowIs       FilterHow = "is"
	HowMatches  FilterHow = "matches"   // a regular expression
	HowMoreThan FilterHow = "more_than" // of FieldAge alone, which has no other
)
