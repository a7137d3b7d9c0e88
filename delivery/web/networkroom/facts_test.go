package networkroom

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/delivery/web/wording"
	"tidings/view"
)

// The page says how soon changes are found, beside how soon a node alone would find them, as far as either is known.
func TestHowSoon(t *testing.T) {
	for want, change := range map[string]func(*fake){
		"After 14 s; alone 15 min Half of 1,039 changes were found sooner, of which sites stated the time. A node alone checks a channel every 30 min": func(*fake) {},
		"About 20 s; alone 15 min So soon it is to be expected for half of your public channels": func(f *fake) {
			f.coop.Detection = tidings.Detection{}
			for i, soon := range []time.Duration{time.Second, 20 * time.Second, time.Hour} {
				f.followed[i].Polling = &tidings.PollingStats{Nodes: 3, Expected: soon}
			}
		},
		"Not known yet; alone 15 min No site has stated when it changed": func(f *fake) {
			f.coop.Detection = tidings.Detection{}
		},
		"Nothing to share yet Nodes check public channels for each other, and you follow none. Follow something": func(
			f *fake) {
			for i := range f.followed {
				f.followed[i].Privacy = tidings.Unlisted
			}
		},
		"Not known yet This node has not agreed": func(f *fake) { f.coop.Params.Interval = 0 },
		"After 15 min on average This node checks its channels by itself, every 30 min.": func(f *fake) {
			f.network.Neighbours, f.peers, f.network.Nodes = nil, nil, 1
		},
	} {
		f := inNetwork(6)()
		change(f)
		if text := words(visit(t, f).shows(overview)); !strings.Contains(text, "How soon changes are found "+want) {
			t.Errorf("the page lacks %q in\n%s", want, text)
		}
	}
}

// What is spared counts every poll; what is below zero is never shown as spared (hostile: "−98 saved").
func TestSparedIsNeverNegative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 1<<40)
		c := view.PollCounts{Own: n.Draw(t, "own"), ForOthers: n.Draw(t, "for others"),
			ByOthers: n.Draw(t, "by others"), Readers: n.Draw(t, "readers")}
		text := savedText(wording.Words{}, c)
		spares := strings.HasSuffix(text.Text, " spared") && text.Text != "None spared"
		if spares != (c.Readers > c.Own+c.ForOthers) || strings.ContainsAny(text.Text+text.More, "-−") {
			t.Fatalf("%+v: %+v", c, text)
		}
		if spares && text.Text != wording.Thousands(c.Readers-c.Own-c.ForOthers)+" spared" {
			t.Fatalf("%+v: %+v", c, text)
		}
		if c.Sent() > 0 && !strings.Contains(text.More, "sent "+wording.Thousands(c.Own+c.ForOthers)+",") {
			t.Fatalf("%+v: it does not say how many were sent: %+v", c, text)
		}
	})
	if text := savedText(wording.Words{}, view.PollCounts{}); text.Text != "None so far" {
		t.Errorf("of nothing it says %+v", text)
	}
}

// Whatever is wrong stands above the facts with a link to where it can be seen to; where nothing is, the page says so.
func TestWhatIsWrong(t *testing.T) {
	for what, c := range map[string]struct {
		change func(*fake)
		link   string // empty: nothing is wrong
	}{
		"nothing": {func(*fake) {}, ""},
		"terms": {func(f *fake) { f.coop.Refused = "the interval is <below> a second" },
			`href="/network?show=sharing">The terms`},
		"keys": {func(f *fake) { f.coop.Pushes.Alarms = 2 }, `href="/channels">The channels`},
		"zones": {func(f *fake) { f.network.Zones = &view.ZoneMembership{Problem: "The certificate has expired."} },
			`href="/network?show=routers#zones">The zones`},
		"zones, soon": {func(f *fake) {
			f.network.Zones = &view.ZoneMembership{Problem: "The certificate expires.", Soon: true}
		}, ""},
		"no address": {func(f *fake) { f.network.Addresses = nil }, `href="/network?show=node">This node`},
	} {
		f := inNetwork(6)()
		c.change(f)
		text := visit(t, f).shows(overview)
		alerts := part(t, text, `<div id="network-alerts">`, `<div id="network-facts">`)
		if c.link == "" && (strings.Contains(alerts, "alert\"") || !strings.Contains(text, "<b>Nothing</b>")) {
			t.Errorf("%s: something is said to be wrong", what)
		}
		if c.link != "" &&
			(!strings.Contains(alerts, c.link) || !strings.Contains(text, "<b>Something needs you</b>") ||
				strings.Contains(text, "<below>")) {
			t.Errorf("%s: %q is not in %q", what, c.link, alerts)
		}
	}
}

// The overview leads to every page, in a line that says what is there.
func TestOverviewLeadsEverywhere(t *testing.T) {
	f := inTrees()
	f.republishers = []view.Republisher{{Node: otherID, Trust: tidings.Preferred},
		{Node: view.AllNodes, Trust: tidings.Distrusted}}
	f.coop.Penalties = []view.Penalty{{Node: otherID, Times: 2}}
	text := part(t, visit(t, f).shows(overview), `<ul class="plain sections">`, `</ul>`)
	for _, want := range []string{
		`<a href="/network?show=ring"><b>Ring</b>`, "the nearest neighbour answers in ", "By the policy fair-sqrt:",
		"2 channels that many nodes follow come down trees", "It has 3 friends.",
		"You prefer 1 and distrust 1; 1 node has a penalty.",
		"2 addresses to give to others. Nodes outside can connect. Sent 3.4 MiB", `<a href="/network?show=node">`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	text = visit(t, inNetwork(1)()).shows(overview)
	for _, want := range []string{"You believe all nodes alike; no node has a penalty.",
		"Where each node has its place, and how far away it is."} {
		if !strings.Contains(text, want) {
			t.Errorf("alone: %q is not in the page", want)
		}
	}
}

// An address to join by that does not work stands on the overview; one that works does not.
func TestFailedJoinsAreSeen(t *testing.T) {
	for state, seen := range map[view.JoinState]bool{view.Joined: false, view.Waiting: true, view.Joining: true} {
		f := inNetwork(6)()
		f.network.Joins[0].State = state
		if got := strings.Contains(visit(t, f).shows(overview), "Addresses to join by"); got != seen {
			t.Errorf("%s: seen is %t", state, got)
		}
	}
}
