package minifluxapi

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"tidings/delivery/sync"
)

const maxOffset = 1 << 40 // larger ones are as good as this

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
	"published_at": sync.ByPublished, "id": sync.ByNumber, "created_at": sync.ByNumber, "changed_at": sync.ByChanged,
}

// paging is how items are listed if the client does not say.
type paging struct {
	limit, most      int // how many are in a page; the bound of that
	order, direction string
}

// sort reads how items are to be sorted.
func (c *call) sort(q *sync.Query, usual paging) error {
	order, ok := orders[cmp.Or(c.form.Get("order"), usual.order)]
	if !ok {
		return badRequest("invalid entry order: use id, published_at, created_at or changed_at")
	}
	q.Order = order
	switch cmp.Or(c.form.Get("direction"), usual.direction) {
	case "asc":
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
func (c *call) query(v *view, usual paging) (q sync.Query, any bool, err error) {
	if q.Feeds, err = c.within(v); err != nil {
		return q, false, err
	}
	if any, err = c.which(&q); err != nil {
		return q, false, err
	}
	if err = c.sort(&q, usual); err != nil {
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
func (c *call) list(v *view, usual paging) (numbers []int64, total int, err error) {
	q, any, err := c.query(v, usual)
	if err != nil {
		return nil, 0, err
	}
	if q.Limit, err = c.number("limit", usual.limit, usual.most); err != nil || !any {
		return nil, 0, err
	}
	if q.Limit == 0 { // all, as in Miniflux
		q.Limit = usual.most
	}
	if total, err = c.library.Count(c.r.Context(), c.person, q); err != nil {
		return nil, 0, err
	}
	numbers, err = c.library.Numbers(c.r.Context(), c.person, q)
	return numbers, total, err
}
