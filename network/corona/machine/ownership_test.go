package machine

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// closest are all nodes of a ring, the closest to any channel first.
type closest struct {
	Ring
	all []engine.Peer
}

func (r closest) Owners(_ engine.ID, k int) ([]engine.Peer, bool) {
	return r.all[:min(k, len(r.all))], true
}

// A shunned node owns nothing until its time is over: the next ones do, and the primary is the first of them. Where
// more are shunned than an owner looks past, there are fewer owners.
func TestShunnedNodesOwnNothing(t *testing.T) {
	var all []engine.Peer
	for i := range 12 {
		all = append(all, enginetest.NewPeer(fmt.Sprintf("%02x", 0x50+i)))
	}
	env := enginetest.NewEnv(all[3])
	o := Ownership{Base: Base{Env: env, Ring: closest{all: all}}, K: 3}
	channel := all[0].ID
	check := func(when string, want []engine.Peer) {
		t.Helper()
		owners, _ := o.Owners(channel, o.K)
		primary, sure := o.Primary(channel)
		first := engine.Peer{}
		if len(want) > 0 {
			first = want[0]
		}
		if !slices.Equal(owners, want) || primary != first || sure != (len(want) > 0) {
			t.Errorf("%s: owners are %v, the primary is %v (%v); want %v", when, owners, primary, sure, want)
		}
		if owns := slices.Contains(want, all[3]); o.Owns(channel) != owns {
			t.Errorf("%s: this node owns the channel: %v", when, !owns)
		}
	}
	check("at first", all[:3])
	o.Shun(all[0].ID, time.Hour)
	check("without the first", all[1:4])
	for _, p := range all[1:8] {
		o.Shun(p.ID, 2*time.Hour)
	}
	check("without eight", nil)
	env.Advance(time.Hour)
	check("when the first one's time is over", all[:1])
	env.Advance(time.Hour)
	check("when all times are over", all[:3])
}

// The latest maxShunned are remembered, each once.
func TestShunnedAreBounded(t *testing.T) {
	o := Ownership{Base: Base{Env: enginetest.NewEnv(enginetest.NewPeer("50"))}}
	for i := range 3 * maxShunned {
		o.Shun(engine.IDOf([]byte{byte(i), byte(i >> 8)}), time.Hour)
		o.Shun(engine.IDOf([]byte{byte(i), byte(i >> 8)}), 2*time.Hour)
	}
	last := 3*maxShunned - 1
	if n := len(o.shunned); n != maxShunned {
		t.Errorf("%d nodes are remembered, not %d", n, maxShunned)
	}
	if o.shunned[maxShunned-1] != (shunned{engine.IDOf([]byte{byte(last), byte(last >> 8)}), 2 * time.Hour}) {
		t.Errorf("the latest is remembered as %+v", o.shunned[maxShunned-1])
	}
}
