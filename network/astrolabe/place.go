package astrolabe

import (
	"math/rand/v2"
	"slices"
	"time"

	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// seeking is a node's search for its place: it asks one node after the other for the table of a zone further down.
type seeking struct {
	want  zone.Path   // where it wants to be, or the zone of the children that it chooses among
	asked engine.Peer // zero: nobody yet
	steps int
	tries int // contacts that were asked
	alarm engine.Alarm
}

// Bounds of a search; beyond them the node stays alone in its zone, where others find it.
const (
	maxSteps = 3 * zone.MaxDepth
	maxTries = 4
)

// seek begins a search, with one node that may know the way or, if it is nil, with the contacts.
func (n *Node) seek(first *engine.Peer) {
	n.endSeek()
	n.seeking = &seeking{want: n.seams.Home}
	if first != nil {
		n.ask(*first)
	}
}

func (n *Node) endSeek() {
	if n.seeking != nil {
		n.seeking.alarm.Stop()
		n.seeking = nil
	}
}

// maybeSeek begins a search that waits for contacts.
func (n *Node) maybeSeek() {
	if n.seeking != nil && n.seeking.asked.IsZero() {
		n.seekOn()
	}
}

// seekOn asks another contact, or gives up: the node is alone then, as far as it knows.
func (n *Node) seekOn() {
	s := n.seeking
	s.want = n.seams.Home
	if len(n.contacts.peers) == 0 || s.tries == maxTries {
		if !n.branch.placed {
			n.enter(n.seams.Home, nil)
		}
		n.endSeek()
		return
	}
	s.tries++
	n.ask(n.contacts.any(n.env.Rand()))
}

func (n *Node) ask(p engine.Peer) {
	s := n.seeking
	s.asked = p
	n.env.Send(p, &Locate{Home: s.want, Proof: n.seams.Proof})
	s.alarm.Set(n.env, n.env.Now()+n.config.Patience, n.seekOn)
}

func (n *Node) onLocate(from engine.Peer, m *Locate) {
	if !n.branch.placed || m.Home.Validate() != nil {
		return
	}
	z := zone.Common(m.Home, n.branch.path)
	if err := n.Admits(from, z, m.Proof); err != nil {
		n.env.Send(from, &Denied{m.Home, denialOf(err)})
		return
	}
	answer := &Located{Home: m.Home, Zone: z}
	t := &n.branch.tables[z.Depth()]
	size := 0
	for r := range t.Children() {
		if size += r.Attributes.Size() + len(r.Proof)*maxCertificate; size > maxLocated {
			n.env.Trace(LimitHit{"maxLocated", maxLocated})
			break
		}
		_, age, _ := t.Known(r.Label, n.env.Now())
		answer.Rows = append(answer.Rows, updateOf(n.env.Rand(), z.Depth(), table.Sent{Row: r, Age: age}, false))
	}
	n.env.Send(from, answer)
}

// maxLocated is how many bytes of attributes and certificates an answer brings: enough for all rows of ordinary nodes,
// and well below engine.MaxMessage. maxCertificate is about how long a certificate is.
const (
	maxLocated     = 512 << 10
	maxCertificate = 384
)

func (n *Node) onLocated(from engine.Peer, m *Located) {
	s := n.seeking
	if s == nil || s.asked.ID != from.ID || m.Home != s.want || m.Zone.Validate() != nil || !m.Zone.Contains(s.want) {
		return
	}
	n.denied = 0
	if s.steps++; s.steps > maxSteps {
		n.seekOn()
		return
	}
	rows := n.checked(from, m)
	if m.Zone != s.want {
		next := s.want.At(m.Zone.Depth() + 1)
		if i := slices.IndexFunc(rows, func(l located) bool { return l.Label == next.Label() }); i >= 0 {
			n.askFor(rows[i])
			return
		}
		n.settleIn(s.want, m.Zone, rows, from)
		return
	}
	if child, ok := choose(rows, n.seams.Home, n.bearing.position(), n.env.Rand()); ok {
		s.want = child.Path()
		n.askFor(child)
		return
	}
	n.settleIn(m.Zone, m.Zone, rows, from)
}

// located is a row that a search has brought, and how old it is.
type located struct {
	table.Row
	age time.Duration
}

// checked returns the rows of an answer that may stand in their table.
func (n *Node) checked(from engine.Peer, m *Located) (rows []located) {
	for i := range m.Rows {
		u := &m.Rows[i]
		c, isContent := u.Content.(*table.Content)
		s, isStamp := u.Stamp.(*table.Stamp)
		if !isContent || !isStamp || s.Gone() || c.Label != u.Label || int(u.Depth) != m.Zone.Depth() {
			continue
		}
		r := table.Row{Content: c, Stamp: s}
		if err := n.admit(m.Zone, r, false); err != nil {
			n.env.Trace(Refused{from, m.Zone, err})
			continue
		}
		rows = append(rows, located{r, time.Duration(u.Age) * time.Second})
	}
	return rows
}

// askFor asks one of those that speak for a row.
func (n *Node) askFor(r located) {
	if p := n.branch.anyOf(r.Row, n.env.Rand(), n.Down); !p.IsZero() {
		n.ask(p)
		return
	}
	n.seekOn()
}

// choose returns the zone among several that made themselves in which a node looks for its place: the one nearest to
// here, or, where no place is known, the one with fewer members of two. home is where it is configured to be.
func choose(rows []located, home zone.Path, here attr.Row, chance *rand.Rand) (best located, ok bool) {
	var zones []located
	for _, r := range rows {
		if zone.IsZone(r.Label) && !hasMoved(r.Row) && (r.Path().Auto() || !named(rows, home)) {
			zones = append(zones, r)
		}
	}
	if len(zones) == 0 {
		return located{}, false
	}
	if here != nil {
		return slices.MinFunc(zones, func(a, b located) int {
			da, db := apart(here, a.Attributes), apart(here, b.Attributes)
			switch {
			case da < db:
				return -1
			case da > db:
				return 1
			}
			return 0
		}), true
	}
	a, b := zones[chance.IntN(len(zones))], zones[chance.IntN(len(zones))]
	if a.Attributes.Get(AttrMembers).Integer > b.Attributes.Get(AttrMembers).Integer {
		a = b
	}
	return a, true
}

// named reports whether a member may stay in a zone beside zones that people have named. It was configured to be there.
func named(rows []located, home zone.Path) bool {
	return home != zone.Root || !slices.ContainsFunc(rows, func(l located) bool { return zone.IsZone(l.Label) })
}

// settleIn enters a zone, with the rows of it or of one above from a node that has more.
func (n *Node) settleIn(p, known zone.Path, rows []located, from engine.Peer) {
	n.endSeek()
	old, moved := n.branch.path, n.branch.placed
	if moved && old == p {
		return
	}
	if moved {
		n.farewell(old, n.config.Stay)
	}
	n.enter(p, func() {
		for _, r := range rows {
			n.branch.tables[known.Depth()].Put(r.Row, r.age, n.env.Now())
		}
	})
	n.gossipWith(from, known.Depth())
}

// enter makes a zone the node's. Tables of zones that it stays in are kept; fill may add what is known of others.
func (n *Node) enter(p zone.Path, fill func()) {
	kept := 0
	if n.branch.placed {
		kept = zone.Common(p, n.branch.path).Depth() + 1
	}
	tables := make([]table.Table, p.Depth()+1)
	copy(tables, n.branch.tables[:min(kept, len(n.branch.tables))])
	n.branch.path, n.branch.placed, n.branch.tables, n.small = p, true, tables, 0
	n.duty = duties{}
	n.duty.changedAll()
	n.uneven = true
	if fill != nil {
		fill()
	}
	n.env.Trace(Placed{p})
	if n.seams.OnPlaced != nil {
		n.seams.OnPlaced(p)
	}
	n.issueOwn()
	if n.watcher != nil {
		n.watcher.Moved(p)
	}
	n.settle.Soon(n.env, n.env.Now()+n.config.Settle, n.aggregateAll)
}
