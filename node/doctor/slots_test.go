package doctor

import (
	"strings"
	"testing"
	"time"

	"tidings/source"
	"tidings/view"
)

// hostile 62: when polls hold all slots, hang or wait for long, doctor says so, and is silent otherwise.
func TestHostile62DoctorTellsOfSlots(t *testing.T) {
	status := func(now, overdue int, s view.Slots) view.Status {
		s.All = 256
		return view.Status{Channels: 1000, PollingNow: now, Overdue: overdue, Slots: s}
	}
	for name, test := range map[string]struct {
		status view.Status
		level  Level
		say    string
	}{
		"quiet":     {status(0, 0, view.Slots{}), "", ""},
		"busy":      {status(255, 100, view.Slots{Waited: time.Minute}), "", ""},
		"just full": {status(256, 0, view.Slots{}), "", ""},
		"full": {status(256, 3, view.Slots{Waited: 90 * time.Second}), LevelWarning,
			"All 256 slots for polls are held. Polls that wait: 3, the longest for 1m30s."},
		"full of own only": {status(256, 3, view.Slots{}), LevelWarning,
			"All 256 slots for polls are held. Polls that wait: 3."},
		"after an import": {status(20, 900, view.Slots{Waited: time.Minute}), "", ""},
		"overdue": {status(20, 101, view.Slots{Waited: 2 * longWait}), LevelWarning,
			"Polls that are overdue: 101, the longest for 10m0s."},
		"one waits long": {status(20, 1, view.Slots{Waited: longWait}), LevelWarning,
			"Polls that are overdue: 1, the longest for 5m0s."},
		"some hang": {status(0, 0, view.Slots{Overran: 9, Hanging: 2}), LevelWarning, "Polls that hang: 2."},
		"too many hang": {status(0, 0, view.Slots{Hanging: source.MaxLeftBehind}), LevelProblem,
			"Polls that hang: 1024."},
		"some hung": {status(0, 0, view.Slots{Overran: 9}), LevelOK, "overran their time: 9."},
	} {
		said := aboutSlots(test.status)
		switch {
		case test.say == "" && len(said) > 0, test.say != "" && len(said) != 1:
			t.Errorf("%s: said %v", name, said)
		case len(said) == 1 && (said[0].Level != test.level || !strings.Contains(said[0].Text, test.say)):
			t.Errorf("%s: said %v, want %q", name, said, test.say)
		}
	}
}
