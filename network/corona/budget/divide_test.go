package budget

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/corona/machine"
	"tidings/network/corona/roster"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// ring is of so many nodes; nothing else is known of it.
type ring struct {
	machine.Ring
	nodes int
}

func (r *ring) Nodes() int { return r.nodes }

// around is a Host that wants nothing.
type around struct {
	Host
	nodes *ring
}

func (a around) Nodes() int                     { return a.nodes.nodes }
func (a around) Plausible(share float64) uint32 { return uint32(4*float64(a.nodes.nodes)*share + 16) }

// signing are keys of which nothing is asked but that they sign.
type signing struct{ engine.Keys }

func (signing) Sign([]byte) []byte { return make([]byte, engine.SignatureLength) }

// usual is Corona's, of which a test changes what it needs.
var usual = Config{
	Interval: 30 * time.Minute, Maintenance: time.Hour, Forget: 8 * time.Hour, HostCeiling: 18_000, HostOwners: 9,
	MaxHostReaders: 64, MaxCount: 64,
	MaxHostClaims: 1 << 18,
}

// divider is a node that divides one host, and what it has granted.
type divider struct {
	*hosts
	env  *enginetest.Env
	of   *host
	ring *ring
}

func newDivider(nodes, ceiling int) *divider {
	env, r, c := enginetest.NewEnv(enginetest.NewPeer("05")), &ring{nodes: nodes}, usual
	c.HostCeiling = ceiling
	b := New(machine.Base{Env: env, Ring: r, Keys: signing{}}, around{nodes: r}, c)
	return &divider{b.hosts, env, &host{key: engine.ID{1}, index: make(map[engine.ID]*claimed)}, r}
}

// numbered returns an ID that looks drawn.
func numbered(i int) engine.ID { return engine.IDOf(binary.BigEndian.AppendUint64(nil, uint64(i))) }

// wedge returns the size of the set that shares so many first bits with a channel.
func wedge(bits int) machine.Size { return machine.Size{Bits: uint8(bits), Run: 1} }

// claim has a channel of the host claimed for some readers at nodes of its own.
func (d *divider) claim(name string, nodes []int, count int, size machine.Size) *claimed {
	id := engine.IDOf([]byte(name))
	c := d.of.index[id]
	if c == nil {
		c = &claimed{channel: id, by: engine.Peer{ID: id, Address: "x"}}
		d.of.index[id] = c
		d.of.claims = append(d.of.claims, c)
	}
	c.sample, c.pending = nil, true
	for _, n := range nodes {
		c.sample = append(c.sample, roster.Sampled{Node: numbered(n), Count: float64(count)})
	}
	c.claim = Claim{Readers: uint32(len(nodes) * count), Size: size,
		Pollers: []uint32{uint32(float64(d.ring.nodes) * size.Share())}}
	return c
}

func (d *divider) grantNow() { d.divide(d.of) }

// Whatever is claimed, and however claims change while grants hold, all grants can cause less than the ceiling's share,
// and fewer polls than readers would send (hostile 44).
func TestDivisionKeepsItsLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ceiling := rapid.IntRange(1, 400).Draw(t, "ceiling")
		d := newDivider(rapid.IntRange(1, 200).Draw(t, "ring"), ceiling)
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			for range rapid.IntRange(1, 12).Draw(t, "claims") {
				nodes := rapid.SliceOfNDistinct(rapid.IntRange(0, 40), 1, 20, rapid.ID[int]).Draw(t, "nodes")
				c := d.claim(fmt.Sprint(rapid.IntRange(0, 20).Draw(t, "channel")), nodes,
					rapid.IntRange(1, 64).Draw(t, "count"),
					rapid.SampledFrom([]machine.Size{wedge(0), machine.Fine(3), wedge(1), machine.Fine(13), wedge(2),
						wedge(3), machine.Alone}).Draw(t, "size"))
				c.claim.Pollers = rapid.SliceOfN(rapid.Uint32Range(0, 30), 0, 4).Draw(t, "pollers")
				c.claim.Verifies = uint8(rapid.IntRange(0, 9).Draw(t, "polls"))
			}
			before := d.requests()
			d.grantNow() // to those that have claimed
			d.keepsLimits(t, before)
			for _, c := range d.of.claims {
				c.pending = true
			}
			d.grantNow()
			d.keepsLimits(t, 0)
			d.env.Advance(time.Duration(rapid.IntRange(1, 400).Draw(t, "minutes")) * time.Minute)
		}
	})
}

// requests returns what comes of the latest grants.
func (d *divider) requests() (sum float64) {
	for _, c := range d.of.claims {
		sum += d.latest(c).requests()
	}
	return sum
}

// keepsLimits fails if grants can cause more than the ceiling's share. It also fails if the latest cause more than
// readers would send, and than before: where readers have gone, channels keep what they have until they claim again.
func (d *divider) keepsLimits(t *rapid.T, before float64) {
	var most float64
	for _, c := range d.of.claims {
		most += d.heldOf(c)
	}
	if ceiling := d.config.HostCeiling; most > ceilingShare*float64(ceiling)*(1+1e-9) {
		t.Fatalf("%v requests can come of the grants, with a ceiling of %d", most, ceiling)
	}
	_, readers := d.of.provedReaders(float64(d.config.MaxHostReaders))
	least := math.Ldexp(float64(len(d.of.claims)), -slowest) // which each channel gets
	if requests := d.requests(); requests > max(readers, before)*(1+1e-9)+least {
		t.Fatalf("%v requests for %v readers, after %v", requests, readers, before)
	}
}

// drawn are channels that are to share a limit.
func drawn(t *rapid.T, d *divider, sizes ...machine.Size) (menus []menu, readers []float64) {
	for i := range rapid.IntRange(1, 60).Draw(t, "channels") {
		c := d.claim(fmt.Sprint(i), nil, 1, rapid.SampledFrom(sizes).Draw(t, "wants"))
		c.claim.Verifies = uint8(rapid.IntRange(0, 9).Draw(t, "verifies"))
		menus = append(menus, d.menu(c))
		readers = append(readers, math.Exp(rapid.Float64Range(0, 9).Draw(t, "log of readers")))
	}
	return menus, readers
}

// Shares stay within their limit, unless the smallest possible exceed it. They are in proportion to readers up to a
// step: none is more than a step above the mean a reader, nor could be larger within that.
func TestSharesAreInProportion(t *testing.T) {
	d := newDivider(5000, 18_000)
	rapid.Check(t, func(t *rapid.T) {
		d.of = &host{index: make(map[engine.ID]*claimed)}
		menus, readers := drawn(t, d, machine.Size{}, machine.Fine(11), machine.Fine(40), machine.Alone)
		limit, cost := math.Exp(rapid.Float64Range(-3, 12).Draw(t, "log of limit")), portion.requests
		if rapid.Bool().Draw(t, "by the ceiling") {
			cost = portion.ceiling
		}
		s := share(menus, readers, limit, cost)
		sum, last := 0., true
		for i := range menus {
			m := &menus[i]
			now := cost(m.at(s.at[i]))
			sum += now
			last = last && s.at[i] == m.len()-1
			if s.at[i] > 0 && cost(m.at(s.at[i]-1)) <= s.each*readers[i] {
				t.Fatalf("channel %d gets %v, and could have more by %v a reader", i, now, s.each)
			}
			if s.at[i]+1 < m.len() && cost(m.at(s.at[i]+1)) > s.each*readers[i] && s.at[i]+1 < m.len()-1 {
				t.Fatalf("channel %d gets %v, more than a step above %v a reader", i, now, s.each)
			}
		}
		if sum > limit*(1+1e-9) && !last {
			t.Fatalf("%v of %v are granted", sum, limit)
		}
	})
}

// At least 95 % of a limit are used if channels want more and steps allow it. Otherwise the rest is too little for the
// next step of any channel.
func TestSharesUseTheirLimitUp(t *testing.T) {
	d := newDivider(100_000, 18_000)
	rapid.Check(t, func(t *rapid.T) {
		d.of = &host{index: make(map[engine.ID]*claimed)}
		menus, readers := drawn(t, d, machine.Size{}, machine.Fine(11))
		all := 0.
		for _, q := range readers {
			all += q
		}
		limit := all * rapid.Float64Range(0.1, 1000).Draw(t, "each")
		s := share(menus, readers, limit, portion.requests)
		if s.sum >= 0.95*limit {
			return
		}
		for i := range menus {
			m := &menus[i]
			if s.at[i] == 0 {
				continue
			}
			now, next := m.at(s.at[i]).requests(), m.at(s.at[i]-1).requests()
			if now <= s.each*readers[i] && next-now <= limit-s.sum {
				t.Fatalf("%.1f %% of the limit are used, and channel %d could have %v for %v", 100*s.sum/limit, i, next,
					now)
			}
		}
	})
}

// A host of some channels that want more than they get uses nearly all of what its readers would send. With halves of
// halves it was half at times.
func TestReadersGetNearlyWhatTheyPayFor(t *testing.T) {
	for _, counts := range [][]int{{60, 60}, {60, 50, 40, 30}, {20, 20, 20, 20, 20, 20, 20, 20},
		{60, 7, 5, 3, 30, 30}} {
		d := newDivider(1000, 1_000_000)
		all, nodes := 0, 0
		for i, count := range counts {
			var of []int
			for range count {
				nodes++
				of = append(of, nodes)
			}
			d.claim(fmt.Sprint(i), of, 1, wedge(0))
			all += count
		}
		d.grantNow()
		used := d.requests() / (float64(all)*(1-keptBack) - 1)
		t.Logf("%v readers: %.1f %% used", counts, 100*used)
		if used > 1 || used < 0.95 {
			t.Errorf("%v readers: %.1f %% used", counts, 100*used)
		}
	}
}

// A set costs what has been counted in it, if that is more than the average; smaller sets cost less in proportion.
func TestDivisionUsesCountedPollers(t *testing.T) {
	for _, test := range []struct {
		pollers uint32
		want    float64 // requests, of eight readers
	}{
		{12, 6.75},  // 12 nodes, of which 9/16 are 6.75
		{3, 6.6275}, // no fewer than there are, less what chance can do: 9.75 - √9.75, of 13/16
		{24, 6.75},  // of twice as many as there are 9/32 are as many
	} {
		d := newDivider(12, 10_000)
		c := d.claim("news", []int{1, 2, 3, 4, 5, 6, 7, 8}, 1, wedge(0))
		c.claim.Pollers = []uint32{test.pollers}
		d.grantNow()
		if got := d.latest(c).requests(); math.Abs(got-test.want) > 1e-4 {
			t.Errorf("%d pollers: %v requests, want %v", test.pollers, got, test.want)
		}
	}
	d := newDivider(12, 10_000)
	c := d.claim("news", []int{1}, 1, wedge(0))
	c.claim.Pollers = []uint32{1 << 30}
	m := d.menu(c)
	if got := m.at(0).polls; got != 4*12+16 {
		t.Errorf("of a ring of 12 nodes %v pollers are believed", got)
	}
}

// A later claim for something else does not make an earlier grant dearer, so that there is room for others.
func TestLaterClaimsUseNoRoom(t *testing.T) {
	d := newDivider(12, 1000)
	all := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	d.claim("malicious", all, 1, wedge(0))
	d.grantNow()
	d.claim("malicious", all, 1, machine.Alone).claim.Pollers = []uint32{1 << 30}
	d.grantNow()
	honest := d.claim("honest", all, 1, wedge(1))
	d.grantNow()
	if got := d.latest(honest); got.size.Share() != 0.5 {
		t.Errorf("it gets %+v", got)
	}
}

// A host below its ceiling grants each channel what it wants, as far as there are readers.
func TestDivisionByReaders(t *testing.T) {
	d := newDivider(12, 10_000)
	few := d.claim("few", []int{1, 2}, 1, wedge(0))
	many := d.claim("many", []int{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 1, wedge(0))
	modest := d.claim("modest", []int{17, 18, 19, 20, 21, 22, 23, 24}, 1, machine.Alone)
	d.grantNow()
	if got := d.latest(modest); got.size != machine.Alone || got.every != 0 {
		t.Errorf("a channel that wants little gets %+v", got)
	}
	if got := d.latest(many); got.size.Share() != 1 {
		t.Errorf("14 readers get %+v", got)
	}
	if got := d.latest(few); got.polls < 1 {
		t.Errorf("two readers get %+v", got)
	}
}

// At its ceiling a host grants a channel its readers' share, whatever number of channels others invent for few nodes.
func TestInventedChannelsGetNoMoreThanTheirReadersShare(t *testing.T) {
	d := newDivider(12, 100)
	honest := d.claim("honest", []int{1, 2, 3, 4, 5, 6}, 1, wedge(2))
	for i := range 500 {
		d.claim(fmt.Sprint("made up ", i), []int{7, 8}, 64, wedge(0))
	}
	d.grantNow()
	if got := d.latest(honest); got.polls < 1 {
		t.Errorf("beside 500 channels it gets %+v", got)
	}
	if got := d.latest(d.of.claims[1]); got.polls > 0.25 {
		t.Errorf("one of 500 gets %+v", got)
	}
}

// Grants count until they end, whatever follows them. No fewer than the known requests can be caused, however many
// grants there are.
func TestGrantsCountUntilTheyEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c claimed
		var grants []held
		now := int64(0)
		for range rapid.IntRange(1, 12).Draw(t, "grants") {
			g := held{portion{size: machine.Fine(8), most: float64(rapid.IntRange(1, 9).Draw(t, "most"))}, now + 100}
			c.hold(g)
			grants = append(grants, g)
			now += rapid.Int64Range(1, 60).Draw(t, "later")
			c.expire(now)
			want, got := 0., 0.
			for _, g := range grants {
				if g.until > now {
					want = max(want, g.most)
				}
			}
			for _, g := range c.held {
				got = max(got, g.most)
			}
			if got < want || len(c.held) > maxHeld {
				t.Fatalf("%v is known of grants for %v, in %d", got, want, len(c.held))
			}
		}
	})
}

// BenchmarkDivide divides a host of many channels, each of which wants more than it gets.
func BenchmarkDivide(b *testing.B) {
	for _, channels := range []int{100, 10_000} {
		b.Run(fmt.Sprint(channels), func(b *testing.B) {
			d := newDivider(100_000, 18_000)
			for i := range channels {
				d.claim(fmt.Sprint(i), []int{i, i + 1, i + 2}, 1+i%9, wedge(0))
			}
			for b.Loop() {
				for _, c := range d.of.claims {
					c.pending = true
				}
				d.grantNow()
			}
		})
	}
}
