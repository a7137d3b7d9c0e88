package newswire_test

import (
	"testing"
	"time"

	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/newswire"
	"tidings/network/sim"
)

func TestMessages(t *testing.T) { enginetest.Check(t, engine.NewCodec(newswire.Vocabulary)) }

func FuzzMessages(f *testing.F) { enginetest.Fuzz(f, engine.NewCodec(newswire.Vocabulary)) }

// sign makes an item of a fuzzer one that its publisher, a node of the town, has signed.
func (w *testNet) sign(m engine.Message) {
	if i, ok := m.(*newswire.Item); ok {
		i.Publisher = w.Peer(20)
		i.Topic, i.Event = sub(0), note(i.ID, 0)
		copy(i.Signature[:], w.Keys(20).Sign(i.Words()))
	}
}

// A node survives whatever strangers send, comes to rest afterwards, and delivers nothing that is not admitted. The
// byte before each message says which stranger sends it, whether its item is signed, and how much time passes.
func FuzzStrangers(f *testing.F) {
	p := newPlan(64, 8)
	testNet := newTown(p)
	item := testNet.item(20, 1)
	seeds := [][]engine.Message{
		{&newswire.Forward{Number: 1, Zone: zone.Root, Item: item}, &newswire.Taken{Number: 1},
			&newswire.Busy{Number: 2}, &newswire.Busy{Number: 2}},
		{&newswire.Deliver{Number: 1, Item: item, Age: 1 << 31},
			&newswire.CatchUp{Filter: []byte{255, 255}, Within: 1 << 31, Have: []byte{1}}},
		{&newswire.Missed{Items: []engine.Message{item, item}, Ages: []uint32{0, 1}}, &newswire.Elsewhere{Number: 1},
			&newswire.Done{Number: 1}},
		{
			&newswire.CatchUp{Zone: "/~03"}, &newswire.FindMember{Zone: "/~03"}, &newswire.FindMember{Zone: "/~03/x"},
			&newswire.MemberFound{Zone: "/~03", Member: testNet.Peer(30)},
		},
		{&newswire.Forward{Zone: "/~03/x", Item: item}, &newswire.Forward{Zone: "no zone", Item: &newswire.Item{}},
			&newswire.Forward{}, item},
	}
	for _, messages := range seeds {
		var data []byte
		for i, m := range messages {
			encoded, err := codec.Append(nil, m)
			if err == nil {
				_, err = codec.Decode(encoded)
			}
			if err != nil {
				f.Fatalf("a seed is none: %v", err)
			}
			data = append(append(data, byte(16*i), byte(len(encoded)), byte(len(encoded)>>8)), encoded...)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l := loneOf(testNet, 0)
		for len(data) > 3 {
			size := min(int(data[1])+int(data[2])<<8, len(data)-3)
			from, wait, encoded := sim.Node(data[0]%64), time.Duration(data[0]/64)*10*time.Second, data[3:3+size]
			data = data[3+size:]
			if m, err := codec.Decode(encoded); err == nil && m.Kind().Protocol() == engine.NewsWire {
				if data, ok := m.(engine.Carrier); ok && from%2 == 0 {
					testNet.sign(data.Carried())
				}
				l.from(from, m)
			}
			l.env.Advance(wait)
			newswire.Kept(l.wire)
		}
		l.env.Advance(2 * time.Minute)
		if n := newswire.Working(l.wire); n > 0 {
			t.Errorf("%d are at work", n)
		}
		l.testNode.Stop()
		if n := l.env.Timers(); n > 0 {
			t.Errorf("%d timers are left", n)
		}
	})
}
