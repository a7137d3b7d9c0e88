package web

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"tidings"
	"tidings/delivery/web/offline"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
)

// river says which entries a page of the river shows, and how.
type river struct {
	Show   string // "": all; "unread"; "starred"
	Folder string // path
	Tag    string
	Label  string // only what has this label; empty: all
	Named  bool   // the address names what is shown, and does not leave that to what its reader has chosen
	listStyle
}

func riverOf(s *site, r shell.Request) (river, error) {
	chosen, err := s.Preferences(r)
	return riverNamed(r.FormValue, chosen), err
}

// riverNamed returns the river that named values say, as its reader has chosen.
func riverNamed(value func(name string) string, chosen tidings.Preferences) river {
	show := value("show")
	v := river{Show: show, Folder: value("folder"), Tag: value("tag"),
		Label: wording.Plain(value("label"), tidings.MaxLabel), Named: show == "all" || show == "unread" ||
			show == "starred"}
	if v.Show != "unread" && v.Show != "starred" {
		v.Show = ""
	}
	v.listStyle = styleOf(chosen, v.view())
	if !v.Named && v.Unread && v.Label == "" {
		v.Show = "unread"
	}
	return v
}

// view is what the choices of its reader are kept by.
func (v river) view() tidings.View {
	switch {
	case v.Tag != "":
		return tidings.ViewOf(tidings.TagKind, v.Tag)
	case v.Folder != "":
		return tidings.ViewOf(tidings.FolderKind, v.Folder)
	case v.Named && v.Show == "unread":
		return tidings.UnreadView
	case v.Named && v.Show == "starred":
		return tidings.StarredView
	}
	return tidings.RiverView
}

// name returns which of the main links it is.
func (v river) name() string {
	if !v.Named {
		return "river"
	}
	return wording.Fallback(v.Show, "river")
}

// HasTabs reports whether the page has links to all, to what is unread and to what is starred in it.
func (v river) HasTabs() bool {
	return v.Folder != "" || v.Tag != "" || v.View == tidings.RiverView && v.Unread
}

func (v river) query() tidings.EntryQuery {
	return tidings.EntryQuery{Folder: v.Folder, Tag: v.Tag, Unread: v.Show == "unread", Starred: v.Show == "starred",
		Label: v.Label, ByDate: v.ByDate, Rising: v.Oldest}
}

// folds returns which entries are folded: none in the starred view.
func (v river) folds() fold {
	switch {
	case v.Show == "starred" || v.Label != "":
		return foldNothing
	case v.ByDate:
		return foldBursts
	}
	return foldFirsts
}

// With returns the same river showing something else.
func (v river) With(show string) river {
	v.Show, v.Named = show, true
	return v
}

func (v river) values() url.Values {
	q := url.Values{}
	switch {
	case v.Show == "" && v.Named && v.Unread:
		q.Set("show", "all") // or it would be what is unread
	case v.Show != "" && v.Named:
		q.Set("show", v.Show)
	}
	if v.Folder != "" {
		q.Set("folder", v.Folder)
	}
	if v.Label != "" {
		q.Set("label", v.Label)
	}
	if v.Tag != "" {
		q.Set("tag", v.Tag)
	}
	return q
}

// path returns the address of the page of the entries after a cursor; "": of the first page.
func (v river) path(cursor string) string {
	q := v.values()
	if cursor != "" {
		q.Set("before", cursor)
	}
	if len(q) == 0 {
		return "/"
	}
	return "/?" + q.Encode()
}

// riverPage is what the page of the river shows.
type riverPage struct {
	River  river
	Sort   sorting
	Choose choosing
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

func (s *site) river(w http.ResponseWriter, r shell.Request) error {
	v, err := riverOf(s, r)
	if err != nil {
		return err
	}
	if to := r.FormValue("sort"); to != "" {
		if err := setSorting(s, r, v.View, to); err != nil {
			return err
		}
		return shell.SeeOther(w, r, v.path(""))
	}
	// The cursor comes first. If an update arrives in between, it is sent twice, and the script recognizes it.
	// Otherwise it would be missed.
	newest, err := s.newest(r)
	if err != nil {
		return err
	}
	if newest == 0 {
		channels, err := s.Followed(r.Context(), r.Account)
		if err != nil {
			return err
		}
		if len(channels) == 0 {
			return s.welcome(w, r)
		}
	}
	before := r.Field("before")
	q := v.query()
	setCursor(&q, before)
	f := folding{say: r.Words, icons: s.ChannelIcons(r), held: r.Held(), together: v.folds(), back: v.path(before),
		in: v.path(""), rising: q.Rising}
	older, err := s.lines(r.Context(), r.Account, q, &f)
	if err != nil {
		return err
	}
	p := riverPage{River: v, Sort: sorting{v.path(""), v.ByDate},
		Choose: choosing{v.listStyle, riverTitle(r.Words, v.With("")), v.path("")},
		Days:   daysOf(r.Words, f.lines, q.ByDate, time.Now()), Newest: newest}
	p.Today = len(p.Days) > 0 && p.Days[0].Name == r.Words.Text("Today")
	if older != "" {
		p.Older = v.path(older)
	}
	if before == "" && v.Show != "starred" && v.Label == "" && !v.Oldest {
		q := v.values()
		q.Set("after", formatID(newest))
		p.Events = "/events?" + q.Encode()
	}
	s.Show(w, r, http.StatusOK, "river", shell.View{Title: riverTitle(r.Words, v), Section: v.name(), Body: p})
	return nil
}

func riverTitle(w wording.Words, v river) string {
	if v.Label != "" {
		return w.Text("Label %s", wording.Plain(v.Label, 100))
	}
	name := map[string]string{"": w.Text("River"), "unread": w.Text("Unread"), "starred": w.Text("Starred")}[v.Show]
	within := wording.Plain(tidings.FolderLabel(v.Folder), 100)
	if v.Tag != "" {
		within = wording.Plain(v.Tag, 100)
	}
	switch {
	case within == "" && !v.Named:
		return w.Text("River")
	case within == "":
		return name
	case v.Show == "":
		return within
	}
	return w.Text("%s in %s", name, within)
}

// newest returns the ID of the newest entry, 0 if there is none.
func (s *site) newest(r shell.Request) (int64, error) {
	entries, err := s.store.Entries(r.Context(), r.Account, tidings.EntryQuery{Limit: 1})
	if err != nil || len(entries) == 0 {
		return 0, err
	}
	return entries[0].ID, nil
}

// welcome is the page of a node that follows nothing so far.
func (s *site) welcome(w http.ResponseWriter, r shell.Request) error {
	s.Show(w, r, http.StatusOK, "welcome", shell.View{Title: r.Words.Text("Welcome"), Section: "river"})
	return nil
}

// readAll marks what a page shows as read, up to the newest entry that it could show.
func (s *site) readAll(w http.ResponseWriter, r shell.Request) error {
	if items := r.Form["item"]; len(items) > 0 {
		return markItems(s, w, r, items)
	}
	v, err := riverOf(s, r)
	if err != nil {
		return err
	}
	q := v.query()
	q.ByDate, q.Rising = false, false // the order does not matter
	q.Channel = r.Field("channel")
	if age, ok := offline.MarkedAges[r.FormValue("older")]; ok {
		q.ByDate, q.Behind = true, tidings.Place{Dated: time.Now().Add(-age), Item: 1}
	}
	back := v.path("")
	if q.Channel != "" {
		back = shell.ChannelPath(q.Channel)
	}
	if _, err := s.store.MarkAllRead(r.Context(), r.Account, q, r.Number("upto")); err != nil {
		return err
	}
	if shell.Scripted(r) {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return shell.SeeOther(w, r, back)
}

// maxMarked bounds the items that one form names.
const maxMarked = 1000

// markItems marks items that a form names as read.
func markItems(s *site, w http.ResponseWriter, r shell.Request, named []string) error {
	if len(named) > maxMarked {
		return tidings.Invalidf("%d items are too many at once: at most %d", len(named), maxMarked)
	}
	items := make([]int64, 0, len(named))
	for _, text := range named {
		item, err := strconv.ParseInt(text, 10, 64)
		if err != nil || item <= 0 {
			return tidings.Invalidf("%q is no item", tidings.Quote(text))
		}
		items = append(items, item)
	}
	if err := s.store.MarkRead(r.Context(), r.Account, items, true); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
