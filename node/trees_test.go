package node

import (
	"slices"
	"testing"
	"time"

	router "tidings/network"
)

// received returns how many messages of some kinds the first nodes have received.
func (w *together) received(nodes int, kinds ...string) (count uint64) {
	w.t.Helper()
	for i := range nodes {
		for _, traffic := range w.nodes[i].view().Traffic {
			if slices.Contains(kinds, traffic.Kind) {
				count += uint64(traffic.Received)
			}
		}
	}
	return count
}

// everywhere changes a feed and waits until the nodes show that, once.
func (w *together) everywhere(name string, nodes ...int) {
	w.t.Helper()
	before := make(map[int]int)
	for _, i := range nodes {
		before[i] = len(w.updates(i))
	}
	w.step(name)
	for _, i := range nodes {
		await(w.t, "a node shows the change", func() bool { return len(w.updates(i)) > before[i] })
		if got := len(w.updates(i)) - before[i]; got != 1 {
			w.t.Errorf("node %d shows %d updates of one change", i, got)
		}
	}
}

// latestItem returns the ID of the item that a node has told of last.
func (w *together) latestItem(i int) string {
	w.t.Helper()
	all := w.updates(i)
	items := all[len(all)-1].Items
	return items[len(items)-1].ID
}

// Where many follow a channel, the network's router brings its updates, also to a node that returns and after one
// that was inside the tree has gone; and the node says so.
func TestTreesBringUpdates(t *testing.T) {
	for r, kinds := range map[router.RouterName][]string{
		router.Scribe: {"scribe.Down", "scribe.Missed"},
		router.Rappel: {"rappel.Update", "rappel.Pulled"},
	} {
		t.Run(r.String(), func(t *testing.T) {
			const readers = 6
			w := lookTogether(t, readers+1, 2*time.Second, func(c *Config) { c.Router, c.DirectUpTo = r, 1 })
			name, url := w.ownedBy(readers)
			for i := range readers {
				w.follow(i, url)
			}
			for i := range readers {
				w.awaitNumber(i, url)
				await(t, "a node is told to join the tree", func() bool {
					s, err := w.nodes[i].Sharing(t.Context())
					return err == nil && s.ByTrees == 1 && s.Terms.Router == r.String()
				})
			}
			await(t, "updates come down the tree", func() bool {
				w.everywhere(name, 0, 1, 2, 3, 4, 5)
				return w.received(readers, kinds...) >= readers/2
			})
			if r == router.Rappel {
				await(t, "a node has found friends", func() bool {
					friends, err := w.client(0).Friends(t.Context())
					return err == nil && len(friends) > 0 && friends[0].Shared == 1
				})
			}
			w.nodes[1].stop()
			w.everywhere(name, 0, 2, 3, 4, 5)
			latest := w.latestItem(0)
			w.nodes[1].start()
			await(t, "the node that was away has caught up", func() bool {
				return w.latestItem(1) == latest
			})
			w.everywhere(name, 0, 1, 2, 3, 4, 5)
		})
	}
}
