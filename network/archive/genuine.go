package archive

import "tidings/network/engine"

// examine has bytes judged, outside the loop. It returns false if there is too much to do.
func (n *Node) examine(name Name, bytes []byte, then func(print uint64, genuine bool)) bool {
	var print uint64
	var genuine bool
	ok := n.env.Work(func() {
		print, genuine = PrintOf(bytes), n.verifier.Genuine(name, bytes)
	}, func() { then(print, genuine) })
	if !ok {
		limitHit(n.env, "engine.MaxWork", engine.MaxWork)
	}
	return ok
}

// damaged forgets an item that is not in the store as it should be. The other owners have it.
func (n *Node) damaged(name Name) {
	if n.stock.damaged(name) {
		n.replicas.compareWithAll(n.standing.look())
	}
}

// owns reports whether this node is one of the owners of a key.
func (n *Node) owns(key engine.ID) bool { return n.standing.owns(key) }
