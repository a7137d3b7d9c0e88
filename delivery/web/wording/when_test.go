package wording

import (
	"testing"
	"time"
)

func TestMoment(t *testing.T) {
	now := time.Date(2026, 3, 10, 14, 30, 0, 0, time.FixedZone("CET", 3600))
	for _, c := range []struct {
		ago   time.Duration
		short string
		text  string
	}{
		{0, "now", "now"}, {59 * time.Second, "now", "now"}, {time.Minute, "1 min", "1 min ago"},
		{59 * time.Minute, "59 min", "59 min ago"},
		{23 * time.Hour, "23 h", "23 h ago"}, {25 * time.Hour, "25 h", "25 h ago"}, {49 * time.Hour, "2 d", "2 d ago"},
		{7*24*time.Hour - time.Minute, "6 d", "6 d ago"}, {7 * 24 * time.Hour, "3 Mar", "3 Mar"},
		{100 * 24 * time.Hour, "30 Nov", "30 Nov"}, {400 * 24 * time.Hour, "3 Feb 2025", "3 Feb 2025"},
		{-7 * time.Millisecond, "now", "now"}, {-30 * time.Second, "in 30 s", "in 30 s"},
		{-90 * time.Minute, "in 1 h", "in 1 h"}, {-72 * time.Hour, "in 3 d", "in 3 d"},
	} {
		m := MomentAt(now.Add(-c.ago).UTC(), now)
		if m.Short != c.short || m.Ago != c.text {
			t.Errorf("%v ago: %q, %q, want %q, %q", c.ago, m.Short, m.Ago, c.short, c.text)
		}
		if (m.Age != 0) != (c.ago.Abs() < 24*time.Hour) {
			t.Errorf("%v ago: the script keeps it: %v", c.ago, m.Age != 0)
		}
	}
	if m := MomentAt(time.Time{}, now); m != (Moment{}) {
		t.Errorf("no time: %+v", m)
	}
	if m := MomentAt(now.Add(-90*time.Minute).UTC(), now); m.ISO != "2026-03-10T13:00:00+01:00" ||
		m.Exact != "Tuesday 10 March 2026, 13:00:00 CET" {
		t.Errorf("exact: %+v", m)
	}
}

func TestNextAt(t *testing.T) {
	now := time.Date(2026, 3, 10, 14, 30, 0, 0, time.UTC)
	for in, want := range map[time.Duration]string{-5 * time.Minute: "now", 0: "now", 7 * time.Millisecond: "now",
		5 * time.Minute: "in 5 min"} {
		if m := NextAt(now.Add(in), now); m.Short != want {
			t.Errorf("in %v: %q, want %q", in, m.Short, want)
		}
	}
	if m := NextAt(time.Time{}, now); m != (Moment{}) {
		t.Errorf("no time: %+v", m)
	}
}

func TestDayName(t *testing.T) {
	now := time.Date(2026, 3, 10, 0, 30, 0, 0, time.UTC)
	for ago, want := range map[time.Duration]string{
		-time.Hour: "Today", 0: "Today", 29 * time.Minute: "Today", 31 * time.Minute: "Yesterday",
		24 * time.Hour: "Yesterday",
		48 * time.Hour: "Sunday", 6 * 24 * time.Hour: "Wednesday", 8 * 24 * time.Hour: "Monday 2 March",
		100 * 24 * time.Hour: "30 November 2025",
	} {
		if got := DayName(now.Add(-ago), now); got != want {
			t.Errorf("%v ago: %q, want %q", ago, got, want)
		}
	}
}

func TestSoonText(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 343 * time.Millisecond: "340 ms", 949 * time.Millisecond: "950 ms", 950 * time.Millisecond: "1 s",
		1740 * time.Millisecond: "1.7 s",
		9960 * time.Millisecond: "10 s", 14500 * time.Millisecond: "15 s", 59600 * time.Millisecond: "1 min",
		90 * time.Second: "1.5 min", 11 * time.Minute: "11 min",
		150 * time.Minute: "2.5 h", 47 * time.Hour: "47 h", 9 * 24 * time.Hour: "9 d",
	} {
		if got := Soon(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
