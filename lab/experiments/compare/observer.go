package compare

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"tidings/lab/experiments/compare/fan"
	"tidings/lab/stats"
	"tidings/network/astrolabe"
	"tidings/network/engine"
	"tidings/network/routers/newswire"
	"tidings/network/routers/rappel"
	rappelinterest "tidings/network/routers/rappel/interest"
	"tidings/network/routers/scribe"
	"tidings/network/routers/spidercast/interest"
	"tidings/network/routers/spidercast/overlay"
	"tidings/network/routers/spidercast/spread"
	"tidings/network/routers/spidercast/view"
	"tidings/network/sim"
)

// observer holds nodes, and wants to know what the others follow. Its nodes behave as all others do. It
// sees the messages that come to them, and with zones also the rows that they keep: at rest they do not travel. It
// believes what all nodes say.
type observer struct {
	world  *world
	holds  []bool              // by node
	claims map[membership]bool // that it has seen
}

// membership is a node and a topic that it follows.
type membership struct {
	node  sim.Node
	topic int32
}

// newObserver draws an observer's nodes: a share of all, at least one. The first node is none of them: a hub sees
// everything.
func newObserver(w *world, seed uint64, share float64) *observer {
	o := &observer{world: w, holds: make([]bool, w.nodes), claims: make(map[membership]bool)}
	chance := rand.New(rand.NewPCG(seed, 0xc5))
	for _, i := range chance.Perm(w.nodes - 1)[:max(int(share*float64(w.nodes)), 1)] {
		o.holds[i+1] = true
	}
	return o
}

// tap sees a message that has come.
func (o *observer) tap(p sim.Delivery) {
	if p.Fate == sim.Received && p.From >= 0 && o.holds[p.To] {
		o.message(p.From, p.Message)
	}
}

// claim notes that a node is said to follow a topic.
func (o *observer) claim(n sim.Node, topic engine.ID) {
	if t, is := o.world.number[topic]; is && !o.holds[n] {
		o.claims[membership{n, t}] = true
	}
}

// claimPeer is claim of a node that is named by its ID.
func (o *observer) claimPeer(p engine.Peer, topic engine.ID) {
	if n, is := o.world.byID[p.ID]; is {
		o.claim(n, topic)
	}
}

// claimAll notes which topics a node follows by a set or a filter that may hold others as well.
func (o *observer) claimAll(p engine.ID, has func(topic engine.ID) bool) {
	n, is := o.world.byID[p]
	for _, topic := range o.world.topicIDs {
		if is && has(topic) {
			o.claim(n, topic)
		}
	}
}

// message notes what a message says of what nodes follow.
func (o *observer) message(from sim.Node, m engine.Message) {
	switch m := m.(type) {
	case *fan.Subscribe:
		o.claim(from, m.Topic)
	case *scribe.Join, *scribe.Detour, *scribe.Groups:
		o.scribe(from, m)
	case *rappel.Join, *rappel.JoinOK, *rappel.JoinForward, *rappel.ChangeParent, *rappel.Replace, *rappel.Ping,
		*rappel.Placed, *rappel.Update, *rappel.Void, *rappel.Pull, *rappel.Profile:
		o.rappel(from, m)
	case *view.Shuffle, *view.ShuffleReply, *overlay.Connect, *overlay.ConnectOK, *overlay.ProfileChanged,
		*overlay.Topics, *spread.Event:
		o.spiderCast(from, m)
	case *newswire.CatchUp:
		shape := newswire.Default().Shape
		o.claimAll(o.world.ids[from], func(t engine.ID) bool { return shape.Has(m.Filter, t) })
	case engine.Carrier:
		if carried := m.Carried(); carried != nil {
			o.message(from, carried)
		}
	}
}

// scribe notes which nodes are in a topic's tree. Some of these only forward its events.
func (o *observer) scribe(from sim.Node, m engine.Message) {
	switch m := m.(type) {
	case *scribe.Join:
		o.claimPeer(m.Child, m.Group.Topic)
	case *scribe.Detour:
		o.claimPeer(m.Join.Child, m.Join.Group.Topic)
	case *scribe.Groups:
		for _, g := range m.Groups {
			o.claim(from, g.Topic)
		}
	}
}

// rappel notes nodes in a topic's tree: all follow it, but for the root. A filter says more, of friends.
func (o *observer) rappel(from sim.Node, m engine.Message) {
	place := func(topic engine.ID, p rappel.Place) {
		o.claim(from, topic)
		for _, above := range p.Chain {
			o.claimPeer(above, topic)
		}
	}
	switch m := m.(type) {
	case *rappel.Join:
		o.claim(from, m.Topic)
	case *rappel.JoinOK:
		place(m.Topic, m.Place)
	case *rappel.Placed:
		place(m.Topic, m.Place)
	case *rappel.JoinForward:
		o.claimPeer(m.To, m.Topic)
		for _, p := range m.Others {
			o.claimPeer(p, m.Topic)
		}
	case *rappel.ChangeParent:
		o.claimPeer(m.To, m.Topic)
	case *rappel.Replace:
		o.claimPeer(m.Child, m.Topic)
	case *rappel.Ping:
		for _, e := range m.Edges {
			o.claim(from, e.Topic)
			for _, p := range e.Children {
				o.claimPeer(p, e.Topic)
			}
		}
	case *rappel.Update:
		o.claim(from, m.Topic)
	case *rappel.Void:
		o.claim(from, m.Topic)
	case *rappel.Pull:
		o.claim(from, m.Topic)
	case *rappel.Profile:
		filter := rappelinterest.FromWire(m.Filter)
		o.claimAll(o.world.ids[from], filter.Has)
	}
}

// spiderCast notes the sets that nodes say of themselves, and of others.
func (o *observer) spiderCast(from sim.Node, m engine.Message) {
	follows := func(node engine.ID, set interest.Set) {
		o.claimAll(node, func(t engine.ID) bool { return set.Has(interest.NameOf(t)) })
	}
	entries := func(lists ...[]view.Entry) {
		for _, e := range slices.Concat(lists...) {
			follows(e.Peer.ID, e.Follows)
		}
	}
	own := o.world.ids[from]
	switch m := m.(type) {
	case *view.Shuffle:
		entries([]view.Entry{m.Self}, m.Sample, m.Alike)
	case *view.ShuffleReply:
		entries([]view.Entry{m.Self}, m.Sample, m.Alike)
	case *overlay.Connect:
		follows(own, m.Profile.Follows)
	case *overlay.ConnectOK:
		follows(own, m.Profile.Follows)
	case *overlay.ProfileChanged:
		follows(own, m.Profile.Follows)
	case *overlay.Topics:
		follows(own, m.Names)
	case *spread.Event:
		o.claim(from, m.Topic)
	}
}

// readZones notes the filters of members in the tables that the observer's nodes keep.
func (o *observer) readZones(n sim.Node, zones *astrolabe.Node) {
	path, placed := zones.Path()
	if !placed || !o.holds[n] {
		return
	}
	shape := newswire.Default().Shape
	for depth := path.Depth(); depth >= 0; depth-- {
		for r := range zones.Table(path.At(depth)).Children() {
			if r.Attributes.Get(astrolabe.AttrMembers).Integer == 1 { // not a zone's
				filter := r.Attributes.Get(newswire.AttrFilter).Bytes
				o.claimAll(r.Issuer.ID, func(t engine.ID) bool { return shape.Has(filter, t) })
			}
		}
	}
}

// found is how well an observer did. A membership is one of a node that it does not hold.
type found struct {
	seen     float64 // share of the memberships that it has seen
	mistaken float64 // share of what it has seen that is no membership
	right    float64 // share of the memberships that are among as many that it names: what it has seen, then guesses
	guessed  float64 // the same for an observer that sees nothing
}

// judge says how well the observer did. It names as many memberships as there are. Guesses are by popularity alone: all
// nodes with the most popular topic, then all with the next. It knows how popular topics are.
func (o *observer) judge() (f found) {
	w := o.world
	total, seenRight := 0, 0
	for n := range sim.Node(w.nodes) {
		if !o.holds[n] {
			total += len(w.interests.Follows[n])
		}
	}
	for m := range o.claims {
		if _, is := find(w.interests.Followers[m.topic], m.node); is {
			seenRight++
		}
	}
	all, seen := float64(total), float64(len(o.claims))
	f.seen = stats.Share(float64(seenRight), all)
	f.mistaken = stats.Share(seen-float64(seenRight), seen)
	f.guessed = stats.Share(o.guess(total, func(membership) bool { return false }), all)
	f.right = stats.Share(float64(seenRight), seen) // of as many of them, drawn by chance
	if len(o.claims) <= total {
		guesses := o.guess(total-len(o.claims), func(m membership) bool { return o.claims[m] })
		f.right = (float64(seenRight) + guesses) / all
	}
	return f
}

// guess returns how many of so many guesses are right on average that leave some memberships out.
func (o *observer) guess(count int, known func(m membership) bool) (right float64) {
	w := o.world
	topics := make([]int32, w.topics)
	for t := range topics {
		topics[t] = int32(t)
	}
	slices.SortStableFunc(topics, func(a, b int32) int {
		return cmp.Compare(len(w.interests.Followers[b]), len(w.interests.Followers[a]))
	})
	for _, t := range topics {
		could, would := 0, 0
		for n := range sim.Node(w.nodes) {
			if o.holds[n] || known(membership{n, t}) {
				continue
			}
			could++
			if _, is := find(w.interests.Followers[t], n); is {
				would++
			}
		}
		use := min(could, count)
		right += stats.Share(float64(use*would), float64(could))
		count -= use
	}
	return right
}
