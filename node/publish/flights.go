package publish

import (
	"slices"
	"sync"

	"tidings/network/engine"
	"tidings/node/broadcast"
	"tidings/view"
)

// maxFlights is how many items of a publication are on their way at a time. It is below the distance from which nodes
// consider items too old.
const maxFlights = 64

// flights are the items of a publication that were given to FeedTree, until others have them.
type flights struct {
	news *broadcast.Broadcast // rings when another node has an item

	mu      sync.Mutex
	flying  map[uint64]*flight // by the item's number
	taken   []uint64           // those that others have, and the store does not know of
	waiters int                // callers that wait until another node has an item
}

// flight is an item on its way to the first nodes.
type flight struct {
	nodes   []engine.ID   // that have it; nil: it is to be sent
	first   chan struct{} // closed when one has
	refused error         // why FeedTree has not accepted it; nil: it has, or was not asked
}

func newFlights() *flights {
	return &flights{news: broadcast.New(), flying: make(map[uint64]*flight)}
}

// expect has items be waited for that are to be sent.
func (f *flights) expect(items []view.IssuedItem) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, i := range items {
		f.of(i.Number)
	}
}

// of returns an item's flight. The caller holds f.mu.
func (f *flights) of(number uint64) *flight {
	if f.flying[number] == nil {
		f.flying[number] = &flight{first: make(chan struct{})}
	}
	return f.flying[number]
}

// depart notes that an item is sent, and reports whether it was not on its way.
func (f *flights) depart(number uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	flight := f.of(number)
	if flight.nodes != nil {
		return false
	}
	flight.nodes = []engine.ID{}
	return true
}

// refuse notes why FeedTree has not accepted an item that departed; nil: it has.
func (f *flights) refuse(number uint64, why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if flight := f.flying[number]; flight != nil {
		flight.refused = why
	}
}

// refusal returns why FeedTree has not accepted an item when it was offered last; nil: it has.
func (f *flights) refusal(number uint64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if flight := f.flying[number]; flight != nil {
		return flight.refused
	}
	return nil
}

// alone reports whether FeedTree has accepted an item and no node has it.
func (f *flights) alone(number uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	flight := f.flying[number]
	return flight != nil && flight.nodes != nil && len(flight.nodes) == 0 && flight.refused == nil
}

// forget has items be sent again that are on their way for long, or that FeedTree has not accepted.
func (f *flights) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, flight := range f.flying {
		if len(flight.nodes) == 0 {
			flight.nodes, flight.refused = nil, nil
		}
	}
}

// arrived notes that a node has an item; it is called in the loop.
func (f *flights) arrived(number uint64, node engine.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	flight := f.flying[number]
	if flight == nil || slices.Contains(flight.nodes, node) {
		return
	}
	if flight.nodes = append(flight.nodes, node); len(flight.nodes) == 1 {
		close(flight.first)
		f.taken = append(f.taken, number)
		f.news.Ring()
	}
	f.trim(number)
}

// trim forgets flights that ended long before another did. The caller holds f.mu.
func (f *flights) trim(latest uint64) {
	const kept = 4 * maxFlights
	if len(f.flying) <= 2*kept {
		return
	}
	for number, flight := range f.flying {
		if number+kept < latest && len(flight.nodes) > 0 {
			delete(f.flying, number)
		}
	}
}

// arrivals returns the items that others have since it was called last.
func (f *flights) arrivals() (taken []uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	taken, f.taken = f.taken, nil
	return taken
}

// restore puts back arrivals that could not be kept.
func (f *flights) restore(taken []uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.taken = append(taken, f.taken...)
}

// await returns a channel that is closed when another node has an item, nil if that is not on its way. end ends the
// waiting.
func (f *flights) await(number uint64) (first <-chan struct{}, end func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiters++
	if flight := f.flying[number]; flight != nil {
		first = flight.first
	}
	return first, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.waiters--
	}
}

// awaited reports whether a caller waits until another node has an item.
func (f *flights) awaited() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.waiters > 0
}

// count fills in how many nodes have each of the items.
func (f *flights) count(items []view.IssuedItem) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range items {
		if flight := f.flying[items[i].Number]; flight != nil {
			items[i].Nodes = len(flight.nodes)
		}
	}
}
