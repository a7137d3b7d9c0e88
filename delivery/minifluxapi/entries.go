package minifluxapi

import (
	"cmp"
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
	wordsPerMinute = 265    // by which the time to read an item is guessed, as in Miniflux
	maxEnclosures  = 100    // of an item that have numbers: theirs are made of its number and their place
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

// readingTime estimates the minutes that reading a text needs.
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

// listEntries lists items in pages.
func listEntries(c *call) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	numbers, total, err := c.list(v, paging{defaultEntries, maxEntries, "published_at", "asc"})
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
func entryIDs(c *call) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	numbers, total, err := c.list(v, paging{sync.MaxNumbers, sync.MaxNumbers, "id", "desc"})
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

func oneEntry(c *call) error {
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

// content returns the text of the page that an item links to, which is fetched unless it is here; where there is none,
// the feed's.
func content(c *call) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	i, err := c.item(v)
	if err != nil {
		return err
	}
	html, err := c.library.FullText(c.r.Context(), c.person, i.Number)
	if err != nil {
		return err
	}
	html = cmp.Or(html, i.HTML)
	return c.send(http.StatusOK, struct {
		Content string `json:"content"`
		Time    int    `json:"reading_time"`
	}{html, readingTime(html)})
}

// changeEntries marks items.
func changeEntries(c *call) error {
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
	return c.done(c.library.Mark(c.r.Context(), c.person, want.IDs, change))
}

// toggleStar stars an item that has no star, or removes the star. If its answer is lost, and the client asks again, it
// gets the opposite of what it wants: the API has no other way.
func toggleStar(c *call) error {
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
