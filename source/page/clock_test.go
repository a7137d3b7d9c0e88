package page

import (
	"testing"
	"time"
)

func TestOnlyClocks(t *testing.T) {
	now := time.Date(2026, 3, 4, 14, 33, 37, 0, time.UTC)
	for _, c := range []struct {
		name     string
		old, new string
		elapsed  time.Duration
		want     bool
	}{
		{"seconds in a sentence", "It is 14:33:07 here", "It is 14:33:37 here", 30 * time.Second, true},
		{"minutes in a sentence", "Today is Friday, 14:03 o'clock", "Today is Friday, 14:33 o'clock", 30 * time.Minute,
			true},
		{"half a day's hours", "Time: 09:03:37 AM", "Time: 09:33:37 AM", 30 * time.Minute, true},
		{"over noon", "Time: 11:33 AM", "Time: 01:33 PM", 2 * time.Hour, true},
		{"another time zone", "Kolkata 19:33", "Kolkata 20:03", 30 * time.Minute, true},
		{"a departure moved", "Departs 14:03", "Departs 14:33", 5 * time.Minute, false},
		{"a departure at another minute", "Departs 13:56", "Departs 14:26", 30 * time.Minute, false},
		{"a clock and more", "It is 14:03, 5 left", "It is 14:33, 4 left", 30 * time.Minute, false},
		{"nothing", "It is 14:33", "It is 14:33", 30 * time.Minute, false},
	} {
		old, new := Document{Lines: []string{"stays", c.old}}, Document{Lines: []string{"stays", c.new}}
		if got := OnlyClocks(old, new, c.elapsed, now); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if OnlyClocks(Document{Lines: []string{"14:03"}}, Document{Lines: []string{"14:33", "more"}}, 30*time.Minute, now) {
		t.Error("a line more is no clock")
	}
}
