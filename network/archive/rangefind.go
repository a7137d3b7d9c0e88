package archive

import (
	"errors"
	"time"

	"tidings/network/engine"
)

// rangeFind is a search for the items of a topic from one number to another.
type rangeFind struct {
	topic      engine.ID
	next, last uint64
	ended      bool // next is beyond last
	running    int
	stopped    bool
	found      func(number uint64, bytes []byte)
	done       func()
}

// FindRange looks up a topic's items with the numbers from first to last, some at a time, the lowest
// first, and gives each to found as it comes, in no order; nil: nobody has it. done is called at the
// end, or never if the search is stopped before. Nothing is called before FindRange has returned.
func (n *Node) FindRange(
	topic engine.ID, first, last uint64, found func(number uint64, bytes []byte), done func(),
) (stop func()) {
	r := &rangeFind{topic: topic, next: first, last: last, ended: first > last, found: found, done: done}
	n.env.After(0, func() { n.findMore(r) })
	return func() { r.stopped = true }
}

func (n *Node) findMore(r *rangeFind) {
	for !r.stopped && !r.ended && r.running < n.config.Parallel {
		number := r.next
		r.ended = number == r.last
		r.next++
		r.running++
		n.findOfRange(r, number)
	}
	if r.ended && r.running == 0 && !r.stopped {
		r.stopped = true
		r.done()
	}
}

func (n *Node) findOfRange(r *rangeFind, number uint64) {
	n.Find(Name{r.topic, number}, func(bytes []byte, err error) {
		if r.stopped {
			return
		}
		if errors.Is(err, ErrBusy) {
			n.env.After(time.Second, func() { n.findOfRange(r, number) })
			return
		}
		r.found(number, bytes)
		r.running--
		n.findMore(r)
	})
}
