package fever

import (
	"slices"

	"tidings"
	"tidings/delivery/sync"
)

// pageSize is how many items an answer has. Clients ask for more until one has fewer.
const pageSize = 50

// item is an item with its text.
type item struct {
	ID      int64  `json:"id"`
	Feed    int64  `json:"feed_id"`
	Title   string `json:"title"`
	Author  string `json:"author"`
	HTML    string `json:"html"`
	URL     string `json:"url"`
	Saved   int    `json:"is_saved"`
	Read    int    `json:"is_read"`
	Created int64  `json:"created_on_time"`
}

// items lists items: those after since_id, those before max_id with the newest first, or those that with_ids
// names.
func (c *call) items() error {
	total, err := c.library.Count(c.r.Context(), c.person, sync.Query{})
	if err == nil {
		err = c.add("total_items", total)
	}
	if err != nil {
		return err
	}
	numbers, err := c.page()
	if err != nil {
		return err
	}
	feeds := make(map[int64]sync.Feed)
	for _, f := range c.feeds {
		feeds[f.ID] = f
	}
	c.out.Print(`,"items":[`)
	sent := 0
	err = sync.EachItem(c.r.Context(), c.library, c.person, numbers, func(i sync.Item) (bool, error) {
		if sent++; sent > 1 {
			c.out.Print(",")
		}
		return true, c.out.JSON(item{
			ID: i.Number, Feed: i.Feed, Title: i.Title, Author: i.Author, HTML: i.HTML,
			URL: sync.LinkOf(i, feeds[i.Feed]), Saved: bit(i.Starred), Read: bit(i.Read), Created: i.Published.Unix(),
		})
	})
	c.out.Print("]")
	return err
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// page returns which items are asked for.
func (c *call) page() ([]int64, error) {
	if c.form.Has("with_ids") {
		return numbersIn(c.form.Get("with_ids"), sync.ParseNumber), nil
	}
	q, ok := c.within()
	if !ok {
		return nil, nil
	}
	since, isSince := sync.ParseBound(c.form.Get("since_id"))
	before, isMax := sync.ParseBound(c.form.Get("max_id"))
	q.Ascending = isSince || !isMax
	q.After = since
	if before > 0 { // 0 is the newest, of which there is no bound
		q.Before = before
	}
	numbers, _, err := sync.Page(c.r.Context(), c.library, c.person, q, pageSize)
	return numbers, err
}

// within reads to which feeds items are restricted, and reports whether there can be any.
func (c *call) within() (q sync.Query, any bool) {
	restrict := func(feeds []int64) {
		if q.Feeds == nil {
			q.Feeds = feeds
			return
		}
		q.Feeds = slices.DeleteFunc(q.Feeds, func(id int64) bool { return !slices.Contains(feeds, id) })
	}
	if c.form.Get("feed_ids") != "" {
		restrict(numbersIn(c.form.Get("feed_ids"), small))
	}
	if groups := c.form.Get("group_ids"); groups != "" {
		in := []int64{}
		for _, id := range numbersIn(groups, small) {
			in = append(in, c.feedsIn(id)...)
		}
		restrict(in)
	}
	return q, q.Feeds == nil || len(q.Feeds) > 0
}

// mark marks items, and returns which list the client is to have in the answer. What cannot be understood
// marks nothing.
func (c *call) mark() (list string, err error) {
	as, id := c.form.Get("as"), c.form.Get("id")
	yes, no := true, false
	change, ok := map[string]sync.Change{
		"read": {Read: &yes}, "unread": {Read: &no}, "saved": {Starred: &yes}, "unsaved": {Starred: &no},
	}[as]
	if !ok {
		return "", nil
	}
	if list = "unread_item_ids"; change.Starred != nil {
		list = "saved_item_ids"
	}
	switch c.form.Get("mark") {
	case "item":
		numbers := numbersIn(id, sync.ParseNumber)
		return list, c.library.Mark(c.r.Context(), c.person, numbers, change)
	case "feed", "group":
		q, ok, err := c.markedBy(id)
		if err != nil || !ok || change.Read == nil {
			return "", err
		}
		return "", c.library.MarkAll(c.r.Context(), c.person, q, change)
	}
	return "", nil
}

// markedBy returns which items of a feed or group are to be marked, and whether any.
func (c *call) markedBy(id string) (q sync.Query, ok bool, err error) {
	n, ok := small(id)
	switch group := c.form.Get("mark") == "group"; {
	case !ok:
		return q, false, nil
	case group && n == 0: // everything
	case group:
		q.Feeds = c.feedsIn(n)
	default:
		q.Feeds = []int64{n}
	}
	if text := c.form.Get("before"); text != "" {
		before, ok := sync.ParseMoment(text)
		if !ok {
			return q, false, tidings.Invalidf("%q is no time", tidings.Quote(text))
		}
		q.ArrivedBefore = before.Until()
	}
	return q, q.Feeds == nil || len(q.Feeds) > 0, nil
}
