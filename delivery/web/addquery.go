package web

import (
	"net/http"
	"strings"

	"tidings"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
	"tidings/view"
)

// queryPage is the form that builds a query, and what is to be known of it before one follows it.
type queryPage struct {
	Form   view.QueryForm
	Text   string // as it stands in the form
	Name   string
	Folder string

	Folders []string
	Error   string           // why it cannot be followed, where its text is not to blame
	Check   *view.QueryCheck // nil: not checked so far
	Matches []queryMatch
}

type queryMatch struct {
	view.QueryMatch
	Title string
	From  string
	Link  wording.Link
}

// Left is how many matches are not shown.
func (p queryPage) Left() int { return p.Check.Matching - len(p.Matches) }

// IsCut reports whether there were more items than are looked through.
func (p queryPage) IsCut() bool { return p.Check.Searched == view.MaxQuerySearch }

// CanFollow reports whether the text is a query.
func (p queryPage) CanFollow() bool { return p.Check != nil && p.Check.Error == nil }

// queryText returns the query of a form as it was written, except for the line ends, which browsers make two bytes.
func queryText(r shell.Request) string {
	return strings.TrimSpace(strings.ReplaceAll(r.FormValue("query"), "\r\n", "\n"))
}

func queryPageOf(r shell.Request) queryPage {
	return queryPage{
		Text: queryText(r), Name: r.Field("name"), Folder: r.Field("folder"),
		Form: view.QueryForm{
			Publisher: r.Field("publisher"), Subject: r.Field("subject"), Words: r.Field("words"),
			Language:   r.Field("language"),
			MaxUrgency: int(min(r.Number("urgency"), 9)),
		},
	}
}

// addQuery is the empty form.
func (s *site) addQuery(w http.ResponseWriter, r shell.Request) error {
	return s.showQuery(w, r, http.StatusOK, queryPageOf(r))
}

// checkQuery shows what is to be known of a query: of what the fields ask for, if that is wanted or no text was
// written.
func (s *site) checkQuery(w http.ResponseWriter, r shell.Request) error {
	p := queryPageOf(r)
	if r.FormValue("do") == "build" || p.Text == "" {
		p.Text = s.node.QueryOf(p.Form)
	}
	return s.showChecked(w, r, p)
}

func (s *site) showChecked(w http.ResponseWriter, r shell.Request, p queryPage) error {
	check, err := s.node.CheckQuery(r.Context(), p.Text)
	if err != nil {
		return err
	}
	p.Check = &check
	for _, m := range check.Matches[:min(len(check.Matches), view.MaxQueryMatches)] {
		p.Matches = append(p.Matches, queryMatch{m, titleOf(r.Words, tidings.Entry{Content: m.Item}),
			wording.Fallback(wording.Plain(m.Title, maxName), wording.HostIn(m.Channel)), wording.LinkTo(m.Item.URL)})
	}
	status := http.StatusOK
	if check.Error != nil || p.Error != "" {
		status = http.StatusUnprocessableEntity
	}
	return s.showQuery(w, r, status, p)
}

func (s *site) showQuery(w http.ResponseWriter, r shell.Request, status int, p queryPage) error {
	channels, err := s.Followed(r.Context(), r.Account)
	if err != nil {
		return err
	}
	p.Folders = shell.FolderPaths(channels)
	s.Show(w, r, status, "addquery", shell.View{Title: r.Words.Text("Follow a query"), Section: "add", Body: p})
	return nil
}

// followQuery follows the query as it was written.
func (s *site) followQuery(w http.ResponseWriter, r shell.Request) error {
	p := queryPageOf(r)
	f, err := s.node.Subscribe(r.Context(), r.Account,
		tidings.SubscribeRequest{Query: p.Text, Name: p.Name, Folder: p.Folder})
	if shell.IsCanceled(err) {
		return err
	}
	if err != nil {
		p.Error = wording.Plain(r.Words.Explained(err), 400)
		return s.showChecked(w, r, p)
	}
	return shell.SeeOther(w, r, shell.ChannelPath(f.URL)+"&said=followed")
}

// queryOf returns the text of the query that a channel is for, or the path of the zone; "" if it is for none.
func queryOf(channel string) string {
	if path, is := tidings.ZonePath(channel); is {
		return path
	}
	text, _ := tidings.QueryText(channel)
	return text
}
