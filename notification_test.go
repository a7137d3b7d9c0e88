package tidings_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"

	"tidings"
)

func clock(hour, minute int) *tidings.TimeOfDay {
	t := tidings.TimeOfDay(hour*60 + minute)
	return &t
}

func TestASchedule(t *testing.T) {
	night := &tidings.Hours{From: *clock(22, 0), To: *clock(7, 0)}
	noon := &tidings.Hours{From: *clock(12, 0), To: *clock(13, 0)}
	for _, c := range []struct {
		name            string
		schedule        tidings.Schedule
		now, made, want string
	}{
		{"at once", tidings.Schedule{}, "2026-06-01T10:00:00Z", "2026-06-01T09:00:00Z", "2026-06-01T10:00:00Z"},
		{"paused", tidings.Schedule{Paused: mustTime(t, "2026-06-02T00:00:00Z")}, "2026-06-01T10:00:00Z",
			"2026-06-01T09:00:00Z", "2026-06-02T00:00:00Z"},
		{"was paused", tidings.Schedule{Paused: mustTime(t, "2026-05-02T00:00:00Z")}, "2026-06-01T10:00:00Z",
			"2026-06-01T09:00:00Z", "2026-06-01T10:00:00Z"},
		{"before midnight", tidings.Schedule{Quiet: night}, "2026-06-01T23:10:00Z", "2026-06-01T23:10:00Z",
			"2026-06-02T07:00:00Z"},
		{"after midnight", tidings.Schedule{Quiet: night}, "2026-06-01T06:59:59Z", "2026-06-01T06:00:00Z",
			"2026-06-01T07:00:00Z"},
		{"as it ends", tidings.Schedule{Quiet: night}, "2026-06-01T07:00:00Z", "2026-06-01T06:00:00Z",
			"2026-06-01T07:00:00Z"},
		{"as it begins", tidings.Schedule{Quiet: noon}, "2026-06-01T12:00:00Z", "2026-06-01T12:00:00Z",
			"2026-06-01T13:00:00Z"},
		{"in another zone", tidings.Schedule{Quiet: night, Zone: "Asia/Tokyo"}, "2026-06-01T14:00:00Z",
			"2026-06-01T14:00:00Z", "2026-06-01T22:00:00Z"},
		{"today's digest", tidings.Schedule{Digest: clock(8, 0)}, "2026-06-01T07:00:00Z", "2026-06-01T06:30:00Z",
			"2026-06-01T08:00:00Z"},
		{"tomorrow's digest", tidings.Schedule{Digest: clock(8, 0)}, "2026-06-01T08:30:00Z", "2026-06-01T08:10:00Z",
			"2026-06-02T08:00:00Z"},
		{"a digest that is late", tidings.Schedule{Digest: clock(8, 0)}, "2026-06-03T09:00:00Z", "2026-06-01T06:30:00Z",
			"2026-06-03T09:00:00Z"},
		{"a digest in quiet hours", tidings.Schedule{Digest: clock(6, 0), Quiet: night}, "2026-06-01T05:00:00Z",
			"2026-06-01T05:00:00Z", "2026-06-01T07:00:00Z"},
		{"clocks are put forward", tidings.Schedule{Digest: clock(2, 30), Zone: "Europe/Berlin"},
			"2026-03-28T12:00:00Z", "2026-03-28T12:00:00Z", "2026-03-29T01:30:00Z"},
		{"clocks are put back", tidings.Schedule{Digest: clock(8, 0), Zone: "Europe/Berlin"}, "2026-10-24T12:00:00Z",
			"2026-10-24T12:00:00Z", "2026-10-25T07:00:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.schedule.Validate(); err != nil {
				t.Error(err)
			}
			if got := c.schedule.Next(mustTime(t, c.now), mustTime(t, c.made)); !got.Equal(mustTime(t, c.want)) {
				t.Errorf("next at %s, want %s", got.UTC(), c.want)
			}
		})
	}
}

func mustTime(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// Whatever the schedule, the next time is not before now, and nothing delays it once it has come. It comes within two
// days of the end of a pause.
func TestAScheduleEndsWaiting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.Map(rapid.IntRange(0, 1439), func(m int) tidings.TimeOfDay { return tidings.TimeOfDay(m) })
		instants := rapid.Map(rapid.Int64Range(1_700_000_000, 1_900_000_000),
			func(s int64) time.Time { return time.Unix(s, 0) })
		s := tidings.Schedule{Zone: rapid.SampledFrom([]string{"", "Europe/Berlin", "America/St_Johns",
			"Australia/Lord_Howe", "Asia/Kolkata"}).Draw(t, "zone")}
		if rapid.Bool().Draw(t, "quiet") {
			s.Quiet = &tidings.Hours{From: times.Draw(t, "from"), To: times.Draw(t, "to")}
		}
		if rapid.Bool().Draw(t, "digest") {
			at := times.Draw(t, "at")
			s.Digest = &at
		}
		if rapid.Bool().Draw(t, "pause") {
			s.Paused = instants.Draw(t, "until")
		}
		if s.Validate() != nil {
			t.Skip("not valid")
		}
		made := instants.Draw(t, "made")
		now := made.Add(time.Duration(rapid.Int64Range(0, int64(72*time.Hour)).Draw(t, "age")))
		next := s.Next(now, made)
		if next.Before(now) {
			t.Fatalf("next at %s, which is before %s", next, now)
		}
		if again := s.Next(next, made); !again.Equal(next) {
			t.Fatalf("next at %s, and then at %s", next, again)
		}
		start := now
		if s.Paused.After(start) {
			start = s.Paused
		}
		if next.After(start.Add(50 * time.Hour)) {
			t.Fatalf("next at %s, while nothing holds it back after %s", next, start)
		}
	})
}

func TestASchedulesText(t *testing.T) {
	for text, want := range map[string]string{"7:30": "07:30", "00:00": "00:00", "23:59": "23:59", "9:05pm": "21:05",
		"8am": "08:00"} {
		if got, err := tidings.ParseTimeOfDay(text); err != nil || got.String() != want {
			t.Errorf("%s is %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "24:00", "7", "07:60", "-1:00", "noon"} {
		if got, err := tidings.ParseTimeOfDay(text); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%q is %s, %v", text, got, err)
		}
	}
	s := tidings.Schedule{Zone: "Europe/Berlin", Quiet: &tidings.Hours{From: *clock(22, 0), To: *clock(7, 0)},
		Digest: clock(8, 0)}
	data, err := json.Marshal(s)
	if want := `{"zone":"Europe/Berlin","quiet":{"from":"22:00","to":"07:00"},"digest":"08:00"}`; err != nil ||
		string(data) != want {
		t.Errorf("%s, %v", data, err)
	}
	for _, bad := range []tidings.Schedule{
		{Zone: "Europe/Nowhere"}, {Zone: "Local"}, {Zone: "../etc/passwd"}, {Quiet: &tidings.Hours{}},
		{Quiet: &tidings.Hours{From: 1, To: 1440}}, {Digest: clock(24, 0)},
	} {
		if err := bad.Validate(); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%+v is valid: %v", bad, err)
		}
	}
}

// Hours are read as they are written, and what is none is refused with a hint.
func TestParseHours(t *testing.T) {
	for text, want := range map[string]tidings.Hours{
		"22:00-07:00": {From: 22 * 60, To: 7 * 60}, " 7:30 - 8:00 ": {From: 450, To: 480},
		"10pm-7am": {From: 22 * 60, To: 7 * 60},
	} {
		if got, err := tidings.ParseHours(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if got := (tidings.Hours{From: 22 * 60, To: 7 * 60}).String(); got != "22:00-07:00" {
		t.Error(got)
	}
	for _, text := range []string{"", "22:00", "22:00-", "-07:00", "22:00-25:00", "22:00–07:00", "a-b",
		"1:00-2:00-3:00"} {
		if got, err := tidings.ParseHours(text); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}
