// Package targetform is the form by which people describe a target: what stands in its fields, and what can be chosen.
//
// It checks only what the fields themselves make possible, such as a line that is no header. Package delivery/notify
// checks whether anything can be sent to a target.
package targetform

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/notify"
	"tidings/delivery/web/wording"
)

// Form is what stands in the fields. A secret is in none: it is never shown again.
type Form struct {
	ID   int64 // of the target; 0: it is a new one
	Name string
	Kind string
	URL  string
	Gets string // the value of an Option

	Title, Text string // the wording; empty: that of the node

	Method, Headers, Body string // only of tidings.Generic; a header a line

	QuietFrom, QuietTo string // times of day; both empty: no quiet hours
	Digest             string // time of day; empty: each update for itself
	Zone               string // of the three
	Pause              string // the value of a Pause
}

// Values of Form.Gets. A folder's path or a channel's URL goes behind the last two.
const (
	all     = "all"
	folder  = "folder/"
	channel = "channel/"
)

// New returns the form for a new target.
func New() Form {
	return Form{Kind: string(tidings.TargetKinds[0]), Gets: all, Method: http.MethodPost}
}

// Of returns the form for changing a target.
func Of(t tidings.Target) Form {
	f := Form{
		ID: t.ID, Name: t.Name, Kind: string(t.Kind), URL: t.URL, Gets: valueOf(t.Selector),
		Title: t.Text.Title, Text: t.Text.Body, Method: http.MethodPost, Zone: t.Schedule.Zone,
	}
	if q := t.Schedule.Quiet; q != nil {
		f.QuietFrom, f.QuietTo = q.From.String(), q.To.String()
	}
	if d := t.Schedule.Digest; d != nil {
		f.Digest = d.String()
	}
	if p := t.Schedule.Paused; p.After(time.Now()) {
		f.Pause = p.UTC().Format(time.RFC3339)
	}
	if t.Form != nil {
		if t.Form.Method != "" {
			f.Method = t.Form.Method
		}
		f.Body = t.Form.Body
		var lines []string
		for _, name := range slices.Sorted(maps.Keys(t.Form.Headers)) {
			lines = append(lines, name+": "+t.Form.Headers[name])
		}
		f.Headers = strings.Join(lines, "\n")
	}
	return f
}

// Read returns what was sent, by the names of the fields. Method, headers and body of kinds that have none are kept.
func Read(value func(field string) string) Form {
	line := func(field string) string { return strings.TrimSpace(value(field)) }
	text := func(field string) string { return strings.ReplaceAll(value(field), "\r\n", "\n") }
	return Form{
		Name: line("name"), Kind: line("kind"), URL: line("url"), Gets: value("gets"),
		Title: line("title"), Text: text("text"),
		Method: line("method"), Headers: text("headers"), Body: text("body"),
		QuietFrom: line("quiet_from"), QuietTo: line("quiet_to"), Digest: line("digest"), Zone: line("zone"),
		Pause: line("pause"),
	}
}

// Target returns the target that the form describes, without account and secret; a tidings.ErrInvalid if it describes
// none.
func (f Form) Target() (t tidings.Target, err error) {
	t = tidings.Target{ID: f.ID, Name: f.Name, URL: f.URL, Text: tidings.Text{Title: f.Title, Body: f.Text}}
	if t.Kind, err = tidings.ParseTargetKind(f.Kind); err != nil {
		return t, err
	}
	if t.Kind == tidings.Mail && strings.Contains(t.URL, "@") && !strings.Contains(t.URL, ":") {
		t.URL = "mailto:" + t.URL
	}
	if t.Schedule, err = f.schedule(time.Now()); err != nil {
		return t, err
	}
	if t.Selector, err = selectorOf(f.Gets); err != nil || t.Kind != tidings.Generic {
		return t, err
	}
	t.Form = &tidings.Form{Method: f.Method, Body: f.Body}
	t.Form.Headers, err = headersOf(f.Headers)
	return t, err
}

// schedule returns when messages may be sent. The zone alone is no schedule.
func (f Form) schedule(now time.Time) (s tidings.Schedule, err error) {
	switch {
	case f.QuietFrom != "" && f.QuietTo != "":
		q, err := tidings.ParseHours(f.QuietFrom + "-" + f.QuietTo)
		if err != nil {
			return s, err
		}
		s.Quiet = &q
	case f.QuietFrom != "" || f.QuietTo != "":
		return s, tidings.Invalidf("quiet hours begin at one time of day and end at another: fill in both, or neither")
	}
	if f.Digest != "" {
		d, err := tidings.ParseTimeOfDay(f.Digest)
		if err != nil {
			return s, err
		}
		s.Digest = &d
	}
	if s.Quiet != nil || s.Digest != nil {
		s.Zone = f.Zone
	}
	s.Paused, err = pausedUntil(f.Pause, now)
	return s, err
}

// Pause is a choice of how long nothing is sent.
type Pause struct{ Value, Label string }

// pauses are the values of those that can be chosen.
var pauses = []string{"", "1h", "8h", "24h", "168h"}

// Pauses returns those that can be chosen. A form that has another, the time of its end, keeps that.
func Pauses(w wording.Words) (all []Pause) {
	labels := []string{w.Text("not paused"), w.Text("for an hour"), w.Text("for 8 hours"), w.Text("for a day"),
		w.Text("for a week")}
	for i, value := range pauses {
		all = append(all, Pause{value, labels[i]})
	}
	return all
}

// maxPause bounds how long a pause lasts.
const maxPause = 366 * 24 * time.Hour

func pausedUntil(value string, now time.Time) (time.Time, error) {
	if value == "" {
		return time.Time{}, nil
	}
	if until, err := time.Parse(time.RFC3339, value); err == nil && until.Before(now.Add(maxPause)) {
		return until, nil
	}
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 || d > maxPause {
		return time.Time{}, tidings.Invalidf("choose how long it is paused, or not at all")
	}
	return now.Add(d).UTC().Truncate(time.Second), nil
}

// OtherPause returns the end of a pause that is none of Pauses; zero if it is one of them.
func (f Form) OtherPause() time.Time {
	until, err := time.Parse(time.RFC3339, f.Pause)
	if err != nil {
		return time.Time{}
	}
	return until
}

// Scheduled reports whether the form has a schedule.
func (f Form) Scheduled() bool { return f.QuietFrom+f.QuietTo+f.Digest+f.Pause != "" }

// When says when messages are sent, where that is not at once: "daily at 08:00, not between 22:00 and 07:00
// (Europe/Berlin)".
func When(w wording.Words, s tidings.Schedule) string {
	var parts []string
	if s.Digest != nil {
		parts = append(parts, w.Text("daily at %s", s.Digest))
	}
	if s.Quiet != nil {
		parts = append(parts, w.Text("not between %s and %s", s.Quiet.From, s.Quiet.To))
	}
	if len(parts) == 0 {
		return ""
	}
	zone := s.Zone
	if zone == "" {
		zone = "UTC"
	}
	return strings.Join(parts, ", ") + " (" + zone + ")"
}

func valueOf(s tidings.Selector) string {
	switch {
	case s.Channel != "":
		return channel + s.Channel
	case s.Folder != "":
		return folder + s.Folder
	}
	return all
}

func selectorOf(value string) (tidings.Selector, error) {
	if value == all {
		return tidings.Selector{}, nil
	}
	if url, ok := strings.CutPrefix(value, channel); ok && url != "" {
		return tidings.Selector{Channel: url}, nil
	}
	if path, ok := strings.CutPrefix(value, folder); ok && path != "" {
		return tidings.Selector{Folder: path}, nil
	}
	return tidings.Selector{}, tidings.Invalidf(
		"choose which updates it gets: all, those of a folder, or those of a channel",
	)
}

func headersOf(text string) (map[string]string, error) {
	headers := make(map[string]string)
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, value, found := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !found || name == "" {
			return nil, tidings.Invalidf("%s is no header: write NAME: VALUE, one a line", tidings.Quote(line))
		}
		if _, twice := headers[name]; twice {
			return nil, tidings.Invalidf("the header %s is there twice: leave one out", tidings.Quote(name))
		}
		headers[name] = strings.TrimSpace(value)
	}
	return headers, nil
}

// Kind is a kind of target that can be chosen.
type Kind struct {
	Name tidings.TargetKind
	notify.Description
}

// Kinds are all kinds, in the order in which people are offered them.
func Kinds() (all []Kind) {
	for _, k := range tidings.TargetKinds {
		all = append(all, Kind{k, notify.Describe(k)})
	}
	return all
}

// Methods are those of a generic request.
var Methods = []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodGet}

// Option is a choice of the updates that a target gets.
type Option struct{ Value, Label string }

// Choices are the updates that a target can get.
type Choices struct {
	All      Option
	Folders  []Option
	Channels []Option
	Other    []Option // what the form has, and is not followed any more; at most one
}

// ChoicesOf returns what a target can get of the channels that a person follows. What f has is among it.
func ChoicesOf(w wording.Words, followed []tidings.Subscription, f Form) Choices {
	c := Choices{All: Option{all, w.Text("All updates")}}
	known := map[string]bool{all: true}
	for _, s := range followed {
		o := Option{folder + s.Folder, tidings.FolderLabel(s.Folder)}
		if s.Folder != "" && !known[o.Value] {
			known[o.Value] = true
			c.Folders = append(c.Folders, o)
		}
		o = Option{channel + s.URL, s.Label()}
		known[o.Value] = true
		c.Channels = append(c.Channels, o)
	}
	if selector, err := selectorOf(f.Gets); err == nil && !known[f.Gets] {
		c.Other = []Option{{f.Gets, Gets(w, selector, nil)}}
	}
	return c
}

// Gets says which updates a target gets. titles are those of channels by their URLs.
func Gets(w wording.Words, s tidings.Selector, titles map[string]string) string {
	switch {
	case s.Channel != "" && titles[s.Channel] != "":
		return w.Text("updates of %s", titles[s.Channel])
	case s.Channel != "":
		return w.Text("updates of %s", tidings.PublicURL(s.Channel))
	case s.Folder != "":
		return w.Text("updates in folder %s", tidings.FolderLabel(s.Folder))
	}
	return w.Text("all updates")
}
