package sim

import (
	"testing"

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
