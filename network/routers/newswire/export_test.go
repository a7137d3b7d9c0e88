package newswire

import (
	"fmt"

	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// Working returns how many items a node is at work on, or has on their way.
func Working(n *Node) int {
	for row, held := range n.parcels.held {
		for number, p := range held {
			if n.parcels.byNumber[number] != p || p.held == 0 || !p.at.IsZero() || row != (rowName{p.table, p.label}) {
				panic("a parcel is held that is not")
			}
		}
	}
	return len(n.jobs) + len(n.parcels.byNumber) + len(n.outlets.all)
}

// Has reports whether a filter may have one of topics.
func Has(s Shape, f []byte, topics ...engine.ID) bool {
	var bits []uint16
	for _, t := range topics {
		bits = s.positions(bits, t)
	}
	return s.has(f, bits)
}

// Positions returns the bits of a topic.
func Positions(s Shape, topic engine.ID) []uint16 { return s.positions(nil, topic) }

// Kept returns how many items a node keeps, how many bytes those count for, and of how many it remembers that they
// came.
func Kept(n *Node) (items, bytes, known int) {
	for _, k := range n.cache.order {
		if k.item != nil {
			items++
			bytes += k.bytes()
		}
	}
	if n.cache.bytes != bytes || len(n.cache.order)-n.cache.bare != items ||
		len(n.cache.entries) != len(n.cache.order) {
		panic("the cache has lost count")
	}
	return items, bytes, len(n.cache.order)
}

// Suspects returns how many of so many suspects are remembered.
func Suspects(of int) int {
	var s suspects
	for i := range of {
		s.add(engine.IDOf([]byte{byte(i), byte(i >> 8)}), 0)
	}
	return len(s.until)
}

// Contacts returns of how many rows a contact is remembered, of so many.
func Contacts(of int) int {
	var c contacts
	for i := range of {
		c.set(rowName{zone.Root, fmt.Sprint(i)}, contact{})
	}
	return len(c.of)
}

// MaxHave is how many items a CatchUp names.
const MaxHave = maxHave

// Bounds of nodes.
const (
	MaxJobs       = maxJobs
	MaxAskers     = maxAskers
	MaxPublishers = maxPublishers
	MaxPredicates = maxPredicates
	MaxWaiting    = maxWaiting
	MaxLogged     = maxLogged
	LoggedBytes   = loggedBytes
	PeerFlow      = peerFlow
	AskBurst      = askBurst
	MaxWraps      = maxWraps
	MaxSuspects   = maxSuspects
	MaxContacts   = maxContacts
	ContactFor    = contactFor
	MaxAsked      = maxAsked
)

// Jobs returns how many items a node is at work on, and Buckets for how many publishers it remembers how much it has
// accepted.
func Jobs(n *Node) int    { return len(n.jobs) }
func Buckets(n *Node) int { return len(n.flow.buckets) }

// NumberFor returns the number of a parcel for a zone.
func NumberFor(n *Node, z zone.Path) uint32 {
	for _, p := range n.parcels.byNumber {
		if p.to == z {
			return p.number
		}
	}
	return 0
}

// Hold makes n parcels for the zone of a row open, which are held if held says so.
func Hold(n *Node, table zone.Path, label string, count int, held bool) {
	for range count {
		n.parcels.last++
		p := &parcel{job: &job{until: 1 << 62}, label: label, table: table, to: table, number: n.parcels.last}
		if held {
			p.held = 1
			n.parcels.hold(p)
		} else {
			p.at = n.env.Self()
		}
		n.note(p)
	}
}

// Suspect has a node suspect another.
func Suspect(n *Node, id engine.ID) { n.contacts.suspects.add(id, n.env.Now()) }
