package networkroom

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tidings/delivery/web/wording"

	"tidings"
	"tidings/view"
)

const (
	treedFeed  = "https://kernel.example/headlines/rss"
	secondFeed = "https://compiler.example/blog/feed.atom"
	quietFeed  = "https://quiet.example/notes/index.xml"
)

// treeNodeAt is the i-th of the nodes of the sample trees, so many milliseconds away; 0: not measured.
func treeNodeAt(i int, rtt float64) view.TreeNode {
	return view.TreeNode{ID: fmt.Sprintf("%04x%036x", 0x1a2b+i*613, i+1), RTT: rtt,
		Address: fmt.Sprintf(
			"/ip4/203.0.113.%d/udp/7601/quic-v1/p2p/12D3KooWGC6TvWhfapngX6wvJHMYvKpDMXPb3ZnCZ6dMoaMt%04d", i%250+1, i)}
}

// inTrees is inNetwork with channels for each way in which updates can come.
func inTrees() *fake {
	f := inNetwork(60)()
	f.coop.Params.Router, f.coop.Own.Router, f.coop.ByTrees = "rappel", "rappel", 2
	met := view.TreeNode{ID: "77aa00ff12345678"}
	f.trees = map[string]view.Tree{
		treedFeed: {Channel: treedFeed, Router: "rappel", Rooted: true,
			Ancestors: []view.TreeNode{treeNodeAt(1, 31.4), treeNodeAt(2, 0), treeNodeAt(3, 140)},
			Children: []view.TreeNode{treeNodeAt(4, 12), treeNodeAt(5, 68), treeNodeAt(6, 120), treeNodeAt(7, 240),
				treeNodeAt(8, 0)}},
		secondFeed: {Channel: secondFeed, Router: "scribe", Ancestors: []view.TreeNode{treeNodeAt(9, 90), met},
			Children: []view.TreeNode{}},
		quietFeed: {Channel: quietFeed, Router: "direct", Rooted: true, Ancestors: []view.TreeNode{treeNodeAt(3, 140)},
			Children: []view.TreeNode{}},
	}
	// reads the same whatever the hour
	since := func(year int) time.Time { return time.Date(year, 11, 12, 12, 0, 0, 0, time.Local) }
	f.friends = []view.Friend{
		{ID: treeNodeAt(1, 0).ID, Address: treeNodeAt(1, 0).Address, RTT: 31.4, Distance: 29, Shared: 2,
			Channels: []string{secondFeed, treedFeed}, Since: since(2019)},
		{ID: treeNodeAt(4, 0).ID, Address: treeNodeAt(4, 0).Address, Distance: 12, Shared: 5,
			Channels: []string{treedFeed}, Since: since(2020)},
		{ID: treeNodeAt(20, 0).ID, Address: treeNodeAt(20, 0).Address, RTT: 220, Distance: 214, Channels: []string{},
			Since: since(2021)},
	}
	return f
}

// rootOfMany is inTrees where this node is the root of a tree, and has more children than are drawn.
func rootOfMany() *fake {
	f := inTrees()
	t := view.Tree{Channel: treedFeed, Router: "scribe", Root: true, Rooted: true, Ancestors: []view.TreeNode{}}
	for i := range maxTreeNodes + 7 {
		t.Children = append(t.Children, treeNodeAt(i, float64(i*5)))
	}
	f.trees[treedFeed] = t
	return f
}

// hostileTree is inTrees with what others may have written.
func hostileTree() *fake {
	f := inTrees()
	bad := view.TreeNode{ID: hostileText, Address: hostileText, RTT: 3}
	f.trees[treedFeed] = view.Tree{Channel: treedFeed, Router: "rappel", Rooted: true, Ancestors: []view.TreeNode{bad},
		Children: []view.TreeNode{bad}}
	f.friends = []view.Friend{{ID: hostileText, Address: hostileText, Shared: 1,
		Channels: []string{"https://x.example/" + hostileText}}}
	f.overlay = view.Overlay{
		Links: []view.OverlayLink{{ID: hostileText, Address: hostileText, Shared: 1,
			Channels: []string{"https://x.example/" + hostileText}}},
		Thin: []view.Coverage{{Channel: "https://x.example/" + hostileText}},
	}
	return f
}

// The way is drawn from the root down: a list in that order, with this node in it and its children below.
func TestWayFromTheRootDown(t *testing.T) {
	page := visit(t, inTrees()).get("/network?channel=" + treedFeed).Body.String()
	sound(t, "/network", page)
	got := words(part(t, page, `<figure class="tree-figure">`, `</figure>`))
	id := func(i int) string { return treeNodeAt(i, 0).ID[:wording.ShortID] }
	order := []string{
		id(3) + " root round trip 140 ms", id(2) + " 203.0.113.3:7601 · QUIC " + id(1) + " parent round trip 31 ms",
		"this node 6e1f0a4b",
		id(4) + " round trip 12 ms", id(5) + " round trip 68 ms", id(7) + " round trip 240 ms",
		"passes updates on to 5 nodes",
	}
	rest := got
	for _, piece := range order {
		_, after, found := strings.Cut(rest, piece)
		if !found {
			t.Fatalf("%q does not come where it should in %q", piece, got)
		}
		rest = after
	}
	if !strings.Contains(words(page),
		"3 steps below the root Its updates come down a tree of nodes that all follow it (router rappel).") {
		t.Error("the page does not say how far below the root the node is")
	}
	// Lines show round trips from this node: to the parent and the children, and no others.
	for id, edge := range map[string]string{treeNodeAt(3, 0).ID: "rx", treeNodeAt(2, 0).ID: "rx",
		treeNodeAt(1, 0).ID: "r1", treeNodeAt(7, 0).ID: "r3", treeNodeAt(8, 0).ID: "rx"} {
		if !strings.Contains(page, `<li class="`+edge+`" id="way-`+id+`">`) {
			t.Errorf("the line of %s is not of class %s", id, edge)
		}
	}
}

// Each way in which updates can come is shown.
func TestWaysAreTold(t *testing.T) {
	one := []view.TreeNode{treeNodeAt(1, 5)}
	for want, tree := range map[string]view.Tree{
		"No other node brings its updates": {},
		"This node sends its updates": {Router: "direct", Root: true,
			Rooted: true},
		"Straight from the owner": {Router: "direct", Rooted: true,
			Ancestors: one},
		"the owner is not known at present": {Router: "direct"},
		"This node is the root": {Router: "rappel", Root: true,
			Rooted: true},
		"no parent at present": {Router: "rappel"},
		"1 step below the root": {Router: "scribe", Rooted: true,
			Ancestors: one},
		"nodes that this one does not know": {Router: "scribe", Ancestors: one},
		"Its publisher pushes updates down a tree of nodes (router scribe": {Router: "scribe", Rooted: true,
			Ancestors: one, Pushed: true},
		"Nodes check it in turns, and notify the others down a tree": {Router: "scribe", Rooted: true,
			Ancestors: one, Turns: true},
		"passes updates on to nobody": {Router: "rappel", Rooted: true,
			Ancestors: one},
	} {
		f := inTrees()
		tree.Channel = treedFeed
		f.trees[treedFeed] = tree
		page := visit(t, f).get("/network?channel=" + treedFeed).Body.String()
		sound(t, want, page)
		if !strings.Contains(words(page), want) {
			t.Errorf("the page of %+v does not have %q", tree, want)
		}
	}
}

// A channel is chosen by the address, else the first that has a tree; one that is not followed is none.
func TestWayIsChosen(t *testing.T) {
	for _, test := range []struct {
		fake        func() *fake
		query, want string
	}{
		{inTrees, "/network?show=routers", secondFeed}, // its name comes first in its folder
		{inTrees, "/network?channel=" + treedFeed, treedFeed},
		{inTrees, "/network?channel=" + quietFeed, quietFeed},
		{inTrees, "/network?channel=https://nowhere.example/", secondFeed},
		{inNetwork(6), "/network?show=routers", ""},
		{inNetwork(6), "/network?channel=" + treedFeed, treedFeed},
	} {
		f := test.fake()
		page := visit(t, f).get(test.query).Body.String()
		var want []string
		if test.want != "" {
			want = []string{test.want}
		}
		if !slices.Equal(f.asked, want) {
			t.Errorf("%q: the trees of %q were asked for, want %q", test.query, f.asked, want)
		}
		chosen := regexp.MustCompile(`<option value="([^"]*)" selected>`).FindAllStringSubmatch(page, -1)
		switch {
		case test.want == "" && (len(chosen) > 0 || strings.Contains(page, "tree-figure") ||
			!strings.Contains(page, "Choose one…")):
			t.Errorf("%q: %q is chosen", test.query, chosen)
		case test.want != "" && (len(chosen) != 1 || chosen[0][1] != test.want):
			t.Errorf("%q: %q is chosen, want %q", test.query, chosen, test.want)
		}
	}
}

// Nobody else learns what others follow here: channels that are not public are not among the choices.
func TestWayOfPrivateChannels(t *testing.T) {
	f := inTrees()
	f.at(quietFeed).Privacy = tidings.Unlisted
	page := visit(t, f).shows(viewRouters)
	if strings.Contains(part(t, page, `<select name="channel">`, `</select>`), quietFeed) {
		t.Error("an unlisted channel can be chosen")
	}
}

// What is too much to draw is counted.
func TestLargeTreesAreCut(t *testing.T) {
	f := rootOfMany()
	page := visit(t, f).get("/network?channel=" + treedFeed).Body.String()
	if got := strings.Count(page, `id="way-`); got != maxTreeNodes {
		t.Errorf("%d nodes are drawn", got)
	}
	if !strings.Contains(words(page), "passes updates on to 67 nodes, of which 7 more are not drawn") {
		t.Error("it is not said that some are left out")
	}
	long := view.Tree{Channel: treedFeed, Router: "rappel", Rooted: true}
	for i := range maxTreeNodes + 5 {
		long.Ancestors = append(long.Ancestors, treeNodeAt(i, 0))
	}
	f.trees[treedFeed] = long
	page = visit(t, f).get("/network?channel=" + treedFeed).Body.String()
	if got := strings.Count(page, `id="way-`); got != maxTreeNodes || !strings.Contains(page, "5 more nodes") {
		t.Errorf("%d nodes above are drawn", got)
	}
	way := words(part(t, page, `<figure class="tree-figure">`, `</figure>`))
	for _, end := range []string{long.Ancestors[0].ID, long.Ancestors[len(long.Ancestors)-1].ID} {
		if !strings.Contains(way, end[:wording.ShortID]) {
			t.Errorf("%s, at an end of the way, is left out", end)
		}
	}
}

// Friends are listed with what they have in common.
func TestFriendsAreListed(t *testing.T) {
	page := visit(t, inTrees()).shows(viewRouters)
	got := words(part(t, page, `<ul class="plain friends">`, `</ul>`))
	for _, want := range []string{
		"round trip 31 ms 203.0.113.2:7601 · QUIC became a friend 12 Nov 2019 2 channels in common: compiler.example/blog/feed.atom , kernel.example/headlines/rss",
		"about 12 ms 203.0.113.5:7601 · QUIC became a friend 12 Nov 2020 5 channels in common: kernel.example/headlines/rss and 4 more",
		"220 ms 203.0.113.21:7601 · QUIC became a friend 12 Nov 2021 Nothing in common so far",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if !strings.Contains(page, `href="/channel?url=https%3A%2F%2Fkernel.example%2Fheadlines%2Frss"`) {
		t.Error("a channel in common has no link")
	}
	f := inTrees()
	f.friends = nil
	if page := visit(t, f).shows(viewRouters); !strings.Contains(page, "None so far") {
		t.Error("it is not said that there are no friends")
	}
	if page := visit(t, inNetwork(60)()).shows(viewRouters); strings.Contains(page, `id="friends"`) {
		t.Error("friends are spoken of where the router is none of theirs")
	}
}

// Links are listed with the channels that they cover. So are channels that too small a number covers.
func TestLinksAreListed(t *testing.T) {
	f := inTrees()
	f.overlay = view.Overlay{Wanted: 3, Links: []view.OverlayLink{
		{ID: strings.Repeat("ab", 20), Address: "/ip4/203.0.113.2/udp/7601/quic-v1/p2p/12D3KooWAb", RTT: 31, Shared: 5,
			Carried:  2,
			Channels: []string{treedFeed}, Since: time.Date(2021, 11, 12, 12, 0, 0, 0, time.Local)},
	}, Thin: []view.Coverage{{Channel: treedFeed, Links: 1}}}
	page := visit(t, f).shows(viewRouters)
	got := words(part(t, page, `<h2 id="links">`, `</section>`))
	for _, want := range []string{
		"round trip 31 ms 203.0.113.2:7601 · QUIC linked 12 Nov 2021", " and 4 more. Updates of 2 travel on it at once",
		"Channels covered by fewer than 3 links", " 1 link ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	f.overlay.Thin = slices.Repeat(f.overlay.Thin, maxThin+7)
	if page := visit(t, f).shows(viewRouters); !strings.Contains(page, "7 more are not listed here") {
		t.Error("it is not said that channels are left out")
	}
	if page := visit(t, inTrees()).shows(viewRouters); strings.Contains(page, `id="links"`) {
		t.Error("links are spoken of where the router has none")
	}
}

func TestHostileTrees(t *testing.T) {
	page := visit(t, hostileTree()).get("/network?channel=" + treedFeed).Body.String()
	sound(t, "/network", page)
	for _, not := range []string{"<script>w", "<img", "\x1b", "\u202e"} {
		if strings.Contains(page, not) {
			t.Errorf("the page has %q", not)
		}
	}
}

// The way follows the tree while somebody watches, and is asked for only then, and of that channel alone.
func TestWayLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := inTrees()
		events, _ := watchedAt(t, f, "/network/events?show=routers&channel="+treedFeed, func() {
			time.Sleep(2 * time.Second)
			changed := f.trees[treedFeed]
			changed.Children = changed.Children[1:]
			f.mu.Lock()
			f.trees[treedFeed] = changed
			f.turn()
			f.mu.Unlock()
			synctest.Wait()
			time.Sleep(time.Second)
			f.mu.Lock()
			f.followed = nil
			f.mu.Unlock()
			time.Sleep(networkRefresh)
		})
		expectEvents(t, events, "friends tree", "tree", "tree")
		if !slices.Equal(slices.Compact(f.asked), []string{treedFeed}) {
			t.Errorf("trees asked for: %q", f.asked)
		}
		asked := len(f.asked)
		time.Sleep(time.Minute)
		if len(f.asked) != asked {
			t.Error("the tree is asked for though nobody watches")
		}
		f.asked = nil
		events, _ = watchedAt(t, f, "/network/events?show=routers", func() {})
		expectEvents(t, events, "friends")
		if len(f.asked) > 0 {
			t.Errorf("trees asked for where none was chosen: %q", f.asked)
		}
	})
}
