package live

import (
	"testing"
	"time"

	"tidings/network/engine"
)

// sentBy returns how many messages of a kind a host has sent.
func (r *running) sentBy(m engine.Message) (sent uint64) {
	for _, t := range r.Traffic() {
		if t.Kind == m.Kind() {
			sent = t.Sent
		}
	}
	return sent
}

// Links on which nothing is said rest: their signs of life are as rare as routers' memory of them allows.
func TestLinksRest(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, b := w.host(1), w.host(2)
		w.connect(a, b)
		time.Sleep(2 * time.Minute)
		before := a.sentBy(new(Ping)) + b.sentBy(new(Ping))
		time.Sleep(10 * time.Minute)
		pings := a.sentBy(new(Ping)) + b.sentBy(new(Ping)) - before
		if most := uint64(10*time.Minute/a.limits.RestEvery) + 1; pings > most {
			t.Errorf("in ten minutes of rest the two asked each other %d times; at most %d", pings, most)
		}
		if least := uint64(10 * time.Minute / (25 * time.Second)); pings < least {
			t.Errorf("in ten minutes of rest the two asked each other %d times, too seldom for routers; at least %d",
				pings, least)
		}
	})
}

// A node that finds a peer dead makes the others check: all at rest know soon after the first of them. A peer that is
// reported dead and is not stays connected.
func TestTheFirstToMissAPeerNotifiesTheOthers(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		var all []*running
		for n := range 6 {
			h := w.host(1 + n)
			for _, other := range all {
				w.connect(h, other)
				time.Sleep(700 * time.Millisecond) // so that they ask at different times
			}
			all = append(all, h)
		}
		time.Sleep(3 * time.Minute)
		gone, others := all[0], all[1:]
		w.plug(1, false)
		start := time.Now()
		var first, last time.Duration
		for know := 0; know < len(others) && time.Since(start) < time.Minute; time.Sleep(100 * time.Millisecond) {
			know = 0
			for _, h := range others {
				know += h.downCount()
			}
			if know == 1 && first == 0 {
				first = time.Since(start)
			}
			last = time.Since(start)
		}
		if last > 14*time.Second || last-first > suspectWithin+2*tick {
			t.Errorf("the first of %d knew of the outage after %v, the last after %v", len(others), first, last)
		}
		for _, h := range others {
			h.do(func() { h.loop.suspected(all[1].id) })
		}
		time.Sleep(10 * time.Second)
		for _, h := range others {
			if n := h.downCount(); n != 1 || h.downs()[0].ID != gone.id {
				t.Errorf("a peer that answers is reported down: %v", h.downs())
			}
		}
	})
}

// A node that does not come to run for longer than peers may be silent gives none of them up for that. One that runs,
// and receives nothing for so long, does.
func TestABusyNodeGivesNobodyUp(t *testing.T) {
	t.Parallel()
	for _, busy := range []bool{true, false} {
		inWorld(t, func(t *testing.T, w *world) {
			a, b := w.host(1), w.host(2, func(c *Config) { c.Limits.DeadAfter = time.Minute })
			w.connect(a, b)
			time.Sleep(20 * time.Second)
			w.plug(1, false)
			if busy {
				a.do(func() { time.Sleep(a.limits.DeadAfter + tick) })
			} else {
				time.Sleep(a.limits.DeadAfter + tick)
			}
			w.plug(1, true)
			time.Sleep(20 * time.Second)
			if downs := a.downCount(); (downs > 0) == busy {
				t.Errorf("busy %v: peers reported down: %v", busy, a.downs())
			}
		})
	}
}

// A node that comes to run late dials few peers at a time, and many again when it has been in time for a while.
func TestABusyNodeDialsFew(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a := w.host(1)
		var off []engine.Peer
		for n := range 4 * a.limits.BusyDials {
			off = append(off, w.host(2+n).Host.Self())
			w.plug(2+n, false)
		}
		dial := func() (many, few int) {
			for _, p := range off {
				a.send(p, aWord(1))
			}
			time.Sleep(tick)
			return len(a.dials), len(a.busyDials)
		}
		time.Sleep(3 * tick / 2)
		a.do(func() { time.Sleep(tick) })
		time.Sleep(tick)
		if many, few := dial(); many != 0 || few != a.limits.BusyDials {
			t.Errorf("a busy node has %d dials under way as if it were not, and %d", many, few)
		}
		waiting := 0 // those that waited go on as soon as the node is busy no more
		for range 2 * busyFor / (100 * time.Millisecond) {
			time.Sleep(100 * time.Millisecond)
			waiting = max(waiting, len(a.dials))
		}
		if waiting <= a.limits.BusyDials {
			t.Errorf("%d dials that waited began when the node was busy no more", waiting)
		}
		time.Sleep(5 * time.Minute)
		if many, few := dial(); many != len(off) || few != 0 {
			t.Errorf("a node that is busy no more has %d dials under way, and %d as if it were", many, few)
		}
	})
}

// A node behind a router asks one public peer more often than it rests, and no other.
func TestALookoutBehindRouters(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		servers := []*running{w.host(1), w.host(2)}
		home := w.privateHost(3)
		for _, s := range servers {
			w.connect(home, s)
		}
		time.Sleep(2 * time.Minute)
		before := home.sentBy(new(Ping))
		time.Sleep(10 * time.Minute)
		rest, lookout := 10*time.Minute/home.limits.RestEvery, 10*time.Minute/lookoutEvery
		if pings := time.Duration(home.sentBy(new(Ping)) - before); pings < lookout*8/10 || pings > lookout+rest+2 {
			t.Errorf("in ten minutes of rest it asked %d times; want about %d of one peer and at most %d of the other",
				pings, lookout, rest)
		}
	})
}

// A lookout is asked although it says much else: only its answer says where it sees this node.
func TestALookoutIsAskedWhateverElseItSays(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		server := w.host(1)
		home := w.privateHost(3)
		w.connect(home, server)
		time.Sleep(2 * time.Minute)
		before := home.sentBy(new(Ping))
		for range 10 * 60 {
			server.send(home.Self(), &word{})
			time.Sleep(time.Second)
		}
		if pings := time.Duration(home.sentBy(new(Ping)) - before); pings < 10*time.Minute/lookoutEvery*8/10 {
			t.Errorf("in ten minutes in which its lookout said much it asked %d times", pings)
		}
	})
}

// A peer that others find dead is found dead soon, although it was asked just before: once it may be asked again. One
// that has sent something since is not asked.
func TestWhoWasAskedJustNowIsSuspectedAllTheSame(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, gone, stays := w.host(1), w.host(2), w.host(3)
		w.connect(a, gone)
		w.connect(a, stays)
		time.Sleep(2 * time.Minute)
		a.do(func() {
			for _, l := range a.loop.links {
				a.loop.ping(l, a.loop.clock.now())
			}
		})
		time.Sleep(time.Second) // both have answered
		w.plug(2, false)
		a.do(func() {
			a.loop.suspected(gone.id)
			a.loop.suspected(stays.id)
		})
		time.Sleep(a.limits.PingEvery + suspectWithin + tick)
		if downs := a.downs(); len(downs) != 1 || downs[0].ID != gone.id {
			t.Errorf("down are %v", downs)
		}
	})
}
