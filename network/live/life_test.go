package live

import (
	"testing"
	"time"

	"tidings/network/engine"
)

// hostile 34: a machine that slept for hours. Timers run at once, connections that died meanwhile are noticed, and the
// node talks to its peers again by itself.
func TestSleep(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		var slept time.Duration
		a := w.host(1, func(c *Config) { c.suspended = func() time.Duration { return slept } })
		b := w.host(2)
		w.connect(a, b)
		var ran []time.Duration
		a.do(func() {
			a.env.After(30*time.Minute, func() { ran = append(ran, a.env.Now()) })
			a.env.After(time.Hour, func() { ran = append(ran, a.env.Now()) })
			a.env.After(9*time.Hour, func() { ran = append(ran, a.env.Now()) })
		})
		before := a.now()
		w.plug(1, false) // asleep, a is not heard, and hears nothing
		time.Sleep(time.Minute)
		if b.downCount() != 1 {
			t.Fatalf("b was notified of %v", b.downs())
		}
		a.do(func() { slept = 8 * time.Hour })
		w.plug(1, true)
		time.Sleep(2 * time.Second)
		if now := a.now(); now < before+8*time.Hour {
			t.Errorf("8 hours of sleep made Now advance by %v", now-before)
		}
		if len(ran) != 2 {
			t.Errorf("%d of the 2 timers that were due ran", len(ran))
		}
		if woke := eventsOf[Woke](a.recorder); len(woke) != 1 || woke[0].Slept != 8*time.Hour {
			t.Errorf("observed %+v", woke)
		}
		time.Sleep(10 * time.Second)
		if a.downCount() != 1 {
			t.Errorf("a was notified of %v", a.downs())
		}
		a.send(b.Host.Self(), aWord(5))
		time.Sleep(3 * time.Second)
		if !sameNumbers(b.numbers(), []uint64{5}) {
			t.Errorf("after the sleep b heard %v", b.numbers())
		}
	})
}

// hostile 34: a short sleep that connections survive makes no peer down.
func TestNap(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		var slept time.Duration
		a := w.host(1, func(c *Config) { c.suspended = func() time.Duration { return slept } })
		b := w.host(2)
		w.connect(a, b)
		a.do(func() { slept = 10 * time.Second })
		time.Sleep(time.Minute)
		if a.downCount()+b.downCount() != 0 || len(eventsOf[Woke](a.recorder)) != 1 {
			t.Errorf("reported down %v and %v, observed %+v", a.downs(), b.downs(), eventsOf[Woke](a.recorder))
		}
	})
}

// hostile 34: after a sleep, a peer that is gone is noticed sooner than otherwise.
func TestWakingFindsTheDead(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		var slept time.Duration
		a := w.host(1, func(c *Config) { c.suspended = func() time.Duration { return slept } })
		b, c := w.host(2), w.host(3)
		w.connect(a, b)
		w.connect(a, c)
		w.plug(2, false)
		a.do(func() { slept = time.Hour })
		time.Sleep(tick + a.limits.AwakeWithin + tick)
		if got := a.downs(); len(got) != 1 || got[0].ID != b.id {
			t.Errorf("reported down: %v", got)
		}
	})
}

func (r *running) now() (now time.Duration) {
	r.do(func() { now = r.env.Now() })
	return now
}

// hostile 33: a node that crashes and comes back with the same key and a new address.
func TestRestartElsewhere(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, b := w.host(1), w.host(2)
		w.connect(a, b)
		w.plug(2, false) // the crash: no farewell arrives
		again := w.host(3, func(c *Config) { c.Key = testKey(2) })
		again.send(a.Host.Self(), aWord(1))
		time.Sleep(2 * time.Second)
		if !sameNumbers(a.numbers(), []uint64{1}) {
			t.Fatalf("a heard %v", a.numbers())
		}
		if a.downCount() != 1 {
			t.Errorf("the restart was reported as %v", a.downs())
		}
		if from := a.gotten()[0].from; from != again.Host.Self() {
			t.Errorf("it is said to be at %v", FormatAddresses(from))
		}
		a.send(a.gotten()[0].from, aWord(2))
		time.Sleep(time.Minute)
		if !sameNumbers(again.numbers(), []uint64{2}) || a.downCount() != 1 || again.downCount() != 0 {
			t.Errorf("the restarted node received %v; reported down %v", again.numbers(), a.downs())
		}
	})
}

// A node that stops says so, and its last messages arrive.
func TestFarewell(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, b := w.host(1), w.host(2)
		w.connect(a, b)
		b.farewell = func() {
			for i := range uint64(100) {
				b.env.Send(a.Host.Self(), someNews(i, 10_000))
			}
		}
		start := time.Now()
		b.stop()
		elapsed := time.Since(start)
		time.Sleep(time.Second)
		if !sameNumbers(a.numbers(), upTo(100)) || a.downCount() != 1 {
			t.Errorf("%d of 100 last messages came, reported down %v", len(a.numbers()), a.downs())
		}
		if elapsed > a.limits.Farewell {
			t.Errorf("stopping lasted %v", elapsed)
		}
		if b.downCount() != 0 || !b.stopped {
			t.Error("the protocol was called after Stop, or not stopped")
		}
		if err := b.Do(t.Context(), func() {}); err == nil {
			t.Error("Do worked after the end")
		}
	})
}

// Links that are not used are ended when there are many. No peer is reported down, nothing is lost, and the next
// message makes a new one.
func TestIdleLinksAreEnded(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a := w.host(0, func(c *Config) {
			c.Limits.LowWater, c.Limits.HighWater, c.Limits.IdleAfter = 2, 4, 30*time.Second
		})
		var others []*running
		for n := range 6 {
			others = append(others, w.host(n+1))
			a.send(others[n].Host.Self(), aWord(1))
		}
		time.Sleep(time.Second)
		if n := len(a.Peers()); n != 6 {
			t.Fatalf("%d peers are connected", n)
		}
		for range 60 { // the first two keep talking
			a.send(others[0].Host.Self(), aWord(1))
			others[1].send(a.Host.Self(), aWord(1))
			time.Sleep(time.Second)
		}
		peers := a.Peers()
		if len(peers) != 2 {
			t.Fatalf("%d peers are left", len(peers))
		}
		for _, p := range peers {
			if p.Peer.ID != others[0].id && p.Peer.ID != others[1].id {
				t.Error("a link that was used has been ended")
			}
		}
		for n, o := range others {
			if o.downCount() != 0 || a.downCount() != 0 {
				t.Errorf("reported down: %v by %d, %v", o.downs(), n, a.downs())
			}
		}
		a.send(others[5].Host.Self(), aWord(2))
		time.Sleep(time.Second)
		if got := others[5].numbers(); !sameNumbers(got, []uint64{1, 2}) {
			t.Errorf("the sixth heard %v", got)
		}
	})
}

// While a link is being ended by either or both sides, nothing that is sent is lost, and no peer is reported down.
func TestNothingIsLostByEndingIdleLinks(t *testing.T) {
	for _, sides := range []string{"one", "both"} {
		t.Run(sides, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(t *testing.T, w *world) {
				often := func(c *Config) { c.Limits.Resources.HandshakesPerIP4 = 1000 }
				a, b := w.host(1, often), w.host(2, often)
				w.connect(a, b)
				n := uint64(0)
				for range 20 {
					a.send(b.Host.Self(), aWord(n))
					b.send(a.Host.Self(), aWord(n))
					n++
					a.do(func() { a.loop.bye(a.loop.links[b.id], ByeIdle) })
					if sides == "both" {
						b.do(func() { b.loop.bye(b.loop.links[a.id], ByeIdle) })
					}
					for range 5 {
						a.send(b.Host.Self(), aWord(n))
						b.send(a.Host.Self(), aWord(n))
						n++
						time.Sleep(oneWay / 2)
					}
					time.Sleep(time.Second)
				}
				time.Sleep(10 * time.Second)
				if !sameNumbers(a.numbers(), upTo(n)) || !sameNumbers(b.numbers(), upTo(n)) {
					t.Errorf("of %d, a has %v, b has %v", n, a.numbers(), b.numbers())
				}
				if a.downCount()+b.downCount() != 0 {
					t.Errorf("reported down: %v and %v; %+v %+v", a.downs(), b.downs(), a.failures(), b.failures())
				}
			})
		})
	}
}

// A peer that cannot be reached is reported down once, and not dialled all the time.
func TestDialsBackOff(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, b := w.host(1), w.host(2)
		p := b.Host.Self()
		b.stop()
		w.plug(2, false)
		for range 1800 {
			a.send(p, aWord(1))
			time.Sleep(200 * time.Millisecond)
		}
		if a.downCount() != 1 {
			t.Errorf("reported down %d times", a.downCount())
		}
		dials := eventsOf[DialFailed](a.recorder)
		if n := len(dials); n < 5 || n > 12 {
			t.Errorf("%d dials in 6 minutes", n)
		}
		if last := dials[len(dials)-1]; last.Wait != a.limits.BackoffMax {
			t.Errorf("the last wait was %v", last.Wait)
		}
	})
}

// A message to oneself arrives like any other, after Send has returned.
func TestMessageToOneself(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a := w.host(1)
		during := -1
		a.do(func() {
			a.env.Send(a.Host.Self(), aWord(1))
			during = len(a.numbers())
		})
		time.Sleep(time.Second)
		if during != 0 || !sameNumbers(a.numbers(), []uint64{1}) || a.gotten()[0].from.ID != a.id {
			t.Errorf("%d during Send, %v in the end", during, a.numbers())
		}
	})
}

// Work runs beside the loop, its result in it; jobs beyond engine.MaxWork are refused.
func TestWork(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a := w.host(1)
		release := make(chan struct{})
		accepted, done := 0, 0
		a.do(func() {
			for a.env.Work(func() { <-release }, func() { done++ }) {
				accepted++
			}
		})
		running := accepted - engine.MaxWork
		if running < 1 {
			t.Errorf("%d jobs were accepted", accepted)
		}
		close(release)
		time.Sleep(time.Second)
		a.do(func() {
			if done != accepted {
				t.Errorf("%d of %d jobs are done", done, accepted)
			}
		})
	})
}
