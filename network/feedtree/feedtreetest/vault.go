package feedtreetest

import (
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
)

// Vault is an archive that all nodes share: a model of what the nodes do together.
type Vault struct {
	// Closed: it finds nothing.
	Closed bool
	// Finds counts what it was asked for.
	Finds int

	items map[box]*feedtree.Item
	backs map[box]*feedtree.Withdrawal
}

type box struct {
	topic  engine.ID
	number uint64
}

// finding is how long the vault needs.
const finding = 200 * time.Millisecond

// Put keeps an item, unless it has one with that number.
func (v *Vault) Put(topic engine.ID, item *feedtree.Item) {
	if at := (box{topic, item.Number}); v.items[at] == nil {
		v.items[at] = item
	}
}

// Withdraw puts a withdrawal in the place of an item.
func (v *Vault) Withdraw(topic engine.ID, w *feedtree.Withdrawal) {
	if v.backs == nil {
		v.backs = make(map[box]*feedtree.Withdrawal)
	}
	v.backs[box{topic, w.Number}] = w
}

// access is a node's way to the vault.
type access struct {
	env   engine.Env
	vault *Vault
}

// Find looks for an item.
func (a access) Find(topic engine.ID, number uint64, found func(*feedtree.Item, *feedtree.Withdrawal)) {
	a.vault.Finds++
	a.env.After(finding, func() {
		at := box{topic, number}
		switch {
		case a.vault.Closed:
			found(nil, nil)
		case a.vault.backs[at] != nil:
			found(nil, a.vault.backs[at])
		default:
			found(a.vault.items[at], nil)
		}
	})
}
