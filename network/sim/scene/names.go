package scene

import (
	"fmt"
	"strconv"
	"strings"

	"tidings/network/engine"
)

// names are how IDs and addresses read in the output. What has been named keeps its name
// to the scene's end.
type names struct {
	ids    map[engine.ID]string
	known  []engine.ID // the keys of ids
	places map[engine.Address]place

	numbers map[uint64]int // of large numbers, in the order of first sight from 1
}

// place is an address: the nth that its node has lived at, from 1.
type place struct {
	node *Node
	nth  int
}

// fewDigits is the least number of digits that an ID without a name is written with, if
// it does not end in zeros.
const fewDigits = 4

func newNames() names {
	return names{ids: make(map[engine.ID]string), places: make(map[engine.Address]place), numbers: make(map[uint64]int)}
}

// know gives an ID its name, unless it has one.
func (n *names) know(id engine.ID, name string) {
	if _, ok := n.ids[id]; !ok {
		n.ids[id] = name
		n.known = append(n.known, id)
	}
}

// settle notes a node's present address.
func (n *names) settle(node *Node) {
	nth := 1
	for _, p := range n.places {
		if p.node == node {
			nth++
		}
	}
	n.places[node.Peer().Address] = place{node, nth}
}

// id returns the name of an ID: its node's, or its digits without the zeros at the end, or, if these are many, as few
// as distinguish it from all IDs seen before.
func (n *names) id(id engine.ID) string {
	if name, ok := n.ids[id]; ok {
		return name
	}
	all := id.String()
	name := strings.TrimRight(all, "0")
	name += strings.Repeat("0", len(name)%2)
	if name == "" {
		name = "00"
	}
	if len(name) > 2*fewDigits {
		name = all[:max(fewDigits, n.shared(id)+1)]
	}
	n.know(id, name)
	return name
}

// shared returns how many leading digits id shares with the most similar known ID.
func (n *names) shared(id engine.ID) int {
	most := 0
	for _, other := range n.known {
		most = max(most, id.CommonDigits(other, 4))
	}
	return most
}

// address returns the name of an address: its node's name, with @2 behind if it is the
// second that the node lives at.
func (n *names) address(a engine.Address) string {
	p, ok := n.places[a]
	switch {
	case !ok:
		return fmt.Sprintf("%q", string(a))
	case p.nth == 1:
		return p.node.name
	}
	return fmt.Sprintf("%s@%d", p.node.name, p.nth)
}

// large is the least number that counts as a name drawn by chance, such as a nonce.
const large = 1_000_000

// number writes a number, a large one as #1, #2 and so on in the order of first sight.
func (n *names) number(x uint64) string {
	if x < large {
		return strconv.FormatUint(x, 10)
	}
	if n.numbers[x] == 0 {
		n.numbers[x] = len(n.numbers) + 1
	}
	return fmt.Sprintf("#%d", n.numbers[x])
}

// peer returns the name of a peer: its ID's, and the address where that does not follow.
func (n *names) peer(p engine.Peer) string {
	if p.IsZero() {
		return "nobody"
	}
	id, address := n.id(p.ID), n.address(p.Address)
	switch {
	case address == id || strings.HasPrefix(address, id+"@"):
		return address
	case n.isNamed(p):
		return address
	}
	return id + "@" + address
}

// isNamed reports whether the node at the peer's address has the peer's ID, though the ID
// has another name: a clone.
func (n *names) isNamed(p engine.Peer) bool {
	place, ok := n.places[p.Address]
	return ok && place.node.ID() == p.ID
}
