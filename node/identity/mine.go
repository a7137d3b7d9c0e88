package identity

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"tidings/network/live"
	"tidings/view"
)

// DefaultWork is how many bits of work IDs have in the open network. One core of a usual server makes about 42,000 keys
// a second, and finds one in 50 seconds on average.
const DefaultWork = 21

// Miner makes keys until one has an ID with enough work (engine.ID.Work). It remembers nothing between keys, so that
// nothing is lost when it is stopped. Progress may be asked for at any time.
type Miner struct {
	bits  int
	began time.Time
	tried atomic.Uint64
}

// NewMiner returns a miner for IDs with so many bits of work.
func NewMiner(bits int) *Miner { return &Miner{bits: bits, began: time.Now()} }

// Run returns the first key with enough work; nil if ctx ends before. It leaves one core to others, if there are
// several. It runs below them in priority if the system lets threads differ in that.
func (m *Miner) Run(ctx context.Context) ed25519.PrivateKey {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var workers sync.WaitGroup
	defer workers.Wait()
	cores := runtime.GOMAXPROCS(0)
	found := make(chan ed25519.PrivateKey, cores)
	for range max(1, cores-1) {
		workers.Go(func() {
			lowerPriority(cores)
			for ctx.Err() == nil {
				public, private, err := ed25519.GenerateKey(rand.Reader)
				if err != nil {
					continue // the system's source of chance never fails
				}
				m.tried.Add(1)
				if live.NodeID(public).Work() >= m.bits {
					found <- private
					stop()
				}
			}
		})
	}
	<-ctx.Done()
	select {
	case key := <-found:
		return key
	default:
		return nil
	}
}

// Progress returns how far that is; nil: nothing is looked for.
func (m *Miner) Progress() *view.Mining {
	if m == nil {
		return nil
	}
	tried := m.tried.Load()
	return &view.Mining{
		Bits: m.bits, Tried: tried, Expected: 1 << m.bits,
		KeysPerSecond: float64(tried) / max(time.Since(m.began).Seconds(), 1e-3),
	}
}
