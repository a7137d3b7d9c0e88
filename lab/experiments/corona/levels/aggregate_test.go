package levels

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// drawFactors draws channels of all kinds: subscriptions and sizes over many magnitudes.
func drawFactors(t *rapid.T) honeycomb.Factors {
	return honeycomb.Factors{
		Subscribers: uint32(rapid.Uint64Range(0, 1<<rapid.IntRange(0, 32).Draw(t, "doublings")-1).Draw(t,
			"subscribers")),
		Size:   rapid.Uint32().Draw(t, "size"),
		Update: time.Duration(rapid.Int64().Draw(t, "update")),
	}
}

// drawAggregate draws the aggregate of some channels, and the channels.
func drawAggregate(t *rapid.T, m Model) (a Aggregate, channels []Cluster) {
	for range rapid.IntRange(0, 60).Draw(t, "channels") {
		c := m.Cluster(drawFactors(t), rapid.Uint32().Draw(t, "pollers"))
		if rapid.IntRange(0, 9).Draw(t, "full") == 0 { // sums that reach the end of the numbers
			c = Cluster{Channels: math.MaxUint64, Subscribers: math.MaxUint64, Size: math.MaxUint64, Weight: c.Weight,
				Due: math.MaxUint64, Load: c.Load, Delay: math.MaxUint64}
		}
		channels = append(channels, c)
		a.Add(rapid.IntRange(0, 3).Draw(t, "level"), c)
	}
	if rapid.Bool().Draw(t, "slack") {
		c := m.Cluster(drawFactors(t), rapid.Uint32().Draw(t, "pollers"))
		channels = append(channels, c)
		a.AddSlack(c)
	}
	return a, channels
}

func merged(list ...Aggregate) (sum Aggregate) {
	for i := range list {
		sum.Merge(&list[i])
	}
	return sum
}

func TestMergingIsCommutativeAndAssociative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Default()
		m.Policy.Goal, m.Interval = honeycomb.FairSqrt, time.Hour
		a, inA := drawAggregate(t, m)
		b, inB := drawAggregate(t, m)
		c, inC := drawAggregate(t, m)
		want := merged(a, b, c)
		for what, got := range map[string]Aggregate{
			"c, b, a": merged(c, b, a), "b, a, c": merged(b, a, c),
			"a and (b, c)": merged(a, merged(b, c)), "(c, a) and b": merged(merged(c, a), b),
		} {
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s merges to\n%+v\na, b, c to\n%+v", what, got, want)
			}
		}
		if err := want.Validate(); err != nil {
			t.Fatal(err)
		}
		var total Cluster
		for _, channel := range slices.Concat(inA, inB, inC) {
			total.Add(channel)
		}
		if got := want.Total(); got != total {
			t.Fatalf("all channels come to %+v, the clusters to %+v", total, got)
		}
	})
}

// Bins depend on the channels, not on the order in which they came.
func TestBinsDependOnChannelsAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOf(rapid.Custom(drawFactors)).Draw(t, "channels")
		var there, back Bins
		for i := range list {
			there.Add(Default().Cluster(list[i], 1))
			back.Add(Default().Cluster(list[len(list)-1-i], 1))
		}
		if !reflect.DeepEqual(there, back) {
			t.Fatalf("%+v\n%+v", there, back)
		}
		if there.Scale > 0 && needs(list, there.Scale-1) <= MaxBins {
			t.Fatalf("scale %d for channels that need %d bins of scale %d", there.Scale, needs(list, there.Scale-1),
				there.Scale-1)
		}
	})
}

func needs(list []honeycomb.Factors, scale uint8) int {
	seen := make(map[int16]bool)
	for _, f := range list {
		seen[index(Default().Cluster(f, 1).ratio())>>scale] = true
	}
	return len(seen)
}

// At scale 0 the channels of a bin differ by an eighth at most.
func TestFinestBins(t *testing.T) {
	for ratio := 1e-12; ratio < 1e12; ratio *= 1.01 {
		i := index(ratio)
		if next := index(ratio * 9 / 8); next == i {
			t.Fatalf("%g and a ninth more are in the same bin %d", ratio, i)
		} else if next < i || next > i+2 {
			t.Fatalf("%g is in bin %d, a ninth more in %d", ratio, i, next)
		}
	}
	if index(1) != 0 || index(2) != 8 || index(.5) != -8 {
		t.Errorf("1, 2 and 1/2 are in bins %d, %d, %d", index(1), index(2), index(.5))
	}
	for _, ratio := range []float64{0, math.MaxUint64} {
		index(ratio) // fits
	}
	if !(index(0) < index(1./math.MaxUint64)) || index(math.MaxUint64) != 512 {
		t.Errorf("0 is in bin %d, 2^64 in %d", index(0), index(math.MaxUint64))
	}
}

func TestAggregateValidate(t *testing.T) {
	one := Cluster{Channels: 1, Subscribers: 2, Size: 512, Weight: 2 << fixedBits, Due: 1024}
	bins := func(b ...Bin) Aggregate { return Aggregate{Levels: []Bins{{}, {Bins: b}}} }
	change := func(f func(c *Cluster)) Aggregate {
		c := one
		f(&c)
		return bins(Bin{0, c})
	}
	many := make([]Bin, MaxBins+1)
	for i := range many {
		many[i] = Bin{int16(i), one}
	}
	for what, a := range map[string]Aggregate{
		"33 levels":           {Levels: make([]Bins, MaxLevels+1)},
		"17 bins":             bins(many...),
		"equal bins":          bins(Bin{3, one}, Bin{3, one}),
		"bins out of order":   bins(Bin{3, one}, Bin{2, one}),
		"too wide a scale":    {Levels: []Bins{{Scale: maxScale + 1}}},
		"no channels":         change(func(c *Cluster) { c.Channels = 0 }),
		"sizes of nothing":    change(func(c *Cluster) { c.Size = 0 }),
		"sizes below 1":       change(func(c *Cluster) { c.Channels = 513 }),
		"due without readers": change(func(c *Cluster) { c.Subscribers = 0 }),
		"a slack of sizes":    {Slack: Cluster{Size: 1}},
		"more due than there": change(func(c *Cluster) { c.Due = 1025 }),
	} {
		if a.Validate() == nil {
			t.Errorf("%s: valid", what)
		}
	}
	for what, a := range map[string]Aggregate{
		"nothing": {}, "one": bins(Bin{0, one}), "16 bins": bins(many[:MaxBins]...),
		"32 levels": {Levels: make([]Bins, MaxLevels)},
	} {
		if err := a.Validate(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// message is a message with an aggregate, as a protocol would send it.
type message struct {
	Aggregate Aggregate      `cbor:"1,keyasint"`
	Inner     engine.Message `cbor:"2,keyasint"`
}

func (*message) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 1) }

var codec = engine.NewCodec(engine.Vocabulary{
	Protocol: engine.Experiment, Name: "test", Messages: []engine.MessageType{{Message: new(message)}},
})

func TestAggregateTravels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, _ := drawAggregate(t, Default())
		sent := &message{Aggregate: a}
		data, err := codec.Append(nil, &message{Inner: sent})
		if err != nil {
			t.Fatal(err)
		}
		got, err := codec.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if back := got.(*message).Inner; !reflect.DeepEqual(back, sent) {
			t.Fatalf("sent %+v\ncame %+v", sent, back)
		}
	})
}

// However many channels there are, an aggregate of them has bounded length.
func TestAggregateIsSmall(t *testing.T) {
	most := Cluster{math.MaxUint64, math.MaxUint64, math.MaxUint64, math.MaxUint64, math.MaxUint64, math.MaxUint64,
		math.MaxUint64}
	full := Aggregate{Slack: most}
	for range MaxLevels {
		b := Bins{Scale: maxScale}
		for i := range int16(MaxBins) {
			b.Bins = append(b.Bins, Bin{math.MinInt16 + i, most})
		}
		full.Levels = append(full.Levels, b)
	}
	if n := codec.Size(&message{Aggregate: full}); n > 40<<10 {
		t.Errorf("the longest aggregate has %d bytes", n)
	}

	rnd := rand.New(rand.NewPCG(1, 1))
	var usual Aggregate
	for i := range 100_000 {
		q := 1 + uint32(1e5/(1+float64(i)))
		usual.Add(3+rnd.IntN(6), Default().Cluster(honeycomb.Factors{Subscribers: q,
			Size: uint32(math.Exp(7 + 4*rnd.Float64()))}, 50))
	}
	n := codec.Size(&message{Aggregate: usual})
	t.Logf("100,000 channels at six levels need %d bytes", n)
	if n > 6*MaxBins*50 {
		t.Errorf("100,000 channels at six levels need %d bytes", n)
	}
}
