package sim

import (
	"io"
	"math/rand/v2"
	"time"

	"tidings/network/engine"
)

// World is a simulated network.
type World struct {
	config Config
	now    time.Duration
	queue  queue

	// What events point to.
	passages slab[delivery]
	timers   timers
	errands  slab[errand]

	nodes   []*[nodesAtOnce]node
	origins []origin // by node
	places  places

	latencyChance *rand.Rand
	faultChance   *rand.Rand
	chance        *rand.Rand // the experiment's

	steady      bool // no message can overtake another by itself
	order       order
	faulty      bool // some Faults are set
	faultyNodes int
	links       map[pair]*Faults
	cuts        []*Cut // those that are on
	flapping    []*Cut
	homes       *Homes // nil: everybody can connect to everybody
	named       directory

	wire  []byte // scratch
	sizes sizes
	kinds kinds

	observers []Observer
	taps      []Tap
	writer    io.Writer
	watched   bool // there are taps, or a writer
	counts    Counters
	hash      hash
	ticks     int // tick events to come
	running   bool
	sink      uint64 // see soon
}

// New returns a world without nodes. It panics if c is not valid.
func New(c Config) *World {
	if err := c.Validate(); err != nil {
		panic("sim: a world with " + err.Error() + "; start from Default")
	}
	if c.Latency == nil {
		c.Latency = Constant(50 * time.Millisecond)
	}
	w := &World{
		config: c, places: newPlaces(c.AddressBytes), links: make(map[pair]*Faults), hash: newHash(c.Seed),
		latencyChance: c.source(0), faultChance: c.source(1), chance: c.source(2),
		counts: Counters{Kinds: make(map[engine.Kind]*Count)},
	}
	for _, k := range c.Codec.Kinds() {
		w.addKind(k)
	}
	w.findFaulty()
	w.queue.prefetch = w.prefetch
	return w
}

// source returns a source of chance that is no node's.
func (c *Config) source(number uint64) *rand.Rand {
	return rand.New(rand.NewPCG(c.Seed, 1<<63|number))
}

// Now returns the time since the world began.
func (w *World) Now() time.Duration { return w.now }

// Seed returns what the world's chance comes from.
func (w *World) Seed() uint64 { return w.config.Seed }

// Rand returns a source of chance for the experiment, of its own and seeded.
func (w *World) Rand() *rand.Rand { return w.chance }

// After has the experiment do something at a time from now.
func (w *World) After(d time.Duration, f func()) { w.At(later(w.now, max(d, 0)), f) }

// At makes the experiment do something at a time since the world began; at once, but after what is due now, if that has
// passed. It is done between events, when no protocol is running.
func (w *World) At(at time.Duration, f func()) {
	slot, e := w.errands.alloc()
	e.call = f
	w.queue.push(entry{at: int64(min(max(at, w.now), forever)), ref: refOf(callWorld, slot), node: nobody})
}

// Every calls f every d from now, as long as the world runs: for snapshots and checks. Like an observer, f must not
// touch the world. It is no event, and the trace hash is the same without it.
func (w *World) Every(d time.Duration, f func(at time.Duration)) {
	if d <= 0 {
		panic("sim: looking on without end at one moment")
	}
	slot, e := w.errands.alloc()
	e.call = func() {
		f(w.now)
		w.ticks++
		w.queue.push(entry{at: int64(later(w.now, d)), ref: refOf(tick, slot), node: nobody})
	}
	w.ticks++
	w.queue.push(entry{at: int64(later(w.now, d)), ref: refOf(tick, slot), node: nobody})
}
