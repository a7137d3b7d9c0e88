package roster

import (
	"runtime"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/sim/simtest"
)

// One peer subscribes to a million channels, most of which do not exist. An owner's cost for it is bounded and traced,
// and others can still subscribe (hostile 44).
func TestOnePeerSubscribesToAMillionChannels(t *testing.T) {
	channels, most := 1<<20, testConfig().MaxPerNode
	if testing.Short() {
		channels, most = 1<<14, 1<<10
	}
	simtest.Run(t, 1, func(t *simtest.T) {
		config := testNetConfig()
		config.Wire = false
		v := newTestNet(t, t.World(config), 1, func(c *Config) { c.MaxPerNode = most })
		owner := v.at(0)
		before := heap()
		greedy := engine.Peer{ID: engine.ID{1}, Address: "greedy"}
		for i := 0; i < channels; i += maxWanted {
			v.seen = v.seen[:0]
			m := &Subscribe{Node: greedy}
			for j := range maxWanted {
				c := channel(i + j)
				m.Wanted = append(m.Wanted, Wanted{Channel: c.ID, URL: c.URL, Count: 1, Stamp: 1})
			}
			owner.receiveSubscribe(m)
		}
		v.seen = nil
		bytes := heap() - before
		t.Logf("%d channels with %d subscriptions are owned, in %d MB; limits: %v", len(owner.list), owner.entries,
			bytes>>20, v.limits)
		if owner.entries > v.config.MaxPerNode || len(owner.list) > v.config.MaxPerNode {
			t.Error("that is too many")
		}
		if v.limits["MaxPerNode"] != channels-v.config.MaxPerNode {
			t.Errorf("the bound was traced %d times", v.limits["MaxPerNode"])
		}
		c := channel(channels + maxWanted)
		v.subscribe(0, c, "", 1)
		v.acknowledge(10 * time.Second)
		v.becomesRight(0, c)
	})
}

// heap returns how many bytes are in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Each bound holds at an owner. A refused subscriber is notified and tries again.
func TestBoundsOfOwners(t *testing.T) {
	for _, b := range []struct {
		name   string
		change func(*Config)
		most   int // subscriptions of 8 nodes to 10 channels that there is room for
	}{
		{"MaxChannels", func(c *Config) { c.MaxChannels = 4 }, 4 * 8},
		{"MaxSubscriptions", func(c *Config) { c.MaxSubscriptions = 5 }, 10 * 5},
		{"MaxEntries", func(c *Config) { c.MaxEntries = 17 }, 17},
		{"MaxPerNode", func(c *Config) { c.MaxPerNode = 3 }, 8 * 3},
	} {
		t.Run(b.name, func(t *testing.T) {
			simtest.Run(t, 1, func(t *simtest.T) {
				v := newTestNet(t, t.World(testNetConfig()), 8, func(c *Config) { c.Owners = 8 }, b.change)
				for i := range 10 {
					for _, n := range v.nodes {
						v.subscribe(n, channel(i), "", 1)
					}
					v.Run(2 * time.Second)
				}
				if v.limits[b.name] == 0 {
					t.Error("the bound is not traced")
				}
				for _, n := range v.nodes {
					if held := v.at(n).entries; held > b.most {
						t.Errorf("node %d holds %d subscriptions, at most %d", n, held, b.most)
					}
				}
				refused := 0
				for _, s := range v.seen {
					if a, ok := s.event.(Acknowledgement); ok && a.Refused {
						refused++
					}
				}
				if refused < 80-b.most {
					t.Errorf("%d were notified of a refusal", refused)
				}
			})
		})
	}
}

// A channel's URL must be the one that its ID is made of.
func TestFalseURLIsRefused(t *testing.T) {
	simtest.Run(t, 1, func(t *simtest.T) {
		v := newTestNet(t, t.World(testNetConfig()), 5)
		c := machine.Channel{ID: channel(0).ID, URL: "https://victim.example/"}
		v.subscribe(2, c, "", 1)
		v.Run(10 * time.Second)
		for _, n := range v.nodes {
			if v.at(n).Find(c.ID) != nil {
				t.Errorf("node %d owns a channel with a false URL", n)
			}
		}
	})
}
