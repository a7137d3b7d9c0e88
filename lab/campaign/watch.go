package campaign

import (
	"time"

	"tidings/network"
	"tidings/network/corona/coronatest"
	"tidings/network/corona/roster"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/routers/rappel"
	"tidings/network/routers/scribe"
	"tidings/network/routers/spidercast/spread"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

// lookEvery returns how often tables and subscriptions are looked at: rarely where there are many.
func (w *World) lookEvery() time.Duration {
	if w.Nodes <= 100 {
		return 5 * time.Second
	}
	return 30 * time.Second
}

// checkEvery is after how many messages a run is checked for being over.
const checkEvery = 1 << 12

// listen has the oracles see messages, and updates on their way.
func (r *run) listen(codec *engine.Codec) {
	r.acked = make(map[follower]int)
	r.owners = make(map[engine.ID]map[sim.Node]bool)
	if len(r.authors) > 0 {
		r.sim.Inject(r.heed)
	}
	seen := 0
	r.sim.Tap(func(p sim.Delivery) {
		if seen++; seen%checkEvery == 0 {
			r.check() // where much happens within a second
		}
		if p.Fate == sim.Sent {
			r.judges.bounded.sent(r.sim.Now(), p.From, codec.Name(p.Message.Kind()), codec.Size(p.Message))
		}
	})
	r.sim.Observe(func(at time.Duration, n sim.Node, event any) {
		switch e := event.(type) {
		case roster.Owns:
			r.owns(e.Channel)[n] = true
		case roster.Forgotten:
			r.judges.held.forgotten(at, e.Channel)
		case roster.Acknowledgement:
			pair := follower{n, e.Channel}
			if delete(r.acked, pair); e.Count > 0 && !e.Refused && e.Outside == "" {
				r.acked[pair] = r.lives[n]
			}
		case feedtree.Banned:
			r.judges.pushed.ban(n, at+feedtree.Default().StrikeFor)
		case rappel.Came:
			r.carried(n, e.Topic, e.Number)
		case rappel.Repeated:
			r.carried(n, e.Topic, e.Number)
		case spread.Came:
			r.carried(n, e.Topic, 0)
		case spread.Repeated:
			r.carried(n, e.Topic, 0)
		}
	})
}

// owns returns the nodes that have ever owned a channel.
func (r *run) owns(channel engine.ID) map[sim.Node]bool {
	if r.owners[channel] == nil {
		r.owners[channel] = make(map[sim.Node]bool)
	}
	return r.owners[channel]
}

func (r *run) carried(n sim.Node, topic engine.ID, number uint64) {
	if r.net != nil {
		r.net.Watch.Report(n, check.Carried{Topic: topic, Version: number})
	}
}

// mayCarry reports whether a node may receive updates of a channel that it does not follow, by docs/network.md, "How
// updates travel". It may as an owner, where updates enter the network; as a poller of the channel; and as a witness. A
// publisher's topic may be carried by its own node, and with rappel by the node closest to the topic. While faults
// last, and until all nodes are back, several nodes may believe that they are that one.
func (r *run) mayCarry(n sim.Node, topic engine.ID) bool {
	if a := r.authorOn(topic); a != nil {
		return a.at == n || r.world.Router == network.Rappel.String() &&
			(!r.judges.pushed.on || r.net.Owners(topic, 1)[0] == n)
	}
	node := r.net.Node(n)
	return r.owns(topic)[n] || node.Poller.Polls(topic) || node.Library.Relays(topic)
}

// look has the oracles look at tables.
func (r *run) look(at time.Duration) {
	var pairs []follower
	for n := range sim.Node(r.sim.Len()) {
		if !r.sim.Up(n) {
			continue
		}
		r.judges.bounded.tables(at, n, tables(r.net.Node(n), r.leaves/2))
		for _, c := range r.channels {
			if r.wants(n, c.ID) {
				pairs = append(pairs, follower{n, c.ID})
			}
		}
	}
	r.judges.held.look(at, pairs)
}

// tables returns the tables of a node that can be seen, with the bounds of their Configs; leaves is that of half a leaf
// set.
func tables(node *coronatest.Node, leaves int) []table {
	below, above := node.Pastry.LeafSet()
	all := []table{{"lower half of the leaf set", len(below), leaves},
		{"upper half of the leaf set", len(above), leaves}}
	if node.Scribe != nil {
		load, c := node.Scribe.Load(), scribe.Default()
		all = append(all, table{"groups", load.Groups, c.MaxGroups},
			table{"children in all groups", load.Children, c.MaxLoad},
			table{"kept events", load.Kept, c.MaxKept}, table{"bytes of kept events", load.Bytes, c.MaxKeptBytes})
	}
	if node.Rappel != nil {
		all = append(all, table{"friends", len(node.Rappel.Friends()), rappel.Default().Friends},
			table{"fans", node.Rappel.Fans(), rappel.Default().Fans})
	}
	return all
}

// sight is what the oracle of subscriptions sees.
type sight struct{ *run }

func (s sight) acknowledged(pair follower) bool {
	return s.life(pair.node) > 0 && s.acked[pair] == s.lives[pair.node] && s.wants(pair.node, pair.topic)
}

func (s sight) holders(pair follower) (all []life) {
	peer := s.sim.Peer(pair.node)
	for n := range sim.Node(s.sim.Len()) {
		if s.owns(pair.topic)[n] && s.sim.Up(n) && s.net.Node(n).Corona.Holds(pair.topic, peer) {
			all = append(all, life{n, s.lives[n]})
		}
	}
	return all
}

func (s sight) up(l life) bool { return s.sim.Up(l.node) && s.lives[l.node] == l.number }

func (s sight) life(n sim.Node) int {
	if !s.sim.Up(n) {
		return 0
	}
	return s.lives[n]
}
