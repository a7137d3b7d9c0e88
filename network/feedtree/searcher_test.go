package feedtree

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// wanting is a goal of these tests: all from one number up to another.
type wanting struct {
	from, to uint64
	closed   bool
}

func (w *wanting) isOpen() bool              { return !w.closed }
func (w *wanting) missing() (uint64, uint64) { return w.from, w.to }
func (w *wanting) lastKnown() uint64         { return w.to }
func (w *wanting) isOverdue() bool           { return false }
func (w *wanting) topics() ([]engine.ID, time.Duration) {
	return []engine.ID{engine.PrefixID("80")}, 0
}

// bare is a ring and a tree in which this node is alone.
type bare struct{ Tree }

func (bare) Active() bool                         { return true }
func (bare) Route(engine.ID, engine.Message)      {}
func (bare) Known() []engine.Peer                 { return nil }
func (bare) Parent(engine.ID) (engine.Peer, bool) { return engine.Peer{}, false }
func (bare) Children(engine.ID) []engine.Peer     { return nil }
func (bare) Roots(engine.ID) []engine.Peer        { return nil }

// Whatever nodes are named and answer: in a round each is asked once, no more than maxCandidates are, and banned ones
// never. As soon as nothing is missing, no node is asked.
func TestASearchAsksEachNodeOnceARound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := enginetest.NewEnv(enginetest.NewPeer("10"))
		banned := enginetest.NewPeer("20")
		w := searcher{env: env, config: Default(), ring: bare{}, tree: bare{}, listener: unheard{}}
		w.isBanned = func(id engine.ID) bool { return id == banned.ID }
		g := &wanting{from: 1, to: 5}
		s := &search{goal: g}
		w.update(s)
		env.Advance(2 * w.config.Grace)
		asked := make(map[engine.Peer]int)
		for s.round == 0 {
			if rapid.Bool().Draw(t, "named") {
				p := enginetest.NewPeer(fmt.Sprintf("%x", rapid.IntRange(0x20, 0x40).Draw(t, "node")))
				w.receiveHas(s, p, &Has{Topic: s.topic(), Last: 5})
			} else {
				env.Advance(w.config.AskWait)
			}
			for _, m := range env.Sent() {
				if _, ok := m.Message.(*Ask); ok {
					asked[m.To]++
				}
			}
		}
		if len(asked) > maxCandidates || asked[banned] > 0 {
			t.Fatalf("%d nodes are asked, one that is banned %d times", len(asked), asked[banned])
		}
		for p, times := range asked {
			if times > 1 {
				t.Fatalf("%v is asked %d times", p, times)
			}
		}
		g.from, g.to = 0, 0
		w.update(s)
		env.Advance(time.Hour)
		if s.on || len(env.Sent()) > 0 {
			t.Fatal("the search goes on though nothing is missing")
		}
	})
}

// shelf is an archive that has all items up to a number.
type shelf struct{ upTo uint64 }

func (s shelf) Find(_ engine.ID, number uint64, found func(*Item, *Withdrawal)) {
	if number > s.upTo {
		found(nil, nil)
		return
	}
	found(&Item{Number: number}, nil)
}

// A probe finds the last item of an archive that has all items up to it. It works from any start, in a logarithmic
// number of steps.
func TestAProbeFindsTheLast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		begin := rapid.Uint64Range(0, 1<<20).Draw(t, "begin")
		upTo := begin + rapid.Uint64Range(0, 1<<30).Draw(t, "beyond")
		steps, ended := 0, false
		p := &probe{last: begin, step: 1, accept: func(*Item, *Withdrawal) bool { return true }}
		p.run(shelf{upTo}, func() bool { steps++; return true }, func() { ended = true })
		if p.last != upTo || !ended || steps > 64 {
			t.Fatalf("found %d, not %d, in %d steps", p.last, upTo, steps)
		}
	})
}
