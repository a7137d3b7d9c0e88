package web

import (
	"context"
	"errors"
	"net/url"
	"slices"

	"tidings"
)

const (
	maxTreeNodes = 60   // children that are drawn, and as many nodes above; the command line lists all
	maxChoices   = 1000 // channels of which one is chosen
)

// treeView is how a channel's updates come to this node, drawn from the root down.
type treeView struct {
	tidings.Tree
	Name     string // the channel's, as it is shown
	Self     string // this node's ID
	Said     word
	Above    []treeNode // from the root down to the parent
	Below    []treeNode
	Left     int // nodes above that are left out, between the first of Above and the others
	LeftOut  int // children that are
	Detached bool
}

// treeNode is another node in the drawing.
type treeNode struct {
	tidings.TreeNode
	Role string
	Key  string // by which the script knows it again; empty: the way has the node twice
	Met  bool   // its whole ID is known
	Edge string // class of the line between it and the next node on the way
}

// wayChoice is a channel whose way can be shown.
type wayChoice struct {
	URL, Name string
	Chosen    bool
}

// wayChoices are the followed channels, those first whose updates come down trees.
type wayChoices struct {
	Treed, Others []wayChoice
}

// friendRow is a friend as a table lists it.
type friendRow struct {
	tidings.Friend
	More int // channels in common that are not named
}

// networkPath returns the address of the network's page with a channel's way.
func networkPath(channel string) string {
	return "/network?" + url.Values{"channel": {channel}}.Encode() + "#way"
}

// choose lists the channels whose way can be shown, and returns which one is: the one that was asked for, or the first
// whose updates come down a tree; "" if there is none.
func (s *site) choose(r request) (wayChoices, string, error) {
	all, err := s.followed(r.Context(), r.account)
	if err != nil {
		return wayChoices{}, "", err
	}
	trees, asked := s.node.Trees(), r.FormValue("channel")
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
		one := wayChoice{URL: f.URL, Name: nameOf(f.Label(), 80)}
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
func (s *site) treeNow(ctx context.Context, account tidings.AccountID, channel, self string) (*treeView, error) {
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
	v := treeViewOf(t, self)
	v.Name = nameOf(f.Label(), maxTitle)
	return &v, nil
}

func treeViewOf(t tidings.Tree, self string) treeView {
	v := treeView{Tree: t, Self: self, Said: treeText(t), Detached: t.Router != "" && !t.Root && len(t.Ancestors) == 0}
	seen := make(map[string]bool)
	drawn := func(n tidings.TreeNode, role, edge string) treeNode {
		key := n.ID
		if seen[key] {
			key = ""
		}
		seen[n.ID] = true
		return treeNode{n, role, key, len(n.ID) == wholeID, edge}
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
func treeText(t tidings.Tree) word {
	tree := "a tree of nodes (router " + t.Router + ")"
	if t.Router == "rappel" || t.Router == "spidercast" {
		tree = "a tree of nodes that all follow it (router " + t.Router + ")"
	}
	from := "Its updates come down " + tree + "."
	switch {
	case t.Pushed:
		from = "Its publisher pushes updates down " + tree + "."
	case t.Turns:
		from = "Nodes check it in turns, and tell the others down " + tree + "."
	}
	switch {
	case t.Router == "":
		return word{"No other node brings its updates", "idle", "This node checks the channel by itself."}
	case t.Router == "direct" && t.Root:
		return word{"This node sends its updates", "good",
			"It is the channel’s primary owner, and sends them to all subscribers itself: there is no tree."}
	case t.Router == "direct":
		return word{"Straight from the owner", "good",
			"The channel’s primary owner sends its updates to this node itself: there is no tree."}
	case t.Router == "spidercast":
		return linksText(t)
	case t.Router == "newswire" && !t.Rooted:
		return word{"Looking for a zone", "wait", "Its updates come down the network’s zones (router newswire), among which this node is looking for its place."}
	case t.Router == "newswire":
		return word{"In zone " + t.Zone, "good", "Its updates come down the network’s zones (router newswire) to the one that this node is in."}
	case t.Root:
		return word{"This node is the root", "good", from}
	case len(t.Ancestors) == 0:
		return word{"Looking for a parent", "wait", from}
	case !t.Rooted:
		return word{"Below a part of the tree", "wait", from + " The way from the root is not known at present."}
	}
	return word{count(len64(t.Ancestors), "step", "steps") + " below the root", "good", from}
}

// linksText says over which links a channel's updates travel.
func linksText(t tidings.Tree) word {
	more := "Its updates travel over links between nodes that all follow it (router spidercast)."
	if len(t.Children) == 0 {
		return word{"Not on its way over links yet", "wait", more + " The first update to come decides over which of this node’s links."}
	}
	return word{"Over " + count(len64(t.Children), "link", "links"), "good", more}
}

// maxThin is how many channels that too few links cover are listed.
const maxThin = 100

// overlayView is the links of the router spidercast as they are listed.
type overlayView struct {
	Wanted   int
	Links    []linkRow
	Thin     []tidings.Coverage
	ThinLeft int // that are left out
}

// linkRow is a link as a table lists it.
type linkRow struct {
	tidings.OverlayLink
	More int // channels that it covers and that are not named
}

func overlayViewOf(o tidings.Overlay) overlayView {
	v := overlayView{Wanted: o.Wanted, Thin: o.Thin[:min(len(o.Thin), maxThin)]}
	v.ThinLeft = len(o.Thin) - len(v.Thin)
	for _, l := range o.Links[:min(len(o.Links), maxPeers)] {
		v.Links = append(v.Links, linkRow{l, max(0, l.Shared-len(l.Channels))})
	}
	return v
}

// friendRows lists friends.
func friendRows(friends []tidings.Friend) []friendRow {
	rows := make([]friendRow, 0, len(friends))
	for _, f := range friends[:min(len(friends), maxPeers)] {
		rows = append(rows, friendRow{f, max(0, f.Shared-len(f.Channels))})
	}
	return rows
}
