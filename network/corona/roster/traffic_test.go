package roster

import (
	"math"
	"runtime"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/sim/simtest"
)

// ownersMessages are what owners and subscribers say to each other, and what carries it.
var ownersMessages = []engine.Message{
	new(Subscribe), new(Subscribed), new(Copies), new(Stored), new(Digests), new(Parts), new(Want), new(Entries),
}

// traffic returns how many messages owners and subscribers have sent, and their bytes.
func (v *testNet) traffic() (messages, bytes uint64) {
	for _, m := range ownersMessages {
		if c := v.Counters().Kinds[m.Kind()]; c != nil {
			messages += c.Sent
			bytes += c.Bytes
		}
	}
	return messages, bytes
}

// routed returns how many messages the ring has sent for Corona: hops and their receipts.
func (v *testNet) routed() (messages, bytes uint64) {
	for kind, c := range v.Counters().Kinds {
		if kind == engine.KindOf(engine.Pastry, 1) || kind == engine.KindOf(engine.Pastry, 2) {
			messages += c.Sent
			bytes += c.Bytes
		}
	}
	return messages, bytes
}

// zipf draws i below n with a chance in proportion to 1/sqrt(i).
func zipf(v *testNet, n int) int {
	x := v.Rand().Float64()
	return min(int(x*x*float64(n)), n-1)
}

// The cost of subscribing to many channels at once, of upkeep, and of memory: 200 nodes follow 100 of 5,000 channels
// each, popular ones more often (Zipf, 0.5).
func TestCostOfSubscriptions(t *testing.T) {
	if testing.Short() {
		t.Skip("hours of a network of 200")
	}
	simtest.Run(t, 1, func(t *simtest.T) {
		const nodes, channels, each = 200, 5000, 100
		config := testNetConfig()
		config.Wire = false
		v := newTestNet(t, t.World(config), nodes)
		all := make([]machine.Channel, channels)
		for i := range all {
			all[i] = channel(i)
		}
		before := heap()
		t0, b0 := v.traffic()
		r0, rb0 := v.routed()
		for _, n := range v.nodes {
			for len(v.wants[n]) < each {
				v.subscribe(n, all[zipf(v, channels)], "", 1)
			}
		}
		v.acknowledge(time.Minute)
		t1, b1 := v.traffic()
		r1, rb1 := v.routed()
		v.seen = nil
		held := heap() - before
		v.Run(v.config.Maintenance)
		t2, b2 := v.traffic()
		v.Run(2 * v.config.Renew)
		t3, b3 := v.traffic()
		per := func(n uint64) float64 { return float64(n) / float64(nodes*each) }
		hours := (2 * v.config.Renew).Hours()
		t.Logf("subscribing: %.2f messages and %.0f bytes a subscription, %.2f and %.0f of them on the ring",
			per(t1-t0+r1-r0), per(b1-b0+rb1-rb0), per(r1-r0), per(rb1-rb0))
		t.Logf("memory: %.0f bytes a subscription, at its node and three owners; these are %d channels",
			float64(held)/float64(nodes*each), channels)
		t.Logf("the first hour: %.2f messages and %.0f bytes a subscription", per(t2-t1), per(b2-b1))
		t.Logf("afterwards: %.2f messages and %.0f bytes a subscription and hour", per(t3-t2)/hours, per(b3-b2)/hours)
		if wrong := v.wrong(all...); wrong > 0 {
			t.Errorf("%d owners hold something wrong", wrong)
		}
		if m := per(t1 - t0 + r1 - r0); m > 12 {
			t.Errorf("%.1f messages for each subscription", m)
		}
		if m := per(t3-t2) / hours; m > 3 || math.IsNaN(m) {
			t.Errorf("%.1f messages for each subscription and hour", m)
		}
	})
}

// The table of a popular channel needs 24 bytes a subscription, besides one record of each subscriber.
func TestMemoryOfATable(t *testing.T) {
	const nodes, channels = 1000, 200
	var p subscribers
	before := heap()
	tables := make([]readers, channels)
	for i := range tables {
		for j := range nodes {
			var id engine.ID
			id[0], id[1] = byte(j), byte(j>>8)
			s := Subscription{Node: engine.Peer{ID: id, Address: "somewhere"}, Count: 1, Stamp: 1}
			tables[i].put(&p, entry{stamp: 1, number: p.of(&s), count: 1}, nil, 64)
		}
	}
	each := float64(heap()-before) / (nodes * channels)
	t.Logf("%.0f bytes a subscription, in tables of %d", each, nodes)
	if each > 64 {
		t.Error("that is too much")
	}
	runtime.KeepAlive(tables)
}
