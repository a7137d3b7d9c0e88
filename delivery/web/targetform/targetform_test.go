package targetform

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"tidings/delivery/web/wording"
	"time"

	"tidings"
)

// A form that is filled in from a target and sent back describes the same target.
func TestFormRoundTrip(t *testing.T) {
	for _, want := range []tidings.Target{
		{ID: 1, Name: "phone", Kind: tidings.Ntfy, URL: "https://ntfy.sh/a"},
		{ID: 2, Name: "team", Kind: tidings.Matrix, URL: "https://m.example/%23a:b",
			Selector: tidings.Selector{Folder: "a/b%2Fc"},
			Text:     tidings.Text{Title: "{title}", Body: "one\ntwo"}},
		{Name: "c", Kind: tidings.Slack, URL: "https://hooks.slack.com/services/a",
			Selector: tidings.Selector{Channel: "https://a.example/?b=c/d"}},
		{Name: "g", Kind: tidings.Generic, URL: "https://a.example/{title}",
			Form: &tidings.Form{Method: "PATCH", Body: "a\nb\n",
				Headers: map[string]string{"X-B": "c: d", "X-A": ""}}},
	} {
		f := Of(want)
		fields := map[string]string{
			"name":    f.Name,
			"kind":    f.Kind,
			"url":     f.URL,
			"gets":    f.Gets,
			"title":   f.Title,
			"text":    f.Text,
			"method":  f.Method,
			"headers": f.Headers,
			"body":    f.Body,
		}
		sent := Read(func(field string) string { return strings.ReplaceAll(fields[field], "\n", "\r\n") })
		sent.ID = f.ID
		if got, err := sent.Target(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, error %v, want %+v", got, err, want)
		}
	}
}

// A schedule that is filled in from a target and sent back is the same. Text that is no schedule is refused with a
// reason.
func TestSchedules(t *testing.T) {
	quiet, digest := tidings.Hours{From: 22 * 60, To: 7*60 + 30}, tidings.TimeOfDay(0)
	later := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	for _, want := range []tidings.Schedule{
		{}, {Quiet: &quiet}, {Digest: &digest, Zone: "Europe/Berlin"}, {Paused: later},
		{Quiet: &quiet, Digest: &digest, Zone: "America/New_York", Paused: later},
	} {
		f := Of(tidings.Target{Kind: tidings.Ntfy, Schedule: want})
		fields := map[string]string{"kind": f.Kind, "gets": f.Gets, "quiet_from": f.QuietFrom, "quiet_to": f.QuietTo,
			"digest": f.Digest, "zone": f.Zone, "pause": f.Pause}
		got, err := Read(func(field string) string { return fields[field] }).Target()
		if err != nil || !reflect.DeepEqual(got.Schedule, want) ||
			f.Scheduled() != !reflect.DeepEqual(want, tidings.Schedule{}) {
			t.Errorf("got %+v, error %v, want %+v", got.Schedule, err, want)
		}
	}
	ended := Of(tidings.Target{Schedule: tidings.Schedule{Paused: time.Now().Add(-time.Hour)}})
	if ended.Pause != "" || ended.Scheduled() || !ended.OtherPause().IsZero() {
		t.Errorf("a pause that is over: %+v", ended)
	}

	now := time.Date(2026, 5, 12, 9, 30, 0, 0, time.UTC)
	for _, p := range Pauses(wording.Words{}) {
		until, err := pausedUntil(p.Value, now)
		if wait := until.Sub(now); err != nil || p.Value != "" && (wait < time.Hour || wait > 7*24*time.Hour) ||
			(p.Value == "") != until.IsZero() {
			t.Errorf("%+v: until %v, %v", p, until, err)
		}
	}
	for _, f := range []Form{
		{QuietFrom: "22:00"}, {QuietTo: "07:00"}, {QuietFrom: "22:00", QuietTo: "x"}, {Digest: "25:00"},
		{Pause: "soon"}, {Pause: "-1h"},
		{Pause: "9000h"}, {Pause: "2999-01-01T00:00:00Z"},
	} {
		f.Kind, f.Gets = "ntfy", "all"
		if got, err := f.Target(); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%+v: %+v, %v", f, got, err)
		}
	}
	for want, s := range map[string]tidings.Schedule{
		"": {Paused: later}, "daily at 00:00 (UTC)": {Digest: &digest},
		"daily at 00:00, not between 22:00 and 07:30 (Europe/Berlin)": {Quiet: &quiet, Digest: &digest,
			Zone: "Europe/Berlin"},
	} {
		if got := When(wording.Words{}, s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A mail address may be typed as it is.
func TestMailAddresses(t *testing.T) {
	for typed, want := range map[string]string{"ada@example.org": "mailto:ada@example.org",
		"mailto:ada@example.org": "mailto:ada@example.org", "ada": "ada"} {
		if got, err := (Form{Kind: "mail", URL: typed, Gets: all}).Target(); err != nil || got.URL != want {
			t.Errorf("%q: %q, %v", typed, got.URL, err)
		}
	}
}

func TestChoices(t *testing.T) {
	followed := []tidings.Subscription{
		{Channel: tidings.Channel{URL: "https://a.example/", Title: "A"}},
		{Channel: tidings.Channel{URL: "https://b.example/", Title: "B"}, Folder: "F"},
		{Channel: tidings.Channel{URL: "https://c.example/", Title: "C"}, Folder: "F"},
		{Channel: tidings.Channel{URL: "https://d.example/", Title: "D"}, Folder: "F/G"},
	}
	for gets, other := range map[string]string{"all": "", "folder/F": "", "channel/https://d.example/": "", "": "",
		"nonsense": "",
		"folder/H": "updates in folder H", "channel/https://e.example/": "updates of https://e.example/"} {
		c := ChoicesOf(wording.Words{}, followed, Form{Gets: gets})
		if len(c.Folders) != 2 || len(c.Channels) != 4 || c.Folders[1].Value != "folder/F/G" ||
			c.Channels[1] != (Option{"channel/https://b.example/", "B"}) {
			t.Errorf("choices are %+v", c)
		}
		if got := len(c.Other); got > 1 || (got == 1) != (other != "") ||
			got == 1 && c.Other[0] != (Option{gets, other}) {
			t.Errorf("with %q also %+v", gets, c.Other)
		}
	}
}

func TestKinds(t *testing.T) {
	if all := Kinds(); len(all) != len(tidings.TargetKinds) || all[0].Name != tidings.TargetKinds[0] ||
		all[0].Label == "" ||
		New().Kind != string(all[0].Name) {
		t.Errorf("kinds are %+v", all)
	}
}
