package archive

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// An offer ends once, with what all have confirmed. It is sent at most offerTries times, only to nodes that lack an
// item.
func TestOffersEndOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newStub()
		f := offers{env: s.env}
		entries := make([]*entry, rapid.SampledFrom([]int{1, 2, maxList}).Draw(t, "items"))
		for i := range entries {
			entries[i] = newEntry(Held{Name: Name{Number: uint64(i)}})
		}
		confirmed, ended, sent := make(map[engine.ID]uint64), 0, 0
		f.begin(entries, append(s.peers, s.env.Self()), engine.Peer{}, func(o *offer) {
			ended++
			everywhere := ^uint64(0)
			for _, p := range s.peers {
				everywhere &= confirmed[p.ID]
			}
			for i, e := range entries {
				if slices.Contains(o.everywhere(), e) != (everywhere>>i&1 == 1) {
					t.Fatalf("the %d. is everywhere, of %x: %v", i, everywhere, o.everywhere())
				}
			}
		})
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			if p := s.peer(t); rapid.Bool().Draw(t, "confirms") && len(f.list) > 0 {
				m := &Offered{Number: f.list[0].number, Has: rapid.Uint64().Draw(t, "has")}
				confirmed[p.ID] |= m.Has
				f.onOffered(p, m)
			} else {
				s.env.Advance(time.Second)
			}
		}
		s.env.Advance(time.Hour)
		for _, m := range s.env.Sent() {
			if sent++; isSelf(s.env, m.To) {
				t.Fatal("it offers to itself")
			}
		}
		if ended != 1 || len(f.list) > 0 || sent > offerTries*len(s.peers) || s.env.Timers() > 0 {
			t.Fatalf("it ended %d times, after %d messages", ended, sent)
		}
	})
}
