package sim

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"tidings/network/engine"
)

// gossip is a protocol that uses all of Env. It sends what it knows to peers by chance, has time-outs that it stops,
// keeps a counter on its disk, works and traces.
type gossip struct {
	env     engine.Env
	disk    *Disk
	peers   []engine.Peer
	waiting []engine.Timer // of the pings that wait for a pong
	known   uint64
}

type gossiped struct{ Known uint64 }

func startGossip(peers []engine.Peer) Start {
	return func(env engine.Env, disk *Disk) engine.Protocol {
		g := &gossip{env: env, disk: disk, peers: peers}
		content, _ := disk.Get("known")
		g.known = uint64(len(content))
		g.round()
		return g
	}
}

func (g *gossip) round() {
	g.env.After(time.Second+time.Duration(g.env.Rand().Int64N(1e9)), g.round)
	to := g.peers[g.env.Rand().IntN(len(g.peers))]
	g.env.Send(to, &toyPing{g.known})
	g.env.Send(to, &toyBulk{g.known, make([]byte, g.env.Rand().IntN(1000))})
	g.waiting = append(g.waiting, g.env.After(5*time.Second, func() { g.known++ }))
	g.env.Work(func() {}, func() { g.disk.Put("known", make([]byte, g.known%50)) })
}

func (g *gossip) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *toyPing:
		g.known = max(g.known, m.Number)
		g.env.Send(from, &toyPong{g.known})
	case *toyPong:
		if len(g.waiting) > 0 && g.waiting[0].Stop() {
			g.env.Trace(gossiped{m.Number})
		}
		g.waiting = g.waiting[min(1, len(g.waiting)):]
	}
}

func (g *gossip) PeerDown(engine.Peer) { g.known++ }
func (g *gossip) Stop()                { g.env.Send(g.peers[0], &toyPong{g.known}) }

// storm is a world of 40 nodes that gossip under every fault there is.
func storm(seed uint64, look ...func(*World)) *World {
	c := Default(toyCodec())
	c.Seed, c.Wire, c.Connections, c.Queue, c.CountByNode = seed, true, true, 20, true
	c.Latency = Uniform{10 * time.Millisecond, 300 * time.Millisecond}
	c.Faults = Faults{
		Loss: 0.05, Duplicate: 0.02, Reorder: 0.05, ReorderBy: time.Second,
		Spike: 0.01, SpikeBy: 30 * time.Second,
	}
	w := New(c)
	for _, f := range look {
		f(w)
	}
	const nodes = 40
	var peers []engine.Peer
	for i := range nodes {
		w.Add(toyID(i), func(env engine.Env, disk *Disk) engine.Protocol {
			return startGossip(peers)(env, disk)
		})
		peers = append(peers, w.Peer(Node(i)))
	}
	peers = append(peers, engine.Peer{ID: toyID(1), Address: peers[2].Address})
	w.BootAll(100 * time.Millisecond)
	w.Run(10 * time.Second)
	backup := w.Disk(1)
	for i := range 200 {
		n := Node(w.Rand().IntN(nodes))
		d := time.Duration(1 + w.Rand().Int64N(20e9))
		switch i % 14 {
		case 0:
			w.CrashFor(n, d)
		case 1:
			w.Pause(n, d)
		case 2:
			w.Suspend(n, d)
		case 3:
			w.SetRate(n, 0.5+w.Rand().Float64())
		case 4:
			w.SetWall(n, d)
		case 5:
			w.SetBandwidth(n, Bandwidth{Up: 200, Down: 500})
		case 6:
			w.SetSlow(n, d/10)
		case 7:
			w.Partition([]Node{0, 1, 2, 3, 4, 5, n}).Flap(d)
		case 8:
			w.CutOneWay([]Node{n}, []Node{0, 1, 2, 3})
		case 9:
			w.Heal()
			w.SetLinkFaults(n, 0, Faults{Loss: 0.5})
			w.SetNodeFaults(n, Faults{Duplicate: 0.5})
		case 10:
			w.Crash(n)
			w.Move(n)
			w.Restore(n, backup)
			w.Boot(n)
		case 11:
			w.Shutdown(n)
			w.After(d, func() { w.BootAll(0) })
		case 12:
			w.Do(n, func(p engine.Protocol) { p.(*gossip).round() })
		case 13:
			HomesOf(w).Add(n)
		}
		w.Run(2 * time.Second)
	}
	return w
}

// The hash of a storm is the same on every machine. Change it when what the world does was
// meant to change, and only then.
const stormHash = 0xb3aab1ef591a0476

func TestSameSeedSameHash(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	seeds, processors := Seeds(1, 6), []int{1, 4, 4}
	if testing.Short() {
		seeds, processors = Seeds(1, 2), []int{1, 4}
	}
	var want []uint64
	for _, processors := range processors {
		runtime.GOMAXPROCS(processors)
		got := Each(seeds, func(seed uint64) uint64 { return storm(seed).TraceHash() })
		if want == nil {
			want = got
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("seed %d with %d processors: hash %#x, want %#x", seeds[i], processors, got[i], want[i])
			}
			for j := range i {
				if got[i] == got[j] {
					t.Errorf("seeds %d and %d have one hash", seeds[i], seeds[j])
				}
			}
		}
	}
	if want[0] != stormHash {
		t.Errorf("seed 1 has the hash %#x, want %#x", want[0], uint64(stormHash))
	}
}

// The storm is worth its name: everything that can happen does.
func TestStormHasAllFates(t *testing.T) {
	t.Parallel()
	counts := storm(1).Counters()
	for f := Lost; f < Fates; f++ {
		if counts.Dropped[f] == 0 {
			t.Errorf("no message was dropped as %q", f)
		}
	}
	if counts.PeerDowns == 0 || counts.Timers == 0 || counts.Events < 50_000 {
		t.Errorf("%+v", counts)
	}
}

func TestObserversHaveNoEffect(t *testing.T) {
	t.Parallel()
	want := storm(2).TraceHash()
	looked := 0
	got := storm(2,
		func(w *World) { w.Observe(func(time.Duration, Node, any) { looked++ }) },
		func(w *World) { w.Tap(func(Delivery) { looked++ }) },
		func(w *World) { w.Every(time.Second, func(time.Duration) { looked++ }) },
		func(w *World) { w.WriteTrace(io.Discard) },
	).TraceHash()
	if got != want || looked < 10_000 {
		t.Errorf("hash %#x with observers, %#x without; they looked %d times", got, want, looked)
	}
}

// What is sent is received or dropped, or waits; the counters of kinds, nodes and taps agree.
func TestCountersAgree(t *testing.T) {
	t.Parallel()
	var tapped [Fates]uint64
	w := storm(3, func(w *World) { w.Tap(func(p Delivery) { tapped[p.Fate]++ }) })
	var kinds Count
	for k, c := range w.Counters().Kinds {
		kinds.Sent += c.Sent
		kinds.Bytes += c.Bytes
		kinds.Received += c.Received
		kinds.ReceivedBytes += c.ReceivedBytes
		kinds.Dropped += c.Dropped
		var sum NodeKindCount
		for n := range Node(w.Len()) {
			of := w.NodeKindCount(n, k)
			sum.Sent += of.Sent
			sum.Received += of.Received
			sum.SentBytes += of.SentBytes
			sum.ReceivedBytes += of.ReceivedBytes
		}
		if want := (NodeKindCount{uint32(c.Sent), uint32(c.Received), c.Bytes, c.ReceivedBytes}); sum != want {
			t.Errorf("kind %v: nodes have %+v, want %+v", k, sum, want)
		}
	}
	var nodes Count
	for n := range Node(w.Len()) {
		of := w.NodeCount(n)
		nodes.Sent += of.Sent
		nodes.Bytes += of.SentBytes
		nodes.Received += of.Received
		nodes.ReceivedBytes += of.ReceivedBytes
		nodes.Dropped += of.Dropped
	}
	if nodes != kinds {
		t.Errorf("nodes have %+v, kinds %+v", nodes, kinds)
	}
	var dropped uint64
	for f, n := range w.Counters().Dropped {
		dropped += n
		if Fate(f) >= Lost && n != tapped[f] {
			t.Errorf("%d were %s, a tap saw %d", n, Fate(f), tapped[f])
		}
	}
	if dropped != kinds.Dropped || tapped[Sent] != kinds.Sent || tapped[Received] != kinds.Received {
		t.Errorf("dropped %d, tapped %v, counted %+v", dropped, tapped, kinds)
	}
	if ended := kinds.Received + kinds.Dropped; ended+uint64(w.passages.inUse()) < kinds.Sent {
		t.Errorf("%d sent, %d ended, %d under way", kinds.Sent, ended, w.passages.inUse())
	}
}

// Nothing that ended is kept.
func TestStormLeavesNothing(t *testing.T) {
	t.Parallel()
	w := storm(4)
	w.Run(time.Minute) // what the storm has begun
	w.Heal()
	for n := range Node(w.Len()) {
		w.Crash(n)
	}
	if !w.Idle(24 * time.Hour) {
		t.Error("something is to come in a world of crashed nodes")
	}
	if p, c, e := w.passages.inUse(), w.timers.slab.inUse(), w.errands.inUse(); p+c+e != 0 || w.timers.live != 0 ||
		w.timers.queued != 0 {
		t.Errorf("%d messages, %d timers (%d live, %d queued), %d errands are left", p, c, w.timers.live,
			w.timers.queued, e)
	}
}

func TestWriteTrace(t *testing.T) {
	t.Parallel()
	w := newRecorders(2)
	var out bytes.Buffer
	w.WriteTrace(&out)
	w.ping(0, 1, 1)
	w.Run(time.Second)
	w.at(0).env.Trace(gossiped{7})
	w.Crash(1)
	w.ping(0, 1, 1)
	w.Run(10 * time.Second)
	w.WriteTrace(nil)
	w.Boot(1)
	size := w.config.Codec.Size(&toyPing{1})
	want := strings.ReplaceAll(`0.050000s node 0 -> 1 toy.toyPing SIZE B
1.000000s node 0 traces sim.gossiped{Known:7}
1.000000s node 1 crashes
1.050000s node 0 -> 1 toy.toyPing SIZE B: nobody there
6.050000s node 0 peer 1 down
`, "SIZE", fmt.Sprint(size))
	if out.String() != want {
		t.Errorf("wrote\n%swant\n%s", out.String(), want)
	}
}

func TestRunsEndWhereTheySay(t *testing.T) {
	t.Parallel()
	w := newRecorders(2)
	ticks := 0
	w.Every(time.Second, func(at time.Duration) { ticks++ })
	w.ping(0, 1, 1)
	if !w.Idle(time.Minute) || w.Now() != 50*time.Millisecond {
		t.Errorf("idle at %v", w.Now())
	}
	w.ping(0, 1, 2)
	if !w.RunUntil(func() bool { return len(w.at(1).heard) == 2 }, time.Minute) || w.Now() != 100*time.Millisecond {
		t.Errorf("heard at %v", w.Now())
	}
	if w.RunUntil(func() bool { return false }, 10*time.Second) || w.Now() != 10100*time.Millisecond {
		t.Errorf("stopped at %v", w.Now())
	}
	var at []time.Duration
	w.At(0, func() { at = append(at, w.Now()) })
	w.At(time.Minute, func() { at = append(at, w.Now()) })
	w.Run(time.Hour)
	if len(at) != 2 || at[0] != 10100*time.Millisecond || at[1] != time.Minute || ticks != 3610 {
		t.Errorf("called at %v, %d ticks", at, ticks)
	}
}

func TestWorldIsNotRunFromWithin(t *testing.T) {
	t.Parallel()
	w := newRecorders(1)
	w.After(0, func() {
		defer func() {
			if recover() == nil {
				t.Error("the world ran within one of its events")
			}
		}()
		w.Run(time.Second)
	})
	w.Run(time.Second)
}

func TestEachNamesTheSeed(t *testing.T) {
	t.Parallel()
	defer func() {
		if r := fmt.Sprint(recover()); !strings.Contains(r, "with seed 3: no") {
			t.Errorf("recovered %.100s", r)
		}
	}()
	Each(Seeds(1, 10), func(seed uint64) int {
		if seed >= 3 {
			panic("no")
		}
		return 0
	})
}
