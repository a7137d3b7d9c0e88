package greader

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tidings"
	"tidings/delivery/sync"
)

// Names of streams.
const (
	statePrefix = "user/-/state/com.google/"
	labelPrefix = "user/-/label/"
	feedPrefix  = "feed/"
)

// stream is a name that was read: one of its fields is set.
type stream struct {
	state string // such as "read"
	label string // of a folder or label
	feed  string // number or address
}

// states are those that a client can name. Those that are false exist, and nothing is in them.
var states = map[string]bool{
	"reading-list": true, "read": true, "unread": true, "starred": true,
	"kept-unread": false, "tracking-kept-unread": false, "fresh": false, "like": false,
	"broadcast": false, "broadcast-friends": false, "created": false, "tracking-body-link-used": false,
	"tracking-emailed": false, "tracking-item-link-used": false,
}

// parseStream reads a name. Its owner ("user/-/", "user/1234/") does not matter: the stream is the requester's.
func parseStream(name string) (stream, bool) {
	name = strings.TrimSpace(name)
	if feed, ok := strings.CutPrefix(name, feedPrefix); ok {
		return stream{feed: feed}, feed != ""
	}
	if rest, ok := strings.CutPrefix(name, "user/"); ok {
		if _, name, ok = strings.Cut(rest, "/"); !ok {
			return stream{}, false
		}
	}
	if label, ok := strings.CutPrefix(name, "label/"); ok {
		return stream{label: label}, label != ""
	}
	name = strings.TrimPrefix(name, "state/com.google/")
	_, known := states[name]
	return stream{state: name}, known
}

// view is what a person follows, read once for a call.
type view struct {
	feeds   []sync.Feed
	byID    map[int64]*sync.Feed
	folders []sync.Folder
}

func (c *call) view() (*view, error) {
	if c.seen != nil {
		return c.seen, nil
	}
	var v view
	var err error
	if v.feeds, err = c.library.Feeds(c.r.Context(), c.person); err != nil {
		return nil, err
	}
	if v.folders, err = c.library.Folders(c.r.Context(), c.person); err != nil {
		return nil, err
	}
	v.byID = make(map[int64]*sync.Feed, len(v.feeds))
	for n := range v.feeds {
		v.byID[v.feeds[n].ID] = &v.feeds[n]
	}
	c.seen = &v
	return c.seen, nil
}

// feed returns the feed that a stream names by its number or address, nil if the person has none such.
func (v *view) feed(name string) *sync.Feed {
	if id, err := strconv.ParseInt(name, 10, 64); err == nil {
		return v.byID[id]
	}
	for n := range v.feeds {
		if f := &v.feeds[n]; sameAddress(f.URL, name) {
			return f
		}
	}
	return nil
}

// sameAddress reports whether a client means the address. Servers in between make one slash of two in paths.
func sameAddress(address, name string) bool {
	return address == name || strings.Replace(address, "://", ":/", 1) == name
}

// folder returns the folder of a name.
func (v *view) folder(name string) *sync.Folder {
	for n := range v.folders {
		if v.folders[n].Name == name {
			return &v.folders[n]
		}
	}
	return nil
}

// tagged returns the feeds with a tag; nil if there are none. A folder of that name comes first: the name means it.
func (v *view) tagged(name string) (ids []int64) {
	if v.folder(name) != nil {
		return nil
	}
	for _, f := range v.feeds {
		if slices.Contains(f.Tags, name) {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// tags returns the tags that feeds have, sorted, but for those that are called like a folder.
func (v *view) tags() (names []string) {
	for _, f := range v.feeds {
		for _, name := range f.Tags {
			if v.folder(name) == nil {
				names = append(names, name)
			}
		}
	}
	slices.SortFunc(names, tidings.CompareNames)
	return slices.Compact(names)
}

// feedsIn returns the feeds in a folder, never nil.
func (v *view) feedsIn(folder int64) []int64 {
	ids := []int64{}
	for _, f := range v.feeds {
		if f.Folder == folder {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// filter is a query that grows. Each restriction leaves less.
type filter struct {
	sync.Query
	none bool // nothing can satisfy all restrictions
}

// include restricts the filter to a stream.
func (f *filter) include(s stream, v *view) {
	switch {
	case s.feed != "":
		if feed := v.feed(s.feed); feed != nil {
			f.only([]int64{feed.ID})
		} else {
			f.none = true
		}
	case s.label != "":
		if folder := v.folder(s.label); folder != nil {
			f.only(v.feedsIn(folder.ID))
		} else if tagged := v.tagged(s.label); tagged != nil {
			f.only(tagged)
		} else if f.none = f.none || f.Label != "" && f.Label != s.label; !f.none {
			f.Label = s.label
		}
	default:
		f.state(s.state, sync.Only)
	}
}

// exclude restricts the filter to what is not in a stream.
func (f *filter) exclude(s stream, v *view) {
	switch {
	case s.feed != "":
		if feed := v.feed(s.feed); feed != nil {
			f.without([]int64{feed.ID}, v)
		}
	case s.label != "":
		if folder := v.folder(s.label); folder != nil {
			f.without(v.feedsIn(folder.ID), v)
		} else if tagged := v.tagged(s.label); tagged != nil {
			f.without(tagged, v)
		} else {
			f.NotLabel = s.label
		}
	default:
		f.state(s.state, sync.Without)
	}
}

// state restricts the filter to items in a state, or not in it.
func (f *filter) state(name string, which sync.Which) {
	and := func(w *sync.Which, other sync.Which) {
		both, ok := w.And(other)
		if *w = both; !ok {
			f.none = true
		}
	}
	opposite := sync.Only + sync.Without - which
	switch name {
	case "read":
		and(&f.Read, which)
	case "unread": // one client asks for what is not unread
		and(&f.Read, opposite)
	case "starred":
		and(&f.Starred, which)
	case "reading-list":
		f.none = f.none || which == sync.Without
	default:
		f.none = f.none || which == sync.Only
	}
}

func (f *filter) only(feeds []int64) {
	if f.Feeds != nil {
		feeds = slices.DeleteFunc(slices.Clone(f.Feeds), func(id int64) bool { return !slices.Contains(feeds, id) })
	}
	f.Feeds, f.none = feeds, f.none || len(feeds) == 0
}

func (f *filter) without(feeds []int64, v *view) {
	left := []int64{}
	for _, one := range v.feeds {
		if !slices.Contains(feeds, one.ID) {
			left = append(left, one.ID)
		}
	}
	f.only(left)
}

// filter reads what a list is asked for: of the stream s, restricted by it, xt, ot and nt, from the
// continuation c on.
func (c *call) filter(name string) (f filter, err error) {
	v, err := c.view()
	if err != nil {
		return f, err
	}
	if name == "" {
		name = "reading-list"
	}
	s, ok := parseStream(name)
	if !ok {
		return f, noStream(name)
	}
	f.include(s, v)
	for _, name := range c.form.All("it") {
		s, ok := parseStream(name)
		if !ok {
			return f, noStream(name)
		}
		f.include(s, v)
	}
	for _, name := range c.form.All("xt") {
		if s, ok := parseStream(name); ok { // nothing is in a stream that does not exist
			f.exclude(s, v)
		}
	}
	if oldest, ok := sync.ParseMoment(c.form.Get("ot")); ok {
		f.ArrivedFrom = oldest.From()
	}
	if newest, ok := sync.ParseMoment(c.form.Get("nt")); ok {
		f.ArrivedBefore = newest.Through()
	}
	return f, c.goOn(&f)
}

// goOn has a list go on behind the last number that was sent. With r=o the oldest item is first.
func (c *call) goOn(f *filter) error {
	f.Ascending = c.form.Get("r") == "o"
	text := c.form.Get("c")
	if text == "" {
		return nil
	}
	last, ok := sync.ParseNumber(text)
	switch {
	case !ok:
		return tidings.Invalidf("the continuation %q is none of this server", tidings.Quote(text))
	case f.Ascending:
		f.After = last
	default:
		f.Before = last
	}
	return nil
}

func noStream(name string) error {
	return fmt.Errorf("%q: %w", tidings.Quote(name), tidings.Invalidf("%w", errNoStream))
}

// page returns the numbers of one page, and the continuation, empty on the last.
func (c *call) page(f filter, limit int) (numbers []int64, next string, err error) {
	if f.none {
		return nil, "", nil
	}
	numbers, more, err := sync.Page(c.r.Context(), c.library, c.person, f.Query, limit)
	if more && len(numbers) > 0 {
		next = strconv.FormatInt(numbers[len(numbers)-1], 10)
	}
	return numbers, next, err
}

// count returns the parameter n, or another if there is none that makes sense.
func (c *call) count(other int) int {
	n, err := strconv.Atoi(c.form.Get("n"))
	if err != nil || n <= 0 {
		return other
	}
	return n
}
