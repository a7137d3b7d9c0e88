package archive

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// inquiry is a search for the owners of an item, on behalf of a lookup or an insertion. Liars can add names to
// what is heard, and take none away where several ways are taken: each that is named has to have its ID.
type inquiry struct {
	name   Name
	key    engine.ID
	owners bool          // they are wanted, not only who has the item
	ways   int           // taken so far
	open   int           // of them, not answered yet
	has    []engine.Peer // who says that it has the item
	known  []engine.Peer // who are said to be owners, closest first
	timer  alarm
	news   func() // called when somebody has answered, or nobody will
}

// whereWait is how long a Where may take: the ring tries a lost message again after four seconds.
const whereWait = 6 * time.Second

func (n *Node) newInquiry(name Name, owners bool, news func()) *inquiry {
	q := &inquiry{name: name, key: name.Key(), owners: owners, news: news}
	n.inquiries[name] = append(n.inquiries[name], q)
	return q
}

func (n *Node) endInquiry(q *inquiry) {
	q.timer.stop()
	rest := slices.DeleteFunc(n.inquiries[q.name], func(p *inquiry) bool { return p == q })
	if len(rest) == 0 {
		delete(n.inquiries, q.name)
		return
	}
	n.inquiries[q.name] = rest
}

// exhausted tells whether all ways have been taken.
func (n *Node) exhausted(q *inquiry) bool { return q.ways >= n.config.Ways }

// inquire takes one way more. It calls back at once if this node knows the owners.
func (n *Node) inquire(q *inquiry) {
	q.ways++
	if q.ways == 1 {
		if owners, sure := n.owners(q.key); sure {
			q.add(owners, 2*n.config.Replicas)
			q.news()
			return
		}
	}
	find := &Find{Name: q.name, Asker: n.env.Self(), Owners: q.owners}
	q.open++
	q.timer.set(n.env, n.env.Now()+n.jitter(whereWait), func() {
		q.open = 0
		q.news()
	})
	if hop, ok := n.randomHop(); ok && q.ways > 1 {
		find.Start = true
		n.env.Send(hop, find)
	} else {
		n.ring.Route(q.key, find)
	}
}

// add takes those that somebody says are owners.
func (q *inquiry) add(owners []engine.Peer, most int) {
	for _, p := range owners {
		if !slices.ContainsFunc(q.known, func(o engine.Peer) bool { return o.ID == p.ID }) {
			q.known = append(q.known, p)
		}
	}
	slices.SortFunc(q.known, func(a, b engine.Peer) int {
		if engine.Closer(q.key, a.ID, b.ID) {
			return -1
		}
		return 1
	})
	q.known = q.known[:min(len(q.known), most)]
}

// takeWhere notes who has an item and who owns it.
func (n *Node) takeWhere(from engine.Peer, m *Where) {
	for _, q := range slices.Clone(n.inquiries[m.Name]) {
		if q.open == 0 && q.ways == 0 || len(q.has) > maxReplicas {
			continue
		}
		if m.Has && !slices.Contains(q.has, from) {
			q.has = append(q.has, from)
		}
		q.add(m.Owners, 2*n.config.Replicas)
		if q.open = max(0, q.open-1); q.open == 0 {
			q.timer.stop()
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
	n.ring.Route(m.Name.Key(), &on)
}

// answerFind answers if this node knows enough, or in any case if there is nobody closer.
func (n *Node) answerFind(m *Find, closest bool) bool {
	has := n.has(m.Name) != nil
	owners, sure := n.owners(m.Name.Key())
	if !sure && !closest && (m.Owners || !has) {
		return false
	}
	answer := &Where{Name: m.Name, Has: has, Owners: owners}
	if n.isSelf(m.Asker) {
		n.takeWhere(n.env.Self(), answer)
		return true
	}
	n.env.Send(m.Asker, answer)
	return true
}

// randomHop draws a node of the ring.
func (n *Node) randomHop() (engine.Peer, bool) {
	known := n.ring.Known()
	if len(known) == 0 {
		return engine.Peer{}, false
	}
	p := known[n.env.Rand().IntN(len(known))]
	return p, !n.isSelf(p)
}

// jitter returns d, more or less.
func (n *Node) jitter(d time.Duration) time.Duration {
	return d - d/8 + time.Duration(n.env.Rand().Int64N(int64(d/4)+1))
}
