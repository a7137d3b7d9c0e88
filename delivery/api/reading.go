package api

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"

	"tidings"
	"tidings/delivery/memory"
)

// usualLimit is how many rows are answered to a client that gives no limit.
const usualLimit = 50

func (h *handler) updates(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	q := queryOf(r)
	u := q.updates()
	if q.err != nil {
		return q.err
	}
	if u.Channel != "" {
		var err error
		if u.Channel, err = h.canonical(u.Channel); err != nil {
			return err
		}
	}
	return pages(h, w, r, updatePages(h, r, account, u))
}

// updatePages returns what reads the updates that q selects, a piece at a time.
func updatePages(h *handler, r *http.Request, account tidings.AccountID,
	q tidings.UpdateQuery) func() ([]tidings.Update, error) {
	left, last := cmp.Or(q.Limit, usualLimit), int64(math.MaxInt64)
	return func() ([]tidings.Update, error) {
		if q.Newest { // which they are has to be known before the oldest of them can be read
			q.IDsOnly = true
			ids, err := h.Store.Updates(r.Context(), account, q)
			if err != nil || len(ids) == 0 {
				return nil, err
			}
			q.Newest, q.IDsOnly = false, false
			q.After, last, left = ids[0].ID-1, ids[len(ids)-1].ID, len(ids)
		}
		if left == 0 {
			return nil, nil
		}
		q.Limit, q.Bytes = min(left, memory.Rows), memory.Piece
		rows, err := h.Store.Updates(r.Context(), account, q)
		if err != nil || len(rows) == 0 {
			return nil, err
		}
		q.After = rows[len(rows)-1].ID
		left -= len(rows)
		later := func(u tidings.Update) bool { return u.ID > last } // it was stored meanwhile
		return slices.DeleteFunc(rows, later), nil
	}
}

func (h *handler) update(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	id, err := idOf(r)
	if err != nil {
		return err
	}
	u, err := h.Store.Update(r.Context(), account, id)
	if err != nil {
		return err
	}
	return ok(w, r, u)
}

func (h *handler) entries(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	q := queryOf(r)
	e := q.entries()
	if q.err != nil {
		return q.err
	}
	if e.Channel != "" {
		var err error
		if e.Channel, err = h.canonical(e.Channel); err != nil {
			return err
		}
	}
	left := cmp.Or(e.Limit, usualLimit)
	return pages(h, w, r, func() ([]tidings.Entry, error) {
		if left == 0 {
			return nil, nil
		}
		e.Limit, e.Bytes = min(left, memory.Rows), memory.Piece
		rows, err := h.Store.Entries(r.Context(), account, e)
		if err != nil || len(rows) == 0 {
			return nil, err
		}
		e.Before = rows[len(rows)-1].ID
		left -= len(rows)
		return rows, nil
	})
}

func (h *handler) entry(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	id, err := idOf(r)
	if err != nil {
		return err
	}
	e, err := h.Store.Entry(r.Context(), account, id)
	if err != nil {
		return err
	}
	return ok(w, r, e)
}

func (h *handler) markRead(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	var mark struct {
		Items []int64 `json:"items"`
		Read  bool    `json:"read"`
	}
	if err := decode(w, r, &mark); err != nil {
		return err
	}
	if len(mark.Items) > maxItems {
		return refuse(http.StatusRequestEntityTooLarge, fmt.Sprintf("more than %d items at once", maxItems),
			"send them in parts, or use entries/read-all")
	}
	if err := h.Store.MarkRead(r.Context(), account, mark.Items, mark.Read); err != nil {
		return err
	}
	return done(w)
}

// markAllRead marks what the query selects up to an entry: later ones were not yet seen.
func (h *handler) markAllRead(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	var mark struct {
		UpTo    int64  `json:"up_to"`
		Channel string `json:"channel"`
		Folder  string `json:"folder"`
		Tag     string `json:"tag"`
		Search  string `json:"search"`
		Starred bool   `json:"starred"`
		Label   string `json:"label"`
	}
	if err := decode(w, r, &mark); err != nil {
		return err
	}
	if mark.UpTo <= 0 {
		return refuse(http.StatusBadRequest, "field \"up_to\" is missing",
			"send the ID of the newest entry that was seen")
	}
	q := tidings.EntryQuery{Channel: mark.Channel, Folder: mark.Folder, Tag: mark.Tag, Search: mark.Search,
		Starred: mark.Starred, Label: mark.Label}
	n, err := h.Store.MarkAllRead(r.Context(), account, q, mark.UpTo)
	if err != nil {
		return err
	}
	return ok(w, r, map[string]int{"marked": n})
}

func (h *handler) star(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	var star struct {
		Item    int64 `json:"item"`
		Starred bool  `json:"starred"`
	}
	if err := decode(w, r, &star); err != nil {
		return err
	}
	if err := h.Store.Star(r.Context(), account, star.Item, star.Starred); err != nil {
		return err
	}
	return done(w)
}
