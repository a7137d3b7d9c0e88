package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tidings"
	"tidings/cmd/console"
	"tidings/view"
)

// watching says how channels are watched together with other nodes.
func watching(w view.CoopChannels) string {
	return console.Count(w.ByOthers) + " followed here and checked by others, " + console.Count(w.Both) +
		" by this node as well, " +
		console.Count(w.ForOthers) + " checked for others alone"
}

// nodes says how many nodes poll a channel. It is empty where the network has not reported that.
func nodes(t *tidings.PollingStats) string {
	if t == nil {
		return ""
	}
	return console.Count(t.Nodes)
}

// readers says how many readers of all nodes follow it. It is empty where they are not counted.
func readers(t *tidings.PollingStats) string {
	if t == nil || t.Turns {
		return ""
	}
	return console.Count(t.Readers)
}

// every says how often all of them poll together.
func every(t *tidings.PollingStats) string {
	if t == nil {
		return ""
	}
	return soon(t.Every())
}

// expected says how soon they are expected to see a change. It is empty where that is not computed.
func expected(t *tidings.PollingStats) string {
	if t == nil || t.Turns {
		return ""
	}
	return soon(t.Expected)
}

func measured(d tidings.Detection) string {
	if d.Changes == 0 {
		return ""
	}
	return soon(d.Median)
}

// soon is console.Span with parts of short times.
func soon(d time.Duration) string {
	switch {
	case d < 950*time.Millisecond:
		return strconv.FormatInt(d.Round(10*time.Millisecond).Milliseconds(), 10) + " ms"
	case d < 9950*time.Millisecond:
		return strings.TrimSuffix(strconv.FormatFloat(d.Round(time.Second/10).Seconds(), 'f', 1, 64), ".0") + " s"
	}
	return console.Span(d)
}

// policyWords says by which terms the node polls together with others.
func policyWords(s view.CoopStatus) string {
	one := func(t view.Params) string {
		words := t.Policy + ", every " + soon(t.Interval)
		if t.Polling == view.PollingVolunteer {
			words = "volunteers, in turns, every " + soon(t.Interval)
		}
		if s.Params.Router != s.Own.Router {
			words += ", router " + t.Router
		}
		if s.Params.HostCeiling != s.Own.HostCeiling {
			words += ", ceiling of a host " + console.Count(int64(t.HostCeiling))
		}
		return words
	}
	switch {
	case s.Params.Policy == "":
		return "none: the node works alone"
	case s.Refused != "":
		return one(s.Params) + "; most others go by terms that this node does not take over: " + s.Refused
	case !s.Agreed:
		return one(s.Params) + "; not agreed with others yet"
	case s.Params != s.Own:
		return one(s.Params) + ": the network's, which holds; this node was started with " + one(s.Own)
	}
	return one(s.Params)
}

// routerWords says how updates come to this node. It is empty where it works alone.
func routerWords(s view.CoopStatus) string {
	name := s.Params.Router
	switch {
	case name == "":
		return ""
	case s.ByTrees == 0:
		return name + "; updates of all channels come straight from their owners, as few nodes follow them"
	}
	return name + "; its trees carry the updates of " + console.Of(s.ByTrees, "channel") + " that many nodes follow"
}

// workWords says which polls were made for which nodes.
func workWords(w view.PollCounts) string {
	return console.Count(w.ForOthers) + " for others alone, " + console.Count(w.Own) +
		" at what is followed here, where others made " +
		console.Count(w.ByOthers)
}

// savedWords says how many requests origins were saved, and of which that is counted.
func savedWords(s view.CoopStatus) string {
	return saved(s.Day) + " in 24 h, " + saved(s.All) +
		" altogether: what readers here would have asked origins by themselves, less all that this node asked"
}

// saved is how many requests origins were saved; none where this node asked more than its readers would have.
func saved(w view.PollCounts) string {
	switch n := w.Saved(); {
	case n > 0:
		return console.Of(n, "request")
	case n < 0:
		return "none (" + console.Count(-n) + " more asked)"
	}
	return "none"
}

func detectionWords(d tidings.Detection) string {
	if d.Changes == 0 {
		return "not measured so far: no origin has stated when it changed"
	}
	return "median " + soon(d.Median) + ", mean " + soon(d.Mean) + " of " + console.Of(d.Changes, "change") +
		" of which the origin stated the time"
}

// histWidth is how many columns the longest bar of the histogram has.
const histWidth = 40

// printDetection draws how detection times are distributed: a line for each bin, from the first to the last that is not
// empty.
func printDetection(out *console.Console, d tidings.Detection) {
	edges := tidings.DetectionEdges()
	if d.Changes == 0 || len(d.Bins) != len(edges)+1 {
		return
	}
	out.Printf("\n")
	heading(out, "Detection times")
	first, last := 0, len(d.Bins)-1
	for d.Bins[first] == 0 {
		first++
	}
	for d.Bins[last] == 0 {
		last--
	}
	most := slices.Max(d.Bins)
	for i := first; i <= last; i++ {
		name := "or more"
		if i < len(edges) {
			name = "below " + console.Span(edges[i])
		}
		bar := strings.Repeat("#", (d.Bins[i]*histWidth+most-1)/most)
		out.Printf("%s\n", strings.TrimRight(fmt.Sprintf("%14s %7s  %s", name, console.Count(d.Bins[i]),
			out.Paint(console.Blue, bar)), " "))
	}
}
