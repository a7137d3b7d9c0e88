package astrolabe

import (
	"slices"
	"time"

	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/builtin"
	"tidings/network/astrolabe/table"
	"tidings/network/engine"
)

// duties remembers which tables have changed since they were aggregated, by depth.
type duties struct {
	dirty [maxTables]bool
	since [maxTables]time.Duration // when the change was noticed; 0: not yet
}

func (d *duties) changed(depth int) { d.dirty[depth] = true }

func (d *duties) changedAll() {
	for depth := range d.dirty {
		d.dirty[depth] = true
	}
}

func (d *duties) done(depth int) { d.dirty[depth], d.since[depth] = false, 0 }

// reckon aggregates the tables of the zones that the node speaks for, from the lowest up, and writes their rows where that is its turn.
func (n *Node) reckon() {
	if !n.placed {
		return
	}
	for depth := len(n.tables) - 1; depth >= 1; depth-- {
		if in := n.reckonZone(depth); in > 0 {
			n.settle.Soon(n.env, n.env.Now()+in, n.reckon)
		}
	}
}

// reckonZone does that for the zone at a depth. It returns in how long to do it again; 0: when something changes.
func (n *Node) reckonZone(depth int) (again time.Duration) {
	now := n.env.Now()
	old, age, known := n.tables[depth-1].Known(n.path.At(depth).Label(), now)
	known = known && !old.Gone()
	overdue := !known || age > n.config.Refresh+time.Duration(n.config.Representatives+1)*n.config.Turn
	if !overdue && !n.represents(depth) {
		return 0
	}
	if !overdue && !n.duty.dirty[depth] {
		if due := n.config.Refresh + time.Duration(n.turn(old.Attributes))*n.config.Turn - age; due > 0 {
			return due
		}
	}
	if wait := n.quiet - now; wait > 0 && depth == len(n.tables)-1 {
		return wait
	}
	row := n.aggregate(depth)
	due := time.Duration(n.turn(row)) * n.config.Turn
	if known && n.sameNews(old.Attributes, row) {
		due += n.config.Refresh - age
		n.duty.since[depth] = 0 // somebody has written what was noticed
	} else if n.duty.since[depth] == 0 {
		n.duty.since[depth] = now
	} else {
		due -= now - n.duty.since[depth]
	}
	if due > 0 {
		return due
	}
	n.duty.done(depth)
	p := n.path.At(depth)
	news := n.write(depth-1, &table.Content{Zone: p.Parent(), Label: p.Label(), Issuer: n.env.Self(), Attributes: row, Proof: n.seams.Proof})
	n.env.Trace(Issued{p, news})
	return 0
}

// turn returns how many others should write a row before the node does.
func (n *Node) turn(row attr.Row) int {
	reps := Representatives(table.Row{Content: &table.Content{Attributes: row}})
	if i := slices.IndexFunc(reps, func(p engine.Peer) bool { return p.ID == n.env.Self().ID }); i >= 0 {
		return i
	}
	return n.config.Representatives
}

// sameNews reports whether two rows of a zone differ in nothing that is news.
func (n *Node) sameNews(a, b attr.Row) bool {
	soft := func(name string) bool { return slices.Contains(n.config.Soft, name) }
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(a) > 0 && soft(a[0].Name):
			a = a[1:]
		case len(b) > 0 && soft(b[0].Name):
			b = b[1:]
		case len(a) == 0 || len(b) == 0 || a[0].Name != b[0].Name || !a[0].Value.Equal(b[0].Value):
			return false
		default:
			a, b = a[1:], b[1:]
		}
	}
	return true
}

// aggregate computes the row of the zone at a depth from its table: what is built in, and what the functions add that were installed.
func (n *Node) aggregate(depth int) attr.Row {
	rows := make([]attr.Row, 0, table.MaxRows/3)
	for r := range n.tables[depth].Children() {
		rows = append(rows, n.counted(r))
	}
	return n.applyFunctions(depth, rows, builtin.Aggregate(rows, n.config.Representatives))
}

// Aggregate returns the row of a zone whose table has some rows, with so many representatives, as all nodes compute it that reach everybody.
func Aggregate(rows []table.Row, representatives int) attr.Row {
	counted := make([]attr.Row, 0, len(rows))
	for _, r := range rows {
		counted = append(counted, attr.Of(append(slices.Clone(r.Attributes), attr.Attribute{Name: attrLabel, Value: attr.String(r.Label)})...))
	}
	return builtin.Aggregate(counted, representatives)
}

// counted returns the attributes by which a row counts in an aggregation: with its label. Who cannot be reached represents nobody, and who has moved counts
// elsewhere, although what it subscribes to is still forwarded here.
func (n *Node) counted(r table.Row) attr.Row {
	changes := append(make([]attr.Attribute, 0, 16), r.Attributes...)
	changes = append(changes, attr.Attribute{Name: attrLabel, Value: attr.String(r.Label)})
	moved := hasMoved(r)
	if moved || n.absent(r) {
		changes = append(changes, attr.Attribute{Name: AttrRep})
	}
	if moved {
		changes = append(changes, attr.Attribute{Name: AttrMembers})
	}
	return attr.Of(changes...)
}

// attrLabel is the name under which functions find the label of a row.
const attrLabel = "label"

// absent reports whether none of those who speak for a row can be reached.
func (n *Node) absent(r table.Row) bool {
	if len(n.down.who) == 0 {
		return false
	}
	return !slices.ContainsFunc(Representatives(r), func(p engine.Peer) bool { return !n.Down(p.ID) })
}
