package filters

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tidings"
	"tidings/delivery/locale"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
	"tidings/view"
)

// Filters are the filters of all accounts.
type Filters interface {
	List(ctx context.Context, account tidings.AccountID) ([]tidings.Filter, error)
	Add(ctx context.Context, account tidings.AccountID, settings tidings.FilterSettings) (tidings.Filter, error)
	Change(ctx context.Context, account tidings.AccountID, id int64,
		settings tidings.FilterSettings) (tidings.Filter, error)
	// Move gives a filter a place in the account's order, from 1.
	Move(ctx context.Context, account tidings.AccountID, id int64, place int) error
	Remove(ctx context.Context, account tidings.AccountID, id int64) error
	// Show shows again, as read, what a filter has dropped.
	Show(ctx context.Context, account tidings.AccountID, id int64) (int, error)
	// Check says what is to be known of a condition; of a text that is none, what is wrong with it.
	Check(ctx context.Context, account tidings.AccountID, condition string) (view.FilterCheck, error)
	// TextOf returns the condition that a form stands for; "" if nothing is filled in.
	TextOf(f tidings.FilterForm) (string, error)
}

// Entries are the articles that a filter can begin with.
type Entries interface {
	Entry(ctx context.Context, account tidings.AccountID, id int64) (tidings.Entry, error)
}

//go:embed templates/*.html
var files embed.FS

var pages = shell.Parse(files, func(l *locale.Locale) template.FuncMap {
	w := wording.Words{Locale: l}
	return template.FuncMap{
		"fields":    func() []option { return fields(w) },
		"hows":      func() []option { return hows(w) },
		"how":       how,
		"labelPath": func(label string) string { return "/?" + url.Values{"label": {label}}.Encode() },
		"does":      func(a tidings.FilterActions) string { return does(w, a) },
	}
})

// room is the room of filters.
type room struct {
	shell.Room
	filters Filters
	entries Entries
}

// Handlers returns the handlers of the room by their routes. Without filters, nil, the pages say that there are none.
func Handlers(s shell.Shell, f Filters, e Entries) map[string]shell.Handler {
	r := &room{shell.Room{Shell: s, Templates: pages}, f, e}
	return map[string]shell.Handler{
		"GET /filters":              r.list,
		"POST /filters":             r.save,
		"GET /filters/new":          r.create,
		"POST /filters/check":       r.check,
		"GET /filters/{id}":         r.edit,
		"POST /filters/{id}":        r.save,
		"POST /filters/{id}/check":  r.check,
		"POST /filters/{id}/move":   r.move,
		"POST /filters/{id}/show":   r.showAgain,
		"POST /filters/{id}/remove": r.remove,
	}
}

// does says what becomes of articles by a filter, as the end of a sentence.
func does(w wording.Words, a tidings.FilterActions) string {
	var all []string
	for _, one := range []struct {
		set  bool
		text string
	}{
		{a.Drop, w.Text("not shown")}, {a.Read, w.Text("marked as read")}, {a.Star, w.Text("starred")},
		{a.Notify, w.Text("sent to your addresses")},
	} {
		if one.set {
			all = append(all, one.text)
		}
	}
	for _, label := range a.Labels {
		all = append(all, w.Text("labelled %s", wording.Plain(label, 60)))
	}
	if !a.Mute.IsZero() {
		all = append(all, w.Text("muted until %s", a.Mute.Local().Format("2006-01-02")))
	}
	return strings.Join(all, ", ")
}

// listed is the page of all filters.
type listed struct {
	Off     bool // the node has no filters
	Filters []row
	Labels  []string // that they give
	Full    bool
}

// row is a filter in the list.
type row struct {
	tidings.Filter
	Place, Last int
}

// Called is what a person calls the filter.
func (r row) Called() string {
	return wording.Fallback(wording.Plain(r.Name, 200), wording.Plain(r.Condition, 200))
}

// sentenceAfter says what a form has done.
func sentenceAfter(w wording.Words, done string) string {
	switch done {
	case "saved":
		return w.Text("The filter is saved. It acts on what arrives from now on.")
	case "removed":
		return w.Text("The filter is removed. What it has not shown is shown again, as read.")
	case "moved":
		return w.Text("The filters are applied in this order now.")
	case "shown":
		return w.Text("What the filter has not shown is shown again, as read.")
	}
	return ""
}

func (s *room) list(w http.ResponseWriter, r shell.Request) error {
	p := listed{Off: s.filters == nil}
	if !p.Off {
		all, err := s.filters.List(r.Context(), r.Account)
		if err != nil {
			return err
		}
		for i, f := range all {
			p.Filters = append(p.Filters, row{f, i + 1, len(all)})
			p.Labels = append(p.Labels, f.Actions.Labels...)
		}
		slices.Sort(p.Labels)
		p.Labels = slices.Compact(p.Labels)
		p.Full = len(all) >= tidings.MaxFilters
	}
	s.Show(w, r, http.StatusOK, "filters", shell.View{Title: r.Words.Text("Filters"), Section: "settings",
		Said: sentenceAfter(r.Words, r.Field("said")), Body: p})
	return nil
}

// errOff refuses what a node without filters cannot do.
var errOff = tidings.Invalidf("this node has no filters")

// create shows the form of a new filter: for a channel, for articles like one, or an empty one.
func (s *room) create(w http.ResponseWriter, r shell.Request) error {
	var f form
	if channel := r.Field("channel"); channel != "" {
		f.Tests = append(f.Tests, tidings.FilterTest{Field: tidings.FieldChannel, How: tidings.HowIs, Value: channel})
	}
	if id := r.Number("entry"); id > 0 {
		e, err := s.entries.Entry(r.Context(), r.Account, id)
		if err != nil {
			return err
		}
		f.Tests = append(f.Tests, testsLike(e)...)
	}
	return s.show(w, r, http.StatusOK, f.padded())
}

// testsLike are those that articles like one pass: their title, author and channel.
func testsLike(e tidings.Entry) (tests []tidings.FilterTest) {
	for _, t := range []tidings.FilterTest{
		{Field: tidings.FieldTitle, How: tidings.HowContains, Value: wording.Plain(e.Content.Title, 200)},
		{Field: tidings.FieldAuthor, How: tidings.HowIs, Value: wording.Plain(e.Content.Author, 200)},
		{Field: tidings.FieldChannel, How: tidings.HowIs, Value: e.Channel},
	} {
		if t.Value != "" {
			tests = append(tests, t)
		}
	}
	return tests
}

// edit shows the form of a filter that there is.
func (s *room) edit(w http.ResponseWriter, r shell.Request) error {
	f, _, err := s.one(r)
	if err != nil {
		return err
	}
	return s.tryOut(w, r, formFor(f))
}

// one returns the filter that the path names, and its place.
func (s *room) one(r shell.Request) (f tidings.Filter, place int, err error) {
	if s.filters == nil {
		return f, 0, errOff
	}
	id, err := r.PathID()
	if err != nil {
		return f, 0, err
	}
	all, err := s.filters.List(r.Context(), r.Account)
	if err != nil {
		return f, 0, err
	}
	at := slices.IndexFunc(all, func(f tidings.Filter) bool { return f.ID == id })
	if at < 0 {
		return f, 0, tidings.ErrNotFound
	}
	return all[at], at + 1, nil
}

// sent returns the form that was sent, for the filter that the path names, if it names one.
func (s *room) sent(r shell.Request) (form, error) {
	f := formOf(r)
	if s.filters == nil {
		return f, errOff
	}
	if r.PathValue("id") == "" {
		return f, nil
	}
	one, _, err := s.one(r)
	f.ID = one.ID
	return f, err
}

// check tries a condition out: that of the fields, if that is wanted or no text was written.
func (s *room) check(w http.ResponseWriter, r shell.Request) error {
	f, err := s.sent(r)
	if err != nil {
		return err
	}
	if r.FormValue("do") == "build" || f.Condition == "" {
		text, err := s.filters.TextOf(f.query())
		if errors.Is(err, tidings.ErrInvalid) {
			f.Problem = r.Words.Reasoned(err)
			return s.show(w, r, http.StatusUnprocessableEntity, f)
		}
		if err != nil {
			return err
		}
		f.Condition = text
	}
	if f.Condition == "" {
		f.Problem = r.Words.Text("Fill in a value, or write a condition.")
		return s.show(w, r, http.StatusUnprocessableEntity, f)
	}
	return s.tryOut(w, r, f)
}

// tryOut shows a form with what its condition is true of.
func (s *room) tryOut(w http.ResponseWriter, r shell.Request, f form) error {
	check, err := s.filters.Check(r.Context(), r.Account, f.Condition)
	if err != nil {
		return err
	}
	f.Check, f.Saves = &check, check.Error == nil
	for _, m := range check.Matches {
		f.Matches = append(f.Matches,
			match{m, wording.Fallback(wording.Plain(m.Title, 200), r.Words.Text("without a title")),
				wording.NameOf(m.Label, 100)})
	}
	status := http.StatusOK
	if check.Error != nil || f.Problem != "" {
		status = http.StatusUnprocessableEntity
	}
	return s.show(w, r, status, f)
}

// save saves the condition as it stood in the form.
func (s *room) save(w http.ResponseWriter, r shell.Request) error {
	f, err := s.sent(r)
	if err != nil {
		return err
	}
	settings, err := f.settings()
	if err == nil {
		if f.ID != 0 {
			_, err = s.filters.Change(r.Context(), r.Account, f.ID, settings)
		} else {
			_, err = s.filters.Add(r.Context(), r.Account, settings)
		}
	}
	if errors.Is(err, tidings.ErrInvalid) {
		f.Problem = wording.Plain(r.Words.Reasoned(err), 400)
		return s.tryOut(w, r, f)
	}
	if err != nil {
		return err
	}
	return shell.SeeOther(w, r, "/filters?said=saved")
}

func (s *room) move(w http.ResponseWriter, r shell.Request) error {
	f, place, err := s.one(r)
	if err != nil {
		return err
	}
	to := int(min(r.Number("to"), tidings.MaxFilters))
	switch r.FormValue("do") {
	case "up":
		to = max(1, place-1)
	case "down":
		to = place + 1
	}
	if to < 1 {
		return tidings.Invalidf("the place of a filter is a number from 1")
	}
	if err := s.filters.Move(r.Context(), r.Account, f.ID, to); err != nil {
		return err
	}
	return shell.SeeOther(w, r, fmt.Sprintf("/filters?said=moved#f%d", f.ID))
}

func (s *room) showAgain(w http.ResponseWriter, r shell.Request) error {
	f, _, err := s.one(r)
	if err != nil {
		return err
	}
	if _, err := s.filters.Show(r.Context(), r.Account, f.ID); err != nil {
		return err
	}
	return shell.SeeOther(w, r, "/filters?said=shown")
}

func (s *room) remove(w http.ResponseWriter, r shell.Request) error {
	f, _, err := s.one(r)
	if err != nil {
		return err
	}
	if err := s.filters.Remove(r.Context(), r.Account, f.ID); err != nil {
		return err
	}
	return shell.SeeOther(w, r, "/filters?said=removed")
}

func (s *room) show(w http.ResponseWriter, r shell.Request, status int, f form) error {
	title := r.Words.Text("New filter")
	if f.ID != 0 {
		title = r.Words.Text("Change a filter")
	}
	s.Show(w, r, status, "filter", shell.View{Title: title, Section: "settings", Body: f})
	return nil
}

// NewPath is the address of the form for a new filter of a channel.
func NewPath(channel string) string {
	return "/filters/new?" + url.Values{"channel": {channel}}.Encode()
}
