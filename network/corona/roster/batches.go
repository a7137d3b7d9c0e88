package roster

import "tidings/network/engine"

// batches gathers items for several peers into few messages.
type batches[T any] []batch[T]

type batch[T any] struct {
	to   engine.Peer
	list []T
}

// add adds an item to a message of at most most items, and returns that message.
func (b *batches[T]) add(to engine.Peer, x T, most int) *batch[T] {
	for i := range *b {
		if p := &(*b)[i]; p.to == to && len(p.list) < most {
			p.list = append(p.list, x)
			return p
		}
	}
	*b = append(*b, batch[T]{to, []T{x}})
	return &(*b)[len(*b)-1]
}
