package astrolabe

import (
	"math/rand/v2"
	"slices"

	"tidings/network/engine"
)

// contacts are nodes that may know more.
type contacts struct {
	peers  []engine.Peer // the latest last; at most maxContacts
	latest engine.Peer   // that is to be asked first: it was named after the others; zero: none
}

// maxContacts is how many nodes are remembered that may know more.
const maxContacts = 32

// meet adds a node, as the latest.
func (c *contacts) meet(p engine.Peer) {
	before := len(c.peers)
	c.peers = slices.DeleteFunc(c.peers, func(known engine.Peer) bool { return known.ID == p.ID })
	if len(c.peers) == before {
		c.latest = p
	}
	if len(c.peers) == maxContacts {
		c.peers = slices.Delete(c.peers, 0, 1)
	}
	c.peers = append(c.peers, p)
}

// moved makes a contact be asked at its present address. At an earlier one it would seem to be down, again and again,
// though it lives. The rows of its zones would then be written with it and without it in turns.
func (c *contacts) moved(p engine.Peer) {
	if i := slices.IndexFunc(c.peers, func(known engine.Peer) bool { return known.ID == p.ID }); i >= 0 {
		c.peers[i] = p
	}
}

// any draws one; there is one.
func (c *contacts) any(chance *rand.Rand) engine.Peer { return c.peers[chance.IntN(len(c.peers))] }
