package web

import (
	"fmt"
	"net/http"
	"time"

	"tidings"
)

// entryPage is one entry in full.
type entryPage struct {
	line
	Content    tidings.Item
	Body       string      // the markup to show
	Above      int         // level of the heading above it
	Difference *difference // what changed: of a page, or of a revised item
	Link       link
	Revisions  []revision // of its item, newest first, this one too; nil if there is one alone
	Whole      bool       // a page of its own, not a part that the script puts into the river
}

func (s *site) entry(w http.ResponseWriter, r request) error {
	id, err := r.pathID()
	if err != nil {
		return err
	}
	e, err := s.store.Entry(r.Context(), r.account, id)
	if err != nil {
		return err
	}
	// Opening is reading. That a GET changes this is what readers are used to; a browser
	// that only fetches ahead does not count.
	if !e.Read && r.Header.Get("Sec-Purpose") == "" {
		if err := s.store.MarkRead(r.Context(), r.account, []int64{e.Item}, true); err != nil {
			return err
		}
		e.Read = true
	}
	p := entryPageOf(e)
	if detached(r) {
		p.Above = 3
		text, err := fragment(r.Context(), "reading", p)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, text)
		return nil
	}
	p.Whole, p.Above = true, 1
	if p.Revisions, err = s.revisions(r, e); err != nil {
		return err
	}
	s.show(w, r, http.StatusOK, "entry", view{Title: p.Title, Narrow: true, Said: said(r), Body: p})
	return nil
}

// revision is one state of an item.
type revision struct {
	ID       int64
	Received time.Time
	First    bool
	Here     bool // it is the one on the page
}

// maxLookedThrough bounds the entries of a channel among which an item's revisions are
// looked for. What was revised longer ago is not linked, but kept all the same.
const maxLookedThrough = 200

// revisions lists the states of a feed's item among the newest entries of its channel.
func (s *site) revisions(r request, e tidings.Entry) ([]revision, error) {
	if e.Kind != tidings.KindFeed {
		return nil, nil
	}
	entries, err := s.store.Entries(r.Context(), r.account, tidings.EntryQuery{Channel: e.Channel, Limit: maxLookedThrough})
	if err != nil {
		return nil, err
	}
	var all []revision
	for _, o := range entries {
		if o.Item == e.Item {
			all = append(all, revision{o.ID, o.Received, o.Change == tidings.New, o.ID == e.ID})
		}
	}
	if len(all) < 2 {
		return nil, nil
	}
	return all, nil
}

func entryPageOf(e tidings.Entry) entryPage {
	p := entryPage{line: lineOf(e, fmt.Sprintf("/entry/%d", e.ID)), Content: e.Content, Link: linkTo(e.Content.URL)}
	p.Body = fallback(e.Content.Content, e.Content.Summary)
	switch {
	case e.Kind == tidings.KindPage:
		p.Difference = pageDifference(e.Delta, maxDiffRows)
		if p.Link.URL == "" {
			p.Link = linkTo(e.Channel)
		}
	case e.Before != nil:
		p.Difference = itemDifference(*e.Before, e.Content)
	}
	return p
}

// mark stars an entry or marks it read, or takes either back.
func (s *site) mark(w http.ResponseWriter, r request) error {
	id, err := r.pathID()
	if err != nil {
		return err
	}
	e, err := s.store.Entry(r.Context(), r.account, id)
	if err != nil {
		return err
	}
	switch do := r.FormValue("do"); do {
	case "star", "unstar":
		err = s.store.Star(r.Context(), r.account, e.Item, do == "star")
	case "read", "unread":
		err = s.store.MarkRead(r.Context(), r.account, []int64{e.Item}, do == "read")
	default:
		err = tidings.Invalidf("nothing to do")
	}
	if err != nil {
		return err
	}
	if detached(r) {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	back := localPath(r.FormValue("back"))
	if back == fmt.Sprintf("/entry/%d", id) && r.FormValue("do") == "unread" {
		back = "/" // showing it again would read it again
	}
	return seeOther(w, r, back+fmt.Sprintf("#e%d", id))
}
