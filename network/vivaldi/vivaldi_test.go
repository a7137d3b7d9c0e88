package vivaldi

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

func peerOf(n byte) engine.Peer { return engine.Peer{ID: engine.ID{n}, Address: "p"} }

// An answer counts once, from the peer that was asked, with the number that was sent (hostile 47).
func TestOnlyAskedAnswersCount(t *testing.T) {
	t.Parallel()
	v, env := alone(Default())
	v.neighbours = Landmarks{peerOf(1)}
	v.ping()
	nonce := env.sent[0].(*Ping).Nonce
	env.now = 30 * time.Millisecond
	said := Coordinate{Vector: []int32{1, 2, 3}}
	for _, forged := range []struct {
		from  byte
		nonce uint64
	}{{2, nonce}, {1, nonce + 1}} {
		env.traced = nil
		v.Receive(peerOf(forged.from), &Pong{Nonce: forged.nonce, Coordinate: said})
		if !slices.Equal(env.traced, []any{Rejected{peerOf(forged.from), Unasked}}) {
			t.Errorf("%+v: %v", forged, env.traced)
		}
	}
	v.Receive(peerOf(1), &Pong{Nonce: nonce, Coordinate: said})
	if rtt, ok := v.RTT(engine.ID{1}); !ok || rtt != 30*time.Millisecond {
		t.Errorf("a round trip of %v, %v", rtt, ok)
	}
	env.traced = nil
	v.Receive(peerOf(1), &Pong{Nonce: nonce, Coordinate: said})
	if !slices.Equal(env.traced, []any{Rejected{peerOf(1), Unasked}}) {
		t.Errorf("the same answer again: %v", env.traced)
	}
}

// Memory does not grow with the number of peers, nor with answers that never come.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	c := Default()
	v, env := alone(c)
	for i := range 1000 {
		v.Observe(engine.Peer{ID: engine.ID{byte(i), byte(i >> 8)}, Address: "p"},
			Coordinate{Vector: []int32{int32(i), 0, 5}}, time.Millisecond)
	}
	if len(v.known.list) != c.MaxPeers || len(v.known.byID) != c.MaxPeers {
		t.Errorf("%d and %d peers are known, want %d", len(v.known.list), len(v.known.byID), c.MaxPeers)
	}
	var many Landmarks
	for i := range byte(200) {
		many = append(many, peerOf(i+1))
	}
	v.neighbours = many
	for range 1000 {
		v.ping()
	}
	if len(v.asked) != maxAsked || len(v.round) > c.MaxPeers {
		t.Errorf("%d pings under way, %d peers in turn", len(v.asked), len(v.round))
	}
	env.now = c.MaxRTT + 1
	v.ping()
	if len(v.asked) != 1 {
		t.Errorf("%d pings are waited for that are too old", len(v.asked))
	}
}

func TestALostPeerIsForgotten(t *testing.T) {
	t.Parallel()
	v, _ := alone(Default())
	v.Observe(peerOf(1), Coordinate{Vector: []int32{1, 2, 3}}, time.Millisecond)
	v.PeerDown(peerOf(1))
	if _, ok := v.Distance(engine.ID{1}); ok || len(v.known.list) != 0 {
		t.Error("it is still known")
	}
}

// One peer alone cannot have all the turns.
func TestAPeerWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	v, env := alone(Default())
	for n := range byte(32) {
		v.Observe(peerOf(n), Coordinate{Vector: []int32{int32(n) * 1000, 0, 5}}, time.Duration(n+1)*time.Millisecond)
	}
	before := v.update
	env.traced = nil
	for range 100 {
		v.Observe(peerOf(31), Coordinate{Vector: []int32{31_000, 0, 5}}, 32*time.Millisecond)
	}
	if v.update != before || env.traced[0] != (Rejected{peerOf(31), TooOften}) {
		t.Errorf("%d of 100 samples of one peer counted; %v", v.update-before, env.traced[0])
	}
}

// The median of the latest round trips counts, not a single delay.
func TestSingleDelaysDoNotCount(t *testing.T) {
	t.Parallel()
	v, _ := alone(Default())
	for _, ms := range []time.Duration{20, 21, 5000, 22} {
		v.Observe(peerOf(1), Coordinate{Vector: []int32{20_000, 0, 0}}, ms*time.Millisecond)
	}
	if rtt, _ := v.RTT(engine.ID{1}); rtt != 22*time.Millisecond {
		t.Errorf("%v counts, want 22ms", rtt)
	}
}

// A node alone asks nobody and does not mind; it finds its place when others come.
func TestANodeAloneWaits(t *testing.T) {
	t.Parallel()
	w := newNet(sim.Constant(10*time.Millisecond), setup{seed: 1, nodes: 1, neighbours: 5})
	w.Run(time.Hour)
	if w.sent() != 0 || w.vivaldi(0).Frozen() {
		t.Errorf("%d messages sent", w.sent())
	}
}

// Two nodes find each other's distance and come to rest.
func TestTwoNodesFreeze(t *testing.T) {
	t.Parallel()
	w := newNet(sim.Constant(10*time.Millisecond), setup{seed: 1, nodes: 2, neighbours: 5})
	w.Run(10 * time.Minute)
	d, ok := w.vivaldi(0).Distance(w.Peer(1).ID)
	if !ok || (d-20*time.Millisecond).Abs() > time.Millisecond || len(w.frozen) != 2 {
		t.Errorf("%v apart, %d frozen; want 20ms, 2", d, len(w.frozen))
	}
}

// Where two points are the same, the direction is drawn from the node's own chance.
func TestTheSamePointIsLeftBySeededChance(t *testing.T) {
	t.Parallel()
	leave := func(seed uint64) []int32 {
		s := newSpace(Default(), rand.New(rand.NewPCG(seed, 1)))
		for range 20 {
			s.move(s.here, 20*time.Millisecond, time.Second)
		}
		return s.here.Vector
	}
	one, again, other := leave(1), leave(1), leave(2)
	if !slices.Equal(one, again) || slices.Equal(one, other) {
		t.Errorf("moved to %v and %v with one seed, %v with another", one, again, other)
	}
}

func TestConfigsAreChecked(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Config){
		"no dimensions": func(c *Config) { c.Dimensions = 0 }, "nine": func(c *Config) { c.Dimensions = 9 },
		"no period": func(c *Config) { c.Period = 0 }, "no watch": func(c *Config) { c.Watch = -1 },
		"no peers": func(c *Config) { c.MaxPeers = 0 }, "too many peers": func(c *Config) { c.MaxPeers = 1025 },
		"samples": func(c *Config) { c.Samples = 16 }, "long round trips": func(c *Config) { c.MaxRTT = time.Hour },
		"CE": func(c *Config) { c.CE = 2 }, "CC": func(c *Config) { c.CC = 0 },
		"filter":  func(c *Config) { c.Filter = 0 },
		"outlier": func(c *Config) { c.Outlier = 1 }, "updates": func(c *Config) { c.FreezeUpdates = 0 },
		"error": func(c *Config) { c.FreezeError = -1 }, "few": func(c *Config) { c.MinPeers = 33 },
	} {
		c := Default()
		change(&c)
		if c.Validate() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for _, c := range []Config{Default(), DefaultWithLandmarks()} {
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
	}
}
