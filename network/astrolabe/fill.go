package astrolabe

import "math/bits"

// attrFilter is the attribute of which zones have the union of their members' (package builtin).
const attrFilter = "filter"

// Overfull reports whether a member's filter has so many bits set that it does not count in that of its zone. Otherwise
// one liar in an open network would draw everything to its zone, and to each zone above. Such a member is sent what
// comes to its zone on others' account, and has to ask for the rest. In a closed network an authority answers for
// members, and nothing is left out.
func (n *Node) Overfull(filter []byte) bool {
	if n.admission.closed || n.config.MaxFilter == 0 {
		return false
	}
	set := 0
	for _, b := range filter {
		set += bits.OnesCount8(b)
	}
	return set > n.config.MaxFilter
}
