package web

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"tidings"
)

// river says which entries a page of the river shows.
type river struct {
	Show   string // "": all; "unread"; "starred"
	Folder string // path
}

func riverOf(r request) river {
	v := river{Show: r.FormValue("show"), Folder: r.FormValue("folder")}
	if v.Show != "unread" && v.Show != "starred" {
		v.Show = ""
	}
	return v
}

func (v river) query() tidings.EntryQuery {
	return tidings.EntryQuery{Folder: v.Folder, Unread: v.Show == "unread", Starred: v.Show == "starred"}
}

// together reports whether first versions are folded: not where somebody picked the entries.
func (v river) together() bool { return v.Show != "starred" }

// With returns the same river showing something else.
func (v river) With(show string) river { v.Show = show; return v }

func (v river) values() url.Values {
	q := url.Values{}
	if v.Show != "" {
		q.Set("show", v.Show)
	}
	if v.Folder != "" {
		q.Set("folder", v.Folder)
	}
	return q
}

// path returns the address of the page whose entries are older than before; 0: of the first.
func (v river) path(before int64) string {
	q := v.values()
	if before > 0 {
		q.Set("before", strconv.FormatInt(before, 10))
	}
	if len(q) == 0 {
		return "/"
	}
	return "/?" + q.Encode()
}

// riverPage is what the page of the river shows.
type riverPage struct {
	River  river
	Days   []day
	Older  string // address of the next page; empty: there is none
	Events string // address of the stream that adds to this page; empty: it does not grow
	Newest int64  // the newest entry of all when the page was made
	Today  bool   // the first of Days is today
}

// HasUnread reports whether a line is unread.
func (p riverPage) HasUnread() bool {
	for _, d := range p.Days {
		for _, l := range d.Lines {
			if !l.Read {
				return true
			}
		}
	}
	return false
}

func (s *site) river(w http.ResponseWriter, r request) error {
	v := riverOf(r)
	before := r.number("before")
	// The cursor comes first: what arrives in between is shown twice, and told apart by
	// the script, rather than missed.
	newest, err := s.newest(r)
	if err != nil {
		return err
	}
	if newest == 0 {
		channels, err := s.followed(r.Context(), r.account)
		if err != nil {
			return err
		}
		if len(channels) == 0 {
			return s.welcome(w, r)
		}
	}
	q := v.query()
	q.Before = before
	f := folding{together: v.together(), back: v.path(before)}
	older, err := s.lines(r.Context(), r.account, q, &f)
	if err != nil {
		return err
	}
	p := riverPage{River: v, Days: daysOf(f.lines, time.Now()), Newest: newest}
	p.Today = len(p.Days) > 0 && p.Days[0].Name == "Today"
	if older > 0 {
		p.Older = v.path(older)
	}
	if before == 0 && v.Show != "starred" {
		q := v.values()
		q.Set("after", strconv.FormatInt(newest, 10))
		p.Events = "/events?" + q.Encode()
	}
	s.show(w, r, http.StatusOK, "river", view{Title: riverTitle(v), Section: fallback(v.Show, "river"), Body: p})
	return nil
}

func riverTitle(v river) string {
	name := map[string]string{"": "River", "unread": "Unread", "starred": "Starred"}[v.Show]
	if v.Folder != "" && v.Show == "" {
		return plain(tidings.FolderLabel(v.Folder), 100)
	}
	if v.Folder != "" {
		return name + " in " + plain(tidings.FolderLabel(v.Folder), 100)
	}
	return name
}

// newest returns the ID of the newest entry, 0 if there is none.
func (s *site) newest(r request) (int64, error) {
	entries, err := s.store.Entries(r.Context(), r.account, tidings.EntryQuery{Limit: 1})
	if err != nil || len(entries) == 0 {
		return 0, err
	}
	return entries[0].ID, nil
}

// welcome is the page of a node that follows nothing so far.
func (s *site) welcome(w http.ResponseWriter, r request) error {
	s.show(w, r, http.StatusOK, "welcome", view{Title: "Welcome", Section: "river"})
	return nil
}

// readAll marks what a page shows as read, up to the newest entry that it could show.
func (s *site) readAll(w http.ResponseWriter, r request) error {
	v := riverOf(r)
	q := v.query()
	q.Channel = r.field("channel")
	back := v.path(0)
	if q.Channel != "" {
		back = channelPath(q.Channel)
	}
	if _, err := s.store.MarkAllRead(r.Context(), r.account, q, r.number("upto")); err != nil {
		return err
	}
	return seeOther(w, r, back)
}
