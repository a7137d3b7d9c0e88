package filters

import (
	"slices"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
	"tidings/view"
)

// rows is how many tests a form has at least.
const rows = 3

// form is the form of one filter.
type form struct {
	ID        int64 // 0: it is new
	Name      string
	Any       bool
	Tests     []tidings.FilterTest
	Condition string // as it stands in the form
	Actions   actions

	Problem string // why it cannot be saved
	Check   *view.FilterCheck
	Matches []match
	Saves   bool // what is shown can be saved
}

// actions are those of a filter as a form has them.
type actions struct {
	Drop, Read, Star, Notify, Stop bool
	Labels                         string // with commas between them
	Mute                           string // a date
}

// match is an article of which a condition is true.
type match struct {
	view.FilterMatch
	Title, Label string
}

// Left is how many matches are not shown.
func (f form) Left() int { return f.Check.Matching - len(f.Matches) }

// option is a choice in a list.
type option struct{ Value, Text string }

// fields are the fields that a form compares.
func fields(w wording.Words) (all []option) {
	names := map[tidings.FilterField]string{
		tidings.FieldTitle: w.Text("Title"), tidings.FieldText: w.Text("Title or text"),
		tidings.FieldAuthor:   w.Text("Author"),
		tidings.FieldCategory: w.Text("Category"), tidings.FieldLink: w.Text("Link"),
		tidings.FieldChannel:  w.Text("Channel"),
		tidings.FieldLanguage: w.Text("Language"), tidings.FieldAge: w.Text("Age in days"),
	}
	for _, f := range view.FilterFields {
		all = append(all, option{string(f), names[f]})
	}
	return all
}

const not = "not_"

// hows are the comparisons that a form offers.
func hows(w wording.Words) []option {
	return []option{
		{string(tidings.HowContains), w.Text("contains")},
		{not + string(tidings.HowContains), w.Text("does not contain")},
		{string(tidings.HowIs), w.Text("is")}, {not + string(tidings.HowIs), w.Text("is not")},
		{string(tidings.HowMatches), w.Text("matches the expression")},
		{not + string(tidings.HowMatches), w.Text("does not match the expression")},
		{string(tidings.HowMoreThan), w.Text("is more than")},
		{not + string(tidings.HowMoreThan), w.Text("is not more than")},
	}
}

// how is the value of a comparison in a form.
func how(t tidings.FilterTest) string {
	if t.Not {
		return not + string(t.How)
	}
	return string(t.How)
}

// testOf returns a test of a form. An age is compared in one way alone, so that it need not be chosen.
func testOf(field, how, value string) tidings.FilterTest {
	name, negated := strings.CutPrefix(how, not)
	t := tidings.FilterTest{Field: tidings.FilterField(field), Not: negated, How: tidings.FilterHow(name), Value: value}
	if t.Field == tidings.FieldAge {
		t.How = tidings.HowMoreThan
	}
	return t
}

// formOf returns the form that was sent.
func formOf(r shell.Request) form {
	f := form{
		Name: r.Field("name"), Any: r.FormValue("any") == "on", Condition: conditionOf(r),
		Actions: actions{
			Drop: r.FormValue("drop") == "on", Read: r.FormValue("read") == "on", Star: r.FormValue("star") == "on",
			Notify: r.FormValue("notify") == "on", Stop: r.FormValue("stop") == "on", Labels: r.Field("labels"),
			Mute: r.Field("mute"),
		},
	}
	fields, hows, values := r.Form["field"], r.Form["how"], r.Form["value"]
	for i := range min(len(fields), len(hows), len(values), tidings.MaxFilterTests) {
		f.Tests = append(f.Tests, testOf(fields[i], hows[i], wording.Plain(values[i], maxValue)))
	}
	return f.padded()
}

// maxValue bounds the value of a test, in characters.
const maxValue = 1000

// conditionOf returns the condition of a form as it was written, except for the line ends, which browsers make two
// bytes.
func conditionOf(r shell.Request) string {
	return strings.TrimSpace(strings.ReplaceAll(r.FormValue("condition"), "\r\n", "\n"))
}

// padded returns a form with at least one empty row, as far as there can be more.
func (f form) padded() form {
	f.Tests = slices.DeleteFunc(f.Tests, func(t tidings.FilterTest) bool { return strings.TrimSpace(t.Value) == "" })
	for most := min(max(rows, len(f.Tests)+1), tidings.MaxFilterTests); len(f.Tests) < most; {
		f.Tests = append(f.Tests, tidings.FilterTest{Field: tidings.FieldTitle, How: tidings.HowContains})
	}
	return f
}

// query is the form as a form of package tidings.
func (f form) query() tidings.FilterForm { return tidings.FilterForm{Any: f.Any, Tests: f.Tests} }

// formFor is the form of a filter that there is.
func formFor(f tidings.Filter) form {
	a := actions{
		Drop: f.Actions.Drop, Read: f.Actions.Read, Star: f.Actions.Star, Notify: f.Actions.Notify,
		Stop:   f.Actions.Stop,
		Labels: strings.Join(f.Actions.Labels, ", "),
	}
	if !f.Actions.Mute.IsZero() {
		a.Mute = f.Actions.Mute.Local().Format(time.DateOnly)
	}
	return form{ID: f.ID, Name: f.Name, Condition: f.Condition, Actions: a}.padded()
}

// settings returns what the form says of a filter; tidings.ErrInvalid if its date is none.
func (f form) settings() (s tidings.FilterSettings, err error) {
	a := f.Actions
	s = tidings.FilterSettings{Name: f.Name, Condition: f.Condition, Actions: tidings.FilterActions{
		Drop: a.Drop, Read: a.Read, Star: a.Star, Notify: a.Notify, Stop: a.Stop,
	}}
	for label := range strings.SplitSeq(a.Labels, ",") {
		if label = strings.TrimSpace(label); label != "" {
			s.Actions.Labels = append(s.Actions.Labels, label)
		}
	}
	if a.Mute != "" {
		if s.Actions.Mute, err = time.ParseInLocation(time.DateOnly, a.Mute, time.Local); err != nil {
			return s, tidings.Invalidf("the date until which to mute is %s, and must be one like 2026-12-24",
				tidings.Quote(a.Mute))
		}
	}
	return s, nil
}
