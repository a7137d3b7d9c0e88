package networkroom

import (
	"strings"
	"testing"
	"time"

	"tidings/delivery/web/shell"
	"tidings/view"
)

func nodeLink(id string) string {
	return `<a href="/node?id=` + id + `"><code title="` + id + `">` + id[:8] + `…</code></a>`
}

// The network's page lists the nodes that vouched for something false, or says that there are none.
func TestPenaltiesShow(t *testing.T) {
	f := inNetwork(9)()
	if text := visit(t, f).shows(viewTrust); !strings.Contains(text, "No node has a penalty.") {
		t.Error("the page does not say that there are no penalties")
	}
	for i := range maxPenalties + 2 {
		p := view.Penalty{Node: otherID, Times: 1,
			Reasons: []view.PenaltyReason{{Time: time.Now().Add(-time.Hour), Channel: pushedFeed,
				Reason: "gave a version " + hostileText}}}
		if i == 0 {
			p.Times, p.Reasons = 7,
				append(p.Reasons, view.PenaltyReason{Time: time.Now().Add(-2 * time.Hour), Reason: "confirmed it"})
		}
		f.coop.Penalties = append(f.coop.Penalties, p)
	}
	text := visit(t, f).shows(viewTrust)
	for _, want := range []string{nodeLink(otherID) + " <b>7 times</b>", "confirmed it</p>",
		`, <a href="` + shell.ChannelPath(pushedFeed) + `"`, "2 more nodes; <code>tidings peers --trust</code>"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text, "No node has a penalty.") || strings.Count(text, "gave a version") != maxPenalties ||
		strings.Contains(text, hostileText) {
		t.Error("the page says that there are no penalties, lists too many, or takes a reason for markup")
	}
}

// withPushes is a network in which channels are pushed, and so many have a publisher's key to decide about.
func withPushes(alarms int) func() *fake {
	return func() *fake {
		f := inNetwork(9)()
		f.coop.Pushes = view.PushCounts{Channels: 12, Good: 10, Pushed: 2407, Missed: 2, Refused: 31, Alarms: alarms}
		return f
	}
}

func TestNetworkCountsPushes(t *testing.T) {
	text := visit(t, withPushes(0)()).shows(viewSharing)
	if want := "<b>12 channels</b> followed here name their publishers’ keys; 10 come by pushes at present. 2,407 items were pushed, 2 missed, 31 refused."; !strings.Contains(text, want) {
		t.Errorf("the page lacks %q", want)
	}
	if text = visit(t, inNetwork(9)()).shows(viewSharing); !strings.Contains(text,
		"No channel followed here is pushed by its publisher.") {
		t.Error("the page does not say that nothing is pushed")
	}
	for _, show := range []string{overview, viewSharing} {
		if text := visit(t, withPushes(1)()).shows(show); !strings.Contains(text, "1 channel has a publisher’s key") {
			t.Errorf("%q does not say that there is a key to decide about", show)
		}
	}
}
