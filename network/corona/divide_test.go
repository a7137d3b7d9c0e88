package corona

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/corona/roster"
	"tidings/network/engine"
	"tidings/network/sim/simtest"
)

// divider is a node that divides one host, and what it has granted.
type divider struct {
	*testNet
	*Node
	host *host
}

func newDivider(t *simtest.T, ceiling int) *divider {
	v := newSigningTestNet(t, t.World(testNetConfig()), 12, func(c *Config) { c.HostCeiling = ceiling })
	return &divider{v, v.at(v.nodes[0]).corona, &host{key: engine.ID{1}, index: make(map[engine.ID]*claimed)}}
}

// claim has a channel of the host claimed for some readers at nodes of its own.
func (d *divider) claim(name string, nodes []int, count int, bits uint8) *claimed {
	id := engine.IDOf([]byte(name))
	c := d.host.index[id]
	if c == nil {
		c = &claimed{channel: id, by: engine.Peer{ID: id, Address: "x"}}
		d.host.index[id] = c
		d.host.claims = append(d.host.claims, c)
	}
	c.sample, c.pending = nil, true
	for _, n := range nodes {
		c.sample = append(c.sample, roster.Sampled{Node: numbered(n), Count: float64(count)})
	}
	c.claim = Claim{Readers: uint32(len(nodes) * count), Bits: bits, Pollers: []uint32{uint32(d.Ring.Nodes() >> min(bits, 62))}}
	return c
}

func (d *divider) grantNow() { d.Do(d.nodes[0], func(engine.Protocol) { d.budget.divide(d.host) }) }

// Whatever is claimed, and however claims change while grants hold, what can come of all grants stays
// below the ceiling's share, and the polls below what readers would send (hostile 44).
func TestDivisionKeepsItsLimits(t *testing.T) {
	simtest.Run(t, 1, func(s *simtest.T) {
		d := newDivider(s, 1)
		rapid.Check(t, func(t *rapid.T) {
			ceiling := rapid.IntRange(1, 400).Draw(t, "ceiling")
			d.Node.config.HostCeiling = ceiling
			d.host = &host{key: engine.ID{1}, index: make(map[engine.ID]*claimed)}
			var later time.Duration
			for range rapid.IntRange(1, 4).Draw(t, "rounds") {
				for range rapid.IntRange(1, 12).Draw(t, "claims") {
					nodes := rapid.SliceOfNDistinct(rapid.IntRange(0, 40), 1, 20, rapid.ID[int]).Draw(t, "nodes")
					c := d.claim(fmt.Sprint(rapid.IntRange(0, 20).Draw(t, "channel")), nodes, rapid.IntRange(1, 64).Draw(t, "count"),
						rapid.SampledFrom([]uint8{0, 1, 2, 3, alone}).Draw(t, "bits"))
					c.claim.Pollers = rapid.SliceOfN(rapid.Uint32Range(1, 30), 0, 4).Draw(t, "pollers")
					c.claim.Verifies = uint8(rapid.IntRange(0, 9).Draw(t, "polls"))
				}
				before := d.requests()
				d.grantNow() // to those that have claimed
				d.keepsLimits(t, before)
				for _, c := range d.host.claims {
					c.pending = true
				}
				d.grantNow()
				d.keepsLimits(t, 0)
				later += time.Duration(rapid.IntRange(1, 400).Draw(t, "minutes")) * time.Minute
				d.SetWall(d.nodes[0], later)
			}
		})
	})
}

// requests returns what comes of the latest grants.
func (d *divider) requests() (sum float64) {
	for _, c := range d.host.claims {
		sum += d.Node.budget.latest(c).requests()
	}
	return sum
}

// keepsLimits fails if more can come of all grants than the ceiling's share, or if more comes of the latest than
// readers would send, and than before: where readers have gone, channels keep what they have until they claim again.
func (d *divider) keepsLimits(t *rapid.T, before float64) {
	var most float64
	for _, c := range d.host.claims {
		most += d.budget.heldOf(c)
	}
	if ceiling := d.Node.config.HostCeiling; most > ceilingShare*float64(ceiling)*(1+1e-9) {
		t.Fatalf("%v requests can come of what is granted, of a ceiling of %d", most, ceiling)
	}
	_, readers := d.budget.provedReaders(d.host, float64(d.Node.config.MaxHostReaders))
	least := math.Ldexp(float64(len(d.host.claims)), -slowest) // which each channel gets
	if requests := d.requests(); requests > max(readers, before)*(1+1e-9)+least {
		t.Fatalf("%v requests for %v readers, after %v", requests, readers, before)
	}
}

// A level costs what has been counted at it: not what a larger wedge comes to by halves.
func TestDivisionTakesPollersAsCounted(t *testing.T) {
	simtest.Run(t, 1, func(t *simtest.T) {
		for _, test := range []struct {
			pollers []uint32
			want    float64 // requests, of eight readers
		}{
			{[]uint32{12, 6, 3}, 6 + 1},
			{[]uint32{12, 11, 4}, 4 + 1},
			{[]uint32{12}, 6 + 1},
		} {
			d := newDivider(t, 10_000)
			c := d.claim("news", []int{1, 2, 3, 4, 5, 6, 7, 8}, 1, 0)
			c.claim.Pollers = test.pollers
			d.grantNow()
			if got := d.Node.budget.latest(c).requests(); got != test.want {
				t.Errorf("pollers %v: %v requests, want %v", test.pollers, got, test.want)
			}
		}
	})
}

// Who claims something else once he has been granted something makes that no dearer, so that there is room for others.
func TestLaterClaimsTakeNoRoom(t *testing.T) {
	simtest.Run(t, 1, func(t *simtest.T) {
		d := newDivider(t, 1000)
		all := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
		d.claim("malicious", all, 1, 0)
		d.grantNow()
		d.claim("malicious", all, 1, alone).claim.Pollers = []uint32{1 << 30}
		d.grantNow()
		honest := d.claim("honest", all, 1, 1)
		d.grantNow()
		if got := d.Node.budget.latest(honest); got.bits != 1 {
			t.Errorf("it gets %+v", got)
		}
	})
}

// A host below its ceiling gives each channel what it wants, as far as there are readers.
func TestDivisionByReaders(t *testing.T) {
	simtest.Run(t, 1, func(t *simtest.T) {
		d := newDivider(t, 10_000)
		few := d.claim("few", []int{1, 2}, 1, 0)
		many := d.claim("many", []int{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 1, 0)
		modest := d.claim("modest", []int{17, 18, 19, 20, 21, 22, 23, 24}, 1, alone)
		d.grantNow()
		if got := d.Node.budget.latest(modest); got.bits != alone || got.every != 0 {
			t.Errorf("who wants little gets %+v", got)
		}
		if got := d.Node.budget.latest(many); got.bits != 0 {
			t.Errorf("14 readers get %+v", got)
		}
		if got := d.Node.budget.latest(few); got.polls < 1 {
			t.Errorf("two readers get %+v", got)
		}
	})
}

// Of a host at its ceiling a channel gets its readers' share, and no less because others make up channels
// without end for few nodes.
func TestMadeUpChannelsTakeNoMoreThanTheirReadersShare(t *testing.T) {
	simtest.Run(t, 1, func(t *simtest.T) {
		d := newDivider(t, 100)
		honest := d.claim("honest", []int{1, 2, 3, 4, 5, 6}, 1, 2)
		for i := range 500 {
			d.claim(fmt.Sprint("made up ", i), []int{7, 8}, 64, 0)
		}
		d.grantNow()
		if got := d.Node.budget.latest(honest); got.polls < 1 {
			t.Errorf("beside 500 channels it gets %+v", got)
		}
		if got := d.Node.budget.latest(d.host.claims[1]); got.polls > 0.25 {
			t.Errorf("one of 500 gets %+v", got)
		}
	})
}

// numbered returns an ID that looks drawn.
func numbered(i int) engine.ID { return engine.IDOf(binary.BigEndian.AppendUint64(nil, uint64(i))) }
