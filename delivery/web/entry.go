package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
)

// entryPage is one entry in full.
type entryPage struct {
	line
	Content    tidings.Item
	Body       string      // the markup to show
	Above      int         // level of the heading above it
	Difference *difference // what changed: of a page, or of a revised item
	Link       wording.Link
	Revisions  []revision // of its item, newest first, this one too; nil if there is one alone
	Whole      bool       // a page of its own, not a part that the script puts into the river
	Way        way
	Pictures   Pictures // nil: they are links
	Players    Players  // nil: sound and video are links
	Person     tidings.AccountID
	Text       *textChoice // nil: there is one text alone
}

// withoutSizes shows pictures in the sizes that their publishers state.
type withoutSizes struct{ Pictures }

// Size knows nothing.
func (withoutSizes) Size(string) (width, height int) { return 0, 0 }

// picturesFor returns what shows the pictures of a channel to the requester; nil if nothing does. What is set for the
// channel goes before what is set in the browser. Where several people use the node, the sizes of pictures are not
// disclosed: they would say what others have viewed.
func picturesFor(s *site, r shell.Request, channel string) (Pictures, error) {
	if s.pictures == nil {
		return nil, nil
	}
	f, err := s.store.Channel(r.Context(), r.Account, channel)
	if err != nil && !errors.Is(err, tidings.ErrNotFollowed) {
		return nil, err
	}
	chosen, err := s.Preferences(r)
	if err != nil {
		return nil, err
	}
	if !f.ShowsPictures(chosen) {
		return nil, nil
	}
	several, err := s.guard.Several(r.Context())
	if several {
		return withoutSizes{s.pictures}, err
	}
	return s.pictures, err
}

// way leads from an entry to those beside it on the page from which it was opened.
type way struct {
	Newer, Older string // addresses of the entries beside it; "": there is none
	Page, Name   string // of the page; "": it is not known
	Unread       bool   // Older is the next unread one
}

func (s *site) entry(w http.ResponseWriter, r shell.Request) error {
	id, err := r.PathID()
	if err != nil {
		return err
	}
	e, err := s.store.Entry(r.Context(), r.Account, id)
	if err != nil {
		return err
	}
	// Opening is reading. That a GET changes this is what readers are used to; a browser
	// that only fetches ahead does not count.
	if !e.Read && r.Header.Get("Sec-Purpose") == "" {
		if err := s.store.MarkRead(r.Context(), r.Account, []int64{e.Item}, true); err != nil {
			return err
		}
		e.Read = true
	}
	p := entryPageOf(r.Words, e)
	p.Badge = s.ChannelIcons(r).Badge(e.Label, e.Channel)
	if s.network == nil {
		p.FoundBy = "" // which can be this node alone
	}
	if p.Pictures, err = picturesFor(s, r, e.Channel); err != nil {
		return err
	}
	p.Players, p.Person = s.players, r.Account
	if p.Text = textOf(r, e); p.Text != nil && p.Text.Full {
		p.Body, p.Difference = p.Text.Content, nil
	}
	if shell.Scripted(r) {
		p.Above = 3
		text, err := pages.Fragment(r.Context(), "reading", p)
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
	if p.Way, err = wayFrom(s, r, e); err != nil {
		return err
	}
	if p.Way.Page != "" {
		p.Back += "?" + url.Values{"in": {p.Way.Page}}.Encode()
	}
	s.Show(w, r, http.StatusOK, "entry", shell.View{Title: p.Title, Narrow: true, Said: said(r), Body: p})
	return nil
}

// maxBeside is how many entries are looked through for the next one of another item.
const maxBeside = 5

// wayFrom finds the entries beside e on the page that the address names. On a page of unread entries the next one is
// unread. The one before is the one that was there, though it has been read.
func wayFrom(s *site, r shell.Request, e tidings.Entry) (way, error) {
	q, page, name, err := viewIn(s, r)
	if err != nil || page == "" {
		return way{}, err
	}
	found := way{Page: page, Name: name, Unread: q.Unread}
	oldest := q.Rising
	beside := func(q tidings.EntryQuery, rising bool) (string, error) {
		q.Limit, q.Rising = maxBeside, rising
		switch {
		case q.ByDate && rising:
			q.Ahead = placeAt(e)
		case q.ByDate:
			q.Behind = placeAt(e)
		case rising:
			q.After = e.ID
		default:
			q.Before = e.ID
		}
		entries, err := s.store.Entries(r.Context(), r.Account, q)
		for _, o := range entries {
			if o.Item != e.Item { // else it is another revision, which has no line of its own
				return "/entry/" + formatID(o.ID) + "?" + url.Values{"in": {page}}.Encode(), nil
			}
		}
		return "", err
	}
	if found.Older, err = beside(q, oldest); err != nil { // what comes next in the list, in its order
		return way{}, err
	}
	q.Unread = false
	found.Newer, err = beside(q, !oldest)
	return found, err
}

// viewIn returns the content of the page from which an entry was opened, if a request names it. It also returns its
// address and name; "" if the request names none.
func viewIn(s *site, r shell.Request) (q tidings.EntryQuery, page, name string, err error) {
	u, err := url.Parse(shell.LocalPath(r.FormValue("in")))
	if err != nil || r.FormValue("in") == "" {
		return q, "", "", nil
	}
	chosen, err := s.Preferences(r)
	if err != nil {
		return q, "", "", err
	}
	switch values := u.Query(); u.Path {
	case "/":
		v := riverNamed(values.Get, chosen)
		return v.query(), v.path(""), riverTitle(r.Words, v), nil
	case "/channel":
		q = tidings.EntryQuery{Channel: values.Get("url")}
		style := styleOf(chosen, tidings.ViewOf(tidings.ChannelKind, q.Channel))
		q.ByDate, q.Rising = style.ByDate, style.Oldest
		return q, shell.ChannelPath(q.Channel), r.Words.Text("its channel"), nil
	}
	return q, "", "", nil
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
func (s *site) revisions(r shell.Request, e tidings.Entry) ([]revision, error) {
	if e.Kind != tidings.KindFeed {
		return nil, nil
	}
	entries, err := s.store.Entries(r.Context(), r.Account,
		tidings.EntryQuery{Channel: e.Channel, Limit: maxLookedThrough})
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

func entryPageOf(w wording.Words, e tidings.Entry) entryPage {
	p := entryPage{line: lineOf(w, e, fmt.Sprintf("/entry/%d", e.ID)), Content: e.Content,
		Link: wording.LinkTo(e.Content.URL)}
	p.Body = wording.Fallback(e.Content.Content, e.Content.Summary)
	switch {
	case e.Kind == tidings.KindPage:
		p.Difference = pageDifference(e.Delta, maxDiffRows)
		if p.Link.URL == "" {
			p.Link = wording.LinkTo(e.Channel)
		}
	case e.Before != nil:
		p.Difference = itemDifference(*e.Before, e.Content)
	}
	return p
}

// maxCategories bounds the categories of an item that are shown.
const maxCategories = 20

// searchPath leads to the articles that have the words of a text one after the other. Of a text that was cut the last
// word is the beginning of one.
func searchPath(text string) string {
	text, cut := strings.CutSuffix(strings.ReplaceAll(text, `"`, " "), "…")
	query := `"` + text + `"`
	if cut {
		query += "*"
	}
	return "/search?" + url.Values{"q": {query}}.Encode()
}

// shownCategories returns the categories of an item as they are shown.
func shownCategories(all []string) (shown []string) {
	for _, c := range all {
		if name := wording.Plain(c, 60); name != "" && len(shown) < maxCategories {
			shown = append(shown, name)
		}
	}
	return shown
}

// mark stars an entry or marks it read, or undoes either.
func (s *site) mark(w http.ResponseWriter, r shell.Request) error {
	id, err := r.PathID()
	if err != nil {
		return err
	}
	e, err := s.store.Entry(r.Context(), r.Account, id)
	if err != nil {
		return err
	}
	switch do := r.FormValue("do"); do {
	case "star", "unstar":
		err = s.store.Star(r.Context(), r.Account, e.Item, do == "star")
	case "read", "unread":
		err = s.store.MarkRead(r.Context(), r.Account, []int64{e.Item}, do == "read")
	default:
		err = tidings.Invalidf("nothing to do")
	}
	if err != nil {
		return err
	}
	if shell.Scripted(r) {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	back := shell.LocalPath(r.FormValue("back"))
	own, query, _ := strings.Cut(back, "?")
	if own == fmt.Sprintf("/entry/%d", id) && r.FormValue("do") == "unread" { // showing it again would read it again
		back = "/"
		if in, err := url.ParseQuery(query); err == nil {
			back = shell.LocalPath(in.Get("in"))
		}
	}
	return shell.SeeOther(w, r, back+fmt.Sprintf("#e%d", id))
}

// fetchFile has other nodes asked again for a file of an entry.
func (s *site) fetchFile(w http.ResponseWriter, r shell.Request) error {
	if _, err := s.node.FetchFile(r.Context(), r.Account, r.Field("ref")); err != nil {
		return err
	}
	return shell.SeeOther(w, r, fmt.Sprintf("/entry/%d?said=fetching", r.Number("entry")))
}

// copyText says how this node has a file that it cannot hand out so far.
func copyText(w wording.Words, c *tidings.Copy) string {
	switch c.State {
	case tidings.CopyFetching:
		return w.Text("on its way to this node: %d %%", c.Percent)
	case tidings.CopyWaiting:
		return w.Text("not on this node so far; others are asked for it")
	default:
		return w.Text("not on this node: nobody has it, or there is no room")
	}
}
