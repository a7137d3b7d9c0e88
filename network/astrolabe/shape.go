package astrolabe

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// A zone with a full table splits: half of its members move to a zone beside it where the parent has room, else all
// move to zones below it. One that made itself, and has become small, dissolves into the nearest beside it, or into its
// parent. The first representative decides which node goes where. A node that goes leaves its row behind for a while,
// by which it is still reached.

// maybeReshape is called at every interval. It looks through the node's zone where that has changed, or has to do
// something about it.
func (n *Node) maybeReshape() {
	if !n.uneven {
		return
	}
	depth := n.branch.lowest()
	var members []table.Row
	auto := false
	for r := range n.branch.tables[depth].Children() {
		if zone.IsMember(r.Label) {
			if !hasMoved(r) {
				members = append(members, r)
			}
		} else if r.Path().Auto() {
			auto = true
		}
	}
	small := n.branch.path.Auto() && len(members) < n.config.Small
	if !small {
		n.small = 0
	} else if n.small == 0 {
		n.small = n.env.Now()
	}
	n.uneven = auto || small || len(members) > n.config.Full
	switch {
	case auto:
		n.maybeDescend()
	case len(members) > n.config.Full && n.leads(depth):
		n.split(members)
	case small && n.env.Now()-n.small >= n.config.DissolveAfter && n.leads(depth):
		n.dissolve(members)
	}
}

// leads reports whether the node is the first representative of the zone at a depth, which is its own.
func (n *Node) leads(depth int) bool { return n.config.turn(n.aggregate(depth), n.env.Self().ID) == 0 }

// maybeDescend looks for a place in a zone below, where zones have made themselves beside the node: it came late, or
// missed a Move. Not all do so at once, so that no zone is full before the others know.
func (n *Node) maybeDescend() {
	if n.seeking == nil && n.env.Rand().IntN(3) == 0 {
		for _, p := range n.branch.draw(n.branch.lowest(), 1, n.env.Rand(), n.Down) {
			n.seek(&p)
		}
	}
}

// split divides the members of the node's zone.
func (n *Node) split(members []table.Row) {
	if parent := n.branch.path.Parent(); n.branch.path.Auto() && n.branch.tables[parent.Depth()].Len() < n.config.Full {
		halves := divide(members, 1)
		n.move(halves[1], parent.Child(newLabel(n.env.Rand())))
		return
	}
	if n.branch.path.Depth() == zone.MaxDepth {
		n.env.Trace(LimitHit{"MaxDepth", zone.MaxDepth})
		return
	}
	from, self := n.branch.path, n.env.Self().ID
	groups := divide(members, 3) // eight
	// its own group last: then it is elsewhere
	slices.SortStableFunc(groups, func(a, b []table.Row) int { return cmp.Compare(among(a, self), among(b, self)) })
	for _, group := range groups {
		n.move(group, from.Child(newLabel(n.env.Rand())))
	}
}

// among returns 1 if a node is one of some members, 0 if not.
func among(members []table.Row, self engine.ID) int {
	if slices.ContainsFunc(members, func(r table.Row) bool { return r.Issuer.ID == self }) {
		return 1
	}
	return 0
}

// newLabel draws the name of a zone that makes itself.
func newLabel(chance *rand.Rand) string {
	return fmt.Sprintf("%s%06x", zone.AutoMark, chance.Uint32()>>8)
}

// divide halves rows so many times, each time where they are furthest apart, so that near ones stay together.
func divide(rows []table.Row, times int) [][]table.Row {
	if times == 0 || len(rows) < 2 {
		return [][]table.Row{rows}
	}
	rows = slices.Clone(rows)
	along, widest := "", 0.0
	for _, name := range dimensions {
		low, high := 0.0, 0.0
		for i, r := range rows {
			x, _ := r.Attributes.Get(name).Number()
			if i == 0 {
				low, high = x, x
			}
			low, high = min(low, x), max(high, x)
		}
		if high-low > widest {
			along, widest = name, high-low
		}
	}
	slices.SortStableFunc(rows, func(a, b table.Row) int {
		x, _ := a.Attributes.Get(along).Number()
		y, _ := b.Attributes.Get(along).Number()
		return cmp.Compare(x, y)
	})
	half := len(rows) / 2
	return append(divide(rows[:half], times-1), divide(rows[half:], times-1)...)
}

// move sends members of the node's zone to another.
func (n *Node) move(members []table.Row, to zone.Path) {
	m := &Move{From: n.branch.path, To: to}
	for _, r := range members[:min(len(members), maxPeers)] {
		m.Peers = append(m.Peers, r.Issuer)
	}
	for _, r := range members {
		if r.Issuer.ID != n.env.Self().ID {
			n.env.Send(r.Issuer, m)
		}
	}
	if among(members, n.env.Self().ID) == 1 {
		n.moveTo(to, m.Peers)
	}
}

// dissolve sends the few members of the node's zone to the zone beside it that has room and is nearest, or to its
// parent.
func (n *Node) dissolve(members []table.Row) {
	parent := n.branch.path.Parent()
	t := &n.branch.tables[parent.Depth()]
	own, _ := t.Get(n.branch.path.Label())
	var best table.Row
	for r := range t.Children() {
		size := r.Attributes.Get(AttrMembers).Integer
		if !zone.IsZone(r.Label) || !r.Path().Auto() || hasMoved(r) || r.Label == n.branch.path.Label() ||
			r.Attributes.Get(AttrDepth).Integer != 1 ||
			size+int64(len(members)) > int64(n.config.Full*3/4) || size < int64(n.config.Small) &&
			r.Label > n.branch.path.Label() {
			continue
		}
		if best.IsZero() || !own.IsZero() && apart(own.Attributes, r.Attributes) < apart(own.Attributes,
			best.Attributes) {
			best = r
		}
	}
	switch {
	case !best.IsZero():
		n.departZone()
		m := &Move{From: n.branch.path, To: best.Path(), Peers: Representatives(best)}
		for _, r := range members {
			n.env.Send(r.Issuer, m) // also to the node itself
		}
	case t.Len() == 1: // nothing is beside it
		n.departZone()
		n.move(members, parent)
	}
}

// departZone writes the row of the node's zone for the last time, as farewell does with a member's. Otherwise the
// members would count twice for a Lifetime.
func (n *Node) departZone() {
	depth := n.branch.path.Depth() - 1
	old, _, ok := n.branch.tables[depth].Known(n.branch.path.Label(), 0)
	if !ok {
		return
	}
	n.stamps.follow(old.Time)
	r := n.stamps.stamp(&table.Content{
		Zone: n.branch.path.Parent(), Label: n.branch.path.Label(), Issuer: n.env.Self(),
		Attributes: attr.Of(append(slices.Clone(old.Attributes), markMoved)...),
		Proof:      n.seams.Proof,
	}, n.config.Stay, n.env.Wall())
	n.branch.tables[depth].Put(r, 0, n.env.Now())
	n.learned(depth, r, false)
	n.passOn(depth, table.Sent{Row: r}, engine.Peer{})
}

// mayMove reports whether a Move that the node received makes sense: the zone's representative has said it, the zone is
// full or small, and the node stays within its configured home.
func (n *Node) mayMove(from engine.Peer, m *Move) bool {
	if !n.branch.placed || m.From != n.branch.path || m.To == n.branch.path || m.To.Validate() != nil ||
		!n.seams.Home.Contains(m.To) || len(m.Peers) == 0 {
		return false
	}
	depth := n.branch.lowest()
	row := n.aggregate(depth)
	if !names(row, from.ID) {
		return false
	}
	size := n.branch.tables[depth].Len()
	switch parent := n.branch.path.Parent(); {
	case m.To == parent:
		return n.branch.path.Auto() && size < 2*n.config.Small
	case m.To.Parent() == parent && n.branch.path != zone.Root:
		return n.branch.path.Auto() && m.To.Auto() && (size < 2*n.config.Small || size > n.config.Full*3/4)
	default:
		return m.To.Parent() == n.branch.path && m.To.Auto() && size > n.config.Full*3/4
	}
}

func (n *Node) onMove(from engine.Peer, m *Move) {
	if n.mayMove(from, m) {
		n.moveTo(m.To, m.Peers)
	}
}

// moveTo has the node leave its zone for another, in which it looks for some others.
func (n *Node) moveTo(to zone.Path, peers []engine.Peer) {
	n.endSeek()
	n.farewell(n.branch.path, n.config.Stay)
	n.enter(to, nil)
	n.fellows = slices.DeleteFunc(slices.Clone(peers), func(p engine.Peer) bool { return p.ID == n.env.Self().ID })
	if len(peers) > 0 && peers[0].ID != n.env.Self().ID {
		n.quiet = n.env.Now() + n.config.Stay/2 // the first of them writes the zone's row, when it knows the others
	}
	n.maybeGather()
}

// maybeGather looks for those with which the node has come to its zone, as long as it knows none there.
func (n *Node) maybeGather() {
	if depth := n.branch.lowest(); len(n.fellows) > 0 {
		if n.branch.tables[depth].Len() > 1 {
			n.fellows = nil
			return
		}
		for range min(2, len(n.fellows)) {
			n.gossipWith(n.fellows[n.env.Rand().IntN(len(n.fellows))], depth)
		}
	}
}

// farewell writes the node's row in its zone for the last time, to hold for a while or not at all, and sends it to
// several that have it. The row has a mark, so that it counts for nothing, and the node is reached by it all the same.
func (n *Node) farewell(from zone.Path, holds time.Duration) {
	self := n.env.Self()
	r := n.stamps.stamp(&table.Content{
		Zone: from, Label: zone.Member(self.ID), Issuer: self,
		Attributes: attr.Of(append(n.ownAttributes(), markMoved)...), Proof: n.seams.Proof,
	}, holds, n.env.Wall())
	depth := from.Depth()
	n.branch.tables[depth].Put(r, 0, n.env.Now())
	n.learned(depth, r, r.Gone())
	for _, to := range n.branch.draw(n.branch.lowest(), n.config.Representatives, n.env.Rand(), n.Down) {
		n.env.Send(to, &Rows{from, []Update{updateOf(n.env.Rand(), depth, table.Sent{Row: r}, false)}})
	}
}

// attrMoved marks the row of a member that has gone to another zone, or of a zone with members that have.
const attrMoved = "moved"

var markMoved = attr.Attribute{Name: attrMoved, Value: attr.Int(1)}

// hasMoved reports whether a row is of those that are elsewhere now.
func hasMoved(r table.Row) bool { return !r.Attributes.Get(attrMoved).Equal(attr.Value{}) }

// maybeReunite meets parts of the network that do not know of each other. One is the zone at a depth drawn by chance
// with the writer of its row, if the node does not know that one as one of its own. The other is the root with a node
// that was named elsewhere. The one named last may know a part that none here does.
func (n *Node) maybeReunite() {
	n.maybeGather()
	if p := n.contacts.latest; !p.IsZero() {
		n.contacts.latest = engine.Peer{}
		n.gossipWith(p, 0)
		return
	}
	depth := n.env.Rand().IntN(len(n.branch.tables))
	if depth > 0 {
		r, ok := n.branch.tables[depth-1].Get(n.branch.path.At(depth).Label())
		if ok && r.Issuer.ID != n.env.Self().ID && !n.branch.represents(depth) {
			n.gossipWith(r.Issuer, depth)
			return
		}
	}
	if depth == 0 || n.branch.alone() {
		if len(n.contacts.peers) > 0 {
			n.gossipWith(n.contacts.any(n.env.Rand()), 0)
		}
	}
}

// meetIssuer meets the writer of its zone's row, if the node knows none of that name in it: two have come to the zone
// at the same time, or two zones of one name have.
func (n *Node) meetIssuer(r table.Row) {
	if r.Issuer.ID == n.env.Self().ID || r.Gone() || r.Path() != n.branch.path {
		return
	}
	if _, _, known := n.branch.tables[n.branch.lowest()].Known(zone.Member(r.Issuer.ID), 0); !known {
		n.gossipWith(r.Issuer, n.branch.lowest())
	}
}
