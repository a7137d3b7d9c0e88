package pastry

import "tidings/network/engine"

// maxOfPrefix is how many nodes of one network prefix a leaf set has at most, this node included. The prefix is an IPv4
// /24 or an IPv6 /48, which may belong to one owner (see engine.Prefixer). So an owner of many IDs and only one prefix
// gets no majority among the neighbours of any key, nor among its owners. Those that were there first stay. A third one
// is known to none of its neighbours, and owns nothing in others' view. Farther nodes may have it in their routing
// tables, and its messages are forwarded. In a small ring, where all nodes are neighbours, this leaves out the third of
// three nodes of one owner.
const maxOfPrefix = 2

// crowded reports whether a peer would be one too many of its part of the network in the leaf set.
func (k *known) crowded(p engine.Peer) bool {
	prefix := engine.PrefixOf(k.env, p.Address)
	if prefix == "" {
		return false
	}
	beside := 0
	if engine.PrefixOf(k.env, k.env.Self().Address) == prefix {
		beside++
	}
	for i := range k.list {
		if c := &k.list[i]; k.isLeaf(i) && c.peer.ID != p.ID && engine.PrefixOf(k.env, c.peer.Address) == prefix {
			beside++
		}
	}
	return beside >= maxOfPrefix
}

// thin drops those of the leaf set that are one too many of their prefix. They have moved up from the routing table, or
// to another address.
func (k *known) thin() {
	for {
		i := k.excess()
		if i < 0 {
			return
		}
		p := k.list[i].peer
		k.drop(i)
		k.env.Trace(Removed{p, true, Crowded})
	}
}

// excess returns the index of a leaf set contact that is one too many, if possible one that has just moved up; -1: none
// is.
func (k *known) excess() int {
	var beside map[string]int
	for _, settled := range []bool{true, false} {
		for i := range k.list {
			c := &k.list[i]
			if c.near != settled || !k.isLeaf(i) {
				continue
			}
			prefix := engine.PrefixOf(k.env, c.peer.Address)
			if prefix == "" {
				continue
			}
			if beside == nil {
				beside = map[string]int{engine.PrefixOf(k.env, k.env.Self().Address): 1}
			}
			if beside[prefix]++; beside[prefix] > maxOfPrefix {
				return i
			}
		}
	}
	return -1
}
