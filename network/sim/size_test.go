package sim

import (
	"runtime"
	"testing"
	"time"
	"unsafe"

	"tidings/network/engine"
)

func TestSizes(t *testing.T) {
	t.Parallel()
	if s := unsafe.Sizeof(node{}); s != 128 {
		t.Errorf("a node has %d bytes, not two cache lines", s)
	}
	if s := unsafe.Offsetof(node{}.sent); s != 64 {
		t.Errorf("what a message's sender is asked for has %d bytes, not one cache line", s)
	}
	if s := unsafe.Sizeof(entry{}) + unsafe.Sizeof(delivery{}); s > 64 {
		t.Errorf("a message under way has %d bytes", s)
	}
	if s := unsafe.Sizeof(entry{}) + unsafe.Sizeof(call{}); s > 64 {
		t.Errorf("a timer has %d bytes", s)
	}
}

// idler does nothing.
type idler struct{}

func (idler) Receive(engine.Peer, engine.Message) {}
func (idler) PeerDown(engine.Peer)                {}
func (idler) Stop()                               {}

// A node costs a few hundred bytes beyond what its protocols hold.
func TestBytesANode(t *testing.T) {
	const nodes = 100_000
	before := heapBytes()
	w := New(Default(toyCodec()))
	var envs []engine.Env
	for i := range nodes {
		w.Add(toyID(i), func(env engine.Env, _ *Disk) engine.Protocol {
			envs = append(envs, env)
			return idler{}
		})
	}
	w.BootAll(0)
	up := (heapBytes() - before) / nodes
	for _, env := range envs {
		env.After(time.Hour, func() {})
		env.Send(w.Peer(0), &toyPing{})
	}
	busy := (heapBytes() - before) / nodes
	t.Logf("%.0f bytes a node that is up, %.0f with a timer and a message under way", up, busy)
	if up > 400 || busy > 600 {
		t.Error("which is too much")
	}
	runtime.KeepAlive(w)
}
