package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/cmd/console"
	"tidings/view"
)

func TestSoon(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 333 * time.Millisecond: "330 ms", 950 * time.Millisecond: "1 s", 1700 * time.Millisecond: "1.7 s",
		9900 * time.Millisecond:  "9.9 s",
		14400 * time.Millisecond: "14 s", 90 * time.Minute: "1.5 h",
	} {
		if got := soon(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestPolicyWords(t *testing.T) {
	lite := view.Params{Policy: "lite", Interval: 30 * time.Minute}
	fast := view.Params{Policy: "fast:30s", Interval: time.Minute}
	turns := view.Params{Polling: view.PollingVolunteer, Policy: "lite", Interval: 30 * time.Minute}
	for want, s := range map[string]view.CoopStatus{
		"volunteers, in turns, every 30 min: the network's, which holds; this node was started with lite, every " +
			"30 min": {Params: turns, Own: lite, Agreed: true},
		"none: the node works alone":                     {},
		"lite, every 30 min":                             {Params: lite, Own: lite, Agreed: true},
		"lite, every 30 min; not agreed with others yet": {Params: lite, Own: lite},
		"fast:30s, every 1 min: the network's, which holds; this node was started with lite, every 30 min":  {Params: fast, Own: lite, Agreed: true},
		"lite, every 30 min; most others go by terms that this node does not take over: an interval of 1 s": {Params: lite, Own: lite, Refused: "an interval of 1 s"},
	} {
		if got := policyWords(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The bars are in proportion, from the first bin that has something in it to the last.
func TestDetectionInTheTerminal(t *testing.T) {
	var b bytes.Buffer
	out := &console.Console{Out: &b, Now: time.Now}
	printDetection(out, tidings.Detection{})
	if b.Len() > 0 {
		t.Errorf("of nothing it prints %q", b.String())
	}
	d := tidings.Detection{Changes: 31, Bins: make([]int, len(tidings.DetectionEdges())+1)}
	d.Bins[4], d.Bins[6], d.Bins[len(d.Bins)-1] = 20, 10, 1
	printDetection(out, d)
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 1+len(d.Bins)-4 {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	for line, want := range map[int]string{
		1: "below 15 s      20  ########################################", 2: "below 30 s       0",
		3:              "below 1 min      10  ####################",
		len(lines) - 1: "or more       1  ##",
	} {
		if got := strings.TrimSpace(lines[line]); got != want {
			t.Errorf("line %d: %q, want %q", line, got, want)
		}
	}
	// A saving below zero is never shown.
	for want, s := range map[string]view.CoopStatus{
		"none (2 more asked) in 24 h, none altogether: ": {Day: view.PollCounts{Own: 5, ForOthers: 4, Readers: 7}},
		"1,955 requests in 24 h, 1 request altogether: ": {Day: view.PollCounts{Own: 40, ForOthers: 5,
			Readers: 2000}, All: view.PollCounts{Own: 6, Readers: 7}},
	} {
		if got := savedWords(s); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The list says how all nodes poll a channel, and nothing where that is not known. A narrow terminal leaves columns
// out, the address first.
func TestTheListCountsAllNodes(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	all := []tidings.Subscription{
		{Channel: tidings.Channel{URL: "https://a.example/feed", Title: "Alpha"}, Health: tidings.HealthGood,
			LastChange: now.Add(-time.Hour), Last: tidings.Poll{Next: now.Add(time.Minute)},
			Polling: &tidings.PollingStats{Nodes: 45, Readers: 1730, Interval: 30 * time.Minute,
				Expected: 20 * time.Second}, Detected: tidings.Detection{Changes: 9, Median: 14 * time.Second}},
		{Channel: tidings.Channel{URL: "https://b.example/feed", Title: "Beta"}, Health: tidings.HealthGood,
			LastChange: now.Add(-time.Hour), Last: tidings.Poll{Next: now.Add(time.Minute)}},
		{Channel: tidings.Channel{URL: "https://c.example/feed", Title: "Gamma"}, Health: tidings.HealthGood,
			LastChange: now.Add(-time.Hour), Last: tidings.Poll{Next: now.Add(time.Minute)},
			Polling: &tidings.PollingStats{Nodes: 3, Interval: 15 * time.Minute, Turns: true}},
	}
	for width, want := range map[int][]string{
		0: {"Alpha    good         0  1 h ago  in 1 min       45  40 s   20 s      14 s        1,730  " +
			"https://a.example/feed",
			"Beta     good         0  1 h ago  in 1 min                                               " +
				"https://b.example/feed",
			"Gamma    good         0  1 h ago  in 1 min        3  5 min                               " +
				"https://c.example/feed"},
		80: {"Alpha    good         0  1 h ago  in 1 min       45  40 s   20 s      14 s",
			"Beta     good         0  1 h ago  in 1 min"},
	} {
		var b bytes.Buffer
		out := &console.Console{Out: &b, Width: width, Now: func() time.Time { return now }}
		out.Table(listColumns, listRows(out, all))
		lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
		for i, line := range want {
			if got := lines[i+1]; got != line {
				t.Errorf("at width %d: %q, want %q", width, got, line)
			}
		}
	}
}
