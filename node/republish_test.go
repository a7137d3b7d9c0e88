package node

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"tidings"
	"tidings/lab/origin"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/node/coop"
	"tidings/node/trust"
)

func (w *together) believe(i int, node string, level tidings.TrustLevel) tidings.Republisher {
	w.t.Helper()
	p, err := w.client(i).SetRepublisher(w.t.Context(), node, level)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// Hostile 42: what a distrusted node has found is shown only once a poll of one's own has seen it, as found by
// that; the network's number is taken all the same. It stays so after a restart, and ends when the node
// is trusted, or preferred where all others are distrusted.
func TestHostile42TheDistrustedAreNotBelieved(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 3, 2*time.Second)
	name, url := w.ownedBy(1)
	w.follow(0, url)
	w.awaitNumber(0, url)
	self, finder := w.nodes[0].id, w.nodes[1].id
	found := func(by string) {
		t.Helper()
		if u := w.changed(0, name); u.FoundBy != by {
			t.Errorf("found by %s, want %s", u.FoundBy, by)
		}
	}
	w.believe(0, finder, tidings.Distrusted)
	found(self)
	await(t, "the content has its number", func() bool {
		id := engine.ID(tidings.IDOf(url))
		_, held := w.nodes[0].coop.Held(id)
		return held == w.nodes[0].coop.Content(id)
	})
	if s := sharingOf(t, w.nodes[0]).Republishers; s.Distrusted != 1 || s.Waited != 1 || s.Seen != 1 {
		t.Errorf("%+v", s)
	}
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
	found(finder)
	if testing.Short() {
		return
	}
	w.believe(0, tidings.AllNodes, tidings.Distrusted)
	w.nodes[0].stop()
	w.nodes[0].start()
	await(t, "the primary looks for it", func() bool { return w.watching(0).ByOthers == 1 })
	found(self)
	w.believe(0, finder, tidings.Preferred)
	found(finder)
}

// What a distrusted node tells of, by its name or by leaving out who has found it, has this node poll, and is not
// shown where that does not see it.
func TestALieOfTheDistrustedIsNotShown(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, time.Hour)
	url := w.base + "revised"
	for _, name := range []string{"revised", "another"} {
		if err := w.origin.Add(name, revised("one", "two"), origin.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	other := newRestartable(t, func(c *Config) { c.Interval = time.Hour })
	w.nodes = append(w.nodes, other)
	w.follow(0, url)
	w.number(url, 1)
	w.follow(1, w.base+"another")
	await(t, "it is shared there too", func() bool { return other.coop.Knows(engine.ID(tidings.IDOf(w.base + "another"))) })
	w.step("another")
	lie := foundElsewhere(t, other.Node, w.base+"another")
	lie.Channel, lie.Version = engine.ID(tidings.IDOf(url)), 2
	liar := engine.IDOf([]byte("a liar"))
	w.believe(0, liar.String(), tidings.Distrusted)
	s, polls := w.nodes[0].coop, len(w.origin.Requests("revised"))
	for _, by := range []corona.Update{
		{FoundBy: liar, Seal: corona.Seal{Given: []byte{1}}},
		{Seal: corona.Seal{Giver: engine.Peer{ID: liar}, Given: []byte{1}}},
	} {
		lie.FoundBy, lie.Seal = by.FoundBy, by.Seal
		if err := s.Take(t.Context(), lie); !errors.Is(err, coop.ErrDistrusted) {
			t.Errorf("it is taken: %v", err)
		}
	}
	await(t, "the node checks itself", func() bool { return len(w.origin.Requests("revised")) > polls })
	if got := fmt.Sprint(w.texts(0)); got != "[one]" {
		t.Errorf("readers were told %s", got)
	}
	if c := sharingOf(t, w.nodes[0]).Republishers; c.Waited != 1 || c.Seen != 0 {
		t.Errorf("%+v", c)
	}
	w.believe(0, liar.String(), tidings.Neutral)
	if err := s.Take(t.Context(), lie); err != nil {
		t.Errorf("it is not taken from who is trusted: %v", err)
	}
	if got := fmt.Sprint(w.texts(0)); got != "[one two]" {
		t.Errorf("readers were told %s", got)
	}
}
