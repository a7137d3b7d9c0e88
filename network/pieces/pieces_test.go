package pieces_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
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
		t.Logf("it took %v; the slow one gave %d pieces, the mortal %d, the good %d", o.took, v.came[slow], v.came[mortal], v.came[good])
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

// A node that is stopped in the middle goes on where it was: no piece is fetched twice.
func TestResume(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		v := newPlace(t, 3, pieces.Default(), nil)
		content := random(t.Seed(), 4<<20)
		var ref pieces.Ref
		for n := range sim.Node(2) {
			ref = v.disks[n].put(t, content, everything)
			v.SetBandwidth(n, sim.Bandwidth{Up: 100 << 10})
		}
		o := v.fetch(2, ref, 0, 1)
		for range 3 {
			v.Run(time.Duration(2+v.Rand().IntN(4)) * time.Second)
			if o.done {
				t.Fatal("it has ended too soon for the test")
			}
			v.Restart(2)
			o = v.fetch(2, ref, 0, 1)
		}
		v.wait(o, 5*time.Minute)
		v.has(2, o, ref, content)
		// What was on its way to the disk at the time of a restart comes again.
		if total := v.came[0] + v.came[1]; total > 64 {
			t.Errorf("%d pieces were kept, of 64", total)
		}
	})
}

// Sources that have parts, and get the others meanwhile, give them on.
func TestPartsGoRound(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		v := newPlace(t, 4, pieces.Default(), nil)
		content := random(t.Seed(), 2<<20)
		third := func(k int) func(int) bool { return func(i int) bool { return i%3 == k } }
		var ref pieces.Ref
		for k := range 3 {
			ref = v.disks[k].put(t, content, third(k))
		}
		all := []*outcome{v.fetch(0, ref, 1, 2, 3), v.fetch(1, ref, 0, 2, 3), v.fetch(2, ref, 0, 1, 3), v.fetch(3, ref, 0, 1, 2)}
		for n, o := range all {
			v.wait(o, 5*time.Minute)
			v.has(sim.Node(n), o, ref, content)
		}
	})
}

// What cannot be fetched ends with an error, and nothing false stays in the store.
func TestFetchesThatFail(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		c := pieces.Default()
		c.MaxLength, c.GiveUp = 1<<20, time.Minute
		v := newPlace(t, 4, c, func(n sim.Node, env engine.Env) engine.Env {
			if n == 3 {
				return falseManifest{env}
			}
			return env
		})
		long := v.disks[0].put(t, random(1, 1<<20+1), everything)
		short := v.disks[0].put(t, random(2, 1<<20), everything)
		v.disks[3].put(t, random(2, 1<<20), everything)
		for _, test := range []struct {
			name    string
			ref     pieces.Ref
			sources []sim.Node
			want    error
		}{
			{"too long", long, []sim.Node{0}, pieces.ErrTooLong},
			{"no sources", short, nil, pieces.ErrNowhere},
			{"itself", short, []sim.Node{2}, pieces.ErrNowhere},
			{"nobody has it", sha256.Sum256(nil), []sim.Node{0, 1}, pieces.ErrNowhere},
			{"a false manifest", short, []sim.Node{3}, pieces.ErrNowhere},
		} {
			o := v.fetch(2, test.ref, test.sources...)
			v.wait(o, 10*time.Minute)
			if !o.done || !errors.Is(o.err, test.want) {
				t.Errorf("%s: %v, not %v", test.name, o.err, test.want)
			}
			if len(v.disks[2].manifests) > 0 {
				t.Fatalf("%s: something is in the store", test.name)
			}
		}
		v.disks[2].full = true
		o := v.fetch(2, short, 0)
		v.wait(o, time.Minute)
		if !errors.Is(o.err, pieces.ErrStore) {
			t.Errorf("with a full disk: %v", o.err)
		}
		o = v.fetch(1, short, 2)
		v.Do(1, func(engine.Protocol) { v.node(1).Cancel(short) })
		v.Run(time.Second)
		if !errors.Is(o.err, pieces.ErrStopped) {
			t.Errorf("a fetch that was stopped: %v", o.err)
		}
	})
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
