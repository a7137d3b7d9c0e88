package astrolabe

import (
	"slices"
	"time"

	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/builtin"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
)

// duties remembers which tables have changed since they were aggregated, by depth.
type duties struct {
	dirty [maxTables]bool
	since [maxTables]time.Duration // when the change was noticed; 0: not yet
	asked [maxTables]bool          // the node that wrote the row of the zone was asked since whether it knows better
}

func (d *duties) changed(depth int) { d.dirty[depth] = true }

func (d *duties) changedAll() {
	for depth := range d.dirty {
		d.dirty[depth] = true
	}
}

func (d *duties) done(depth int) { d.dirty[depth], d.since[depth], d.asked[depth] = false, 0, false }

// aggregateAll aggregates the tables of the zones that the node represents, from the lowest up, and writes their rows
// where that is its turn.
func (n *Node) aggregateAll() {
	if !n.branch.placed {
		return
	}
	for depth := n.branch.lowest(); depth >= 1; depth-- {
		if in := n.reckonZone(depth); in > 0 {
			n.settle.Soon(n.env, n.env.Now()+in, n.aggregateAll)
		}
	}
}

// reckonZone does that for the zone at a depth. It returns in how long to do it again; 0: when something changes.
func (n *Node) reckonZone(depth int) (again time.Duration) {
	now, self := n.env.Now(), n.env.Self().ID
	old, age, known := n.branch.tables[depth-1].Known(n.branch.path.At(depth).Label(), now)
	known = known && !old.Gone()
	overdue := !known || age > n.config.refreshes(old.Attributes, n.config.Representatives)
	orphaned := known && n.down.orphaned(old, now)
	if !overdue && !orphaned && !n.branch.represents(depth) {
		return 0
	}
	if !overdue && !n.duty.dirty[depth] {
		if due := n.config.refreshes(old.Attributes, n.config.turn(old.Attributes, self)) - age; due > 0 {
			return due
		}
	}
	if wait := n.quiet - now; wait > 0 && depth == n.branch.lowest() {
		return wait
	}
	row := n.aggregate(depth)
	if known && old.Issuer.ID != self && depth == n.branch.lowest() &&
		n.down.believe(&n.branch.tables[depth], old.Attributes, row, age, now, self) {
		row = n.aggregate(depth)
	}
	turn := n.config.turn(row, self)
	due := time.Duration(turn) * n.config.Turn
	if orphaned { // the first that notices
		due = time.Duration(n.env.Rand().Int64N(int64(orphanWithin)))
	}
	if known && n.config.sameNews(old.Attributes, row) {
		due = n.config.refreshes(row, turn) - age
		n.duty.since[depth], n.duty.asked[depth] = 0, false // somebody has written what was noticed
	} else if n.duty.since[depth] == 0 {
		n.duty.since[depth] = now
	} else {
		due -= now - n.duty.since[depth]
	}
	if due > 0 {
		return due
	}
	if known && turn > 0 && old.Issuer.ID != self && !n.Down(old.Issuer.ID) && !n.duty.asked[depth] {
		n.duty.asked[depth] = true
		n.gossipWith(old.Issuer, depth)
		return askFor
	}
	n.duty.done(depth)
	p := n.branch.path.At(depth)
	news := n.write(depth-1, &table.Content{Zone: p.Parent(), Label: p.Label(), Issuer: n.env.Self(), Attributes: row,
		Proof: n.seams.Proof})
	n.env.Trace(Issued{p, news})
	return 0
}

// orphanWithin bounds how long a member waits for others to name new representatives of a zone, once it has noticed
// that there are none.
const orphanWithin = 2 * time.Second

// askFor is how long a representative that would write in another's place waits for what that one knows: its own table
// may be the one that is behind.
const askFor = time.Second

// aggregate computes the row of the zone at a depth from its table: the built-in attributes, and those of the installed
// functions.
func (n *Node) aggregate(depth int) attr.Row {
	rows := make([]attr.Row, 0, table.MaxRows/3)
	for r := range n.branch.tables[depth].Children() {
		rows = append(rows, n.counted(r))
	}
	return n.functions.apply(n.branch.tables[:depth+1], n.config.MaxFunctions, rows,
		builtin.Aggregate(rows, n.config.Representatives), func(name string, err error) {
			n.env.Trace(Failed{n.branch.path.At(depth), name, err})
		})
}

// Aggregate returns the row of a zone with some rows in its table, with so many representatives, as every node computes
// it that reaches all others.
func Aggregate(rows []table.Row, representatives int) attr.Row {
	counted := make([]attr.Row, 0, len(rows))
	for _, r := range rows {
		counted = append(counted,
			attr.Of(append(slices.Clone(r.Attributes),
				attr.Attribute{Name: attrLabel, Value: attr.String(r.Label)})...))
	}
	return builtin.Aggregate(counted, representatives)
}

// counted returns the attributes by which a row counts in an aggregation: with its label. A node that cannot be reached
// represents none. One that has moved counts elsewhere, although what it subscribes to is still forwarded here.
func (n *Node) counted(r table.Row) attr.Row {
	changes := append(make([]attr.Attribute, 0, 16), r.Attributes...)
	changes = append(changes, attr.Attribute{Name: attrLabel, Value: attr.String(r.Label)})
	if zone.IsMember(r.Label) && n.Overfull(r.Attributes.Get(attrFilter).Bytes) {
		changes = append(changes, attr.Attribute{Name: attrFilter})
	}
	moved := hasMoved(r)
	if moved || !n.down.speaksFor(r, n.env.Now(), n.config.Lifetime) {
		changes = append(changes, attr.Attribute{Name: AttrRep})
	}
	if moved {
		changes = append(changes, attr.Attribute{Name: AttrMembers})
	}
	return attr.Of(changes...)
}

// attrLabel is the name under which functions find the label of a row.
const attrLabel = "label"
