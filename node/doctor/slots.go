package doctor

import (
	"fmt"
	"time"

	"tidings/source"
	"tidings/view"
)

// longWait is how long a channel may wait for its turn to be polled before that is said.
const longWait = 5 * time.Minute

// aboutSlots says whether channels are polled in time.
func aboutSlots(s view.Status) []Diagnosis {
	var all []Diagnosis
	full := s.Slots.All > 0 && s.PollingNow >= s.Slots.All
	switch {
	case full && s.Overdue > 0:
		all = append(all,
			Diagnosis{LevelWarning, fmt.Sprintf("All %d slots for polls are held. Polls that wait: %d%s.", s.Slots.All,
				s.Overdue, waitedWords(s)),
				"origins or the network are slow; a longer --interval helps"})
	case s.Slots.Waited >= longWait: // a short wait of many is what an import looks like
		all = append(all,
			Diagnosis{LevelWarning, fmt.Sprintf("Polls that are overdue: %d%s.", s.Overdue, waitedWords(s)),
				"many channels lie at one host, or the network is slow; a longer --interval helps"})
	}
	switch {
	case s.Slots.Hanging >= source.MaxLeftBehind:
		all = append(all,
			Diagnosis{LevelProblem, fmt.Sprintf("Polls that hang: %d. Further ones keep their slots.", s.Slots.Hanging),
				"restart the node"})
	case s.Slots.Hanging > 0:
		all = append(all,
			Diagnosis{LevelWarning, fmt.Sprintf("Polls that hang: %d. They were given up, and hold memory still.",
				s.Slots.Hanging),
				"the log names their channels; restart the node if they become many"})
	case s.Slots.Overran > 0:
		all = append(all,
			fine("Polls that were given up since the start because they overran their time: %d. None of them hangs still.", s.Slots.Overran))
	}
	return all
}

// waitedWords says for how long own channels wait, if any does.
func waitedWords(s view.Status) string {
	if s.Slots.Waited < time.Second {
		return ""
	}
	return ", the longest for " + s.Slots.Waited.Round(time.Second).String()
}
