package node

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	router "tidings/network"
	"tidings/network/engine"
	"tidings/view"
)

// received returns how many messages of the given kinds the first nodes have received.
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

// latestItem returns the ID of the item that a node has reported last.
func (w *together) latestItem(i int) string {
	w.t.Helper()
	all := w.updates(i)
	items := all[len(all)-1].Items
	return items[len(items)-1].ID
}

// awaitTree waits until the places that the first nodes report in the tree of a channel make one tree. All ways lead to
// one root, a parent has its children, and round trips are known.
func (w *together) awaitTree(r router.RouterName, url string, nodes int) {
	w.t.Helper()
	root := w.nodes[w.primary(url)].id
	await(w.t, "what the nodes tell makes a tree", func() bool {
		trees := make(map[string]view.Tree)
		for i := range nodes {
			tree, err := w.client(i).Tree(w.t.Context(), url)
			if err != nil {
				w.t.Fatal(err)
			}
			trees[w.nodes[i].id] = tree
		}
		for node, tree := range trees {
			if tree.Channel != url || tree.Router != r.String() || tree.Root || !tree.Rooted ||
				len(tree.Ancestors) == 0 ||
				tree.Ancestors[len(tree.Ancestors)-1].ID != root || tree.Ancestors[0].RTT <= 0 ||
				tree.Ancestors[0].Address == "" {
				return false
			}
			parent, known := trees[tree.Ancestors[0].ID]
			if known && !slices.ContainsFunc(parent.Children, func(c view.TreeNode) bool {
				return c.ID == node && c.RTT > 0
			}) {
				return false
			}
			for i, above := range tree.Ancestors[1:] {
				if between, known := trees[tree.Ancestors[i].ID]; known && between.Ancestors[0].ID != above.ID {
					return false
				}
			}
		}
		return true
	})
}

// awaitLinks waits until each node reports over which of its links the updates of a channel travel, and which channels
// its links cover. Updates go on meanwhile: links find their place in the tree by them.
func (w *together) awaitLinks(name, url string, nodes ...int) {
	w.t.Helper()
	await(w.t, "each node tells of its links", func() bool {
		w.everywhere(name, nodes...)
		for _, i := range nodes {
			tree, err := w.client(i).Tree(w.t.Context(), url)
			if err != nil {
				w.t.Fatal(err)
			}
			overlay, err := w.client(i).Overlay(w.t.Context())
			if err != nil {
				w.t.Fatal(err)
			}
			if tree.Router != "spidercast" || !tree.Rooted || tree.Root || len(tree.Children) == 0 ||
				overlay.Wanted == 0 {
				return false
			}
			covering := 0
			for _, l := range overlay.Links {
				// The owner follows nothing: it has links because it publishes.
				if l.Shared > 1 || l.Shared != len(l.Channels) || l.Address == "" {
					return false
				}
				covering += l.Shared
			}
			if covering == 0 {
				return false
			}
			for _, thin := range overlay.Thin {
				if thin.Channel != url || thin.Links >= overlay.Wanted {
					return false
				}
			}
		}
		return true
	})
}

// awaitZone waits until the first nodes report each other as members of one zone, by which the updates of a channel
// come.
func (w *together) awaitZone(url string, nodes int) {
	w.t.Helper()
	await(w.t, "each node tells of its zone", func() bool {
		for i := range nodes {
			tree, err := w.client(i).Tree(w.t.Context(), url)
			if err != nil {
				w.t.Fatal(err)
			}
			zone, err := w.client(i).Zone(w.t.Context(), "")
			if err != nil {
				w.t.Fatal(err)
			}
			members := 0
			for _, r := range zone.Rows {
				if r.Kind == view.ZoneMember && strings.HasSuffix(r.Attributes["filter"], " of 1024 bits") &&
					len(r.Representatives) == 1 {
					members++
				}
			}
			if tree.Router != "newswire" || !tree.Rooted || tree.Zone != "/" || zone.Path != "/" || zone.Own != "/" ||
				members < nodes {
				return false
			}
		}
		return true
	})
	if _, err := w.client(0).Zone(w.t.Context(), "/eu"); !errors.Is(err, tidings.ErrNotFound) {
		w.t.Errorf("of a zone that is not the node's is told %v", err)
	}
	if _, err := w.client(0).Zone(w.t.Context(), "eu"); !errors.Is(err, tidings.ErrInvalid) {
		w.t.Errorf("of what is no zone is told %v", err)
	}
}

// If updates come straight from the owner, their way leads to it. A channel that no other node brings has no way.
// Nothing is reported of a channel that an account does not follow.
func TestWaysWithoutTrees(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 3, time.Hour)
	_, url := w.ownedBy(1)
	w.follow(0, url)
	w.follow(1, url)
	owner := w.nodes[1].id
	await(t, "the way leads to the owner", func() bool {
		below, err := w.client(0).Tree(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		at, err := w.client(1).Tree(t.Context(), url)
		return err == nil && below.Router == "direct" && !below.Root && len(below.Ancestors) == 1 &&
			below.Ancestors[0].ID == owner &&
			at.Router == "direct" && at.Root && len(at.Ancestors) == 0
	})
	if _, err := w.client(2).Tree(t.Context(), url); !errors.Is(err, tidings.ErrNotFollowed) {
		t.Errorf("who does not follow it is told %v", err)
	}
	_, private := w.ownedBy(2)
	if _, err := w.client(0).Subscribe(t.Context(),
		tidings.SubscribeRequest{URL: private, Privacy: tidings.Unlisted}); err != nil {
		t.Fatal(err)
	}
	if tree, err := w.client(0).Tree(t.Context(), private); err != nil || tree.Router != "" || len(tree.Ancestors) > 0 {
		t.Errorf("the way of an unlisted channel: %+v, %v", tree, err)
	}
}

// If many follow a channel, the network's router brings its updates, and the node reports that. It brings them also to
// a node that returns, and after a node inside the tree has gone.
func TestTreesBringUpdates(t *testing.T) {
	t.Parallel()
	for r, kinds := range map[router.RouterName][]string{
		router.Scribe:     {"scribe.Disseminate", "scribe.Missed"},
		router.Rappel:     {"rappel.Update", "rappel.Pulled"},
		router.SpiderCast: {"spidercast.Event"},
		router.NewsWire:   {"newswire.Deliver"},
	} {
		t.Run(r.String(), func(t *testing.T) {
			t.Parallel()
			const readers = 6
			w := pollTogether(t, readers+1, 2*time.Second, func(c *Config) { c.Router, c.DirectUpTo = r, 1 })
			name, url := w.ownedBy(readers)
			for i := range readers {
				w.follow(i, url)
			}
			for i := range readers {
				w.awaitNumber(i, url)
				await(t, "a node is told to join the tree", func() bool {
					s, err := w.nodes[i].CoopStatus(t.Context())
					return err == nil && s.ByTrees == 1 && s.Params.Router == r.String()
				})
			}
			await(t, "updates come down the tree", func() bool {
				w.everywhere(name, 0, 1, 2, 3, 4, 5)
				return w.received(readers, kinds...) >= readers/2
			})
			if r == router.Rappel {
				await(t, "a node has found friends", func() bool {
					friends, err := w.client(0).Friends(t.Context())
					return err == nil && len(friends) > 0 && friends[0].Shared == 1 &&
						slices.Equal(friends[0].Channels, []string{url})
				})
				ids := []engine.ID{engine.ID(tidings.IDOf(url))}
				if named, err := (routingHost{w.nodes[0].Node}).InCommon(t.Context(), tidings.Owner+1,
					ids); err != nil || len(named) > 0 {
					t.Errorf("an account that follows nothing is told of %q, %v", named, err)
				}
			}
			switch r {
			case router.SpiderCast:
				w.awaitLinks(name, url, 0, 1, 2, 3, 4, 5)
			case router.NewsWire:
				w.awaitZone(url, readers)
			default:
				w.awaitTree(r, url, readers)
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
