package sim

import (
	"testing"
	"time"

	"tidings/network/engine"
)

func TestSignaturesHoldForTheirNodeAlone(t *testing.T) {
	w := New(Default(toyCodec()))
	start := func(engine.Env, *Disk) engine.Protocol { return nil }
	a, b := w.Add(engine.IDOf([]byte("a")), start), w.Add(engine.IDOf([]byte("b")), start)
	signature := w.Keys(a).Sign([]byte("said"))
	if len(signature) != engine.SignatureLength {
		t.Errorf("a signature of %d bytes, want %d", len(signature), engine.SignatureLength)
	}
	if !w.Keys(b).Signed(w.Peer(a), []byte("said"), signature) {
		t.Error("what a node has signed does not hold")
	}
	if w.Keys(b).Signed(w.Peer(b), []byte("said"), signature) {
		t.Error("a signature holds for another node")
	}
	if w.Keys(b).Signed(w.Peer(a), []byte("unsaid"), signature) {
		t.Error("a signature holds for something else")
	}
}

// Where IDs cost work, nothing comes from or to nodes without, and nothing that they have signed holds. Others notice
// none of it.
func TestIDsWithoutWorkAreNotAdmitted(t *testing.T) {
	const work, nodes = 2, 40
	w := newRecorders(nodes, func(c *Config) { c.IDWork = work })
	signed := []byte("said")
	for a := range Node(nodes) {
		for b := range Node(nodes) {
			w.at(a).env.Send(w.Peer(b), &toyPing{uint64(a)})
		}
	}
	w.Run(time.Minute)
	admitted := 0
	for n := range Node(nodes) {
		is := w.Peer(n).ID.Work() >= work
		if is {
			admitted++
		}
		if engine.Admissible(w.at(n).env, w.Peer(n).ID) != is ||
			w.Keys(0).Signed(w.Peer(n), signed, w.Keys(n).Sign(signed)) != is {
			t.Errorf("%v is admitted, or what it signs", w.Peer(n))
		}
	}
	for n := range Node(nodes) {
		want := 0
		if w.Peer(n).ID.Work() >= work {
			want = admitted
		}
		if got := len(w.at(n).heard); got != want {
			t.Errorf("%v has heard %d messages, not %d", w.Peer(n), got, want)
		}
		if got := len(w.at(n).downs); got == 0 {
			t.Errorf("%v was notified of no node that could not be reached", w.Peer(n))
		}
	}
	if admitted == 0 || admitted == nodes {
		t.Errorf("%d of %d nodes are admitted: nothing is measured", admitted, nodes)
	}
}
