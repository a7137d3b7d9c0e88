package live

import (
	"testing"
	"time"

	"tidings/network/engine"
)

// hostile 35: a peer that reads 1 KB a second loses its own messages, and nobody else's.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a := w.host(1, func(c *Config) { c.Limits.QueueMessages = 200 })
		good, lame := w.host(2), w.stranger(3)
		lame.read(1 << 10)
		out := lame.mustOpen(a)
		lame.keepAlive(out)
		time.Sleep(time.Second)
		to := lame.self()
		const each = 100_000 // bytes; more than QUIC's windows hold in all
		for i := range uint64(300) {
			a.send(to, aBlock(i, each))
			a.send(good.Host.Self(), aBlock(i, 1000))
			if i%10 == 0 {
				a.send(to, aWord(i))
			}
			time.Sleep(100 * time.Millisecond)
		}
		if !sameNumbers(good.numbers(), upTo(300)) {
			t.Errorf("the good peer has %d of 300", len(good.numbers()))
		}
		if a.downCount() != 0 {
			t.Error("a slow peer counts as dead")
		}
		var blocks, words Traffic
		for _, x := range a.Traffic() {
			switch x.Name {
			case "test.block":
				blocks = x
			case "test.word":
				words = x
			}
		}
		if blocks.Dropped == 0 || words.Dropped != 0 {
			t.Errorf("dropped %d of the least urgent and %d urgent messages", blocks.Dropped, words.Dropped)
		}
		if len(eventsOf[Overflowed](a.recorder)) == 0 {
			t.Error("the overflow was not reported")
		}
	})
}

// hostile 35: a peer that never reads is given up in the end; meanwhile only its own messages
// are lost.
func TestPeerThatNeverReads(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, good, lame := w.host(1), w.host(2), w.stranger(3)
		lame.ignore()
		out := lame.mustOpen(a)
		lame.keepAlive(out)
		time.Sleep(time.Second)
		for i := range uint64(200) {
			a.send(lame.self(), aBlock(i, 100_000))
			a.send(good.Host.Self(), aWord(i))
		}
		time.Sleep(5 * time.Second)
		if !sameNumbers(good.numbers(), upTo(200)) || a.downCount() != 0 {
			t.Errorf("the good peer has %d of 200, reported down %v", len(good.numbers()), a.downs())
		}
		time.Sleep(2 * a.limits.Stall)
		if a.downCount() != 1 {
			t.Errorf("reported down: %v", a.downs())
		}
	})
}

// A loop that is busy does not make its node give up peers, and never gets more than its inbox holds.
func TestBusyLoop(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, b := w.host(1), w.host(2)
		w.connect(a, b)
		b.setOnGet(func(engine.Peer, engine.Message) { time.Sleep(time.Second) })
		for i := range uint64(200) {
			a.send(b.Host.Self(), someNews(i, 1000))
		}
		time.Sleep(time.Minute)
		if a.downCount()+b.downCount() != 0 {
			t.Errorf("reported down: %v and %v", a.downs(), b.downs())
		}
		time.Sleep(3 * time.Minute)
		if !sameNumbers(b.numbers(), upTo(200)) {
			t.Errorf("%d of 200 were handled", len(b.numbers()))
		}
	})
}

// A loop that one message keeps busy for longer than DeadAfter finds, afterwards, that its
// peers lived on.
func TestVeryBusyLoop(t *testing.T) {
	t.Parallel()
	most := uint64(100)
	if testing.Short() {
		most = 20
	}
	inWorld(t, func(t *testing.T, w *world) {
		a := w.host(1, func(c *Config) { c.Limits.DeadAfter = 5 * time.Minute })
		b := w.host(2)
		w.connect(a, b)
		b.setOnGet(func(engine.Peer, engine.Message) { time.Sleep(2 * b.limits.DeadAfter) })
		for i := range most {
			a.send(b.Host.Self(), someNews(i, 1000))
		}
		time.Sleep(time.Duration(3*most) * b.limits.DeadAfter)
		if !sameNumbers(b.numbers(), upTo(most)) || a.downCount()+b.downCount() != 0 {
			t.Errorf("%d of %d were handled, reported down: %v and %v", len(b.numbers()), most, a.downs(), b.downs())
		}
	})
}
