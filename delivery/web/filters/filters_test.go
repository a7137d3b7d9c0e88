package filters

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/web/shell"
	"tidings/view"
)

// fake has the filters of one account.
type fake struct {
	filters []tidings.Filter
	checked []string
	forms   []tidings.FilterForm
	check   view.FilterCheck
	shown   int64
}

func (*fake) Channels(context.Context, tidings.AccountID) ([]tidings.Subscription, error) {
	return nil, nil
}

func (*fake) Entry(_ context.Context, account tidings.AccountID, id int64) (tidings.Entry, error) {
	if id != 7 || account != tidings.Owner {
		return tidings.Entry{}, tidings.ErrNotFound
	}
	return tidings.Entry{ID: 7, Channel: "https://example.org/feed",
		Content: tidings.Item{Title: `<b>"Title"</b>`, Author: "Jane Doe"}}, nil
}

func (f *fake) List(context.Context, tidings.AccountID) ([]tidings.Filter, error) {
	return f.filters, nil
}

func (f *fake) Add(_ context.Context, _ tidings.AccountID, s tidings.FilterSettings) (tidings.Filter, error) {
	if s.Actions.IsNone() {
		return tidings.Filter{}, tidings.Invalidf("a filter needs something to do")
	}
	added := tidings.Filter{ID: int64(len(f.filters) + 1), Name: s.Name, Condition: s.Condition, Actions: s.Actions}
	f.filters = append(f.filters, added)
	return added, nil
}

func (f *fake) Change(_ context.Context, _ tidings.AccountID, id int64,
	s tidings.FilterSettings) (tidings.Filter, error) {
	for i := range f.filters {
		if f.filters[i].ID == id {
			f.filters[i].Name, f.filters[i].Condition, f.filters[i].Actions = s.Name, s.Condition, s.Actions
			return f.filters[i], nil
		}
	}
	return tidings.Filter{}, tidings.ErrNotFound
}

func (f *fake) Move(_ context.Context, _ tidings.AccountID, id int64, place int) error {
	at := slices.IndexFunc(f.filters, func(f tidings.Filter) bool { return f.ID == id })
	one := f.filters[at]
	f.filters = slices.Insert(slices.Delete(f.filters, at, at+1), min(place-1, len(f.filters)-1), one)
	return nil
}

func (f *fake) Remove(_ context.Context, _ tidings.AccountID, id int64) error {
	f.filters = slices.DeleteFunc(f.filters, func(f tidings.Filter) bool { return f.ID == id })
	return nil
}

func (f *fake) Show(_ context.Context, _ tidings.AccountID, id int64) (int, error) {
	f.shown = id
	return 1, nil
}

func (f *fake) Check(_ context.Context, _ tidings.AccountID, condition string) (view.FilterCheck, error) {
	f.checked = append(f.checked, condition)
	if strings.Contains(condition, "wrong") {
		return view.FilterCheck{Error: &view.QueryRemark{Line: 1, Column: 2, Message: "this is <wrong>",
			Context: "wrong\n ^"}}, nil
	}
	return f.check, nil
}

func (f *fake) TextOf(form tidings.FilterForm) (string, error) {
	f.forms = append(f.forms, form)
	var parts []string
	for _, t := range form.Tests {
		if t.How == "broken" {
			return "", tidings.Invalidf("there is no comparison broken")
		}
		if t.Value != "" {
			parts = append(parts, string(t.Field)+" "+how(t)+" "+t.Value)
		}
	}
	return strings.Join(parts, " AND "), nil
}

// ask sends a request to the room, with the fields of a form if it is one.
func ask(t *testing.T, f *fake, method, path string, fields ...string) *httptest.ResponseRecorder {
	t.Helper()
	s := shell.Shell{Store: f, Log: slog.New(slog.DiscardHandler)}
	var filters Filters
	if f.filters != nil {
		filters = f
	}
	mux := http.NewServeMux()
	for route, h := range Handlers(s, filters, f) {
		mux.Handle(route, shell.Room{Shell: s, Templates: pages}.Known(route, h))
	}
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(form.Encode()))
	if method == "POST" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w,
		r.WithContext(auth.WithPerson(r.Context(), tidings.Person{ID: tidings.Owner, Role: tidings.Administrator})))
	return w
}

func expect(t *testing.T, w *httptest.ResponseRecorder, status int, texts ...string) {
	t.Helper()
	if w.Code != status {
		t.Errorf("status %d, want %d: %.300s", w.Code, status, w.Body)
	}
	for _, text := range texts {
		if !strings.Contains(w.Body.String(), text) {
			t.Errorf("the page lacks %s", text)
		}
	}
}

func goesTo(t *testing.T, w *httptest.ResponseRecorder, target string) {
	t.Helper()
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != target {
		t.Errorf("%d, to %s, want %s: %.300s", w.Code, w.Header().Get("Location"), target, w.Body)
	}
}

// A filter is made of fields, tried, and saved with its condition as it stands in the form.
func TestAFilterIsTriedAndSaved(t *testing.T) {
	f := &fake{filters: []tidings.Filter{}}
	expect(t, ask(t, f, "GET", "/filters"), 200, "You have no filters yet", `href="/filters/new"`)
	w := ask(t, f, "GET", "/filters/new?entry=7")
	expect(t, w, 200, `value="&lt;b&gt;&#34;Title&#34;&lt;/b&gt;"`, `value="Jane Doe"`,
		`value="https://example.org/feed"`, "Try it on my last articles")
	if strings.Contains(w.Body.String(), "Save the filter") {
		t.Error("a filter can be saved before it was tried")
	}
	expect(t, ask(t, f, "GET", "/filters/new?entry=8"), 404)
	expect(t, ask(t, f, "GET", "/filters/new?channel=https://example.org/x"), 200, `value="https://example.org/x"`)

	f.check = view.FilterCheck{Condition: "c", Searched: 500, Matching: 12,
		Matches: []view.FilterMatch{{Entry: 9, Title: "<i>One", Label: "News", Received: time.Now()}}}
	w = ask(t, f, "POST", "/filters/check", "field", "title", "how", "not_contains", "value", "spam", "field", "age",
		"how", "is", "value", "3", "field", "title", "how", "is", "value", "",
		"any", "on", "drop", "on", "labels", "a, b")
	expect(t, w, 200, "12 of your last 500 articles match", `<a href="/entry/9">&lt;i&gt;One</a>`, "and 11 more",
		"title not_contains spam AND age more_than 3", "Save the filter",
		`name="drop" value="on" checked`, `value="a, b"`, `name="any" value="on" checked`)
	if !f.forms[0].Any || f.forms[0].Tests[1].How != tidings.HowMoreThan || !f.forms[0].Tests[0].Not {
		t.Errorf("the form is %+v", f.forms[0])
	}
	// A text that was written counts, unless the fields are asked for.
	ask(t, f, "POST", "/filters/check", "condition", "mine\r\nhere", "field", "title", "how", "is", "value", "x")
	ask(t, f, "POST", "/filters/check", "condition", "mine", "do", "build", "field", "title", "how", "is", "value", "x")
	if last := f.checked[len(f.checked)-2:]; last[0] != "mine\nhere" || last[1] != "title is x" {
		t.Errorf("checked were %q", last)
	}
	expect(t, ask(t, f, "POST", "/filters/check", "condition", "wrong"), 422, "this is &lt;wrong&gt;",
		"Line 1, column 2", "Try it on my last articles")
	expect(t, ask(t, f, "POST", "/filters/check", "field", "title", "how", "broken", "value", "x"), 422,
		"there is no comparison broken")
	expect(t, ask(t, f, "POST", "/filters/check"), 422, "Fill in a value, or write a condition.")

	expect(t, ask(t, f, "POST", "/filters", "condition", "mine"), 422, "a filter needs something to do",
		"Save the filter")
	expect(t, ask(t, f, "POST", "/filters", "condition", "mine", "mute", "tomorrow"), 422,
		"must be one like 2026-12-24")
	goesTo(t, ask(t, f, "POST", "/filters", "condition", "mine", "read", "on", "labels", " a ,, b", "mute",
		"2026-12-24", "name", "N"), "/filters?said=saved")
	if a := f.filters[0].Actions; len(f.filters) != 1 || !a.Read || !slices.Equal(a.Labels, []string{"a", "b"}) ||
		!a.Mute.Equal(time.Date(2026, 12, 24, 0, 0, 0, 0, time.Local)) || f.filters[0].Name != "N" {
		t.Errorf("saved are %+v", f.filters)
	}
	expect(t, ask(t, f, "GET", "/filters?said=saved"), 200, "The filter is saved.",
		"Articles are marked as read, labelled a, labelled b, muted until 2026-12-24.", "No article so far",
		`<a class="tag label" href="/?label=a"`)
}

// A filter is changed, moved and removed, and its dropped entries are shown, each for the filter that the path names.
func TestFiltersAreChangedMovedAndRemoved(t *testing.T) {
	f := &fake{filters: []tidings.Filter{
		{ID: 1, Condition: "one", Actions: tidings.FilterActions{Drop: true}, Matched: 3, MatchedAt: time.Now(),
			Hidden: 2, Skipped: 4, SkippedAt: time.Now()},
		{ID: 2, Name: "<Two>", Condition: "two", Actions: tidings.FilterActions{Star: true, Stop: true},
			Problem: "it is old"},
	}}
	w := ask(t, f, "GET", "/filters")
	expect(t, w, 200, "3 articles so far", "2 articles are not shown", "4 articles were not compared", "&lt;Two&gt;",
		"it is old", "Articles are starred. No later filter is applied.", `aria-label="Down: one"`,
		`aria-label="Up: &lt;Two&gt;"`)
	if body := w.Body.String(); strings.Contains(body, `aria-label="Up: one"`) ||
		strings.Contains(body, `aria-label="Down: &lt;Two&gt;"`) {
		t.Error("the first can go up, or the last down")
	}
	goesTo(t, ask(t, f, "POST", "/filters/1/move", "do", "down"), "/filters?said=moved#f1")
	if f.filters[0].ID != 2 {
		t.Errorf("the order is %+v", f.filters)
	}
	goesTo(t, ask(t, f, "POST", "/filters/1/move", "do", "up"), "/filters?said=moved#f1")
	goesTo(t, ask(t, f, "POST", "/filters/1/move", "to", "99999999999"), "/filters?said=moved#f1")
	expect(t, ask(t, f, "POST", "/filters/1/move"), 400)
	expect(t, ask(t, f, "GET", "/filters/1"), 200, `action="/filters/1/check"`, `formaction="/filters/1"`,
		">one</textarea>")
	goesTo(t, ask(t, f, "POST", "/filters/1", "condition", "other", "notify", "on"), "/filters?said=saved")
	if one := f.filters[1]; one.ID != 1 || one.Condition != "other" || !one.Actions.Notify || one.Actions.Drop {
		t.Errorf("changed to %+v", one)
	}
	goesTo(t, ask(t, f, "POST", "/filters/1/show"), "/filters?said=shown")
	goesTo(t, ask(t, f, "POST", "/filters/1/remove"), "/filters?said=removed")
	if f.shown != 1 || len(f.filters) != 1 || f.filters[0].ID != 2 {
		t.Errorf("shown is %d, filters are %+v", f.shown, f.filters)
	}
	for _, path := range []string{"/filters/9", "/filters/x", "/filters/9/move", "/filters/9/show", "/filters/9/remove",
		"/filters/9/check"} {
		if w := ask(t, f, "POST", path, "condition", "x", "read", "on"); w.Code != 404 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// Without filters the pages say so, and nothing breaks.
func TestWithoutFilters(t *testing.T) {
	f := &fake{}
	expect(t, ask(t, f, "GET", "/filters"), 200, "This node has no filters.")
	for _, path := range []string{"/filters", "/filters/check", "/filters/1", "/filters/1/remove"} {
		expect(t, ask(t, f, "POST", path, "condition", "x", "read", "on"), 400, "no filters")
	}
}

// A form keeps what was filled in, whatever that is, within its bounds.
func FuzzForm(f *testing.F) {
	f.Add("title", "contains", "x", "a,b", "2026-12-24")
	f.Add("king", "not_", "\x00\"<", ",", "x")
	f.Fuzz(func(t *testing.T, field, how, value, labels, mute string) {
		r := httptest.NewRequest("POST", "/filters/check", nil)
		r.Form = url.Values{"field": {field, field}, "how": {how, how}, "value": {value, value}, "labels": {labels},
			"mute": {mute}}
		form := formOf(shell.Request{Request: r})
		if n := len(form.Tests); n < rows || n > tidings.MaxFilterTests {
			t.Errorf("%d tests", n)
		}
		if _, err := form.settings(); err != nil && !errors.Is(err, tidings.ErrInvalid) {
			t.Error(err)
		}
	})
}
