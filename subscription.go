package tidings

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

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

// SubscribeRequest is what an account says when it subscribes.
type SubscribeRequest struct {
	URL    string `json:"url,omitempty"`   // of a feed or page; may carry user:password@
	Query  string `json:"query,omitempty"` // in the place of URL: follow the items that it selects
	Title  string `json:"title,omitempty"` // what others call it; shown until the document says better
	Name   string `json:"name,omitempty"`
	Folder string `json:"folder,omitempty"` // path, see FolderPath

	Tags []string `json:"tags,omitempty"` // of a channel that is followed already, beside those that it has

	EditsAsItems *bool `json:"edits_as_items,omitempty"` // as in Subscription; nil: no, or as it was
	FullText     *bool `json:"full_text,omitempty"`      // as in Subscription; nil: no, or as it was
	// as in Subscription; nil: as the browser is set, or as it was
	Pictures *PicturesWish `json:"pictures,omitempty"`

	// Access is what the origin is sent of its own, and a proxy; for a channel that is followed already, what of it
	// changes.
	Access AccessChange `json:"access,omitzero"`

	Options PageOptions `json:"options,omitzero"`
	AsPage  bool        `json:"as_page,omitempty"` // watch the page itself even if it offers feeds
	Privacy Privacy     `json:"privacy,omitempty"` // empty: as the address suggests
}

// ChannelChange says what of a followed channel is to become another; nil leaves it.
type ChannelChange struct {
	Name   *string `json:"name,omitempty"`
	Folder *string `json:"folder,omitempty"`

	Tags *TagChange `json:"tags,omitempty"`

	EditsAsItems *bool         `json:"edits_as_items,omitempty"` // as in Subscription
	FullText     *bool         `json:"full_text,omitempty"`      // as in Subscription
	Pictures     *PicturesWish `json:"pictures,omitempty"`       // as in Subscription

	Privacy *Privacy      `json:"privacy,omitempty"`
	Access  *AccessChange `json:"access,omitempty"`
	Options *PageOptions  `json:"-"`
}

// PicturesWish is what an account has set for the pictures of a channel.
type PicturesWish string

// Validate returns ErrInvalid for anything else.
func (w PicturesWish) Validate() error {
	switch w {
	case PicturesAsSet, PicturesAlways, PicturesNever:
		return nil
	}
	return Invalidf(`pictures are "always" or "never", or "" for what the browser is set to`)
}

// The wishes for pictures.
const (
	PicturesAsSet  PicturesWish = "" // as each browser is set
	PicturesAlways PicturesWish = "always"
	PicturesNever  PicturesWish = "never"
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
		return Invalidf("a feed is of river, unread, starred, folder, search or channel, and not of %s",
			Quote(string(f.Selection)))
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

// A folder is kept as a path: the names of nested folders with "/" between them. A slash within a name is written
// "%2F", and a percent sign before "2F" or "25" is written "%25". So a path without those holds its names as they are.
var (
	escapeName   = strings.NewReplacer("/", "%2F", "%2F", "%252F", "%25", "%2525")
	unescapeName = strings.NewReplacer("%2F", "/", "%25", "%")
)

// FolderPath returns the path of nested folders, the outermost first. Blanks around a name are cut, empty names left
// out.
func FolderPath(names ...string) string {
	var escaped []string
	for _, name := range names {
		if name = strings.TrimSpace(name); name != "" {
			escaped = append(escaped, escapeName.Replace(name))
		}
	}
	return strings.Join(escaped, "/")
}

// FolderNames returns the names in a path, as people are shown them: the inverse of FolderPath.
func FolderNames(path string) []string {
	var names []string
	for name := range strings.SplitSeq(path, "/") {
		if name = strings.TrimSpace(unescapeName.Replace(name)); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// CleanFolder returns a path in the one way of writing it, which FolderPath has.
func CleanFolder(path string) string { return FolderPath(FolderNames(path)...) }

// FolderLabel is a path for people to read, as "Music / AC/DC".
func FolderLabel(path string) string { return strings.Join(FolderNames(path), " / ") }

// Bounds of the tags that a person gives channels.
const (
	MaxTag  = 60 // characters of a tag
	MaxTags = 20 // tags of one channel
)

// TagChange says which tags a channel gets. First it has Only, if that is not nil; then it loses Remove and gets Add.
type TagChange struct {
	Only   *[]string `json:"only,omitempty"`
	Add    []string  `json:"add,omitempty"`
	Remove []string  `json:"remove,omitempty"`
}

// CleanTag returns a tag in the one way of writing it: blanks around it are cut, and those within are single.
func CleanTag(tag string) string { return strings.Join(strings.Fields(tag), " ") }

// ValidateTag reports which tags cannot be. Commas and slashes divide tags in lists of other programs.
func ValidateTag(tag string) error {
	switch {
	case tag == "" || tag != CleanTag(tag):
		return Invalidf("a tag needs a name, without blanks around it")
	case !utf8.ValidString(tag) || strings.ContainsFunc(tag, func(r rune) bool { return !unicode.IsPrint(r) }):
		return Invalidf("a tag has characters that can be read, and no others")
	case utf8.RuneCountInString(tag) > MaxTag:
		return Invalidf("a tag has at most %d characters", MaxTag)
	case strings.ContainsAny(tag, ",/"):
		return Invalidf("a tag has no comma and no slash: %q", Quote(tag))
	}
	return nil
}

// SplitTags reads tags as people and lists write them, with commas between them. Slashes divide tags too. Tags that
// cannot be are left out, and so is what exceeds MaxTags. The result is sorted and has each tag once.
func SplitTags(list string) []string {
	var tags []string
	for tag := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == '/' }) {
		if tag = CleanTag(tag); ValidateTag(tag) == nil && !slices.Contains(tags, tag) && len(tags) < MaxTags {
			tags = append(tags, tag)
		}
	}
	slices.SortFunc(tags, CompareNames)
	return tags
}

// JoinTags is the inverse of SplitTags.
func JoinTags(tags []string) string { return strings.Join(tags, ", ") }

// Apply returns the tags of a channel after the change, sorted and each once.
func (c TagChange) Apply(tags []string) []string {
	if c.Only != nil {
		tags = *c.Only
	}
	var all []string
	for _, tag := range slices.Concat(tags, c.Add) {
		if tag = CleanTag(tag); !slices.Contains(all, tag) {
			all = append(all, tag)
		}
	}
	all = slices.DeleteFunc(all, func(tag string) bool {
		return slices.Contains(c.Remove, tag) && !slices.Contains(c.Add, tag)
	})
	slices.SortFunc(all, CompareNames)
	return all
}

// CompareNames compares names without regard to case, and numbers in them by their value.
// Names that differ are never equal.
func CompareNames(a, b string) int {
	for x, y := a, b; ; {
		if x == "" || y == "" {
			return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
		}
		c, d := 0, 0
		if n, m := digits(x), digits(y); n > 0 && m > 0 {
			v, w := strings.TrimLeft(x[:n], "0"), strings.TrimLeft(y[:m], "0")
			if order := cmp.Or(cmp.Compare(len(v), len(w)), strings.Compare(v, w)); order != 0 {
				return order
			}
			c, d = n, m
		} else {
			var r, q rune
			r, c = firstLower(x)
			q, d = firstLower(y)
			if order := cmp.Compare(r, q); order != 0 {
				return order
			}
		}
		x, y = x[c:], y[d:]
	}
}

// digits returns how many digits s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// firstLower returns the first character of s in lower case, and how many bytes it has in s.
func firstLower(s string) (r rune, size int) {
	switch c := s[0]; {
	case 'A' <= c && c <= 'Z':
		return rune(c) + 'a' - 'A', 1
	case c < utf8.RuneSelf:
		return rune(c), 1
	}
	r, size = utf8.DecodeRuneInString(s)
	return unicode.ToLower(r), size
}
