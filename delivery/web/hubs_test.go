package web

import (
	"strings"
	"testing"
	"time"

	"tidings"
)

// The page of a channel shows how its hub announces what is new, with the tally and what is wrong.
func TestTheChannelsPageShowsItsHub(t *testing.T) {
	for state, want := range map[tidings.HubState]string{
		tidings.HubGood: "seldom asked", tidings.HubActive: "so far", tidings.HubAsked: "not confirmed",
		tidings.HubUnreliable: "should have announced",
		tidings.HubDenied:     "wants no subscription", tidings.HubFailed: "repeated",
	} {
		f := sample()
		f.at(pushedFeed).Hub = &tidings.HubPush{
			Protocol: "websub", Hub: "https://hub.example/<x>", State: state, Since: time.Now().Add(-time.Hour),
			LastPush: time.Now().Add(-time.Minute),
			Pushes:   41, Brought: 40, Missed: 3, Problem: "the hub answered 503",
		}
		body := visit(t, f, false).get("/channel?url=" + pushedFeed).Body.String()
		for _, part := range []string{want, "41 announcements", "40 with something new", "3 changes missed",
			"the hub answered 503", "https://hub.example/&lt;x&gt;"} {
			if !strings.Contains(body, part) {
				t.Errorf("%s: the page has no %q", state, part)
			}
		}
		if tagged := strings.Contains(body, `<span class="tag">pushed</span>`); tagged != (state == tidings.HubGood) {
			t.Errorf("%s: tagged as pushed: %v", state, tagged)
		}
	}
}
