package archive

import (
	"errors"
	"time"

	"tidings/network/engine"
)

// rangeFind is a search for the items of a topic from one number to another.
type rangeFind struct {
	env        engine.Env
	parallel   int
	find       func(name Name, found func(bytes []byte, err error))
	topic      engine.ID
	next, last uint64
	ended      bool // next is beyond last
	running    int
	stopped    bool
	found      func(number uint64, bytes []byte)
	done       func()
}

// FindRange looks up a topic's items with the numbers from first to last, Config.Parallel at a time, the lowest first.
// It passes each to found as it comes, in no order; nil: no node has it. done is called at the end, or never if the
// search is stopped before. Nothing is called before FindRange has returned.
func (n *Node) FindRange(
	topic engine.ID, first, last uint64, found func(number uint64, bytes []byte), done func(),
) (stop func()) {
	r := &rangeFind{
		env: n.env, parallel: n.config.Parallel, find: n.Find,
		topic: topic, next: first, last: last, ended: first > last, found: found, done: done,
	}
	n.env.After(0, r.more)
	return func() { r.stopped = true }
}

// more looks up the next items, parallel at a time.
func (r *rangeFind) more() {
	for !r.stopped && !r.ended && r.running < r.parallel {
		number := r.next
		r.ended = number == r.last
		r.next++
		r.running++
		r.lookUp(number)
	}
	if r.ended && r.running == 0 && !r.stopped {
		r.stopped = true
		r.done()
	}
}

func (r *rangeFind) lookUp(number uint64) {
	r.find(Name{r.topic, number}, func(bytes []byte, err error) {
		if r.stopped {
			return
		}
		if errors.Is(err, ErrBusy) {
			r.env.After(time.Second, func() { r.lookUp(number) })
			return
		}
		r.found(number, bytes)
		r.running--
		r.more()
	})
}
