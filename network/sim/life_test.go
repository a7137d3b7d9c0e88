package sim

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
)

func TestPeerDownOnceForEachOutage(t *testing.T) {
	t.Parallel()
	w := newRecorders(2)
	w.ping(0, 1, 1)
	w.Run(time.Second)
	w.Crash(1)
	for range 20 {
		w.ping(0, 1, 2)
		w.Run(time.Second)
	}
	r := w.at(0)
	if !slices.Equal(r.downs, []engine.Peer{w.Peer(1)}) || r.at[0] != 6*time.Second+50*time.Millisecond {
		t.Fatalf("notified of %v at %v", r.downs, r.at)
	}
	w.Boot(1)
	w.ping(1, 0, 3) // ends the outage
	w.Run(time.Second)
	w.Crash(1)
	w.ping(0, 1, 4)
	w.Run(time.Minute)
	if len(r.downs) != 2 {
		t.Errorf("notified %d times of two outages", len(r.downs))
	}
}

// A message from the peer before the report means that there is nothing to report, unless the peer sent it before it
// crashed.
func TestPeerDownIsNotReportedOfThePast(t *testing.T) {
	t.Parallel()
	w := newRecorders(2)
	w.Crash(1)
	w.ping(0, 1, 1)
	w.Run(time.Second)
	w.Boot(1)
	w.ping(1, 0, 2)
	w.Run(time.Minute)
	if len(w.at(0).downs) != 0 {
		t.Errorf("notified of %v", w.at(0).downs)
	}
	w.ping(0, 1, 3)
	w.Run(10 * time.Millisecond)
	w.ping(1, 0, 4)
	w.Crash(1)
	w.Run(time.Minute)
	if len(w.at(0).downs) != 1 {
		t.Errorf("notified %d times of a crash", len(w.at(0).downs))
	}
}

func TestPeerDownOfStrangersAndNobody(t *testing.T) {
	t.Parallel()
	for _, bytes := range []int{4, 27, 28, 52, 100} {
		w := newRecorders(3, func(c *Config) { c.AddressBytes = bytes })
		liar := engine.Peer{ID: w.Peer(1).ID, Address: w.Peer(2).Address}
		garbage := engine.Peer{ID: w.Peer(1).ID, Address: "?"}
		future := engine.Peer{ID: w.Peer(1).ID, Address: engine.Address(slices.Repeat([]byte{0x7f}, bytes))}
		for _, p := range []engine.Peer{liar, garbage, future} {
			for range 2 {
				w.at(0).env.Send(p, &toyPing{})
			}
		}
		w.Run(time.Minute)
		if got := w.at(0).downs; !slices.Equal(got, []engine.Peer{liar, garbage, future}) {
			t.Errorf("notified of %v", got)
		}
		if d := w.Counters().Dropped; d[Stranger] != 2 || d[NobodyThere] != 4 || len(w.at(2).heard) != 0 {
			t.Errorf("dropped %v", d)
		}
	}
}

// Hostile 33: with its state, with an older state, without, at another address, and twice.
func TestHostile33Restarts(t *testing.T) {
	t.Parallel()
	w := newRecorders(2)
	put := func(s string) { w.at(1).disk.Put("state", []byte(s)) }
	state := func() string {
		content, ok := w.at(1).disk.Get("state")
		if !ok {
			return "none"
		}
		return string(content)
	}
	put("old")
	backup := w.Disk(1)
	put("new")
	w.CrashFor(1, time.Second)
	if w.Up(1) || w.Protocol(1) != nil || w.Do(1, nil) {
		t.Error("a crashed node is up")
	}
	w.Run(time.Second)
	if got := state(); got != "new" {
		t.Errorf("state %s after a crash", got)
	}
	w.Crash(1)
	w.Restore(1, backup)
	w.Boot(1)
	if got := state(); got != "old" {
		t.Errorf("state %s from the backup", got)
	}
	put("newer")
	if content, _ := backup.Get("state"); string(content) != "old" {
		t.Error("the backup changed with the disk")
	}
	w.Crash(1)
	w.Restore(1, nil)
	w.Boot(1)
	if got := state(); got != "none" {
		t.Errorf("state %s after the loss of the disk", got)
	}
	if now := w.at(1).env.Now(); now != 0 {
		t.Errorf("a node that started now counts %v", now)
	}
}

func TestHostile33Move(t *testing.T) {
	t.Parallel()
	w := newRecorders(2)
	old := w.Peer(1)
	w.Crash(1)
	w.Move(1)
	w.Boot(1)
	if now := w.Peer(1); now.ID != old.ID || now.Address == old.Address || w.at(1).env.Self() != now {
		t.Errorf("moved from %v to %v", old, now)
	}
	if _, ok := w.NodeAt(old); ok {
		t.Error("somebody lives at the old address")
	}
	w.at(0).env.Send(old, &toyPing{1})
	w.ping(0, 1, 2)
	w.Run(10 * time.Second)
	if got := w.at(1).numbers(); !slices.Equal(got, []uint64{2}) || !slices.Equal(w.at(0).downs, []engine.Peer{old}) {
		t.Errorf("came %v, notified of %v", got, w.at(0).downs)
	}
}

func TestHostile33Clone(t *testing.T) {
	t.Parallel()
	w := newRecorders(2)
	w.at(1).disk.Put("key", []byte("k"))
	c := w.Clone(1)
	w.Boot(c)
	if _, ok := w.at(c).disk.Get("key"); !ok {
		t.Error("the clone lacks the disk")
	}
	w.ping(1, 0, 1)
	w.ping(c, 0, 2)
	w.ping(0, c, 3)
	w.Run(time.Second)
	h := w.at(0).heard
	if len(h) != 2 || h[0].from.ID != h[1].from.ID || h[0].from.Address == h[1].from.Address {
		t.Errorf("heard %v, want one ID from two addresses", h)
	}
	if len(w.at(1).heard) != 0 || len(w.at(c).heard) != 1 {
		t.Error("what was sent to the clone came to another")
	}
}

func TestShutdownDeliversFarewells(t *testing.T) {
	t.Parallel()
	w := newRecorders(2)
	n := w.Add(toyID(9), func(env engine.Env, _ *Disk) engine.Protocol {
		return farewell{func() { env.Send(w.Peer(1), &toyPing{9}) }}
	})
	w.Boot(n)
	w.SetBandwidth(n, Bandwidth{Up: 10})
	w.Shutdown(n)
	w.Run(time.Minute)
	if got := w.at(1).numbers(); !slices.Equal(got, []uint64{9}) || w.Up(n) {
		t.Errorf("came %v", got)
	}
}

type farewell struct{ say func() }

func (farewell) Receive(engine.Peer, engine.Message) {}
func (farewell) PeerDown(engine.Peer)                {}
func (f farewell) Stop()                             { f.say() }

// With Connections, a crash is noticed by nodes that lately exchanged messages with the node, and by no other.
func TestConnections(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{true, false} {
		w := newRecorders(4, func(c *Config) { c.Connections = on })
		w.ping(3, 0, 0) // long ago
		w.Run(time.Hour)
		w.ping(1, 0, 0)
		w.ping(0, 2, 0)
		w.Run(time.Minute)
		w.Crash(0)
		w.Run(time.Minute)
		var notified []bool
		for n := range Node(3) {
			notified = append(notified, slices.Equal(w.at(n+1).downs, []engine.Peer{w.Peer(0)}))
		}
		if !slices.Equal(notified, []bool{on, on, false}) {
			t.Errorf("with connections: %v, notified: %v", on, notified)
		}
	}
	w := newRecorders(2, func(c *Config) { c.Connections = true })
	w.ping(0, 1, 0)
	w.Run(time.Second)
	w.Partition([]Node{0})
	w.Run(time.Minute)
	if len(w.at(0).downs) != 1 || len(w.at(1).downs) != 1 {
		t.Error("a cut connection was not noticed on both sides")
	}
}

// A node can be crashed in the middle of what it does: nothing it does afterwards counts.
func TestHostile32CrashInTheMiddle(t *testing.T) {
	t.Parallel()
	w := newRecorders(2)
	w.Inject(func(_ time.Duration, n Node, event any) {
		if event == "version given" {
			w.Crash(n)
		}
	})
	env := w.at(0).env
	env.After(time.Second, func() {
		env.Send(w.Peer(1), &toyPing{1})
		env.Trace("version given")
		env.Send(w.Peer(1), &toyPing{2})
	})
	w.Run(time.Minute)
	if got := w.at(1).numbers(); !slices.Equal(got, []uint64{1}) || w.Up(0) {
		t.Errorf("came %v", got)
	}
}

func TestBootAll(t *testing.T) {
	t.Parallel()
	w := newRecorders(0)
	for i := range 10 {
		w.Add(toyID(i), func(env engine.Env, _ *Disk) engine.Protocol { return &recorder{env: env} })
	}
	w.BootAll(time.Second)
	up := func() (n int) {
		for i := range Node(10) {
			if w.Up(i) {
				n++
			}
		}
		return n
	}
	w.Run(4 * time.Second)
	if up() != 5 {
		t.Errorf("%d nodes are up after 4 s", up())
	}
	w.BootAll(0)
	if up() != 10 || !w.Idle(time.Minute) {
		t.Errorf("%d nodes are up", up())
	}
}
