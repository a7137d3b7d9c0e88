package node

import (
	"testing"
	"time"

	"tidings"
	"tidings/node/trust"
	"tidings/view"
)

func (w *together) believe(i int, node string, level tidings.TrustLevel) view.Republisher {
	w.t.Helper()
	p, err := w.client(i).SetRepublisher(w.t.Context(), node, level)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// Hostile 42: a distrusted node's finding is shown only once an own poll has seen it, as found by that. The network's
// number is used nevertheless. It stays so after a restart, and ends when the node is trusted, or preferred where all
// others are distrusted.
func TestHostile42TheDistrustedAreNotBelieved(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 3, 2*time.Second, believing)
	name, url := w.ownedBy(1)
	w.follow(0, url)
	w.awaitNumber(0, url)
	self, finder := w.nodes[0].id, w.nodes[1].id
	foundBySelf := func() {
		t.Helper()
		if u := w.changed(0, name); u.FoundBy != self {
			t.Errorf("found by %s, want %s", u.FoundBy, self)
		}
	}
	w.believe(0, finder, tidings.Distrusted)
	foundBySelf()
	await(t, "the content has its number", func() bool {
		c, err := w.nodes[0].store.Content.Content(t.Context(), url)
		return err == nil && w.numbered(0, url).Hash == tidings.ContentHash(c.Marks)
	})
	await(t, "what waited for a poll of its own is counted", func() bool {
		s := sharingOf(t, w.nodes[0]).Republishers
		if s.Waited == 0 { // a backup poll has seen the change before the other node reported it
			foundBySelf()
		}
		return s.Distrusted == 1 && s.Waited > 0 && s.Seen > 0
	})
	peers, err := w.client(0).Peers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range peers {
		if (p.Trust == tidings.Distrusted) != (p.ID == finder) {
			t.Errorf("%s is %q", p.ID, p.Trust)
		}
	}
	w.believe(0, finder[:trust.MinDigits], tidings.Neutral)
	w.foundFor(0, 1, name)
	if testing.Short() {
		return
	}
	w.believe(0, view.AllNodes, tidings.Distrusted)
	w.nodes[0].stop()
	w.nodes[0].start()
	await(t, "the primary looks for it", func() bool { return w.watching(0).ByOthers == 1 })
	foundBySelf()
	w.believe(0, finder, tidings.Preferred)
	w.foundFor(0, 1, name)
}
