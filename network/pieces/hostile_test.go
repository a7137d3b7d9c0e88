package pieces_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/pieces"
	"tidings/network/sim"
)

// Whatever message comes while a content is being fetched, also from a source, a node does not fall
// over, and has the content in the end (hostile 27).
func TestAnyMessage(t *testing.T) {
	codec := engine.NewCodec(pieces.Vocabulary)
	rapid.Check(t, func(rt *rapid.T) {
		w := sim.New(sim.Default(codec))
		disks := []*disk{newDisk(), newDisk(), newDisk()}
		var nodes []*pieces.Node
		for n := range sim.Node(3) {
			w.Add(engine.IDOf([]byte{byte(n)}), func(e engine.Env, _ *sim.Disk) engine.Protocol {
				p := pieces.New(e, lonely{e}, &blocks{e, disks[n]}, pieces.Default())
				nodes = append(nodes, p)
				return p
			})
			w.Boot(n)
		}
		content := random(1, 500<<10)
		ref := disks[1].put(t, content, everything)
		disks[2].put(t, content, everything)
		var err error
		ended := 0
		nodes[0].Fetch(ref, []engine.Peer{w.Peer(1), w.Peer(2)}, func(e error) { err = e; ended++ })
		for range rapid.IntRange(0, 20).Draw(rt, "messages") {
			if rapid.Bool().Draw(rt, "lends") {
				nodes[0].Announce(pieces.Ref{byte(rapid.IntRange(0, 3).Draw(rt, "content"))})
			}
			m := enginetest.Draw(codec, rapid.SampledFrom(codec.Kinds()).Draw(rt, "kind")).Draw(rt, "message")
			if rapid.Bool().Draw(rt, "of the content") {
				about(m, ref)
			}
			nodes[0].Receive(w.Peer(1), m)
			w.Run(time.Duration(rapid.IntRange(0, 50).Draw(rt, "pause")) * time.Millisecond)
		}
		w.Run(3 * time.Minute)
		if ended != 1 || err != nil || string(disks[0].content(ref)) != string(content) {
			rt.Fatalf("the fetch has ended %d times, with %v", ended, err)
		}
	})
}

// A message that a node has received is its sender's as well, and stays as it is: what the node learns later of the
// sender's pieces changes nothing in it.
func TestMessagesAreLeftAsTheyCame(t *testing.T) {
	env, source, content := enginetest.NewEnv(enginetest.NewPeer("1")), enginetest.NewPeer("ab"), random(1, 500<<10)
	ref := newDisk().put(t, content, everything)
	from := newDisk()
	from.put(t, content, everything)
	n := pieces.New(env, nil, &blocks{env, newDisk()}, pieces.Default())
	n.Fetch(ref, []engine.Peer{source}, func(error) {})
	env.Advance(time.Second)
	holding := &pieces.Holding{Ref: ref, Bits: pieces.Bits{0xff}}
	(&blocks{env, from}).Open(ref, func(manifest []byte, _ pieces.Bits) { holding.Manifest = manifest })
	env.Advance(time.Second)
	n.Receive(source, holding)
	env.Advance(time.Second)
	asked := 0
	for _, s := range env.Sent() {
		if m, is := s.Message.(*pieces.Ask); is {
			asked++
			n.Receive(source, &pieces.Sorry{Ref: ref, Index: m.Index})
		}
	}
	if asked == 0 || holding.Bits[0] != 0xff {
		t.Errorf("%d pieces were asked for, and the bits that came are %b now", asked, holding.Bits)
	}
}

// lonely is a ring of a node alone.
type lonely struct{ env engine.Env }

func (lonely) Active() bool                    { return true }
func (lonely) Route(engine.ID, engine.Message) {}
func (l lonely) Owners(engine.ID, int) ([]engine.Peer, bool) {
	return []engine.Peer{l.env.Self()}, true
}

func (lonely) Known() []engine.Peer { return nil }

// about has a message be about a content.
func about(m engine.Message, ref pieces.Ref) {
	switch m := m.(type) {
	case *pieces.Open:
		m.Ref = ref
	case *pieces.Holding:
		m.Ref = ref
	case *pieces.Ask:
		m.Ref = ref
		m.Index %= 10
	case *pieces.Piece:
		m.Ref = ref
		m.Index %= 10
	case *pieces.Sorry:
		m.Ref = ref
		m.Index %= 10
	case *pieces.Owners:
		m.Ref = ref
	case *pieces.Announce:
		m.Ref = ref
	case *pieces.Providers:
		m.Ref = ref
	}
}
