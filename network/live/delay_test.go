package live

import (
	"sync"
	"testing"
	"time"

	"tidings/network/engine"
)

// delayed holds what is sent to a peer back, by what get returns.
func delayed(get func(to engine.ID) time.Duration) func(*Config) {
	return func(c *Config) { c.Delay = get }
}

// Messages are held back for as long as was asked at least, and keep their order where delays shrink.
func TestDelayKeepsOrder(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		const count, most = 100, 500 * time.Millisecond
		var mu sync.Mutex
		calls := time.Duration(0)
		shrinking := func(engine.ID) time.Duration {
			mu.Lock()
			defer mu.Unlock()
			calls++
			return max(most-calls*most/count, 0)
		}
		a, b := w.host(1, delayed(shrinking)), w.host(2)
		w.connect(a, b)
		var sent, came [count]time.Time
		b.setOnGet(func(_ engine.Peer, m engine.Message) {
			if n := numberOf(m); n < count {
				came[n] = time.Now()
			}
		})
		mu.Lock()
		calls = 0
		mu.Unlock()
		for i := range uint64(count) {
			sent[i] = time.Now()
			a.send(b.Host.Self(), someNews(i, 10))
			time.Sleep(time.Millisecond)
		}
		time.Sleep(10 * time.Second)
		b.do(func() {}) // has all that came been written down
		if !sameNumbers(b.numbers(), upTo(count)) {
			t.Fatalf("there came %v", b.numbers())
		}
		for i := range came {
			// Pings may have been held back between two messages: they count calls as well.
			least := most - time.Duration(i+1+count/10)*most/count
			if elapsed := came[i].Sub(sent[i]); elapsed < least+oneWay {
				t.Errorf("message %d came after %v, less than %v", i, elapsed, least+oneWay)
			}
		}
	})
}

// Each direction has its own delay. A protocol and the transport both see it in a measured round trip.
func TestDelayIsMeasured(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		const there, back = 120 * time.Millisecond, 40 * time.Millisecond
		var other engine.ID
		a := w.host(1, delayed(func(to engine.ID) time.Duration {
			if to != other {
				return time.Hour
			}
			return there
		}))
		b := w.host(2, delayed(func(engine.ID) time.Duration { return back }))
		other = b.Host.Self().ID
		w.connect(a, b)
		b.setOnGet(func(from engine.Peer, m engine.Message) { b.env.Send(from, m) })
		asked := time.Now()
		var answered time.Time
		a.setOnGet(func(engine.Peer, engine.Message) { answered = time.Now() })
		a.send(b.Host.Self(), aWord(1))
		time.Sleep(10 * DefaultLimits().PingEvery * 2)
		a.do(func() {}) // has the answer been written down
		const least = there + back + 2*oneWay
		if answered.Sub(asked) < least {
			t.Errorf("a question was answered after %v, not after %v", answered.Sub(asked), least)
		}
		measured := append(eventsOf[Measured](a.recorder), eventsOf[Measured](b.recorder)...)
		if len(measured) == 0 {
			t.Error("nothing was measured")
		}
		for _, m := range measured {
			if m.RTT < least {
				t.Errorf("a round trip was measured as %v, not as %v", m.RTT, least)
			}
		}
		if a.downCount()+b.downCount() > 0 {
			t.Errorf("told down: %v, %v", a.downs(), b.downs())
		}
	})
}

// What is held back counts in the queue, and is lost, and counted as lost, with the node that stops. The bubble in
// which the test runs ends only if no goroutine is left.
func TestDelayLeavesNothingOver(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		const room, sent = 20, 30
		var held sync.Map // by ID: what is sent there is held back for an hour
		a := w.host(1, func(c *Config) { c.Limits.QueueMessages = room }, delayed(func(to engine.ID) time.Duration {
			if _, is := held.Load(to); is {
				return time.Hour
			}
			return 0
		}))
		b := w.host(2)
		w.connect(a, b)
		held.Store(b.Host.Self().ID, true)
		for i := range uint64(sent) {
			a.send(b.Host.Self(), aWord(i))
		}
		time.Sleep(2 * time.Second)
		if n := eventsOf[Overflowed](a.recorder); len(n) != 1 || n[0].Messages != sent-room {
			t.Errorf("observed %+v, not that %d were dropped", n, sent-room)
		}
		bye := new(Bye).Kind()
		a.stop()
		time.Sleep(time.Second)
		if got := b.numbers(); len(got) > 0 {
			t.Errorf("there came %v", got)
		}
		kind := new(word).Kind()
		for _, k := range a.Traffic() {
			// Bye has replaced one more word, and is lost in the end.
			if want := map[engine.Kind]uint64{kind: sent, bye: 1}[k.Kind]; want > 0 &&
				(k.Dropped != want || k.Sent != 0) {
				t.Errorf("of %s %d were dropped and %d sent, not %d and 0", k.Name, k.Dropped, k.Sent, want)
			}
		}
	})
}

// A node that is cut off, because all messages from it and to it are lost, is found dead as one that does not answer.
func TestDelayLosesMessages(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		var mu sync.Mutex
		delay := time.Duration(0)
		both := delayed(func(engine.ID) time.Duration {
			mu.Lock()
			defer mu.Unlock()
			return delay
		})
		a, b := w.host(1, both), w.host(2, both)
		w.connect(a, b)
		cut := func(d time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			delay = d
		}
		cut(-1)
		a.send(b.Host.Self(), aWord(1))
		time.Sleep(2 * DefaultLimits().DeadAfter)
		if len(b.numbers()) != 0 || a.downCount() != 1 || b.downCount() != 1 {
			t.Errorf("there came %v; %d and %d were reported down", b.numbers(), a.downCount(), b.downCount())
		}
		cut(0)
		time.Sleep(2 * DefaultLimits().BackoffMax)
		a.send(b.Host.Self(), aWord(2))
		time.Sleep(5 * time.Second)
		if got := b.numbers(); !sameNumbers(got, []uint64{2}) {
			t.Errorf("afterwards there came %v", got)
		}
	})
}
