package networkroom

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"tidings/delivery/web/wording"

	"tidings/view"
)

func TestJoinAndForget(t *testing.T) {
	f := inNetwork(1)()
	v := visit(t, f)
	v.goesTo(v.post("/network/join", "address", "  "+sampleJoin+"\n"), "/network?said=joining")
	if got := f.network.Joins; len(got) != 1 || got[0].Address != sampleJoin {
		t.Errorf("joins %+v", got)
	}
	text := v.get("/network?said=joining").Body.String()
	for _, want := range []string{"The address is kept, and tried now.", sampleJoin, "Trying now",
		`action="/network/forget"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	v.goesTo(v.post("/network/forget", "address", sampleJoin), "/network?said=forgotten")
	v.goesTo(v.post("/network/forget", "address", sampleJoin), "/network?said=forgotten") // pressed twice
	if got := f.network.Joins; len(got) != 0 {
		t.Errorf("joins %+v", got)
	}
	if text := v.get("/network?said=forgotten").Body.String(); !strings.Contains(text, "The address is forgotten.") {
		t.Error("the page does not say what was done")
	}
}

// What cannot be an address is said, and can be mended.
func TestJoinRefused(t *testing.T) {
	f := inNetwork(1)()
	v := visit(t, f)
	for given, want := range map[string]string{
		"friend.example": "&#34;friend.example&#34;: invalid.",
		"":               "No address was given.",
		hostileText:      "&lt;script&gt;window.pwned",
		"/ip4/" + strings.Repeat("x", view.MaxJoinAddress): "An address has at most 2,048 bytes.",
	} {
		w := v.post("/network/join", "address", given)
		if w.Code != 422 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%.40q: %d, without %q", given, w.Code, want)
		}
		sound(t, "/network/join", w.Body.String())
	}
	if text := v.post("/network/join", "address", "friend.example").Body.String(); !strings.Contains(text,
		`name="address" value="friend.example"`) {
		t.Error("what was typed is gone")
	}
	if len(f.network.Joins) != 0 {
		t.Errorf("joins %+v", f.network.Joins)
	}
}

func TestNetworkOff(t *testing.T) {
	v := visit(t, withoutNetwork())
	text := v.get("/network").Body.String()
	if !strings.Contains(text, "This node works alone.") || !strings.Contains(text, sampleID) ||
		strings.Contains(text, "<svg id=") || strings.Contains(text, "/network/join") {
		t.Error("the page does not say that the node works alone, and no more")
	}
	if w := v.post("/network/join", "address", sampleJoin); w.Code != 400 ||
		!strings.Contains(w.Body.String(), "--no-network") {
		t.Errorf("joining: %d", w.Code)
	}
	if w := v.get("/network/events"); w.Code != 400 {
		t.Errorf("the stream: %d", w.Code)
	}
}

var hiddenField = regexp.MustCompile(`<input type="hidden"[^>]*>`)

// Every page about the network is sound in every state of it, and says what it is to say.
func TestNetworkStates(t *testing.T) {
	for name, c := range map[string]struct {
		fake func() *fake
		want map[string][]string // by the page's name
		not  []string            // on no page
	}{
		"alone": {inNetwork(1), map[string][]string{
			overview: {"Nobody else is here so far", "<code>tidings status</code>", "No other node is known yet.",
				`action="/network/join"`},
			viewRing: {">alone</text>"}, viewNode: {"198.51.100.23", sampleID}, viewTraffic: {"No message was sent"},
		}, []string{"Neighbours", "pastry.", "legend"}},
		"few": {inNetwork(6), map[string][]string{
			overview: {"In a ring of 6 nodes", "With 5 neighbours.", "<b>Nothing</b>"},
			viewRing: {"With 5 neighbours.", "this node"}, viewNode: {"Joined"},
		}, []string{"Nobody else", "Other known nodes"}},
		"many": {inNetwork(60), map[string][]string{
			overview: {"In a ring of about 60 nodes"}, viewRing: {"Other known nodes", "not measured"},
			viewNode: {"sent 45,065 messages"}, viewTraffic: {"pastry.Leaves", "2.2 MiB", "45,065"},
		}, []string{"clock is", "key of this one"}},
		"trouble": {inTrouble, map[string][]string{
			overview: {"has the key of this one", "3 min ago</time>. This warning goes when it was not met for 15 min.",
				"clock is 6 min behind",
				"Nobody listens there (connection refused).", "not kept", "Others cannot find this node.",
				"Something needs you"},
			viewNode: {"None: others cannot find this node", "A router or firewall",
				"another port towards each other node", "Nodes that relay to this one: 2.", "It lets no UDP through"},
			viewRing: {"by a relay", "<small>through a relay</small>", "<small>through both routers</small>"},
		}, []string{"<script>w", "<img", "\x1b", "\u202e"}},
	} {
		v := visit(t, c.fake())
		for _, one := range views {
			text := v.shows(one.Show)
			for _, want := range c.want[one.Show] {
				if !strings.Contains(text, want) {
					t.Errorf("%s, %s: the page does not have %q", name, one.name(wording.Words{}), want)
				}
			}
			text = hiddenField.ReplaceAllString(text, "") // it is sent back as it is
			for _, not := range c.not {
				if strings.Contains(text, not) {
					t.Errorf("%s, %s: the page has %q", name, one.name(wording.Words{}), not)
				}
			}
		}
	}
}

// An address that no form could have accepted can be forgotten all the same.
func TestForgetStrangeAddress(t *testing.T) {
	f := inTrouble()
	v := visit(t, f)
	v.goesTo(v.post("/network/forget", "address", hostileText), "/network?said=forgotten")
	if slices.ContainsFunc(f.network.Joins, func(j view.Join) bool { return j.Address == hostileText }) {
		t.Error("it is still there")
	}
}
