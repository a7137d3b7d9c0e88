package archive

import (
	"encoding/binary"
	"slices"
	"time"

	"tidings/network/engine"
)

// inquiries are the searches for owners that are under way, and the answers to those of other nodes. Each uses at most
// Config.Ways ways, and accepts at most maxAnswered answers.
type inquiries struct {
	env    engine.Env
	config *Config
	ring   Ring
	node   knowing
	open   map[Name][]*inquiry
}

// knowing is what inquiries need of their node.
type knowing interface {
	// owners returns the owners of a key, closest first, if this node knows them for sure.
	owners(key engine.ID) (owners []engine.Peer, sure bool)
	Has(name Name) bool
}

// inquiry is a search for the owners of an item, on behalf of a lookup or an insertion. A node that answers may lie. So
// others are asked, over other nodes, and no answer keeps those of others from being used.
type inquiry struct {
	of       *inquiries
	name     Name
	key      engine.ID
	owners   bool        // they are wanted, not only the nodes that have the item
	ways     int         // used so far
	open     int         // of them, not answered yet
	answered []engine.ID // those that have answered
	hops     []engine.ID // those over which it was asked
	has      []engine.Peer
	known    []named // in the order of closeness
	timer    engine.Alarm
	news     func() // called when a node has answered, or none does
}

// named is a node that an answer names as one of the closest.
type named struct {
	peer engine.Peer
	by   int // which answer it was
}

// maxAnswered bounds the answers to an inquiry that are accepted; each names maxClosest nodes at most.
const maxAnswered = 16

// whereWait is how long a Where may need before another way is used. It counts all the same if it
// comes later.
const whereWait = 3 * time.Second

// begin begins an inquiry; it asks no node yet.
func (i *inquiries) begin(name Name, owners bool, news func()) *inquiry {
	q := &inquiry{of: i, name: name, key: name.Key(), owners: owners, news: news}
	i.open[name] = append(i.open[name], q)
	return q
}

// end ends the inquiry.
func (q *inquiry) end() {
	q.timer.Stop()
	open := q.of.open
	rest := slices.DeleteFunc(open[q.name], func(p *inquiry) bool { return p == q })
	if len(rest) == 0 {
		delete(open, q.name)
		return
	}
	open[q.name] = rest
}

// exhausted reports whether all ways have been used.
func (q *inquiry) exhausted() bool {
	return q.ways >= q.of.config.Ways || q.ways > 0 && len(q.of.ring.Known()) == 0
}

// ask uses one way more. It calls back at once if this node knows the owners.
func (q *inquiry) ask() {
	env, ring := q.of.env, q.of.ring
	q.ways++
	if q.ways == 1 {
		if owners, sure := q.of.node.owners(q.key); sure {
			q.add(env.Self().ID, owners)
			q.news()
			return
		}
	}
	find := &Find{Name: q.name, Asker: env.Self(), Owners: q.owners, Most: uint8(q.of.config.Replicas), Toward: q.key}
	if !q.owners && q.ways > 1 {
		// The owners say that they have nothing. While rings that were apart grow together, those that
		// had the item may not have handed it to them yet. They are not far.
		find.Most = maxClosest
	}
	q.open++
	q.timer.Set(env, env.Now()+jitter(env, whereWait), func() {
		q.open = 0
		q.news()
	})
	if q.ways == 1 {
		ring.Route(find.Toward, find)
		return
	}
	find.Toward = q.near(q.ways%4 < 2)
	if hop, ok := q.hop(); ok {
		find.Start = true
		env.Send(hop, find)
	} else {
		ring.Route(find.Toward, find)
	}
}

// near draws a point near the key, above it or below. The node closest to it is one of the neighbours of the key, which
// know the owners. All routes to the key itself end at one node, and many of them come over the same nodes, which may
// lie.
func (q *inquiry) near(above bool) engine.ID {
	const nodes = 5 // of the eight that half a leaf set has
	spacing := ^uint64(0) / uint64(max(q.of.ring.Nodes(), 2*nodes))
	by := q.of.env.Rand().Uint64N(nodes * spacing)
	if !above {
		by = -by
	}
	point := q.key
	binary.BigEndian.PutUint64(point[:], binary.BigEndian.Uint64(point[:])+by)
	return point
}

// add inserts those that a node says are the closest.
func (q *inquiry) add(by engine.ID, closest []engine.Peer) {
	for _, p := range closest {
		if !q.names(p.ID) {
			q.known = append(q.known, named{p, len(q.answered)})
		}
	}
	q.answered = append(q.answered, by)
	slices.SortFunc(q.known, func(a, b named) int {
		if engine.Closer(q.key, a.peer.ID, b.peer.ID) {
			return -1
		}
		return 1
	})
}

// names reports whether an answer names a node as one of the closest.
func (q *inquiry) names(id engine.ID) bool {
	return slices.ContainsFunc(q.known, func(k named) bool { return k.peer.ID == id })
}

// next returns the node to ask next, of those that are not among tried: the closest, of each answer in turn. So an
// answer with nodes that do not exist, and closer than any, does not keep the others back.
func (q *inquiry) next(tried []engine.ID) (p engine.Peer, ok bool) {
	var counts [maxAnswered]int
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

// hop chooses a node over which to ask that neither was asked nor has answered before. It alternates between two kinds:
// the known one closest to the key, as few nodes behind it can lie, and a random one.
func (q *inquiry) hop() (engine.Peer, bool) {
	env := q.of.env
	known := slices.DeleteFunc(slices.Clone(q.of.ring.Known()), func(p engine.Peer) bool {
		return isSelf(env, p) || slices.Contains(q.hops, p.ID) || slices.Contains(q.answered, p.ID)
	})
	if len(known) == 0 {
		return engine.Peer{}, false
	}
	p := known[engine.Closest(q.key, known)]
	if q.ways%2 == 0 {
		p = known[env.Rand().IntN(len(known))]
	}
	q.hops = append(q.hops, p.ID)
	return p, true
}

// onWhere notes which nodes have an item and which own it.
func (i *inquiries) onWhere(from engine.Peer, m *Where) {
	for _, q := range slices.Clone(i.open[m.Name]) {
		if q.ways == 0 || len(q.answered) == maxAnswered {
			continue
		}
		if !slices.Contains(q.answered, from.ID) {
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

// onFind answers a node that came directly, or routes the question.
func (i *inquiries) onFind(m *Find) {
	if i.answer(m, false) || !m.Start {
		return
	}
	on := *m
	on.Start = false
	i.ring.Route(m.Toward, &on)
}

// answer answers if this node knows enough, or in any case if the question ends here.
func (i *inquiries) answer(m *Find, last bool) bool {
	has := i.node.Has(m.Name)
	key := m.Name.Key()
	closest, sure := i.node.owners(key)
	if !sure && !last && (m.Owners || !has) {
		return false
	}
	if most := min(int(m.Most), maxClosest); most > len(closest) {
		closest, _ = i.ring.Owners(key, most)
	}
	answer := &Where{Name: m.Name, Has: has, Closest: closest}
	if isSelf(i.env, m.Asker) {
		i.onWhere(i.env.Self(), answer)
		return true
	}
	i.env.Send(m.Asker, answer)
	return true
}
