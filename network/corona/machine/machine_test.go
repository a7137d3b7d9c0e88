package machine

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// testKeys sign by the signer's ID.
type testKeys struct {
	self    engine.ID
	checked *int
}

func (k testKeys) Sign(data []byte) []byte {
	sum := engine.IDOf(data)
	return append(bytes.Repeat(k.self[:1], engine.SignatureLength-8), fmt.Sprintf("%x", sum[:4])...)
}
func (k testKeys) Signed(p engine.Peer, data, signature []byte) bool {
	*k.checked++
	return bytes.Equal(testKeys{p.ID, k.checked}.Sign(data), signature)
}

// ringOf has so many nodes.
type ringOf struct {
	Ring
	nodes int
}

func (r ringOf) Nodes() int { return r.nodes }

// Signatures are checked one by one. Up to sixteen are checked at once, more by work outside. If there is no room for
// that, then is not called.
func TestCheckSigned(t *testing.T) {
	for _, count := range []int{0, 1, 15, 16, 17, 40} {
		for _, busy := range []bool{false, true} {
			checked := 0
			env := enginetest.NewEnv(enginetest.NewPeer("50"))
			b := &Base{Env: env, Keys: testKeys{env.Self().ID, &checked}}
			for busy && env.Work(func() {}, func() {}) {
			}
			by := enginetest.NewPeer("70")
			var list []Signed
			var want []bool
			for i := range count {
				words := []byte{byte(i), 1}
				s := Signed{By: by, Words: words, Signature: testKeys{by.ID, &checked}.Sign(words)}
				switch i % 4 {
				case 1:
					s.By = enginetest.NewPeer("90")
				case 2:
					s.Signature = s.Signature[:engine.SignatureLength-1]
				case 3:
					s.Words = []byte{byte(i), 2}
				}
				list, want = append(list, s), append(want, i%4 == 0)
			}
			list, want = append(list, Signed{By: by}), append(want, true) // without words it need not be checked
			var got []bool
			calls := 0
			b.CheckSigned(list, func(valid []bool) { calls++; got = slices.Clone(valid) })
			if at := calls; (at == 1) != (count <= checkedAtOnce) {
				t.Errorf("%d, busy %v: called at once: %d", count, busy, at)
			}
			env.RunWork()
			if said := count <= checkedAtOnce || !busy; (calls == 1) != said || said && !slices.Equal(got, want) {
				t.Errorf("%d, busy %v: called %d times with %v, want %v", count, busy, calls, got, want)
			}
			hit := slices.Contains(env.Traced(), any(LimitHit{"Work", engine.MaxWork}))
			if hit != (busy && count > checkedAtOnce) {
				t.Errorf("%d, busy %v: the bound is traced: %v", count, busy, hit)
			}
		}
	}
}

// Nothing is signed without keys. With keys the signature is the node's own.
func TestSign(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("50"))
	if s := (&Base{Env: env}).Sign([]byte("words")); s != nil {
		t.Errorf("without keys it signs %x", s)
	}
	checked := 0
	keys := testKeys{env.Self().ID, &checked}
	if s := (&Base{Env: env, Keys: keys}).Sign([]byte("words")); !keys.Signed(env.Self(), []byte("words"), s) {
		t.Errorf("it signs %x", s)
	}
}

// A channel is genuine if its ID is its URL's, and a hash begins with its first eight bytes.
func TestChannelsAndHashes(t *testing.T) {
	c := Channel{engine.IDOf([]byte("http://news/")), "http://news/"}
	if !c.Genuine() || (Channel{c.ID, "http://news"}).Genuine() || (Channel{engine.PrefixID("50"), c.URL}).Genuine() {
		t.Error("a channel's URL is not distinguished from another")
	}
	if h := (Hash{1, 2, 3, 4, 5, 6, 7, 8, 9}); h.Start() != 0x0102030405060708 {
		t.Errorf("it starts with %x", h.Start())
	}
}

// A node can lead a channel within eight mean distances on either side of it, in whichever ring.
func TestMayLead(t *testing.T) {
	b := &Base{Env: enginetest.NewEnv(enginetest.NewPeer("50"))}
	channel := engine.PrefixID("80")
	for id, want := range map[string]bool{
		"80": true, "84": true, "7c": true, "8401": false, "7bff": false, "90": false, "00": false,
	} {
		// 8 of 2*256 nodes' distances, to either side: four in 256
		if got := b.MayLead(engine.PrefixID(id), channel, 256); got != want {
			t.Errorf("%s leads %s: %v", id, channel, got)
		}
	}
	if !b.MayLead(engine.PrefixID("00"), channel, 8) {
		t.Error("of eight nodes one cannot lead")
	}
}

// worked is an Env of a network whose IDs cost work. Only the listed IDs have it.
type worked struct {
	*enginetest.Env
	ids []engine.ID
}

func (w worked) Admissible(id engine.ID) bool { return slices.Contains(w.ids, id) }

// Where IDs cost work, a node without it leads no channel, however close it is. Messages may name such a node, although
// it can send none.
func TestNoNodeLeadsWithoutWork(t *testing.T) {
	channel := engine.PrefixID("80")
	paid, free := engine.PrefixID("8001"), engine.PrefixID("8000")
	b := &Base{Env: worked{enginetest.NewEnv(enginetest.NewPeer("50")), []engine.ID{paid}}}
	if !b.Admits(paid) || b.Admits(free) {
		t.Errorf("admits the ID with work: %v, the one without: %v; want true, false", b.Admits(paid), b.Admits(free))
	}
	if !b.MayLead(paid, channel, 256) {
		t.Error("a close node whose ID has the work cannot lead; it can")
	}
	if b.MayLead(free, channel, 256) {
		t.Error("a node whose ID lacks the work leads, as it is close; it cannot")
	}
}

// An alternate key is half a gap to two and a half from the channel, on either side as often.
func TestAlternateKeys(t *testing.T) {
	const nodes = 1000
	b := &Base{Env: enginetest.NewEnv(enginetest.NewPeer("50")), Ring: ringOf{nodes: nodes}}
	channel := engine.PrefixID("80")
	least, most, above := 10., 0., 0
	for range 2000 {
		key := b.AlternateKey(channel)
		away := key.Distance(channel).Position() * nodes
		least, most = min(least, away), max(most, away)
		if key.Compare(channel) > 0 {
			above++
		}
	}
	if least < 0.49 || least > 0.52 || most > 2.51 || most < 2.45 || above < 850 || above > 1150 {
		t.Errorf("keys are %.2f to %.2f gaps away, %d of 2000 above", least, most, above)
	}
	alone := &Base{Env: b.Env, Ring: ringOf{nodes: 0}}
	alone.AlternateKey(channel) // a ring without nodes is one with one
}

// What nodes do at intervals comes an eighth earlier at most, and a chance is anything below its bound.
func TestJitterAndChance(t *testing.T) {
	b := &Base{Env: enginetest.NewEnv(enginetest.NewPeer("50"))}
	least, most, chance := time.Hour, time.Duration(0), time.Duration(0)
	for range 2000 {
		d := b.Jitter(800 * time.Second)
		least, most = min(least, d), max(most, d)
		c := b.Chance(time.Second)
		if chance = max(chance, c); c < 0 || c >= time.Second {
			t.Fatalf("a chance of %v", c)
		}
	}
	if least < 700*time.Second || least > 705*time.Second || most > 800*time.Second || most < 795*time.Second ||
		chance < 950*time.Millisecond {
		t.Errorf("jitter from %v to %v, chances up to %v", least, most, chance)
	}
	if d := b.Jitter(0); d != 0 {
		t.Errorf("no time becomes %v", d)
	}
}

// The sizes that there are for peers: up to 64 bits, with runs that the bits have room for.
func TestSizesThatCanBe(t *testing.T) {
	for _, c := range []struct {
		size Size
		want bool
	}{
		{Size{}, true}, {Size{0, 1}, true}, {Size{0, 2}, false}, {Size{4, 16}, true}, {Size{4, 17}, false},
		{Size{7, 128}, true}, {Size{7, 129}, false},
		{Size{8, 255}, true}, {Size{MaxSizeBits, 1}, true}, {Size{MaxSizeBits, 255}, true},
		{Size{MaxSizeBits + 1, 1}, false},
	} {
		if got := c.size.Valid(); got != c.want {
			t.Errorf("%+v is valid: %v", c.size, got)
		}
	}
	if Fine(0) != (Size{}) || Fine(-3) != (Size{}) || Fine(100_000) != Alone ||
		Fine(Steps*(MaxSizeBits-fineBits)) == Alone ||
		Fine(Steps*(MaxSizeBits-fineBits)+1) != Alone {
		t.Errorf("sizes end at %+v and %+v", Fine(Steps*(MaxSizeBits-fineBits)), Fine(Steps*(MaxSizeBits-fineBits)+1))
	}
}

// prefixed is an Env that knows the part of the network of an address: what stands before its first dot.
type prefixed struct{ *enginetest.Env }

func (prefixed) Prefix(a engine.Address) string {
	before, _, known := strings.Cut(string(a), ".")
	if !known {
		return ""
	}
	return before
}

// Two addresses are neighbours if they are known to be in one part of the network. Where nothing is known none are.
func TestNeighbours(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("50"))
	for _, c := range []struct {
		a, b engine.Address
		are  bool
	}{{"x.1", "x.2", true}, {"x.1", "x.1", true}, {"x.1", "y.1", false}, {"x.1", "", false}, {"", "", false},
		{"local", "local", false}} {
		b, unknown := Base{Env: prefixed{env}}, Base{Env: env}
		if b.Neighbours(c.a, c.b) != c.are || b.Neighbours(c.b, c.a) != c.are || unknown.Neighbours(c.a, c.b) {
			t.Errorf("%q and %q are neighbours: %v", c.a, c.b, !c.are)
		}
	}
}

// Times are rounded up to seconds, and down to milliseconds. What a message cannot say becomes the nearest that it can.
func TestTimesInMessages(t *testing.T) {
	for d, want := range map[time.Duration]struct{ seconds, millis uint32 }{
		0: {0, 0}, 1: {1, 0}, time.Millisecond: {1, 1}, 2*time.Millisecond - 1: {1, 1}, time.Second - 1: {1, 999},
		time.Second:     {1, 1000},
		time.Second + 1: {2, 1000}, -1: {0, 0}, -time.Hour: {0, 0}, time.Hour: {3600, 3_600_000},
		math.MaxInt64 - time.Hour: {1 << 31, math.MaxUint32},
	} {
		if seconds, millis := InSeconds(d), InMillis(d); seconds != want.seconds || millis != want.millis {
			t.Errorf("%v is %d s and %d ms, want %v", d, seconds, millis, want)
		}
	}
	for _, ms := range []uint32{0, 1, 999, math.MaxUint32} {
		if InMillis(Milliseconds(ms)) != ms {
			t.Errorf("%d ms do not come back", ms)
		}
	}
}
