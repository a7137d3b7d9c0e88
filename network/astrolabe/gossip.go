package astrolabe

import (
	"math/rand/v2"
	"slices"
	"time"

	"tidings/network/astrolabe/table"
	"tidings/network/engine"
)

// gossip begins an exchange with another member of the node's zone. For each zone above that the node represents, it
// begins one with a representative of another.
func (n *Node) gossip() {
	for depth := n.branch.lowest(); depth >= 0; depth-- {
		if depth < n.branch.lowest() && !n.branch.represents(depth+1) {
			continue
		}
		for _, p := range n.branch.draw(depth, 1, n.env.Rand(), n.Down) {
			n.gossipWith(p, depth)
		}
	}
}

// gossipWith begins an exchange with a node that shares the table at a depth, and all above.
func (n *Node) gossipWith(p engine.Peer, depth int) {
	m := &Gossip{Zone: n.branch.path.At(depth), Proof: n.seams.Proof}
	for d := range depth + 1 {
		m.Sums, m.Labels = append(m.Sums, n.branch.tables[d].Sum()), append(m.Labels, n.branch.tables[d].Labels())
	}
	n.env.Send(p, m)
}

func (n *Node) onGossip(from engine.Peer, m *Gossip) {
	depth, ok := n.branch.shares(m.Zone)
	if !ok || len(m.Sums) != depth+1 || len(m.Labels) != depth+1 || n.Admits(from, m.Zone, m.Proof) != nil {
		return
	}
	answer := &Compare{Zone: m.Zone, Salt: n.env.Rand().Uint32(), Proof: n.seams.Proof}
	for d, sum := range m.Sums {
		if t := &n.branch.tables[d]; t.Sum() != sum {
			answer.Tables = append(answer.Tables, Marks{uint8(d), t.Marks(answer.Salt, t.Labels() != m.Labels[d])})
		}
	}
	if len(answer.Tables) > 0 {
		n.env.Send(from, answer)
	}
}

func (n *Node) onCompare(from engine.Peer, m *Compare) {
	depth, ok := n.branch.shares(m.Zone)
	if !ok || n.Admits(from, m.Zone, m.Proof) != nil {
		return
	}
	var rows []Update
	want := &Want{Zone: m.Zone, Salt: m.Salt}
	for _, t := range m.Tables {
		if int(t.Depth) > depth {
			return
		}
		newer, names, stamps := n.branch.tables[t.Depth].Compare(t.Marks, m.Salt, n.env.Now())
		for _, s := range newer {
			rows = append(rows, updateOf(n.env.Rand(), int(t.Depth), s, s.Known))
		}
		if len(names)+len(stamps) > 0 {
			want.Tables = append(want.Tables, Names{t.Depth, names, stamps})
		}
	}
	n.sendRows(from, depth, rows)
	if len(want.Tables) > 0 {
		n.env.Send(from, want)
	}
}

func (n *Node) onWant(from engine.Peer, m *Want) {
	depth, ok := n.branch.shares(m.Zone)
	if !ok || !n.admission.serves(from.ID, m.Zone, n.env.Wall()) {
		return
	}
	var rows []Update
	for _, t := range m.Tables {
		if int(t.Depth) > depth {
			return
		}
		own, now := &n.branch.tables[t.Depth], n.env.Now()
		for _, s := range append(own.Named(t.Names, m.Salt, false, now), own.Named(t.Stamps, m.Salt, true, now)...) {
			rows = append(rows, updateOf(n.env.Rand(), int(t.Depth), s, s.Known))
		}
	}
	n.sendRows(from, depth, rows)
}

// updateOf returns a row as messages have it; known: the receiver has its content. Ages are whole seconds, rounded up
// or down by chance so that they are right on average: rounded down, a row that goes round quickly would never age.
func updateOf(chance *rand.Rand, depth int, s table.Sent, known bool) Update {
	age := min((max(0, s.Age)+time.Duration(chance.Int64N(int64(time.Second))))/time.Second, 1<<16-1)
	u := Update{Depth: uint8(depth), Label: s.Label, Age: uint16(age), Stamp: s.Stamp}
	if !known {
		u.Content = s.Content
	}
	return u
}

// sendRows sends rows, of which none stands below a depth, in as many messages as they need.
func (n *Node) sendRows(to engine.Peer, depth int, rows []Update) {
	for part := range slices.Chunk(rows, maxUpdates) {
		n.env.Send(to, &Rows{n.branch.path.At(depth), part})
	}
}

func (n *Node) onRows(from engine.Peer, m *Rows) {
	depth, ok := n.branch.shares(m.Zone)
	if !ok {
		return
	}
	for i := range m.Rows {
		u := &m.Rows[i]
		if int(u.Depth) > depth {
			return
		}
		r, news := n.accept(from, int(u.Depth), u)
		if age := time.Duration(u.Age) * time.Second; news && age < hot {
			n.passOn(int(u.Depth), table.Sent{Row: r, Age: age}, from)
		}
	}
}

// hot is how old a row may be to be passed on as news. What is older has been passed on before, and comes by
// comparisons.
const hot = 30 * time.Second

// fresh is news that is to be passed on.
type fresh struct {
	depth int
	sent  table.Sent
	at    time.Duration // when it had sent's age
	from  engine.Peer
}

// passOn has a row of an age passed on to others that share its table.
func (n *Node) passOn(depth int, s table.Sent, from engine.Peer) {
	if len(n.news) == maxNews {
		n.env.Trace(LimitHit{"maxNews", maxNews})
		return
	}
	n.news = append(n.news, fresh{depth, s, n.env.Now(), from})
	n.flush.Soon(n.env, n.env.Now()+n.config.PushDelay, n.push)
}

// maxNews is how many rows wait to be passed on; the rest comes by comparisons.
const maxNews = 256

// push sends news to several others: in the table of each zone that the node represents, at or below the one that the
// news is in.
func (n *Node) push() {
	news := n.news
	n.news = nil
	if !n.branch.placed {
		return
	}
	for depth := range n.branch.tables {
		if depth < n.branch.lowest() && !n.branch.represents(depth+1) {
			continue
		}
		var rows []Update
		var from engine.Peer
		for _, f := range news {
			if f.depth <= depth {
				f.sent.Age += n.env.Now() - f.at
				rows, from = append(rows, updateOf(n.env.Rand(), f.depth, f.sent, false)), f.from
			}
		}
		if len(rows) == 0 {
			continue
		}
		for _, p := range n.branch.draw(depth, n.config.Fanout, n.env.Rand(), n.Down) {
			if p.ID != from.ID || len(news) > 1 {
				n.sendRows(p, depth, rows)
			}
		}
	}
}
