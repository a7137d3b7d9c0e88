package node

import (
	"fmt"
	"testing"
	"time"

	"tidings"
	"tidings/lab/dataset"
	"tidings/lab/origin"
	"tidings/network/corona"
	"tidings/network/engine"
)

// revised makes a history of a feed whose one item says one text after the other.
func revised(texts ...string) dataset.History {
	h := dataset.History{Name: "revised"}
	for i, text := range texts {
		h.Snapshots = append(h.Snapshots, dataset.Snapshot{Run: "dense", N: i + 1, Time: time.Unix(int64(i), 0), Ext: "xml", Body: fmt.Appendf(nil,
			`<rss version="2.0"><channel><title>F</title><item><guid>1</guid><title>T</title><description>%s</description></item></channel></rss>`, text)})
	}
	return h
}

// foundElsewhere returns the latest content of a channel as a node of another network would send it.
func foundElsewhere(t *testing.T, n *Node, url string) *corona.Update {
	t.Helper()
	if _, err := n.PollNow(t.Context(), tidings.Owner, url); err != nil {
		t.Fatal(err)
	}
	id := engine.ID(tidings.IDOf(url))
	await(t, "the node compares the channel with others", func() bool { return n.coop.Knows(id) })
	u, err := n.coop.Latest(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// texts returns what a node has told of the one item.
func (w *together) texts(i int) (all []string) {
	for _, u := range w.updates(i) {
		for _, item := range u.Items {
			all = append(all, item.Summary)
		}
	}
	return all
}

// number has the network know what the first node has of a channel by a number; its interval is so long that
// the network does nothing by itself.
func (w *together) number(url string, version uint64) {
	w.t.Helper()
	s, id := w.nodes[0].coop, engine.ID(tidings.IDOf(url))
	await(w.t, "the channel is shared for its readers", func() bool { return s.Readers(id) > 0 }) // before, it may be forgotten again
	u, err := s.Latest(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	u.Version = version
	s.Number(u)
}

// Two changes come closely together. A node's own poll finds the second; then the first comes from elsewhere, with a
// number, and then the number of the second. Readers are told of neither twice, and nothing is undone.
func TestALateVersionUndoesNothing(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, time.Hour)
	url := w.base + "revised"
	if err := w.origin.Add("revised", revised("one", "two", "three"), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	other := newRestartable(t, func(c *Config) { c.Interval = time.Hour })
	w.nodes = append(w.nodes, other)
	w.follow(0, url)
	w.follow(1, url)
	w.number(url, 1)
	s := w.nodes[0].coop
	w.step("revised")
	second := foundElsewhere(t, other.Node, url)
	w.step("revised")
	if _, err := w.nodes[0].PollNow(t.Context(), tidings.Owner, url); err != nil {
		t.Fatal(err)
	}
	third := foundElsewhere(t, other.Node, url)
	for i, u := range []*corona.Update{second, third} {
		u.Version = uint64(i) + 2
		if err := s.Take(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		s.Number(u)
	}
	if _, err := w.nodes[0].PollNow(t.Context(), tidings.Owner, url); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(w.texts(0)); got != "[one three]" {
		t.Errorf("readers were told %s", got)
	}
}

// What this node has found itself has no number yet when an older version comes of which nobody knows any more when
// it was found: nothing is undone.
func TestAVersionWithoutATimeUndoesNothing(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, time.Hour)
	url := w.base + "revised"
	if err := w.origin.Add("revised", revised("one", "two"), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	other := newRestartable(t, func(c *Config) { c.Interval = time.Hour })
	w.nodes = append(w.nodes, other)
	w.follow(0, url)
	w.follow(1, url)
	first := foundElsewhere(t, other.Node, url)
	w.step("revised")
	if _, err := w.nodes[0].PollNow(t.Context(), tidings.Owner, url); err != nil {
		t.Fatal(err)
	}
	first.Version, first.FoundAt = 1, 0
	if err := w.nodes[0].coop.Take(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	w.nodes[0].coop.Number(first)
	if got := fmt.Sprint(w.texts(0)); got != "[one two]" {
		t.Errorf("readers were told %s", got)
	}
}

// A content comes back that was there before: whoever has not seen it himself is told by others all the same.
func TestAContentThatComesBackIsTold(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, time.Hour)
	url := w.base + "revised"
	if err := w.origin.Add("revised", revised("one", "two", "one"), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	other := newRestartable(t, func(c *Config) { c.Interval = time.Hour })
	w.nodes = append(w.nodes, other)
	w.follow(0, url)
	w.follow(1, url)
	w.number(url, 1)
	s := w.nodes[0].coop
	for i := range 2 {
		w.step("revised")
		u := foundElsewhere(t, other.Node, url)
		u.Version = uint64(i) + 2
		if err := s.Take(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		s.Number(u)
	}
	if got := fmt.Sprint(w.texts(0)); got != "[one two one]" {
		t.Errorf("readers were told %s", got)
	}
}
