package pieces_test

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/pieces"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// random returns a content of so many bytes.
func random(seed uint64, length int) []byte {
	b := make([]byte, length)
	chance := rand.New(rand.NewPCG(seed, 1))
	for i := 0; i < len(b); i += 7 {
		b[i] = byte(chance.Uint32())
	}
	return b
}

// A content is fetched from several sources at once, of which each sends a part.
func TestSeveralSources(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newPlace(t, 6, pieces.Default(), nil)
		content := random(t.Seed(), 3<<20+12345)
		var ref pieces.Ref
		for n := range sim.Node(5) {
			ref = v.disks[n].put(t, content, everything)
			v.SetBandwidth(n, sim.Bandwidth{Up: 200 << 10})
		}
		o := v.fetch(5, ref, 0, 1, 2, 3, 4)
		v.wait(o, 5*time.Minute)
		v.has(5, o, ref, content)
		if len(v.came) < 4 {
			t.Errorf("only %d sources have sent something", len(v.came))
		}
		if alone := time.Duration(len(content)/(200<<10)) * time.Second; o.took > alone/2 {
			t.Errorf("it took %v; one source would need %v", o.took, alone)
		}
	})
}

// forger is the Env of a source that sends false pieces.
type forger struct {
	engine.Env
	forges func(m *pieces.Piece) bool
}

func (f forger) Send(to engine.Peer, m engine.Message) {
	if p, ok := m.(*pieces.Piece); ok && f.forges(p) {
		forged := *p
		forged.Bytes = bytes.Clone(p.Bytes)
		forged.Bytes[len(forged.Bytes)/2] ^= 1
		m = &forged
	}
	f.Env.Send(to, m)
}

// Of five sources one lies, one is slow, one dies, and one says that it has what it does not have. The
// content comes whole, and the liar is dropped.
func TestBadSources(t *testing.T) {
	simtest.Run(t, 12, func(t *simtest.T) {
		const liar, slow, mortal, boaster, good, fetcher = 0, 1, 2, 3, 4, 5
		v := newPlace(t, 6, pieces.Default(), func(n sim.Node, env engine.Env) engine.Env {
			if n == liar {
				return forger{env, func(*pieces.Piece) bool { return true }}
			}
			if n == boaster {
				return boast{env}
			}
			return env
		})
		content := random(t.Seed(), 4<<20)
		var ref pieces.Ref
		for n := range sim.Node(5) {
			ref = v.disks[n].put(t, content, func(int) bool { return n != boaster })
			v.SetBandwidth(n, sim.Bandwidth{Up: 100 << 10})
		}
		v.SetBandwidth(slow, sim.Bandwidth{Up: 5 << 10})
		v.After(10*time.Second, func() { v.Crash(mortal) })
		v.SetFaults(sim.Faults{Loss: 0.02, Duplicate: 0.02, Reorder: 0.05, ReorderBy: time.Second})
		o := v.fetch(fetcher, ref, liar, slow, mortal, boaster, good)
		v.wait(o, 10*time.Minute)
		v.has(fetcher, o, ref, content)
		if o.took > 3*time.Minute {
			t.Errorf("it took %v", o.took)
		}
		if v.came[liar] > 0 || v.came[boaster] > 0 || v.counts["pieces.Lied"] == 0 {
			t.Errorf("the liar has given %d pieces; %d lies were noticed", v.came[liar], v.counts["pieces.Lied"])
		}
		t.Logf("it took %v; the slow one gave %d pieces, the mortal %d, the good %d", o.took, v.came[slow],
			v.came[mortal], v.came[good])
	})
}

// boast is the Env of a source that says that it has everything.
type boast struct{ engine.Env }

func (b boast) Send(to engine.Peer, m engine.Message) {
	if h, ok := m.(*pieces.Holding); ok {
		all := *h
		all.Bits = bytes.Repeat([]byte{255}, 64)
		m = &all
	}
	b.Env.Send(to, m)
}

// falseManifest is the Env of a source that sends a manifest of something else.
type falseManifest struct{ engine.Env }

func (f falseManifest) Send(to engine.Peer, m engine.Message) {
	if h, ok := m.(*pieces.Holding); ok && len(h.Manifest) > 0 {
		other := *h
		other.Manifest = bytes.Clone(h.Manifest)
		other.Manifest[len(other.Manifest)-1] ^= 1
		m = &other
	}
	f.Env.Send(to, m)
}

// A node that many fetch from sends no more than it may, and all get everything in the end.
func TestServingIsBounded(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		const fetchers = 10
		c := pieces.Default()
		c.ServeRate, c.ServeBurst = 100<<10, 256<<10
		v := newPlace(t, fetchers+1, c, nil)
		content := random(t.Seed(), 1<<20)
		ref := v.disks[0].put(t, content, everything)
		var all []*outcome
		for n := range sim.Node(fetchers) {
			all = append(all, v.fetch(n+1, ref, 0))
		}
		for second := range 60 {
			v.Run(time.Second)
			most := uint64(c.ServeBurst + (second+1)*c.ServeRate + 2*pieces.MaxPiece)
			if sent := v.NodeCount(0).SentBytes; sent > most {
				t.Fatalf("after %d s %d bytes were sent, of %d", second+1, sent, most)
			}
		}
		for n, o := range all {
			v.wait(o, 10*time.Minute)
			v.has(sim.Node(n+1), o, ref, content)
		}
		if v.counts["pieces.LimitHit"] == 0 {
			t.Error("nobody had to wait")
		}
	})
}

// A slow source that is the only one is enough.
func TestOneSlowSource(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		v := newPlace(t, 2, pieces.Default(), nil)
		content := random(t.Seed(), 600<<10)
		ref := v.disks[0].put(t, content, everything)
		v.SetBandwidth(0, sim.Bandwidth{Up: 3 << 10})
		o := v.fetch(1, ref, 0)
		v.wait(o, 20*time.Minute)
		v.has(1, o, ref, content)
	})
}
