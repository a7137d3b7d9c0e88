package doctor

import (
	"fmt"
	"slices"
	"time"

	"tidings/view"
)

// clockWrong is by how much a clock may differ before signatures are not believed any more.
const clockWrong = 5 * time.Minute

// clocks says whether a machine's clock goes with those of other nodes and of origins.
func clocks(s view.Status) []Diagnosis {
	return slices.Concat(aboutPeerClocks(s.Clock), aboutClock(s.OriginClock, "the origins that were asked last"))
}

// aboutPeerClocks also reports if too few nodes agree to be believed: their owners may be friends, and can ask each
// other.
func aboutPeerClocks(c view.Clock) []Diagnosis {
	off := clockOffset(c)
	if c.Agreed() || c.Others == 0 || off.Abs() < view.ClockOff {
		return aboutClock(c, "other nodes")
	}
	text := fmt.Sprintf(
		"The clocks of %d other nodes differ from this machine's by %s (the median): theirs or yours may be wrong.",
		c.Others, off.Abs())
	if c.Others == 1 {
		text = fmt.Sprintf("One other node's clock differs from this machine's by %s: theirs or yours may be wrong.",
			off.Abs())
	}
	return []Diagnosis{{LevelWarning, text,
		"compare yours with one that you trust, or have a time service (NTP) set it"}}
}

// aboutClock reports how this clock differs from the named clocks, if enough of them agree.
func aboutClock(c view.Clock, whose string) []Diagnosis {
	if !c.Agreed() {
		return nil
	}
	off := clockOffset(c)
	if off.Abs() < view.ClockOff {
		return []Diagnosis{fine("The clock goes with those of %s.", whose)}
	}
	way := "ahead of"
	if off < 0 {
		way = "behind"
	}
	text := fmt.Sprintf("This machine's clock is %s %s those of %s (the median of %d; %d of them agree).", off.Abs(),
		way, whose, c.Others, c.Agree)
	if off.Abs() < clockWrong {
		return []Diagnosis{{LevelWarning, text, "have a time service (NTP) set it"}}
	}
	return []Diagnosis{{LevelProblem, text,
		"set it, or have a time service (NTP) set it: what this node signs is not believed elsewhere, nor what others sign here"}}
}

func clockOffset(c view.Clock) time.Duration {
	return time.Duration(c.Offset * float64(time.Millisecond)).Round(time.Second)
}
