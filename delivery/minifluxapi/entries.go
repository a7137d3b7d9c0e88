package minifluxapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/sync"
)

const (
	defaultEntries = 100    // of a page, if the client does not say
	maxEntries     = 10_000 // of a page
	maxOffset      = 1 << 40
	wordsPerMinute = 265 // by which the time to read an item is guessed, as in Miniflux
	maxEnclosures  = 100 // of an item that have numbers: theirs are made of its number and their place
)

// enclosure is a file that an item carries by reference.
type enclosure struct {
	ID       int64  `json:"id"`
	User     int64  `json:"user_id"`
	Entry    int64  `json:"entry_id"`
	URL      string `json:"url"`
	Type     string `json:"mime_type"`
	Size     int64  `json:"size"`
	Progress int64  `json:"media_progression"`
}

// entry is an item with its text.
type entry struct {
	ID          int64           `json:"id"`
	User        int64           `json:"user_id"`
	FeedID      int64           `json:"feed_id"`
	Status      string          `json:"status"`
	Hash        string          `json:"hash"`
	Title       string          `json:"title"`
	URL         string          `json:"url"`
	Comments    string          `json:"comments_url"`
	Published   time.Time       `json:"published_at"`
	Created     time.Time       `json:"created_at"`
	Changed     time.Time       `json:"changed_at"`
	Content     string          `json:"content"`
	Author      string          `json:"author"`
	ShareCode   string          `json:"share_code"`
	Starred     bool            `json:"starred"`
	ReadingTime int             `json:"reading_time"`
	Enclosures  []enclosure     `json:"enclosures"`
	Feed        json.RawMessage `json:"feed"`
	Tags        []string        `json:"tags"`
}

// encoder makes entries of items.
type encoder struct {
	*view
	feeds map[int64]sync.Feed
	texts map[int64]json.RawMessage // feeds as JSON, each made once
}

func newEncoder(v *view) (*encoder, error) {
	e := &encoder{v, make(map[int64]sync.Feed), make(map[int64]json.RawMessage)}
	for _, f := range v.feeds {
		text, err := json.Marshal(v.feed(f))
		if err != nil {
			return nil, fmt.Errorf("encoding feed %d: %w", f.ID, err)
		}
		e.feeds[f.ID], e.texts[f.ID] = f, text
	}
	return e, nil
}

func (e *encoder) entry(i sync.Item) entry {
	out := entry{
		ID: i.Number, User: e.user, FeedID: i.Feed, Status: "unread", Hash: fmt.Sprintf("%016x", i.Number),
		Title: i.Title, URL: sync.LinkOf(i, e.feeds[i.Feed]), Comments: sync.Link(i.Comments),
		Published: i.Published.UTC().Truncate(time.Second), Created: i.Arrived.UTC(), Changed: i.Changed.UTC(),
		Content: i.HTML, Author: i.Author, Starred: i.Starred, ReadingTime: readingTime(i.HTML),
		Enclosures: []enclosure{}, Feed: e.texts[i.Feed], Tags: i.Tags,
	}
	if i.Read {
		out.Status = "read"
	}
	if out.Tags == nil {
		out.Tags = []string{}
	}
	for n, f := range i.Enclosures[:min(len(i.Enclosures), maxEnclosures)] {
		if href := sync.Link(f.URL); href != "" {
			id := i.Number*maxEnclosures + int64(n)
			out.Enclosures = append(out.Enclosures, enclosure{id, e.user, i.Number, href, f.Type, f.Length, 0})
		}
	}
	return out
}

// readingTime guesses how many minutes it takes to read a text.
func readingTime(html string) int {
	words, tag, word := 0, false, false
	for _, c := range html {
		switch {
		case c == '<':
			tag, word = true, false
		case c == '>':
			tag = false
		case tag || strings.ContainsRune(" \t\r\n", c):
			word = false
		case !word:
			word = true
			words++
		}
	}
	return max(1, (words+wordsPerMinute-1)/wordsPerMinute)
}

// which reads status and starred.
func (c *call) which(q *sync.Query) (any bool, err error) {
	var read, unread bool
	statuses := c.form.All("status")
	for _, s := range statuses {
		switch s {
		case "read":
			read = true
		case "unread":
			unread = true
		case "removed": // of which there are none
		default:
			return false, badRequest("invalid entry status: use read, unread or removed")
		}
	}
	switch {
	case len(statuses) > 0 && !read && !unread:
		return false, nil
	case read && !unread:
		q.Read = sync.Only
	case unread && !read:
		q.Read = sync.Without
	}
	switch c.form.Get("starred") {
	case "true", "1":
		q.Starred = sync.Only
	case "false", "0":
		q.Starred = sync.Without
	case "":
	default:
		return false, badRequest(`invalid starred parameter, must be "true" or "false"`)
	}
	return true, nil
}

// number reads a parameter that is a number from 0 on.
func (c *call) number(name string, other, most int) (int, error) {
	text := c.form.Get(name)
	if text == "" {
		return other, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, badRequest("the " + name + " must be a number that is not negative")
	}
	return int(min(n, int64(most))), nil
}

// orders are those by which items can be sorted.
var orders = map[string]sync.Order{
	"": sync.ByPublished, "published_at": sync.ByPublished, "id": sync.ByNumber, "created_at": sync.ByNumber,
	"changed_at": sync.ByChanged,
}

// sort reads how items are to be sorted.
func (c *call) sort(q *sync.Query) error {
	order, ok := orders[c.form.Get("order")]
	if !ok {
		return badRequest("invalid entry order: use id, published_at, created_at or changed_at")
	}
	q.Order = order
	switch c.form.Get("direction") {
	case "", "asc":
		q.Ascending = true
	case "desc":
	default:
		return badRequest("invalid direction: use asc or desc")
	}
	return nil
}

// moments reads bounds in time, in seconds.
func (c *call) moments(q *sync.Query) error {
	for name, bound := range map[string]*time.Time{
		"after": &q.ArrivedFrom, "published_after": &q.PublishedFrom, "changed_after": &q.ChangedFrom,
		"before": &q.PublishedBefore, "published_before": &q.PublishedBefore, "changed_before": &q.ChangedBefore,
	} {
		text := c.form.Get(name)
		if text == "" {
			continue
		}
		m, ok := sync.ParseMoment(text)
		if !ok {
			return badRequest("invalid time: " + name)
		}
		if t := m.From(); bound.IsZero() || strings.HasSuffix(name, "before") && !t.IsZero() && t.Before(*bound) {
			*bound = t
		}
	}
	return nil
}

// query reads which items are asked for, and whether there can be any.
func (c *call) query(v *view) (q sync.Query, any bool, err error) {
	if q.Feeds, err = c.within(v); err != nil {
		return q, false, err
	}
	if any, err = c.which(&q); err != nil {
		return q, false, err
	}
	if err = c.sort(&q); err != nil {
		return q, false, err
	}
	if err = c.moments(&q); err != nil {
		return q, false, err
	}
	if c.form.Has("tags") {
		return q, false, badRequest("entries cannot be selected by tags here")
	}
	for name, bound := range map[string]*int64{"after_entry_id": &q.After, "before_entry_id": &q.Before} {
		if text := c.form.Get(name); text != "" {
			n, ok := sync.ParseBound(text)
			if !ok {
				return q, false, badRequest("invalid " + name)
			}
			*bound = n
		}
	}
	q.Search = c.form.Get("search")
	if err = c.restrict(&q, v); err != nil {
		return q, false, err
	}
	if q.Offset, err = c.number("offset", 0, maxOffset); err != nil {
		return q, false, err
	}
	return q, any && (q.Feeds == nil || len(q.Feeds) > 0), nil
}

// restrict reads to which feed or folder items are restricted besides the path.
func (c *call) restrict(q *sync.Query, v *view) error {
	only := func(feeds []int64) {
		if q.Feeds == nil {
			q.Feeds = feeds
		}
		q.Feeds = slices.DeleteFunc(q.Feeds, func(id int64) bool { return !slices.Contains(feeds, id) })
	}
	if text := c.form.Get("feed_id"); text != "" && text != "0" {
		id, err := strconv.ParseInt(text, 10, 64)
		if err == nil {
			_, err = v.find(id)
		}
		if err != nil {
			return badRequest("invalid feed ID")
		}
		only([]int64{id})
	}
	if text := c.form.Get("category_id"); text != "" && text != "0" {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || !v.hasFolder(id) {
			return badRequest("invalid category ID")
		}
		only(v.feedsIn(id))
	}
	return nil
}

// list reads a query and finds what it asks for, and how many there are in all pages.
func (c *call) list(v *view, other, most int) (numbers []int64, total int, err error) {
	q, any, err := c.query(v)
	if err != nil {
		return nil, 0, err
	}
	if q.Limit, err = c.number("limit", other, most); err != nil || !any {
		return nil, 0, err
	}
	if q.Limit == 0 { // all, as in Miniflux
		q.Limit = most
	}
	if total, err = c.library.Count(c.r.Context(), c.person, q); err != nil {
		return nil, 0, err
	}
	numbers, err = c.library.Numbers(c.r.Context(), c.person, q)
	return numbers, total, err
}

// entries lists items in pages.
func (c *call) entries() error {
	v, err := c.view()
	if err != nil {
		return err
	}
	numbers, total, err := c.list(v, defaultEntries, maxEntries)
	if err != nil {
		return err
	}
	e, err := newEncoder(v)
	if err != nil {
		return err
	}
	p := sync.NewReply(c.w, c.r)
	p.Print(`{"total":`, strconv.Itoa(total), `,"entries":[`)
	sent := 0
	err = sync.EachItem(c.r.Context(), c.library, c.person, numbers, func(i sync.Item) (bool, error) {
		if sent++; sent > 1 {
			p.Print(",")
		}
		return true, p.JSON(e.entry(i))
	})
	if err != nil {
		return err
	}
	p.Print("]}")
	return p.Send(http.StatusOK, sync.JSON)
}

// entryIDs lists the numbers of items, the newest first.
func (c *call) entryIDs() error {
	v, err := c.view()
	if err != nil {
		return err
	}
	if !c.form.Has("order") && !c.form.Has("direction") {
		c.form.Set("order", "id")
		c.form.Set("direction", "desc")
	}
	numbers, total, err := c.list(v, sync.MaxNumbers, sync.MaxNumbers)
	if err != nil {
		return err
	}
	if numbers == nil {
		numbers = []int64{}
	}
	return c.send(http.StatusOK, struct {
		Total int     `json:"total"`
		IDs   []int64 `json:"entry_ids"`
	}{total, numbers})
}

// item returns the item that the path names.
func (c *call) item(v *view) (sync.Item, error) {
	id, err := c.id("entry")
	if err != nil {
		return sync.Item{}, err
	}
	in, err := c.within(v)
	if err != nil {
		return sync.Item{}, err
	}
	items, err := c.library.ItemsOf(c.r.Context(), c.person, []int64{id})
	if err == nil && (len(items) != 1 || in != nil && !slices.Contains(in, items[0].Feed)) {
		return sync.Item{}, errNotFound
	}
	if err != nil {
		return sync.Item{}, err
	}
	return items[0], nil
}

func (c *call) entry() error {
	v, err := c.view()
	if err != nil {
		return err
	}
	i, err := c.item(v)
	if err != nil {
		return err
	}
	e, err := newEncoder(v)
	if err != nil {
		return err
	}
	return c.send(http.StatusOK, e.entry(i))
}

// content returns the text of an item as it is here.
func (c *call) content() error {
	v, err := c.view()
	if err != nil {
		return err
	}
	i, err := c.item(v)
	if err != nil {
		return err
	}
	return c.send(http.StatusOK, struct {
		Content string `json:"content"`
		Time    int    `json:"reading_time"`
	}{i.HTML, readingTime(i.HTML)})
}

// changeEntries marks items.
func (c *call) changeEntries() error {
	var want struct {
		IDs     []int64 `json:"entry_ids"`
		Status  *string `json:"status"`
		Starred *bool   `json:"starred"`
	}
	if err := c.read(&want); err != nil {
		return err
	}
	change := sync.Change{Starred: want.Starred}
	switch {
	case len(want.IDs) == 0:
		return badRequest("the list of entry IDs is empty")
	case len(want.IDs) > sync.MaxNumbers:
		return tidings.Invalidf("the list of entry IDs has more than %d", sync.MaxNumbers)
	case want.Status == nil && want.Starred == nil:
		return badRequest("neither status nor starred is given")
	case want.Status == nil:
	case *want.Status == "read" || *want.Status == "unread":
		read := *want.Status == "read"
		change.Read = &read
	default:
		return badRequest("invalid entry status: use read or unread")
	}
	numbers := slices.DeleteFunc(want.IDs, func(n int64) bool { return !sync.IsNumber(n) })
	return c.done(c.library.Mark(c.r.Context(), c.person, numbers, change))
}

// toggleStar stars an item that has no star, or takes the star from it. A client whose answer is lost, and
// that asks again, gets the opposite of what it wants: the API has no other way.
func (c *call) toggleStar() error {
	v, err := c.view()
	if err != nil {
		return err
	}
	i, err := c.item(v)
	if err != nil {
		return err
	}
	starred := !i.Starred
	return c.done(c.library.Mark(c.r.Context(), c.person, []int64{i.Number}, sync.Change{Starred: &starred}))
}
