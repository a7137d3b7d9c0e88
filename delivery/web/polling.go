package web

import (
	"math"
	"tidings"
	"tidings/delivery/web/wording"
)

// watchedText says how many nodes poll a channel.
func watchedText(w wording.Words, t tidings.PollingStats) string {
	return w.Count(int64(t.Nodes), "node", "nodes")
}

// planned returns what is known of a channel that is polled by a plan; nil of one that is polled in turns: nobody
// reckons then how soon a change is detected.
func planned(t *tidings.PollingStats) *tidings.PollingStats {
	if t == nil || t.Turns {
		return nil
	}
	return t
}

// hourlyText says how often all nodes poll in an hour.
func hourlyText(w wording.Words, t tidings.PollingStats) string {
	n := t.PerHour()
	switch {
	case n >= 9.95:
		return w.Text("%s times an hour", w.Number(int64(n+0.5)))
	case n >= 0.95:
		return w.Text("%s times an hour", shortest(w, n))
	}
	return w.Text("%s times a day", shortest(w, 24*n))
}

// shortest returns a number with one digit after its point, unless that is 0.
func shortest(w wording.Words, n float64) string {
	if tenths := math.Round(10 * n); math.Mod(tenths, 10) == 0 {
		return w.Number(int64(tenths / 10))
	}
	return w.Decimal(n, 1)
}

// carriedText says by what kind of tree a channel's updates come; nothing where they come straight from the
// channel's owner.
func carriedText(w wording.Words, router string) string {
	switch router {
	case "scribe", "rappel", "spidercast":
		return w.Text("updates down a tree (%s)", router)
	}
	return ""
}
