package astrolabe

import (
	"math"
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
	if len(n.contacts) == 0 || s.tries == maxTries {
		if !n.branch.placed {
			n.enter(n.seams.Home, nil)
		}
		n.endSeek()
		return
	}
	s.tries++
	n.ask(n.contacts[n.env.Rand().IntN(len(n.contacts))])
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
		n.deny(from, m, err)
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
	if child, ok := n.choose(rows); ok {
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

// choose returns the zone among several that made themselves in which the node looks for its place: the nearest, or,
// where no place is known, the one with fewer members of two.
func (n *Node) choose(rows []located) (best located, ok bool) {
	var zones []located
	for _, r := range rows {
		if zone.IsZone(r.Label) && !hasMoved(r.Row) && (r.Path().Auto() || !n.named(rows)) {
			zones = append(zones, r)
		}
	}
	if len(zones) == 0 {
		return located{}, false
	}
	if here := n.position(); here != nil {
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
	chance := n.env.Rand()
	a, b := zones[chance.IntN(len(zones))], zones[chance.IntN(len(zones))]
	if a.Attributes.Get(AttrMembers).Integer > b.Attributes.Get(AttrMembers).Integer {
		a = b
	}
	return a, true
}

// named reports whether a member may stay in a zone beside zones that people have named. It was configured to be there.
func (n *Node) named(rows []located) bool {
	return n.seams.Home != zone.Root || !slices.ContainsFunc(rows, func(l located) bool { return zone.IsZone(l.Label) })
}

// settleIn enters a zone, with the rows of it or of one above from a node that has more.
func (n *Node) settleIn(p, known zone.Path, rows []located, from engine.Peer) {
	n.endSeek()
	old, moved := n.branch.path, n.branch.placed
	if moved && old == p {
		return
	}
	if moved {
		n.depart(old)
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

// position returns the attributes that say where the node lies, in microseconds and rounded to milliseconds; nil: that
// is not known.
func (n *Node) position() attr.Row {
	if n.seams.Coordinates == nil {
		return nil
	}
	c := n.seams.Coordinates.Coordinate()
	if c.IsZero() || c.Validate(len(c.Vector)) != nil {
		return nil
	}
	place := attr.Row{{Name: "h", Value: attr.Float(1000 * math.Round(float64(c.Height)/1000))}}
	for i, name := range dimensions[:min(len(c.Vector), len(dimensions))] {
		place = append(place,
			attr.Attribute{Name: name, Value: attr.Float(1000 * math.Round(float64(c.Vector[i])/1000))})
	}
	return place
}

// near is by how much, in microseconds, each number of a place may be off before the node announces the new one.
const near = 10_000

// announcedPosition returns the position that the node's row announces: the former one, as long as that is about right.
// Coordinates never come quite to rest, and a row with a changed content has to be sent whole.
func (n *Node) announcedPosition() attr.Row {
	here := n.position()
	if here != nil && (n.announced == nil || slices.ContainsFunc(here,
		func(a attr.Attribute) bool { return math.Abs(a.Value.Real-n.announced.Get(a.Name).Real) > near })) {
		n.announced = here
	}
	return n.announced
}

// dimensions are the attributes of a place in the plane of coordinates, beside h, its height above it.
var dimensions = []string{"x", "y", "z"}

// apart returns how far two places are apart, in microseconds; places that are not known are far.
func apart(a, b attr.Row) float64 {
	h, ok := b.Get("h").Number()
	if !ok {
		return math.Inf(1)
	}
	sum := 0.0
	for _, name := range dimensions {
		x, _ := a.Get(name).Number()
		y, _ := b.Get(name).Number()
		sum += (x - y) * (x - y)
	}
	own, _ := a.Get("h").Number()
	return math.Sqrt(sum) + own + h
}
