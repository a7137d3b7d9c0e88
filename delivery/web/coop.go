package web

import (
	"fmt"
	"strings"
	"time"

	"tidings"
)

// soonText returns a length of time as a person counts it: below ten of a unit to a tenth.
func soonText(d time.Duration) string {
	switch {
	case d < 950*time.Millisecond:
		return fmt.Sprintf("%d ms", d.Round(10*time.Millisecond).Milliseconds())
	case d.Round(time.Second) < time.Minute:
		return amountText(d, time.Second, "s")
	case d.Round(time.Minute) < time.Hour:
		return amountText(d, time.Minute, "min")
	case d.Round(time.Hour) < 48*time.Hour:
		return amountText(d, time.Hour, "h")
	}
	return amountText(d, 24*time.Hour, "d")
}

func amountText(d, unit time.Duration, name string) string {
	step := unit
	if d.Round(unit/10) < 10*unit {
		step = unit / 10
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(d.Round(step))/float64(unit)), ".0") + " " + name
}

// watchedText says how many nodes poll a channel.
func watchedText(t tidings.PollingStats) string {
	if t.Nodes == 1 {
		return "1 node"
	}
	return thousands(int64(t.Nodes)) + " nodes"
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
func hourlyText(t tidings.PollingStats) string {
	n := t.PerHour()
	switch {
	case n >= 9.95:
		return thousands(int64(n+0.5)) + " times an hour"
	case n >= 0.95:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0") + " times an hour"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", 24*n), ".0") + " times a day"
}

// workRow is one way to count work, over a day and altogether.
type workRow struct {
	Name, More string
	Day, All   int64
}

// coopView is what the page shows of polling together.
type coopView struct {
	tidings.CoopStatus
	Policy    string // what it is to achieve, in words; empty: not known
	Carried   string // how updates come, in words; empty: not known
	Began     string // the day when counting began; empty: nothing is counted
	Rows      []workRow
	Histogram histogram
}

func coopViewOf(s tidings.CoopStatus) coopView {
	began := ""
	if !s.Since.IsZero() {
		began = s.Since.Local().Format("2 January 2006")
	}
	return coopView{s, policyText(s.Params.Policy), routerText(s.Params.Router, s.ByTrees), began, []workRow{
		{"This node, for others alone", "at channels that nobody here follows", s.Day.ForOthers, s.All.ForOthers},
		{"This node, at what is followed here", "of use to all who follow the same", s.Day.Own, s.All.Own},
		{"Other nodes, at what is followed here", "estimated from how many nodes check, and how often", s.Day.ByOthers, s.All.ByOthers},
		{"Requests saved at origins", "what readers here would have asked by themselves, less what this node asked; below zero: it gives more than it takes", s.Day.Saved(), s.All.Saved()},
	}, drawHistogram(s.Detection)}
}

// carriedText says by what kind of tree a channel's updates come; nothing where they come straight from the
// channel's owner.
func carriedText(router string) string {
	switch router {
	case "scribe", "rappel", "spidercast":
		return "updates down a tree (" + router + ")"
	}
	return ""
}

// routerText says how updates come from the nodes that find them to this one.
func routerText(router string, trees int) string {
	switch {
	case router == "":
		return ""
	case router == "direct":
		return "Updates come straight from the owner of each channel: the network’s router is direct."
	case trees == 0:
		return "Updates come straight from the owner of each channel. Where many nodes follow one, a tree carries them (router " + router + "); no channel here has so many followers."
	case trees == 1:
		return "The updates of 1 channel that many nodes follow come down a tree of nodes (router " + router + "), the others straight from the channels’ owners."
	}
	return "The updates of " + thousands(int64(trees)) + " channels that many nodes follow come down trees of nodes (router " + router + "), the others straight from the channels’ owners."
}

// policyText says what a policy is to achieve.
func policyText(policy string) string {
	name, target, _ := strings.Cut(policy, ":")
	switch name {
	case "lite":
		return "as soon as possible, at no more requests than if every reader checked by itself"
	case "fast":
		return "within " + plain(target, 20) + " on average, at as few requests as possible"
	case "fair":
		return "as lite, and the sooner the more often a channel changes"
	case "fair-sqrt":
		return "as lite, and somewhat sooner where a channel changes often (by the square root of its interval)"
	case "fair-log":
		return "as lite, and a little sooner where a channel changes often (by the logarithm of its interval)"
	}
	return ""
}

// signed returns a number with a minus sign as people write it.
func signed(n int64) string {
	if n < 0 {
		return "−" + thousands(-n)
	}
	return thousands(n)
}
