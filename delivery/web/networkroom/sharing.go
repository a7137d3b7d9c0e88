package networkroom

import (
	"strings"

	"tidings/delivery/web/wording"
	"tidings/view"
)

// workRow is one way to count work, over a day and altogether.
type workRow struct {
	Name, More string
	Day, All   int64
}

// coopView is what the page shows of polling together.
type coopView struct {
	view.CoopStatus
	Policy    string // what it is to achieve, in words; empty: not known
	Carried   string // how updates come, in words; empty: not known
	Began     string // the day when counting began; empty: nothing is counted
	Rows      []workRow
	Saved     wording.Word // of all that was counted
	Histogram histogram
}

func coopViewOf(w wording.Words, s view.CoopStatus) coopView {
	began := ""
	if !s.Since.IsZero() {
		began = w.Date(s.Since.Local(), "2 January 2006")
	}
	return coopView{s, policyText(w, s.Params.Policy), routerText(w, s.Params.Router, s.ByTrees), began, []workRow{
		{w.Text("This node, for others alone"), w.Text("at channels that nobody here follows"), s.Day.ForOthers,
			s.All.ForOthers},
		{w.Text("This node, at what is followed here"), w.Text("of use to all who follow the same"), s.Day.Own,
			s.All.Own},
		{w.Text("Other nodes, at what is followed here"), w.Text("estimated from how many nodes check, and how often"),
			s.Day.ByOthers, s.All.ByOthers},
		{w.Text("Readers here, had each checked alone"),
			w.Text("not sent but reckoned: once an interval at each channel"), s.Day.Readers, s.All.Readers},
	}, savedText(w, s.All), drawHistogram(w, s.Detection)}
}

// routerText says how updates come from the nodes that find them to this one.
func routerText(w wording.Words, router string, trees int) string {
	switch {
	case router == "":
		return ""
	case router == "direct":
		return w.Text("Updates come straight from the owner of each channel: the network’s router is direct.")
	case trees == 0:
		return w.Text(
			"Updates come straight from the owner of each channel. Where many nodes follow one, a tree carries them (router %s); no channel here has so many followers.", router)
	case trees == 1:
		return w.Text(
			"The updates of 1 channel that many nodes follow come down a tree of nodes (router %s), the others straight from the channels’ owners.", router)
	}
	return w.Text(
		"The updates of %s channels that many nodes follow come down trees of nodes (router %s), the others straight from the channels’ owners.", w.Number(int64(trees)), router)
}

// policyText says what a policy is to achieve.
func policyText(w wording.Words, policy string) string {
	name, target, _ := strings.Cut(policy, ":")
	switch name {
	case "lite":
		return w.Text("as soon as possible, at no more regular checks than if every reader checked by itself; " +
			"checks that verify a change take the place of up to half of them")
	case "fast":
		return w.Text("within %s on average, at as few requests as possible", wording.Plain(target, 20))
	case "fair":
		return w.Text("as lite, and the sooner the more often a channel changes")
	case "fair-sqrt":
		return w.Text("as lite, and somewhat sooner where a channel changes often (by the square root of its interval)")
	case "fair-log":
		return w.Text("as lite, and a little sooner where a channel changes often (by the logarithm of its interval)")
	}
	return ""
}
