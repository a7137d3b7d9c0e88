package archive_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/archive"
	"tidings/network/archive/archivetest"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/sim"
)

// For any message from any sender a node does not crash and keeps nothing false. What it keeps and does stays within
// bounds (hostile 27).
func TestAnyMessage(t *testing.T) {
	codec := engine.NewCodec(archive.Vocabulary)
	rapid.Check(t, func(t *rapid.T) {
		w := sim.New(sim.Default(archivetest.Codec))
		s := archivetest.Default(3)
		s.Archive.MaxWanted, s.Archive.MaxServing = 20, 2
		v := archivetest.New(w, s)
		for i := range 4 {
			v.Insert(0, nameOf(0, uint64(i+1)), 100)
		}
		v.Run(5 * time.Second)
		kinds := codec.Kinds()
		for range rapid.IntRange(1, 30).Draw(t, "messages") {
			kind := rapid.SampledFrom(kinds).Draw(t, "kind")
			m := enginetest.Draw(codec, kind).Draw(t, "message")
			known(t, m)
			from := v.Peer(sim.Node(rapid.IntRange(1, 2).Draw(t, "from")))
			v.Do(0, func(engine.Protocol) { v.Node(0).Archive.Receive(from, m) })
			v.Run(10 * time.Millisecond)
			if l := v.Node(0).Archive.Load(); l.Wanted > 20 || l.Inserts > 0 || l.Lookups > 0 {
				t.Fatalf("the load is %+v", l)
			}
		}
		v.Run(time.Minute)
		if err := v.False(); err != nil {
			t.Fatal(err)
		}
		if l := v.Node(0).Archive.Load(); l.Items != 4 || l.Wanted > 0 {
			t.Fatalf("the load is %+v", l)
		}
		for i := range 4 {
			l := v.Find(0, nameOf(0, uint64(i+1)))
			v.Run(time.Second)
			if err := v.Wrong(l); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// known has a message be about items that there are, now and then.
func known(t *rapid.T, m engine.Message) {
	if !rapid.Bool().Draw(t, "known") {
		return
	}
	name := nameOf(0, uint64(rapid.IntRange(1, 5).Draw(t, "number")))
	switch m := m.(type) {
	case *archive.Find:
		m.Name = name
	case *archive.Fetch:
		m.Names = append(m.Names[:min(len(m.Names), 15)], name)
	case *archive.Give:
		m.Name = name
	case *archive.Offer:
		m.Items = append(m.Items[:min(len(m.Items), 63)], archive.Held{Name: name, Size: 100})
	case *archive.Have:
		m.Items = append(m.Items[:min(len(m.Items), 63)], archive.Held{Name: name, Size: 100})
	}
}
