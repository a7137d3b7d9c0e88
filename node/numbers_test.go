package node

import (
	"slices"
	"testing"
	"time"

	"tidings"
	"tidings/lab/origin"
)

// docs/api.md promises this of nodes that poll a page together. All have the same contents in the same order and apply
// the same deltas, from where they began. Each numbers its updates by itself, from 1 and without a gap. A node shows
// what it finds before the network has a number for it. A node that followed the page alone has numbers that the
// network never knew. Each names the node that reported it first.
func TestNodesAgreeOnContentsAndNumberThemByThemselves(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts four nodes")
	}
	const interval = 2 * time.Second
	w := pollTogether(t, 3, interval)
	name, url := w.ownedBy(1)
	if err := w.origin.Add(name, historyOf(pageOf("a"), pageOf("a", "b"), pageOf("a", "b", "c"), pageOf("b", "c"),
		pageOf("b", "c", "d")), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	alone := newRestartable(t, func(c *Config) { c.Interval = interval })
	w.nodes = append(w.nodes, alone)
	const first, late, loner = 0, 2, 3
	shows := func(i, updates int) {
		t.Helper()
		await(t, "the change is shown", func() bool { return len(w.updates(i)) >= updates })
	}

	w.follow(first, url)
	w.awaitNumber(first, url)
	w.follow(loner, url)
	shows(loner, 1)
	for i := range 2 {
		w.step(name)
		shows(first, i+2)
		shows(loner, i+2)
	}
	w.follow(late, url)
	shows(late, 1)
	alone.adds(w.nodes[first].address())
	await(t, "the node that was alone is in the ring", func() bool {
		return alone.view().Nodes == 4 && len(alone.view().Neighbours) == 3
	})
	for i := range 2 {
		w.step(name)
		shows(first, i+4)
		shows(loner, i+4)
		shows(late, i+2)
	}

	nodes := []string{w.nodes[0].id, w.nodes[1].id, w.nodes[2].id, w.nodes[3].id}
	all := hashesOf(w.updates(first))
	for _, i := range []int{first, late, loner} {
		told := w.updates(i)
		if got, want := hashesOf(told), all[len(all)-min(len(all), len(told)):]; !slices.Equal(got, want) {
			t.Errorf("node %d has told the contents %v, want %v", i, got, want)
		}
		for j, u := range told {
			if u.Version != tidings.Version(j+1) {
				t.Errorf("node %d has given number %d to what it told as number %d", i, u.Version, j+1)
			}
			if !slices.Contains(nodes, u.FoundBy) {
				t.Errorf("node %d names %q as the finder of version %d", i, u.FoundBy, u.Version)
			}
			if j > 0 && u.BaseHash != told[j-1].Hash {
				t.Errorf("node %d: the delta of version %d does not follow on the version before", i, u.Version)
			}
		}
	}
	for _, i := range []int{first, loner} {
		if got := len(w.updates(i)); got != 5 {
			t.Errorf("node %d has told %d versions, want 5", i, got)
		}
	}

	third, began := w.updates(first)[2], w.updates(late)[0]
	if third.Hash != began.Hash || third.Version != 3 || began.Version != 1 {
		t.Errorf("one content is version %d of %s here and version %d of %s there", third.Version, third.Hash,
			began.Version, began.Hash)
	}
	// The reader may have found it by its backup poll. The node that was alone may have seen it sooner: it was the
	// latest when that joined.
	if finders := []string{w.nodes[1].id, w.nodes[first].id, alone.id}; !slices.Contains(finders, third.FoundBy) ||
		began.FoundBy != w.nodes[late].id {
		t.Errorf("found by %s and by %s, want one of those that polled for it before (%s) and the node that began with it (%s)",
			third.FoundBy, began.FoundBy, finders, w.nodes[late].id)
	}
	// The latest one names the node that saw it sooner, once this node learns of that.
	if own := w.updates(loner)[1]; own.Hash != w.updates(first)[1].Hash || own.FoundBy != alone.id {
		t.Errorf("what a node found alone is found by %s, want itself (%s)", own.FoundBy, alone.id)
	}
}

// hashesOf returns the hashes of the reported contents, the oldest first.
func hashesOf(updates []tidings.Update) (hashes []string) {
	for _, u := range updates {
		hashes = append(hashes, u.Hash)
	}
	return hashes
}
