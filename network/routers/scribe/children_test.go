package scribe

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/sim"
)

// Children come, go, move and are measured, in any order. The list holds those that came and have not gone. Those that
// stay are the ones that a check of each child finds, in the order of joining.
func TestChildrenAreInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s children
		var model []*child
		one := func(t *rapid.T) *child {
			if len(model) == 0 {
				t.Skip("no children")
			}
			return model[rapid.IntRange(0, len(model)-1).Draw(t, "child")]
		}
		t.Repeat(map[string]func(*rapid.T){
			"join": func(t *rapid.T) {
				c := &child{link: &link{measuring: rapid.Bool().Draw(t, "measuring")}}
				s.add(c)
				model = append(model, c)
			},
			"go": func(t *rapid.T) {
				c := one(t)
				s.remove(c)
				model = slices.DeleteFunc(model, func(d *child) bool { return d == c })
			},
			"move": func(t *rapid.T) { s.handDown(one(t), 1) },
			"stay": func(t *rapid.T) { s.stay(one(t)) },
			"measure": func(t *rapid.T) {
				c := one(t)
				c.link.measuring = false
				s.sort(c)
			},
			"": func(t *rapid.T) {
				if got := slices.Collect(s.all()); !slices.Equal(got, model) || s.count != len(model) {
					t.Fatalf("%d children, counted %d, not the %d that there are", len(got), s.count, len(model))
				}
				staying := slices.DeleteFunc(slices.Clone(model), func(c *child) bool { return !c.stays() })
				if !slices.Equal(s.staying, staying) {
					t.Fatalf("%d children stay, not %d", len(s.staying), len(staying))
				}
				if len(s.list) > 2*s.count+fewGaps {
					t.Fatalf("%d children take %d places", s.count, len(s.list))
				}
			},
		})
	})
}

// lonely is the ring of a node that is the root of everything, and knows how far away nobody is.
type lonely struct{ env engine.Env }

func (lonely) Active() bool                        { return true }
func (lonely) Route(engine.ID, engine.Message)     {}
func (lonely) Known() []engine.Peer                { return nil }
func (lonely) RTT(engine.ID) (time.Duration, bool) { return 0, false }
func (lonely) OnNeighbours(func())                 {}
func (l lonely) Owners(engine.ID, int) ([]engine.Peer, bool) {
	return []engine.Peer{l.env.Self()}, true
}

// joiner joins one node, and leaves it when that node asks it to move.
type joiner struct{ env engine.Env }

func (j joiner) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Probe:
		j.env.Send(from, &Probed{Number: m.Number})
	case *Move:
		j.env.After(time.Second, func() { j.env.Send(from, &Leave{Groups: []Group{m.Group}}) })
	}
}

func (joiner) PeerDown(engine.Peer) {}
func (joiner) Stop()                {}

// crowd is a node and many nodes that will join a group through it.
type crowd struct {
	*sim.World
	root    *Node
	joiners []joiner
}

func newCrowd(size int) *crowd {
	c := sim.Default(engine.NewCodec(Vocabulary))
	w := &crowd{World: sim.New(c)}
	w.Boot(w.Add(engine.IDOf([]byte("root")), func(env engine.Env, _ *sim.Disk) engine.Protocol {
		w.root = New(env, lonely{env}, nil, Default())
		return w.root
	}))
	for i := range size {
		id := engine.IDOf(binary.BigEndian.AppendUint64(nil, uint64(i)))
		w.Boot(w.Add(id, func(env engine.Env, _ *sim.Disk) engine.Protocol {
			w.joiners = append(w.joiners, joiner{env})
			return joiner{env}
		}))
	}
	return w
}

// join makes all nodes join at one moment. It returns once those that had to have moved.
func (w *crowd) join(name Group) {
	for _, j := range w.joiners {
		j.env.Send(w.root.env.Self(), &Join{Group: name, Child: j.env.Self()})
	}
	w.Run(movesFor)
}

// All of a crowd find a place or are handed down.
func TestACrowdJoinsThroughOneNode(t *testing.T) {
	w := newCrowd(2000)
	name := NameOf(engine.IDOf([]byte("topic")), engine.ID{1})
	w.join(name)
	if p, _ := w.root.Place(name); len(p.Children) != w.root.config.MaxChildren {
		t.Errorf("%d children, not %d", len(p.Children), w.root.config.MaxChildren)
	}
}

// The cost of one joining node does not depend on how many join at the same moment.
func BenchmarkCrowd(b *testing.B) {
	for _, size := range []int{1000, 4000, 16_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				w := newCrowd(size)
				b.StartTimer()
				w.join(NameOf(engine.IDOf([]byte("topic")), engine.ID{1}))
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*size), "µs/join")
		})
	}
}
