package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tidings/cmd/console"
	"tidings/view"
)

type peersCmd struct {
	Friends bool    `xor:"what" help:"List the nodes through which this one joins trees instead, where the network's router is rappel: near ones that follow some of the same channels."`
	Links   bool    `xor:"what" help:"List the links over which updates travel instead, where the network's router is spidercast, and the followed channels that too few links cover."`
	Tree    address `xor:"what" help:"Show how the updates of this followed channel come to the node, and to whom it passes them on." placeholder:"CHANNEL"`
	Trust   bool    `xor:"what" help:"List penalized nodes instead: those that, within the last week, vouched for a change that this node did not find at the origin."`
	JSON    bool    `name:"json" help:"Print JSON, one node a line; of --tree one object."`
}

func (c *peersCmd) Run(p *program) error {
	switch {
	case c.Friends:
		return c.printFriends(p)
	case c.Links:
		return c.printLinks(p)
	case c.Trust:
		return printPenalties(p, c.JSON)
	case c.Tree != "":
		return c.printTree(p)
	}
	peers, err := p.client.Peers(p.ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return printLines(p.out, peers)
	}
	if len(peers) == 0 {
		p.out.Printf("This node is alone: it knows no other. Join one by its address: tidings join MULTIADDR\n")
		return nil
	}
	p.out.Table(peerColumns, peerRows(peers))
	return nil
}

// printFriends lists friends, or says why there are none.
func (c *peersCmd) printFriends(p *program) error {
	friends, err := p.client.Friends(p.ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return printLines(p.out, friends)
	}
	if len(friends) == 0 {
		p.out.Printf("This node has no friends: it joins trees through friends where the network's router is " +
			"rappel and many nodes follow a channel.\n")
		return nil
	}
	rows := make([][]console.Cell, len(friends))
	for i, f := range friends {
		rows[i] = []console.Cell{{Text: shortID(f.ID), Style: console.Bold},
			{Text: console.Neutral(f.Address), Style: console.Blue},
			{Text: rtt(f.RTT)}, {Text: rtt(f.Distance)}, {Text: console.Count(int64(f.Shared))},
			{Text: p.out.Relative(f.Since)},
			{Text: console.Neutral(strings.Join(f.Channels, " "))}}
	}
	p.out.Table([]console.Column{{Title: "ID"}, {Title: "ADDRESS", Least: 24}, {Title: "RTT", Right: true},
		{Title: "DISTANCE", Right: true},
		{Title: "SHARED CHANNELS", Right: true}, {Title: "SINCE", Spare: true},
		{Title: "WHICH", Least: 16, Spare: true}}, rows)
	return nil
}

// printLinks lists the links of the router spidercast, and the channels that they cover too seldom.
func (c *peersCmd) printLinks(p *program) error {
	o, err := p.client.Overlay(p.ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return p.out.JSON(o)
	}
	if len(o.Links)+len(o.Thin) == 0 {
		p.out.Printf("This node has no links: it has them where the network's router is spidercast and many nodes " +
			"follow a channel.\n")
		return nil
	}
	rows := make([][]console.Cell, len(o.Links))
	for i, l := range o.Links {
		rows[i] = []console.Cell{{Text: shortID(l.ID), Style: console.Bold},
			{Text: console.Neutral(l.Address), Style: console.Blue},
			{Text: rtt(l.RTT)}, {Text: console.Count(int64(l.Shared))}, {Text: console.Count(int64(l.Carried))},
			{Text: p.out.Relative(l.Since)},
			{Text: console.Neutral(strings.Join(l.Channels, " "))}}
	}
	p.out.Table([]console.Column{{Title: "ID"}, {Title: "ADDRESS", Least: 24}, {Title: "RTT", Right: true},
		{Title: "CHANNELS", Right: true},
		{Title: "IN TREES", Right: true}, {Title: "SINCE", Spare: true}, {Title: "WHICH", Least: 16, Spare: true}},
		rows)
	if len(o.Thin) == 0 {
		p.out.Printf("\nEach followed channel is covered by %s or more, or by all nodes known to follow it.\n",
			console.Of(o.Wanted, "link"))
		return nil
	}
	p.out.Printf("\nCovered by fewer than %s:\n", console.Of(o.Wanted, "link"))
	thin := make([][]console.Cell, len(o.Thin))
	for i, t := range o.Thin {
		thin[i] = []console.Cell{{Text: console.Count(int64(t.Links))}, {Text: console.Neutral(t.Channel)}}
	}
	p.out.Table([]console.Column{{Title: "LINKS", Right: true}, {Title: "CHANNEL", Least: 24}}, thin)
	return nil
}

// printTree shows how a channel's updates come to the node, from the root down.
func (c *peersCmd) printTree(p *program) error {
	t, err := p.client.Tree(p.ctx, string(c.Tree))
	if err != nil {
		return err
	}
	if c.JSON {
		return p.out.JSON(t)
	}
	p.out.Printf("%s\n", treeWords(t))
	if len(t.Ancestors)+len(t.Children) == 0 {
		return nil
	}
	var rows [][]console.Cell
	row := func(role string, n view.TreeNode) {
		rows = append(rows, []console.Cell{{Text: role}, {Text: shortID(n.ID), Style: console.Bold}, {Text: rtt(n.RTT)},
			{Text: console.Neutral(n.Address), Style: console.Blue}})
	}
	for i, n := range slices.Backward(t.Ancestors) {
		row(cmp.Or(t.Role(i), "above"), n)
	}
	rows = append(rows, []console.Cell{{Text: "this node"}, {}, {}, {}})
	below := "child"
	if t.Router == "spidercast" {
		below = "neighbour"
	}
	for _, n := range t.Children {
		row(below, n)
	}
	p.out.Table([]console.Column{{Title: "ROLE"}, {Title: "ID"}, {Title: "RTT", Right: true},
		{Title: "ADDRESS", Least: 24, Spare: true}}, rows)
	return nil
}

// treeWords says in a sentence how updates come to the node.
func treeWords(t view.Tree) string {
	down := "down a tree (router " + t.Router + ")"
	switch {
	case t.Pushed:
		down = "from its publisher, down a tree (router " + t.Router + ")"
	case t.Turns:
		down = "from the nodes that check in turns, down a tree (router " + t.Router + ")"
	}
	switch {
	case t.Router == "":
		return "No other node brings the updates of this channel: this node checks by itself."
	case t.Router == "direct" && t.Root:
		return "This node is the primary owner of this channel, and sends its updates to all subscribers itself."
	case t.Router == "direct":
		return "The primary owner of this channel sends its updates to this node itself."
	case t.Router == "spidercast" && len(t.Children) == 0:
		return "Updates of this channel travel over links between nodes that follow it (router spidercast). None " +
			"has come yet: the first one decides over which of this node's links."
	case t.Router == "spidercast":
		return "Updates of this channel travel over links between nodes that follow it (router spidercast): this " +
			"node has them from, and passes them on to, these neighbours."
	case t.Router == "newswire" && !t.Rooted:
		return "Updates of this channel come down the network's zones (router newswire), among which this node is " +
			"looking for its place."
	case t.Router == "newswire":
		return "Updates of this channel come down the network's zones (router newswire) to " + console.Neutral(t.Zone) +
			", where this node is."
	case t.Root:
		return "Updates of this channel go " + down + ", and this node is its root."
	case len(t.Ancestors) == 0:
		return "Updates of this channel come " + down + ", in which this node is looking for a parent."
	case !t.Rooted:
		return "Updates of this channel come " + down + "; this node does not know the whole way from the root."
	}
	steps := console.Of(len(t.Ancestors), "step")
	return "Updates of this channel come " + down + "; this node is " + steps + " below its root."
}

var peerColumns = []console.Column{{Title: "ID"}, {Title: "ADDRESS", Least: 24}, {Title: "RTT", Right: true},
	{Title: "NEIGHBOUR", Spare: true}, {Title: "CONNECTED", Spare: true}, {Title: "STANDING", Spare: true}}

func peerRows(peers []view.Peer) [][]console.Cell {
	rows := make([][]console.Cell, len(peers))
	for i, peer := range peers {
		rows[i] = []console.Cell{{Text: shortID(peer.ID), Style: console.Bold},
			{Text: console.Neutral(peer.Address), Style: console.Blue},
			{Text: rtt(peer.RTT)}, {Text: yes(peer.Neighbour)}, {Text: cmp.Or(string(peer.Way), yes(peer.Connected))},
			{Text: string(peer.Trust)}}
	}
	return rows
}

// shortID is as much of an ID as people need to distinguish nodes.
func shortID(id string) string {
	id = console.Neutral(id)
	return id[:min(len(id), 8)]
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return ""
}

// rtt writes a round trip in milliseconds; short ones to a tenth.
func rtt(ms float64) string {
	switch {
	case ms <= 0:
		return "-"
	case ms < 10:
		return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
	}
	return strconv.FormatFloat(ms, 'f', 0, 64) + " ms"
}

type joinCmd struct {
	Address string `arg:"" name:"address" help:"Address of another node, as its status shows it. It is kept for the next start."`
	Forget  bool   `help:"Do not join by it any more. What is connected stays so."`
}

func (c *joinCmd) Run(p *program) error {
	if c.Forget {
		if err := p.client.ForgetJoin(p.ctx, c.Address); err != nil {
			return err
		}
		p.out.Printf("Forgot %s\n", console.Neutral(c.Address))
		return nil
	}
	join, err := p.client.Join(p.ctx, c.Address)
	if err != nil {
		return err
	}
	switch join.State {
	case view.Joined:
		p.out.Printf("Joined by %s\n", console.Neutral(join.Address))
	case view.Waiting:
		return failure(fmt.Sprintf("joining by %s: %s", join.Address, join.Failure),
			"the address is kept, and tried again with growing pauses")
	default:
		p.out.Printf("Joining by %s; how it goes: tidings status\n", console.Neutral(join.Address))
	}
	return nil
}

// printNetwork prints how a node stands among others, as lines of its status.
func printNetwork(out *console.Console, n view.Network) {
	if n.Mining != nil {
		line(out, "network", miningWords(*n.Mining))
		return
	}
	if n.Off {
		line(out, "network", "none: the node works alone")
		return
	}
	line(out, "ring", ringWords(n))
	for i, address := range n.Addresses {
		line(out, nameOf(i, "addresses"), address)
	}
	for i, join := range n.Joins {
		line(out, nameOf(i, "joins"), joinWords(out, join))
	}
	if n.DuplicateKey {
		line(out, "duplicate key",
			fmt.Sprintf("another node runs with this one's key, last met %s; see: tidings doctor",
				out.Relative(n.DuplicateKeyMet)))
	}
	if z := n.Zones; z != nil {
		line(out, "zone", zoneWords(*z))
	}
	printNeighbours(out, n.Neighbours)
	printTraffic(out, n.Traffic)
}

// miningWords says how far a node is with making a key.
func miningWords(m view.Mining) string {
	words := fmt.Sprintf("none yet: the node makes a key whose ID costs %d bits of work; %s tried of about %s", m.Bits,
		console.Count(int64(m.Tried)), console.Count(int64(m.Expected)))
	if takes := m.Expects(); takes > 0 {
		words += fmt.Sprintf(", which take %s on average", console.Span(takes))
	}
	return words
}

func ringWords(n view.Network) string {
	words := fmt.Sprintf("at %.4f, ", n.Position)
	if len(n.Neighbours) == 0 {
		words += "alone"
	} else {
		words += fmt.Sprintf("among about %s, %s", console.Of(n.Nodes, "node"),
			console.Of(len(n.Neighbours), "neighbour"))
	}
	switch n.Reachable {
	case view.ReachPublic:
		return words + "; reachable from outside"
	case view.ReachPrivate:
		return words + "; not reachable from outside"
	}
	return words
}

func joinWords(out *console.Console, j view.Join) string {
	words := j.Address + ": " + string(j.State)
	if j.State == view.Waiting {
		words = j.Address + ": " + j.Failure + "; again " + out.Relative(j.Next)
	}
	if !j.Saved {
		words += " (not saved)"
	}
	return words
}

func printNeighbours(out *console.Console, neighbours []view.Peer) {
	if len(neighbours) == 0 {
		return
	}
	out.Printf("\n")
	heading(out, "Neighbours")
	rows := make([][]console.Cell, len(neighbours))
	for i, n := range neighbours {
		rows[i] = []console.Cell{{Text: fmt.Sprintf("%.4f", n.Position)}, {Text: shortID(n.ID), Style: console.Bold},
			{Text: rtt(n.RTT)}, {Text: console.Neutral(n.Address), Style: console.Blue}}
	}
	out.Table([]console.Column{{Title: "POSITION", Right: true}, {Title: "ID"}, {Title: "RTT", Right: true},
		{Title: "ADDRESS", Least: 24}}, rows)
}

// maxTraffic is how many kinds of messages a status shows.
const maxTraffic = 12

func printTraffic(out *console.Console, traffic []view.Traffic) {
	traffic = slices.DeleteFunc(slices.Clone(traffic),
		func(t view.Traffic) bool { return t.Sent+t.Received+t.Dropped == 0 })
	if len(traffic) == 0 {
		return
	}
	out.Printf("\n")
	heading(out, "Messages")
	var rows [][]console.Cell
	for _, t := range traffic[:min(len(traffic), maxTraffic)] {
		rows = append(rows, []console.Cell{{Text: console.Neutral(t.Kind)},
			{Text: console.Count(int64(t.Sent))}, {Text: console.Bytes(int64(t.SentBytes))},
			{Text: console.Count(int64(t.Received))}, {Text: console.Bytes(int64(t.ReceivedBytes))},
			{Text: dropped(t.Dropped), Style: console.Yellow}})
	}
	out.Table([]console.Column{{Title: "KIND"}, {Title: "SENT", Right: true}, {Title: "", Right: true},
		{Title: "RECEIVED", Right: true}, {Title: "", Right: true}, {Title: "DROPPED", Right: true, Spare: true}}, rows)
	if rest := len(traffic) - maxTraffic; rest > 0 {
		out.Printf("%s\n", out.Paint(console.Dim, "… and "+console.Of(rest, "more kind")))
	}
}

func dropped(n uint64) string {
	if n == 0 {
		return ""
	}
	return console.Count(int64(n))
}
