package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"time"
)

// watch publishes events and notes when each node gets them. An event begins with a mark that no other
// bytes have, and its number.
type watch struct {
	work
	mark [8]byte

	mu   sync.Mutex
	sent []time.Time       // by number
	came [][]time.Duration // by number and node; 0: it did not
}

// numberBytes is the length of mark and number.
const numberBytes = 8 + 8

func newWatch(w work) *watch {
	v := &watch{work: w, mark: [8]byte(randomBytes(8))}
	return v
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.Read(b)
	return b
}

// publish publishes at an even rate, and waits for what is late.
func (v *watch) publish(ctx context.Context, publish func(event []byte) error) error {
	tick := time.NewTicker(time.Second / time.Duration(v.rate))
	defer tick.Stop()
	for i := range int(v.length.Seconds() * float64(v.rate)) {
		event := randomBytes(v.bytes)
		copy(event, v.mark[:])
		binary.BigEndian.PutUint64(event[8:], uint64(i))
		v.mu.Lock()
		v.sent, v.came = append(v.sent, time.Now()), append(v.came, make([]time.Duration, v.nodes))
		v.mu.Unlock()
		if err := publish(event); err != nil {
			return fmt.Errorf("publishing: %w", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return pause(ctx, 0)
		}
	}
	return pause(ctx, lastly)
}

// got notes that a node, by number, has got an event.
func (v *watch) got(node int, event []byte) {
	now := time.Now()
	if len(event) != v.bytes || [8]byte(event[:8]) != v.mark {
		return
	}
	i := binary.BigEndian.Uint64(event[8:])
	v.mu.Lock()
	defer v.mu.Unlock()
	if came := v.came[i]; came[node] == 0 {
		came[node] = max(now.Sub(v.sent[i]), 1)
	}
}

// results returns how many deliveries were due to nodes other than the publisher, and the delays of those that
// happened, ascending.
func (v *watch) results() (due int, delays []time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, came := range v.came {
		for _, d := range came[1:] {
			due++
			if d > 0 {
				delays = append(delays, d)
			}
		}
	}
	slices.Sort(delays)
	return due, delays
}

// result is what was measured.
type result struct {
	due    int
	delays []time.Duration // of deliveries, ascending
	sent   uint64          // bytes
	cpu    time.Duration   // of all nodes and the measuring
	rest   time.Duration   // the same when nothing is published
}

// words returns the columns of the table.
func (r result) words(w work) []string {
	if len(r.delays) == 0 {
		return []string{fmt.Sprintf("0 of %d", r.due)}
	}
	at := func(share float64) string {
		d := r.delays[min(int(share*float64(len(r.delays))), len(r.delays)-1)]
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	}
	n := float64(len(r.delays))
	each := func(d time.Duration) string { return fmt.Sprintf("%.0f µs", float64(d.Microseconds())/n) }
	return []string{
		fmt.Sprintf("%d of %d", len(r.delays), r.due), at(0.5), at(0.99), at(1),
		fmt.Sprintf("%.3f", float64(r.sent)/n/float64(w.bytes)), each(r.cpu), each(r.rest),
	}
}
