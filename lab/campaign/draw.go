package campaign

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"tidings/lab/dataset"
	"tidings/network"
	"tidings/network/honeycomb"
	"tidings/network/sim"
)

// drawn numbers how worlds are drawn: another number for the same seed is another world. It stands in logs.
const drawn = 3

// Draw returns the world of a seed.
func Draw(seed uint64) *World {
	d := drawing{rand.New(rand.NewPCG(seed, 0xca3b))}
	w := &World{Seed: seed, Nodes: d.nodes(), MaxEvents: maxEvents}
	d.settings(w)
	d.channels(w)
	zonesOf(seed).zones(w)
	w.bound()
	d.faults(w)
	pushesOf(seed).publishers(w)
	return w
}

// pushesOf draws publishers apart from all else, so that the rest of a world of a seed stays.
func pushesOf(seed uint64) drawing { return drawing{rand.New(rand.NewPCG(seed, 0x9b15))} }

// zonesOf draws zones apart from all else, as pushesOf does.
func zonesOf(seed uint64) drawing { return drawing{rand.New(rand.NewPCG(seed, 0x20e5))} }

// Small returns the world of a seed with few nodes, for tests that have seconds.
func Small(seed uint64) *World {
	d := drawing{rand.New(rand.NewPCG(seed, 0x5a11))}
	w := &World{Seed: seed, Nodes: MinNodes + d.IntN(9), MaxEvents: maxEvents}
	d.settings(w)
	d.channels(w)
	w.Channels = w.Channels[:min(len(w.Channels), 4)]
	w.Interval, w.Storm = Seconds(5*time.Minute), Seconds(6*time.Minute)
	w.Calm = w.Interval
	d.faults(w)
	pushesOf(seed).publishers(w)
	return w
}

type drawing struct{ *rand.Rand }

// zones draws into how large zones nodes are divided with newswire, where they are more than some.
func (d drawing) zones(w *World) {
	switch {
	case w.Router != network.NewsWire.String():
	case w.Nodes > mostInZone:
		w.Zoned = oneOf(d, 16, 32, mostInZone)
	case w.Nodes > 2*MinNodes:
		w.Zoned = oneOf(d, 0, MinNodes, 16)
	}
}

// log draws from least to most, each order of magnitude as likely as the others.
func (d drawing) log(least, most float64) float64 {
	return least * math.Exp(d.Float64()*math.Log(most/least))
}

// duration draws as log does.
func (d drawing) duration(least, most time.Duration) Seconds {
	return Seconds(time.Duration(d.log(float64(least), float64(most))).Truncate(time.Second))
}

// nodes draws how many there are: of a hundred worlds some sixty have less than 40, and three above 1,000.
func (d drawing) nodes() int {
	most := []float64{24, 48, 160, MaxNodes}[min(3, int(d.ExpFloat64()*1.3))]
	return int(d.log(MinNodes, most+0.5))
}

func oneOf[T any](d drawing, all ...T) T { return all[d.IntN(len(all))] }

// settings draws all but channels and faults.
func (d drawing) settings(w *World) {
	router := network.RouterName(d.IntN(int(network.NewsWire) + 1))
	w.Router = router.String()
	if router != network.Direct {
		w.DirectUpTo = oneOf(d, 0, 2, 16)
	}
	w.Policy = oneOf(d, "lite", "lite", "fair", "fair-sqrt", "fair-log",
		honeycomb.Policy{Goal: honeycomb.Fast, Target: time.Minute}.String())
	w.Interval = Seconds(oneOf(d, 5*time.Minute, 5*time.Minute, 10*time.Minute, 30*time.Minute))
	w.Witnesses = oneOf(d, 4, 4, 2, 1)
	w.Ceiling = oneOf(d, lowest, lowest, 0, 200)
	w.Latency = oneOf(d, constant, uniform, planetlab)
	w.Wire = w.Nodes <= 200 && d.IntN(4) == 0
	w.Private = d.IntN(6) == 0
	w.Storm = d.duration(2*time.Minute, 20*time.Minute)
	w.Calm = w.Interval * Seconds(1+d.IntN(2))
	if d.IntN(3) == 0 {
		w.Late = d.IntN(w.Nodes / 2)
	}
	w.Upkeep = 1
	switch {
	case w.Nodes > 1000:
		w.Upkeep = 8
	case w.Nodes > 100:
		w.Upkeep = 4
	}
}

// channels draws these, popular and rare ones, on few hosts or on many.
func (d drawing) channels(w *World) {
	count, hosts := int(d.log(1, 24)), int(d.log(1, 12))
	for range count {
		c := Channel{Host: d.IntN(hosts), Readers: int(d.log(1, float64(w.Nodes)+0.5)),
			Every: d.duration(time.Second, 6*time.Hour)}
		if d.IntN(3) == 0 {
			c.Every = Seconds(max(recorded(d).Truncate(time.Second), time.Second))
		}
		w.Channels = append(w.Channels, c)
	}
}

// maxPushed is about how many items all followers of a publisher are given at most. Of those of more there are fewer.
const maxPushed = 100_000

// publishers draws up to three, in half of all worlds.
func (d drawing) publishers(w *World) {
	if d.IntN(2) == 0 {
		return
	}
	liars := w.liars()
	for range 1 + d.IntN(3) {
		p := Publisher{Node: d.IntN(w.Nodes - w.Late), Readers: int(d.log(1, float64(w.Nodes)-0.5)),
			Every: d.duration(time.Second, 6*time.Hour)}
		p.Readers = max(1, min(p.Readers, int(maxPushed*p.Every/(w.Storm+w.Calm))))
		if !liars[sim.Node(p.Node)] {
			w.Publishers = append(w.Publishers, p)
		}
	}
}

// feeds are those that were recorded once.
var feeds = sync.OnceValue(func() []dataset.Feed {
	return slices.DeleteFunc(dataset.Feeds(), func(f dataset.Feed) bool { return len(f.Updates) < 2 })
})

// recorded draws the time between two updates of such a feed.
func recorded(d drawing) time.Duration {
	f := oneOf(d, feeds()...)
	i := 1 + d.IntN(len(f.Updates)-1)
	return min(f.Updates[i].Time.Sub(f.Updates[i-1].Time), 24*time.Hour)
}

// faults draws what goes wrong. Of each kind there are none, or about as many as the mean time between two of them
// allows. At most one node lies: several that lie together can deceive others (hostile 68).
func (d drawing) faults(w *World) {
	liar := d.IntN(w.Nodes - w.Late)
	lies := oneOf(d, Invent, Forge, Mute)
	outage := d.duration(5*time.Second, max(10*time.Second, min(2*time.Minute, w.Storm.D()/2)))
	for _, k := range Kinds() {
		if d.IntN(2) == 0 || k.lies() && k != lies || k == Join && w.Late == 0 {
			continue
		}
		switch {
		case k == Join:
			w.Faults = append(w.Faults,
				Fault{At: d.within(w.Storm.D() / 2), For: d.duration(time.Second, 2*time.Minute).D(), Kind: Join})
		case k.lies():
			w.Faults = append(w.Faults, Fault{For: w.Storm.D(), Kind: k, Node: liar})
		case k == Loss || k == Duplicate || k == Reorder || k == Spike:
			w.Faults = append(w.Faults, d.weather(w, k))
		default:
			d.repeated(w, k, outage.D())
		}
	}
	if !slices.ContainsFunc(w.Faults, func(f Fault) bool { return f.Kind == Join }) {
		w.Late = 0
	}
	slices.SortStableFunc(w.Faults, func(a, b Fault) int { return int(a.At - b.At) })
}

func (d drawing) within(most time.Duration) time.Duration {
	return time.Duration(d.Int64N(int64(max(most, time.Second)))).Truncate(time.Millisecond)
}

// weather draws a fault of all messages. Half of them last as long as the phase.
func (d drawing) weather(w *World, k Kind) Fault {
	f := Fault{For: w.Storm.D(), Kind: k, Amount: math.Round(d.log(0.002, 0.3)*1000) / 1000}
	if k == Spike {
		f.Amount = math.Round(d.log(0.0002, 0.01)*10000) / 10000
	}
	if d.IntN(2) == 0 {
		f.At = d.within(w.Storm.D())
		f.For = max(time.Second, d.within(w.Storm.D()-f.At))
	}
	return f
}

// maxOfKind bounds how many faults of a kind a world has.
const maxOfKind = 60

// repeated draws faults that come again and again.
func (d drawing) repeated(w *World, k Kind, outage time.Duration) {
	mean := d.log(float64(5*time.Second), float64(w.Storm))
	at := time.Duration(0)
	for range maxOfKind {
		at += time.Duration(d.ExpFloat64() * mean).Truncate(time.Millisecond)
		if at >= w.Storm.D() {
			return
		}
		f := Fault{At: at, For: time.Millisecond + d.within(outage), Kind: k, Node: d.IntN(w.Nodes)}
		switch k {
		case Partition, OneWay:
			f.Amount = math.Round(d.Float64()*1e6) / 1e6
		case Slow:
			f.Amount = math.Round(d.log(0.001, 0.1)*1000) / 1000
		case Wall:
			f.Amount = math.Round(d.Float64()*7200 - 3600)
		case Rate:
			f.Amount = oneOf(d, 0.5, 0.9, 0.999, 1.001, 1.1, 2)
		}
		w.Faults = append(w.Faults, f)
	}
}
