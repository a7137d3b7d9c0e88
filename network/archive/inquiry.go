package archive

import (
	"encoding/binary"
	"slices"
	"time"

	"tidings/network/engine"
)

// inquiry is a search for the owners of an item, on behalf of a lookup or an insertion. Whoever answers may
// lie; so others are asked, over other nodes, and no answer keeps those of others from being used.
type inquiry struct {
	name   Name
	key    engine.ID
	owners bool        // they are wanted, not only who has the item
	ways   int         // taken so far
	open   int         // of them, not answered yet
	heard  []engine.ID // who has answered
	hops   []engine.ID // over whom it was asked
	has    []engine.Peer
	known  []named // in the order of closeness
	timer  engine.Alarm
	news   func() // called when somebody has answered, or nobody does
}

// named is a node of which somebody says that it is one of the closest.
type named struct {
	peer engine.Peer
	by   int // which answer it was
}

// maxHeard bounds the answers to an inquiry that are taken; each names maxClosest nodes at most.
const maxHeard = 16

// whereWait is how long a Where may take before another way is taken. It counts all the same if it
// comes later.
const whereWait = 3 * time.Second

func (n *Node) newInquiry(name Name, owners bool, news func()) *inquiry {
	q := &inquiry{name: name, key: name.Key(), owners: owners, news: news}
	n.inquiries[name] = append(n.inquiries[name], q)
	return q
}

func (n *Node) endInquiry(q *inquiry) {
	q.timer.Stop()
	rest := slices.DeleteFunc(n.inquiries[q.name], func(p *inquiry) bool { return p == q })
	if len(rest) == 0 {
		delete(n.inquiries, q.name)
		return
	}
	n.inquiries[q.name] = rest
}

// exhausted reports whether all ways have been taken.
func (n *Node) exhausted(q *inquiry) bool {
	return q.ways >= n.config.Ways || q.ways > 0 && len(n.ring.Known()) == 0
}

// inquire takes one way more. It calls back at once if this node knows the owners.
func (n *Node) inquire(q *inquiry) {
	q.ways++
	if q.ways == 1 {
		if owners, sure := n.owners(q.key); sure {
			q.add(n.env.Self().ID, owners)
			q.news()
			return
		}
	}
	find := &Find{Name: q.name, Asker: n.env.Self(), Owners: q.owners, Most: uint8(n.config.Replicas), Toward: q.key}
	if !q.owners && q.ways > 1 {
		// The owners say that they have nothing. While rings that were apart grow together, those who
		// had the item may not have handed it to them yet. They are not far.
		find.Most = maxClosest
	}
	q.open++
	q.timer.Set(n.env, n.env.Now()+n.jitter(whereWait), func() {
		q.open = 0
		q.news()
	})
	if q.ways == 1 {
		n.ring.Route(find.Toward, find)
		return
	}
	find.Toward = n.near(q.key, q.ways%4 < 2)
	if hop, ok := n.hopFor(q); ok {
		find.Start = true
		n.env.Send(hop, find)
	} else {
		n.ring.Route(find.Toward, find)
	}
}

// near draws a point near a key, above it or below: the node closest to it is one of some next to the
// key, which know the owners. All routes to the key itself end at one node, and many of them come over
// the same; these may lie.
func (n *Node) near(key engine.ID, above bool) engine.ID {
	const nodes = 5 // of the eight that half a leaf set has
	spacing := ^uint64(0) / uint64(max(n.ring.Nodes(), 2*nodes))
	by := n.env.Rand().Uint64N(nodes * spacing)
	if !above {
		by = -by
	}
	binary.BigEndian.PutUint64(key[:], binary.BigEndian.Uint64(key[:])+by)
	return key
}

// add takes those that somebody says are the closest.
func (q *inquiry) add(by engine.ID, closest []engine.Peer) {
	for _, p := range closest {
		if !q.names(p.ID) {
			q.known = append(q.known, named{p, len(q.heard)})
		}
	}
	q.heard = append(q.heard, by)
	slices.SortFunc(q.known, func(a, b named) int {
		if engine.Closer(q.key, a.peer.ID, b.peer.ID) {
			return -1
		}
		return 1
	})
}

// names reports whether somebody says that a node is one of the closest.
func (q *inquiry) names(id engine.ID) bool {
	return slices.ContainsFunc(q.known, func(k named) bool { return k.peer.ID == id })
}

// next returns who is to be turned to next, of those who are not among tried: the closest, of each
// answer in turn, so that who names nodes that are not there, and closer than any, does not keep the
// others back.
func (q *inquiry) next(tried []engine.ID) (p engine.Peer, ok bool) {
	var counts [maxHeard]int
	for _, k := range q.known {
		if slices.Contains(tried, k.peer.ID) {
			counts[k.by]++
		}
	}
	least := 0
	for _, k := range q.known {
		if !slices.Contains(tried, k.peer.ID) && (!ok || counts[k.by] < least) {
			p, ok, least = k.peer, true, counts[k.by]
		}
	}
	return p, ok
}

// takeWhere notes who has an item and who owns it.
func (n *Node) takeWhere(from engine.Peer, m *Where) {
	for _, q := range slices.Clone(n.inquiries[m.Name]) {
		if q.ways == 0 || len(q.heard) == maxHeard {
			continue
		}
		if !slices.Contains(q.heard, from.ID) {
			if m.Has {
				q.has = append(q.has, from)
			}
			q.add(from.ID, m.Closest)
		}
		if q.open = max(0, q.open-1); q.open == 0 {
			q.timer.Stop()
		}
		q.news()
	}
}

// takeFind answers who came directly, or routes the question.
func (n *Node) takeFind(m *Find) {
	if n.answerFind(m, false) || !m.Start {
		return
	}
	on := *m
	on.Start = false
	n.ring.Route(m.Toward, &on)
}

// answerFind answers if this node knows enough, or in any case if the question ends here.
func (n *Node) answerFind(m *Find, last bool) bool {
	has := n.has(m.Name) != nil
	key := m.Name.Key()
	closest, sure := n.owners(key)
	if !sure && !last && (m.Owners || !has) {
		return false
	}
	if most := min(int(m.Most), maxClosest); most > len(closest) {
		closest, _ = n.ring.Owners(key, most)
	}
	answer := &Where{Name: m.Name, Has: has, Closest: closest}
	if n.isSelf(m.Asker) {
		n.takeWhere(n.env.Self(), answer)
		return true
	}
	n.env.Send(m.Asker, answer)
	return true
}

// hopFor chooses a node over which to ask that neither was asked nor has answered before: in turns the one that is
// closest to the key of those that are known, as there are few nodes behind it that can lie, and any.
func (n *Node) hopFor(q *inquiry) (engine.Peer, bool) {
	known := slices.DeleteFunc(slices.Clone(n.ring.Known()), func(p engine.Peer) bool {
		return n.isSelf(p) || slices.Contains(q.hops, p.ID) || slices.Contains(q.heard, p.ID)
	})
	if len(known) == 0 {
		return engine.Peer{}, false
	}
	p := known[engine.Closest(q.key, known)]
	if q.ways%2 == 0 {
		p = known[n.env.Rand().IntN(len(known))]
	}
	q.hops = append(q.hops, p.ID)
	return p, true
}

// jitter returns d, more or less.
func (n *Node) jitter(d time.Duration) time.Duration {
	return d - d/8 + time.Duration(n.env.Rand().Int64N(int64(d/4)+1))
}
