package node

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Nodes that poll together keep embargoes and withdrawals like one that polls alone. What one finds reaches all. Each
// shows an embargoed item at its time.
func TestNewsIsPolledTogether(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 3, 2*time.Second)
	a := newAgency(t)
	list := func(items ...string) string { return "[" + strings.Join(items, ",") + "]" }
	other := strings.Replace(ninjsOf(1, "other", ""), "urn:agency:1", "urn:agency:2", 1)
	a.serve(list(ninjsOf(1, "text1", ""), other))
	url := a.URL + "/wire"
	for i := range w.nodes {
		w.follow(i, url)
	}
	for i := range w.nodes {
		w.awaitNumber(i, url)
	}
	due := time.Now().Add(8 * time.Second)
	embargoed :=
		strings.Replace(ninjsOf(1, "EMBARGOED", fmt.Sprintf(`,"embargoedUntil":%q`, due.Format(time.RFC3339Nano))),
			"urn:agency:1", "urn:agency:3", 1)
	a.serve(list(ninjsOf(2, "text2", `,"pubStatus":"canceled"`), embargoed, other))
	for i := range w.nodes {
		await(t, "the item is withdrawn", func() bool { return w.timesShown(i, "urn:agency:1") == 2 })
		if strings.Contains(everywhere(t, w.nodes[i].Node, w.client(i), url), "EMBARGOED") && time.Now().Before(due) {
			t.Errorf("node %d shows what is under embargo", i)
		}
	}
	for i := range w.nodes {
		u := w.awaitItem(i, "urn:agency:3")
		if u.Received.Before(due.Truncate(time.Millisecond)) {
			t.Errorf("node %d told it %v before its time", i, due.Sub(u.Received))
		}
		if all := everywhere(t, w.nodes[i].Node, w.client(i), url); strings.Contains(all, "text1") ||
			strings.Contains(all, "text2") || !strings.Contains(all, "Withdrawn by Agency") {
			t.Errorf("node %d shows what is withdrawn", i)
		}
		if n := w.timesShown(i, "urn:agency:1") + w.timesShown(i, "urn:agency:2") + w.timesShown(i,
			"urn:agency:3"); n != 4 {
			t.Errorf("node %d told four versions %d times", i, n)
		}
	}
}
