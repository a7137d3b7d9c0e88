package networkroom

import (
	"context"
	"errors"
	"slices"

	"tidings"
	"tidings/delivery/locale"
	"tidings/delivery/web/wording"
	"tidings/view"
)

const (
	maxTreeNodes = 60   // children that are drawn, and as many nodes above; the command line lists all
	maxChoices   = 1000 // channels of which one is chosen
)

// treeView is how a channel's updates come to this node, drawn from the root down.
type treeView struct {
	view.Tree
	Name     string // the channel's, as it is shown
	Self     string // this node's ID
	Said     wording.Word
	Above    []treeNode // from the root down to the parent
	Below    []treeNode
	Left     int // nodes above that are left out, between the first of Above and the others
	LeftOut  int // children that are
	Detached bool
}

// treeNode is another node in the drawing.
type treeNode struct {
	view.TreeNode
	Role string
	Key  string // by which the script knows it again; empty: the way has the node twice
	Met  bool   // its whole ID is known
	Edge string // class of the line between it and the next node on the way
}

// wayChoice is a channel with a way that can be shown.
type wayChoice struct {
	URL, Name string
	Chosen    bool
}

// wayChoices are the followed channels. Those with updates that come down trees are first.
type wayChoices struct {
	Treed, Others []wayChoice
}

// friendRow is a friend as a table lists it.
type friendRow struct {
	view.Friend
	More int // channels in common that are not named
}

// way asks how the updates of the page's channel come.
func (s *room) way(ctx context.Context, account tidings.AccountID, p *page) (err error) {
	p.Tree, err = s.treeNow(ctx, account, p.Channel, p.ID)
	return err
}

// choose lists the channels with a way that can be shown, and returns the chosen one: the requested one, or the first
// with updates that come down a tree; "" if there is none.
func (s *room) choose(ctx context.Context, account tidings.AccountID, asked string) (wayChoices, string, error) {
	all, err := s.Followed(ctx, account)
	if err != nil {
		return wayChoices{}, "", err
	}
	trees := s.node.Trees()
	followed := func(url string) bool {
		return slices.ContainsFunc(all, func(f tidings.Subscription) bool { return f.URL == url })
	}
	var c wayChoices
	chosen := ""
	if followed(asked) {
		chosen = asked
	}
	for _, f := range all[:min(len(all), maxChoices)] {
		if f.Privacy != tidings.Public {
			continue
		}
		one := wayChoice{URL: f.URL, Name: wording.NameOf(f.Label(), 80)}
		if _, treed := slices.BinarySearch(trees, f.URL); !treed {
			c.Others = append(c.Others, one)
			continue
		}
		if c.Treed = append(c.Treed, one); chosen == "" {
			chosen = f.URL
		}
	}
	for _, list := range [][]wayChoice{c.Treed, c.Others} {
		for i := range list {
			list[i].Chosen = list[i].URL == chosen
		}
	}
	return c, chosen, nil
}

// treeNow asks how the updates of a channel come; nil if it is none that the account follows.
func (s *room) treeNow(ctx context.Context, account tidings.AccountID, channel, self string) (*treeView, error) {
	if channel == "" {
		return nil, nil
	}
	f, err := s.store.Channel(ctx, account, channel)
	if errors.Is(err, tidings.ErrNotFollowed) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t, err := s.network.Tree(ctx, f.URL)
	if err != nil {
		return nil, err
	}
	v := treeViewOf(wording.Words{Locale: locale.Of(ctx)}, t, self)
	v.Name = wording.NameOf(f.Label(), wording.MaxTitle)
	return &v, nil
}

func treeViewOf(w wording.Words, t view.Tree, self string) treeView {
	v := treeView{Tree: t, Self: self, Said: treeText(w, t), Detached: t.Router != "" && !t.Root &&
		len(t.Ancestors) == 0}
	seen := make(map[string]bool)
	drawn := func(n view.TreeNode, role, edge string) treeNode {
		key := n.ID
		if seen[key] {
			key = ""
		}
		seen[n.ID] = true
		return treeNode{n, role, key, len(n.ID) == wording.WholeID, edge}
	}
	for i, n := range slices.Backward(t.Ancestors) {
		// The nodes nearest to this one matter most, and the root.
		if i >= maxTreeNodes-1 && i < len(t.Ancestors)-1 {
			v.Left++
			continue
		}
		edge := "rx" // how far apart two others are is not known here
		if i == 0 {
			edge = bandOf(n.RTT)
		}
		v.Above = append(v.Above, drawn(n, t.Role(i), edge))
	}
	for _, n := range t.Children[:min(len(t.Children), maxTreeNodes)] {
		v.Below = append(v.Below, drawn(n, "", bandOf(n.RTT)))
	}
	v.LeftOut = len(t.Children) - len(v.Below)
	return v
}

// treeText says how the updates of a channel come.
func treeText(w wording.Words, t view.Tree) wording.Word {
	tree := w.Text("a tree of nodes (router %s)", t.Router)
	if t.Router == "rappel" || t.Router == "spidercast" {
		tree = w.Text("a tree of nodes that all follow it (router %s)", t.Router)
	}
	from := w.Text("Its updates come down %s.", tree)
	switch {
	case t.Pushed:
		from = w.Text("Its publisher pushes updates down %s.", tree)
	case t.Turns:
		from = w.Text("Nodes check it in turns, and notify the others down %s.", tree)
	}
	switch {
	case t.Router == "":
		return w.Idle("No other node brings its updates", "This node checks the channel by itself.")
	case t.Router == "direct" && t.Root:
		return w.Good("This node sends its updates",
			"It is the channel’s primary owner, and sends them to all subscribers itself: there is no tree.")
	case t.Router == "direct":
		return w.Good("Straight from the owner",
			"The channel’s primary owner sends its updates to this node itself: there is no tree.")
	case t.Router == "spidercast":
		return linksText(w, t)
	case t.Router == "newswire" && !t.Rooted:
		return w.Wait("Looking for a zone",
			"Its updates come down the network’s zones (router newswire), among which this node is looking for its place.")
	case t.Router == "newswire":
		return wording.Good(w.Text("In zone %s", t.Zone),
			w.Text("Its updates come down the network’s zones (router newswire) to the one that this node is in."))
	case t.Root:
		return wording.Good(w.Text("This node is the root"), from)
	case len(t.Ancestors) == 0:
		return wording.Wait(w.Text("Looking for a parent"), from)
	case !t.Rooted:
		return wording.Wait(w.Text("Below a part of the tree"),
			from+" "+w.Text("The way from the root is not known at present."))
	}
	return wording.Good(w.Count(int64(len(t.Ancestors)), "step below the root", "steps below the root"), from)
}

// linksText says over which links a channel's updates travel.
func linksText(w wording.Words, t view.Tree) wording.Word {
	more := w.Text("Its updates travel over links between nodes that all follow it (router spidercast).")
	if len(t.Children) == 0 {
		return wording.Wait(w.Text("Not on its way over links yet"),
			more+" "+w.Text("The first update to come decides over which of this node’s links."))
	}
	return wording.Good(w.Text("Over %s", w.Count(int64(len(t.Children)), "link", "links")), more)
}

// maxThin bounds the listed channels that too small a number of links covers.
const maxThin = 100

// overlayView is the links of the router spidercast as they are listed.
type overlayView struct {
	Wanted   int
	Links    []linkRow
	Thin     []view.Coverage
	ThinLeft int // that are left out
}

// linkRow is a link as a table lists it.
type linkRow struct {
	view.OverlayLink
	More int // channels that it covers and that are not named
}

func overlayViewOf(o view.Overlay) overlayView {
	v := overlayView{Wanted: o.Wanted, Thin: o.Thin[:min(len(o.Thin), maxThin)]}
	v.ThinLeft = len(o.Thin) - len(v.Thin)
	for _, l := range o.Links[:min(len(o.Links), maxPeers)] {
		v.Links = append(v.Links, linkRow{l, max(0, l.Shared-len(l.Channels))})
	}
	return v
}

// friendRows lists friends.
func friendRows(friends []view.Friend) []friendRow {
	rows := make([]friendRow, 0, len(friends))
	for _, f := range friends[:min(len(friends), maxPeers)] {
		rows = append(rows, friendRow{f, max(0, f.Shared-len(f.Channels))})
	}
	return rows
}
