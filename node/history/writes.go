package history

import (
	"context"
	"slices"
	"sync"
)

// writes are the store's tasks, in the order in which they were added; puts that follow each other are joined. Items
// that must go for another go before it comes. The archive bounds the bytes of items among them.
type writes struct {
	work func(job func(context.Context)) // Host.Work

	mu      sync.Mutex
	waiting []write // those that are being done at the beginning
}

// write is something that the store is to do.
type write struct {
	do  func(context.Context)
	put bool // it keeps an item
}

// maxPutting is how many items are kept at a time: they share the store's transactions.
const maxPutting = 64

// add has the store do something. It does not wait for it.
func (w *writes) add(one write) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting = append(w.waiting, one); len(w.waiting) == 1 {
		w.work(w.doAll)
	}
}

func (w *writes) doAll(ctx context.Context) {
	for more := true; more && ctx.Err() == nil; {
		some := w.next()
		var writing sync.WaitGroup
		for _, one := range some {
			writing.Go(func() { one.do(ctx) })
		}
		writing.Wait()
		w.mu.Lock()
		w.waiting = slices.Delete(w.waiting, 0, len(some))
		more = len(w.waiting) > 0
		w.mu.Unlock()
	}
}

// next returns what the store can do next at the same time: one thing, or puts that follow each other.
func (w *writes) next() []write {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 1
	for w.waiting[0].put && n < min(len(w.waiting), maxPutting) && w.waiting[n].put {
		n++
	}
	return slices.Clone(w.waiting[:n])
}
