package newswire

import "tidings/network/engine"

// Working returns how many items a node is at work on, or has on their way.
func Working(n *Node) int { return len(n.jobs) + len(n.parcels.byNumber) + len(n.outlets.all) }

// Has reports whether a filter may have one of some topics.
func Has(s Shape, f []byte, topics ...engine.ID) bool {
	var bits []uint16
	for _, t := range topics {
		bits = s.positions(bits, t)
	}
	return s.has(f, bits)
}

// Positions returns the bits of a topic.
func Positions(s Shape, topic engine.ID) []uint16 { return s.positions(nil, topic) }
