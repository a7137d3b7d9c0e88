// Package settled makes networks that are at rest: each node has its zone, and its tables are what long gossip would
// have made of them. Experiments with a million nodes begin there. TestLikeGossip compares it with a network that has
// gossiped.
package settled

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// Member is a node of the network.
type Member struct {
	Peer engine.Peer
	Keys engine.Keys
	Zone zone.Path
	Own  attr.Row // what it says of itself, beside what all do
}

// Network is a network at rest.
type Network struct {
	config  astrolabe.Config
	members []Member
	byID    map[engine.ID]int
	tables  map[zone.Path]*table.Table
	wall    time.Time
}

// New returns the network of some members, at a time of the calendar. Stamps are as old as they are in a network that
// has run for long.
func New(c astrolabe.Config, members []Member, wall time.Time) *Network {
	n := &Network{c, members, make(map[engine.ID]int, len(members)), make(map[zone.Path]*table.Table), wall}
	rows := make(map[zone.Path][]table.Row)
	for i, m := range members {
		n.byID[m.Peer.ID] = i
		content := &table.Content{
			Zone: m.Zone, Label: zone.Member(m.Peer.ID), Issuer: m.Peer,
			Attributes: astrolabe.MemberAttributes(m.Peer, m.Own, 0),
		}
		rows[m.Zone] = append(rows[m.Zone], table.Row{Content: content, Stamp: n.stamp(i, content)})
		for p := m.Zone; p != zone.Root; p = p.Parent() {
			if _, ok := rows[p.Parent()]; !ok {
				rows[p.Parent()] = nil
			}
		}
	}
	paths := make([]zone.Path, 0, len(rows))
	for p := range rows {
		paths = append(paths, p)
	}
	// the lowest first
	slices.SortFunc(paths, func(a, b zone.Path) int { return cmp.Or(b.Depth()-a.Depth(), cmp.Compare(a, b)) })
	for _, p := range paths {
		t := new(table.Table)
		for _, r := range rows[p] {
			t.Put(r, n.age(r), 0)
		}
		n.tables[p] = t
		if p != zone.Root {
			r := n.zoneRow(p, rows[p])
			rows[p.Parent()] = append(rows[p.Parent()], r)
		}
	}
	return n
}

// zoneRow returns the row of a zone, as its first representative writes it.
func (n *Network) zoneRow(p zone.Path, rows []table.Row) table.Row {
	c := &table.Content{Zone: p.Parent(), Label: p.Label(),
		Attributes: astrolabe.Aggregate(rows, n.config.Representatives)}
	first := astrolabe.Representatives(table.Row{Content: c})[0]
	c.Issuer = first
	return table.Row{Content: c, Stamp: n.stamp(n.byID[first.ID], c)}
}

// stamp stamps a content, so long ago that not all are due at one time.
func (n *Network) stamp(member int, c *table.Content) *table.Stamp {
	d := c.Digest()
	share := float64(uint32(d[0])<<8|uint32(d[1])) / (1 << 16)
	every, hold := n.config.Stamps(c.Attributes)
	age := time.Duration(share * float64(every))
	s := &table.Stamp{Time: uint32(n.wall.Add(-age).Unix()), Lifetime: uint16(hold / time.Second), Content: d}
	copy(s.Signature[:], n.members[member].Keys.Sign(s.Words()))
	return s
}

// age returns how old a row is.
func (n *Network) age(r table.Row) time.Duration {
	return n.wall.Sub(time.Unix(int64(r.Time), 0))
}

// Of returns what a member knows.
func (n *Network) Of(member int) *astrolabe.Settled {
	m := &n.members[member]
	s := &astrolabe.Settled{Zone: m.Zone, Own: m.Own}
	for depth := range m.Zone.Depth() + 1 {
		s.Tables = append(s.Tables, n.tables[m.Zone.At(depth)])
	}
	return s
}

// Table returns the table of a zone; nil: there is none.
func (n *Network) Table(p zone.Path) *table.Table { return n.tables[p] }

// Zones returns the zones of so many nodes, by node: each has about so many members, and each other zone about as many
// zones, at most full.
func Zones(nodes, members, full int) []zone.Path {
	leaves := max(1, (nodes+members-1)/members)
	levels, width := 0, leaves
	for leaves > 1 && (levels == 0 || width > full) {
		levels++
		width = int(math.Ceil(math.Pow(float64(leaves), 1/float64(levels)) - 1e-9))
	}
	paths := make([]zone.Path, nodes)
	for i := range paths {
		leaf, p := i*leaves/nodes, zone.Root
		for level := levels - 1; level >= 0; level-- {
			at := leaf / int(math.Pow(float64(width), float64(level))) % width
			p = p.Child(fmt.Sprintf("%s%02x", zone.AutoMark, at))
		}
		paths[i] = p
	}
	return paths
}
