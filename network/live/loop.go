package live

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"tidings/network/engine"
)

// loop runs a node's protocols: everything in it is touched by the goroutine of Host.Run
// alone. Whatever happens elsewhere reaches it as a closure in the mailbox or as an arrival in
// the inbox.
type loop struct {
	h        *Host
	env      *env
	protocol engine.Protocol
	clock    *clock
	timers   *timers
	tickAt   time.Duration // when the next tick is due, by elapsed: sleep makes none late
	workers  workers
	links    map[engine.ID]*link
	closing  map[peer.ID]chan struct{} // connections of former links that are being closed
	outages  *outages
	meters   *meters
	past     *incarnations
	ways     *ways
	chance   *rand.Rand
	stopping bool // protocols have been stopped
}

// arrivalsEach and arrivalsFor are how many messages are handled, and for how long, before
// timers and closures have a turn.
const (
	arrivalsEach = 64
	arrivalsFor  = 5 * time.Millisecond
)

func newLoop(h *Host) *loop {
	p := &loop{
		h: h, clock: newClock(h.config.suspended), timers: newTimers(),
		links: make(map[engine.ID]*link), closing: make(map[peer.ID]chan struct{}), outages: newOutages(h.limits),
		meters: newMeters(h.limits), past: newIncarnations(h.limits),
		chance: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())),
	}
	p.env = &env{p}
	p.ways = &ways{loop: p, nearby: newNearby()}
	p.workers.loop = p
	p.tickLater()
	return p
}

// run handles what comes until ctx ends or until, if given, says so.
func (p *loop) run(ctx context.Context, until func() bool) {
	alarm := time.NewTimer(time.Hour)
	defer alarm.Stop()
	for ctx.Err() == nil && (until == nil || !until()) {
		p.runPosted()
		p.runTimers()
		if p.receive() {
			continue
		}
		at, planned := p.timers.next()
		if planned {
			alarm.Reset(max(0, at-p.clock.now()))
		}
		select {
		case <-ctx.Done():
		case <-p.h.mail.wake:
		case <-p.h.inbox.wake:
		case <-alarm.C:
		}
	}
}

func (p *loop) runPosted() {
	for _, f := range p.h.mail.drain() {
		f()
	}
}

// runTimers runs all that is due. Timers that are made meanwhile wait for the next round, so that messages have their
// turn.
func (p *loop) runTimers() {
	now, last := p.clock.now(), p.timers.last
	for len(p.timers.heap) > 0 && p.timers.heap[0].id <= last {
		call := p.timers.due(now)
		if call == nil {
			return
		}
		call()
	}
}

// receive handles arrivals and reports whether more may wait.
func (p *loop) receive() bool {
	start := p.elapsed()
	for range arrivalsEach {
		l, a, ok := p.h.inbox.next()
		if !ok {
			return false
		}
		p.arrived(l, a)
		if p.elapsed()-start > arrivalsFor {
			break
		}
	}
	return true
}

// observe reports to Config.Observe what happened.
func (p *loop) observe(event any) {
	if p.h.config.Observe != nil {
		p.h.config.Observe(event)
	}
}

// reportDown reports to the protocols that a peer is down, after the present call and unless they know. The outage is
// remembered by key; see outages.
func (p *loop) reportDown(lost, key engine.Peer, rest bool) time.Duration {
	news, wait := p.outages.begin(key, p.clock.now(), rest)
	if news {
		p.h.mail.post(func() {
			if !p.stopping {
				p.protocol.PeerDown(lost)
			}
		})
	}
	return wait
}
