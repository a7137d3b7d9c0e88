package doctor

import (
	"fmt"
	"time"

	"tidings/view"
)

// lately is how long ago connections that were too many are still spoken of.
const lately = time.Hour

// aboutPage reports which people can enter the page, and whether it has enough connections.
func aboutPage(s view.Status, now time.Time) []Diagnosis {
	var all []Diagnosis
	if s.NoPassword {
		all = append(all,
			Diagnosis{LevelOK, "The page has no password: everybody who uses this machine is its owner there.",
				"if others use this machine: tidings password"})
	}
	c := s.Connections
	if !c.Exhausted.IsZero() && now.Sub(c.Exhausted) < lately {
		all = append(all, Diagnosis{LevelWarning, "The node ran out of descriptors at " + clockTime(c.Exhausted) + ".",
			"let it open more files, for example with: ulimit -n 4096"})
	}
	if !c.Full.IsZero() && now.Sub(c.Full) < lately {
		all = append(all, Diagnosis{LevelWarning,
			fmt.Sprintf(
				"The page had too many connections at %s: of %d, %d were closed for others and %d refused since the node started.",
				clockTime(c.Full), c.Limit, c.Closed, c.Refused),
			"see in the log who connects; more files (ulimit -n) allow more connections"})
	}
	return all
}

func clockTime(t time.Time) string { return t.Local().Format("15:04:05") }
