package live

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/forward"
)

// forwarding runs a host with a node that forwards, at a place of the world.
func (w *world) forwarding(n int) *running {
	c := w.config(n)
	c.Codec = engine.NewCodec(engine.TransportVocabulary, Vocabulary, forward.Vocabulary, testVocabulary())
	return startBelow(w.t, c, func(h *running, env engine.Env, r *recorder) (engine.Env, engine.Protocol) {
		f := forward.New(env, h.Keys(), c.Codec, forward.Default())
		f.Serve(r)
		return f, f
	})
}

// introduce reports to a host that another is connected with a third.
func (r *running) introduce(to, by *running) {
	r.do(func() { engine.Introduce(r.env, to.id, by.Self()) })
}

// Two hosts that cannot dial each other talk by a third, and by a fourth when that stops. Neither is notified that the
// other is down, before no node is left to forward. When one is there again, so are they.
func TestHostsThatCannotDialEachOtherTalkByOthers(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a, b, c, d := w.forwarding(1), w.forwarding(2), w.forwarding(3), w.forwarding(4)
		w.block(1, 2)
		for _, x := range []*running{a, b} {
			w.connect(x, c)
			w.connect(x, d)
		}
		a.introduce(b, d)
		a.introduce(b, c)
		b.introduce(a, d)
		said, heard := []uint64{}, []uint64{}
		talk := func(within time.Duration) {
			t.Helper()
			n := uint64(len(said) + 1)
			said = append(said, n)
			a.send(b.Self(), aWord(n))
			time.Sleep(within)
			b.send(a.Self(), aWord(n))
			time.Sleep(time.Second)
			if heard = b.numbers(); !sameNumbers(heard, said) || !sameNumbers(a.numbers(), said) {
				t.Fatalf("after %v were said, one has heard %v, the other %v; %v", said, heard, a.numbers(),
					append(a.failures(), b.failures()...))
			}
		}
		talk(3 * time.Second)
		talk(time.Second)
		if got := b.gotten()[0].from; got != a.Self() {
			t.Errorf("it came from %v at %q", got, got.Address)
		}
		c.stop()
		time.Sleep(time.Second)
		talk(time.Second)
		if downs := append(a.downs(), b.downs()...); len(downs) != 2 || downs[0].ID != c.id || downs[1].ID != c.id {
			t.Errorf("%v are down, want the one that stopped alone, for both", downs)
		}
		d.stop()
		time.Sleep(10 * time.Second)
		if down := a.downs(); len(down) != 3 {
			t.Errorf("%v are down with nobody left to forward, want 3", down)
		}
		again := w.forwarding(5)
		for _, x := range []*running{a, b} {
			w.connect(x, again)
		}
		a.introduce(b, again)
		talk(3 * time.Second)
	})
}
