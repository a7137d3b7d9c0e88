package rappel

import (
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/vivaldi"
)

// children are a node's in one tree: at most Config.Children, but for a moment (section 4.4), and those that are about to
// leave, who are served until they have another parent.
type children struct {
	*tree
	list []child // in the order of their coming
}

type child struct {
	peer       engine.Peer
	coordinate vivaldi.Coordinate
	heard      time.Duration
	family     []engine.Peer // its own children
	parting    time.Duration // until when an evicted child is served; 0: it stays
	awaited    bool          // it was announced by Replace, and has not come
	check      verifying
	// guest: its coordinate is not believed, and this is the root, to whom it can turn last. It takes no place of
	// others, and nobody is sent on to it.
	guest bool
}

func (c *children) find(id engine.ID) *child {
	for i := range c.list {
		if c.list[i].peer.ID == id {
			return &c.list[i]
		}
	}
	return nil
}

func (c *children) remove(id engine.ID) bool {
	before := len(c.list)
	c.list = slices.DeleteFunc(c.list, func(k child) bool { return k.peer.ID == id })
	return len(c.list) < before
}

// staying returns how many are not about to leave, without guests.
func (c *children) staying() (n int) {
	for i := range c.list {
		if c.list[i].parting == 0 && !c.list[i].guest {
			n++
		}
	}
	return n
}

// guests returns how many there are besides a node.
func (c *children) guests(but engine.ID) (n int) {
	for i := range c.list {
		if c.list[i].guest && c.list[i].peer.ID != but {
			n++
		}
	}
	return n
}

// peers returns those that stay, as a child's parent is told of them.
func (c *children) peers() (list []engine.Peer) {
	for i := range c.list {
		if c.list[i].parting == 0 && !c.list[i].awaited && len(list) < maxChildren {
			list = append(list, c.list[i].peer)
		}
	}
	return list
}

// pick returns the child that stays for which measure is least, of those that are wanted.
func (c *children) pick(wanted func(*child) bool, measure func(*child) time.Duration) *child {
	var best *child
	var least time.Duration
	for i := range c.list {
		k := &c.list[i]
		if k.parting > 0 || k.awaited || k.guest || !wanted(k) {
			continue
		}
		if m := measure(k); best == nil || m < least {
			best, least = k, m
		}
	}
	return best
}
