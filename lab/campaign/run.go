package campaign

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"tidings/lab/dataset"
	"tidings/network"
	"tidings/network/corona"
	"tidings/network/corona/coronatest"
	"tidings/network/corona/plan"
	"tidings/network/engine"
	"tidings/network/forward/forwardtest"
	"tidings/network/honeycomb"
	"tidings/network/pastry"
	"tidings/network/sim"
	"tidings/network/sim/latency"
)

// Outcome is what came of a run.
type Outcome struct {
	Hash     uint64    `json:"-"`                 // of everything that happened
	Events   uint64    `json:"events"`            // simulated
	Virtual  Seconds   `json:"virtual"`           // how much time has passed in the world
	Quiet    Seconds   `json:"quiet"`             // how long after healing nodes were at rest; 0: they were not
	Bounded  string    `json:"bounded,omitempty"` // why it was not judged to its end
	Failures []Failure `json:"failures,omitempty"`
}

// Reasons to end a run from within.
var (
	errStopped = errors.New("stopped")
	errBounded = errors.New("bounded")
)

// Run plays a world. An error means that there is no outcome: the world is invalid, or ctx was done first. Run checks
// ctx once in each second of the world's time.
func Run(ctx context.Context, w *World) (o Outcome, err error) {
	if err := w.Validate(); err != nil {
		return o, err
	}
	r := newRun(ctx, w)
	func() {
		defer r.rescue(&err)
		r.play()
	}()
	if err != nil {
		return o, err
	}
	return r.outcome(), nil
}

// run is a world as it is played.
type run struct {
	world  *World
	ctx    context.Context
	sim    *sim.World
	net    *coronatest.World // nil until the ring is formed
	judges judges

	channels []corona.Channel
	authors  []*author // of what is pushed
	liars    map[sim.Node]bool
	reads    [][]int         // by node: the channels that it is to follow
	pushes   [][]int         // by node: the publishers that it is to follow
	lives    []int           // by node: how often it has started
	joined   []bool          // by node: it is not late any more
	started  []time.Duration // by node: when it started last
	weather  weather
	storm    time.Duration // when the first phase began; 0: it has not
	over     bool          // it has ended
	changing bool          // origins change
	bounded  string
	leaves   int                             // of a leaf set
	acked    map[follower]int                // the life of a node in which its subscription was acknowledged last
	owners   map[engine.ID]map[sim.Node]bool // nodes that have ever owned a channel
}

func newRun(ctx context.Context, w *World) *run {
	return &run{
		world: w, ctx: ctx, liars: w.liars(), lives: make([]int, w.Nodes), reads: make([][]int, w.Nodes),
		pushes: make([][]int, w.Nodes), joined: make([]bool, w.Nodes),
		weather: make(weather),
	}
}

// rescue turns what ended the run from within into what it means.
func (r *run) rescue(err *error) {
	switch cause := recover(); cause {
	case nil:
	case errStopped:
		*err = context.Cause(r.ctx)
	case errBounded:
		r.bounded = fmt.Sprintf("ended at %v, after %d events", r.sim.Now(), r.world.MaxEvents)
	default:
		text := fmt.Sprint(cause)
		if strings.HasPrefix(text, "coronatest:") {
			r.judges.ring.fail(r.sim.Now(), nowhere, engine.ID{}, "%s", text)
			return
		}
		r.judges.sound.fail(r.sim.Now(), nowhere, engine.ID{}, "panic: %s\n%s", text,
			firstLines(string(debug.Stack()), 30))
	}
}

func firstLines(text string, count int) string {
	lines := strings.SplitN(text, "\n", count+1)
	return strings.Join(lines[:min(count, len(lines))], "\n")
}

// play is the whole run.
func (r *run) play() {
	w := r.world
	c := coronatest.SimConfig()
	c.Seed, c.Wire, c.Latency = w.Seed, w.Wire, w.latency()
	if w.Private {
		forwardtest.Configure(&c)
	}
	c.Queue = perLink() * (w.Nodes + 1) // so that no sender's messages push out another's, and the oracle sees too many
	r.sim = sim.New(c)
	r.started = make([]time.Duration, w.Nodes)
	r.judges = r.newJudges()
	r.authors = r.newAuthors()
	r.sim.Every(time.Second, r.tick)
	r.listen(c.Codec)
	r.net = coronatest.New(r.sim, r.settings(c.Codec))
	r.follow()
	r.sim.Run(w.before() - w.Interval.D())
	r.judges.quiet.rest = r.load(w.Interval.D())
	if len(w.Faults) > 0 || w.Late > 0 {
		r.judges.quiet.control = r.control
	}
	r.storms()
	r.net.Settle()
	r.rest()
	r.sim.Run(w.recovery() - w.Interval.D())
	if ahead := w.before() + w.signedAhead() - r.sim.Now(); ahead > 0 {
		r.sim.Run(ahead)
	}
	r.judges.quiet.recovered(r.sim.Now(), r.load(w.Interval.D()))
	r.judges.begin(r.sim.Now())
	for _, a := range r.authors {
		a.resume()
	}
	r.changing = true
	r.sim.Run(w.Calm.D())
	r.changing = false
	r.sim.Run(w.arrival())
	r.judges.finish(r.sim)
}

// control returns the load of nodes at rest in the same world without faults, in which all nodes are up from the
// beginning.
func (r *run) control() load {
	w := r.world.clone()
	w.Faults, w.Late = nil, 0
	c := newRun(r.ctx, w)
	c.play()
	q := c.judges.quiet
	return q.rest.larger(q.settled).larger(q.back)
}

// rest waits until nodes are at rest, or should be.
func (r *run) rest() {
	healed := r.sim.Now()
	r.sim.Run(quietAfter)
	for {
		after := r.sim.Now() - healed
		l := r.load(quietLasts)
		if r.judges.quiet.compare(r.sim.Now(), after, l) {
			return
		}
	}
}

// How long parts of a run last besides the phases.
const (
	quietAfter = time.Minute // after faults have ended and the ring is right again, all should be at rest
	quietLasts = 5 * time.Minute
	renewals   = 5 // polling intervals between renewals, as by default
)

// before returns how long a network is left alone before the first phase: owners find each other, levels are chosen.
func (w *World) before() time.Duration { return w.Interval.D() * 5 / 2 }

// recovery returns how long after a right ring all subscriptions are back, whatever was lost: 9/8 of
// corona.Config.Renew. Levels are chosen anew after that.
func (w *World) recovery() time.Duration { return w.Interval.D() * renewals * 9 / 8 }

// signedAhead returns until when readers may wait for items of publishers with calendars that ran ahead, counted from
// the beginning of the first phase. Readers refuse items that are signed for a future time, and receive them all when
// that time has come. It is 0 if no calendar ran ahead.
func (w *World) signedAhead() (until time.Duration) {
	for _, f := range w.Faults {
		ahead := time.Duration(f.Amount * float64(time.Second))
		if f.Kind == Wall && ahead > 0 &&
			slices.ContainsFunc(w.Publishers, func(p Publisher) bool { return p.Node == f.Node }) {
			until = max(until, f.At+f.For+ahead+quietLasts)
		}
	}
	return until
}

// arrival returns how long the newest content may need to reach each follower. Half of all turns can be skipped for
// checks by readers (corona/plan, Rest). So where two or three nodes poll, and all have their slots in one half of the
// interval, there may be no poll for two intervals. Where a host's ceiling is low, a channel is polled as seldom as its
// primary's certificate says (corona/budget), and nothing is stated.
func (w *World) arrival() time.Duration { return 2*w.Interval.D() + reaching }

// lowCeiling reports whether the ceiling of a host can bind.
func (w *World) lowCeiling() bool { return w.Ceiling > 0 && w.Ceiling < lowest }

// lowest is the least ceiling that binds no host here: the default one's.
const lowest = 18_000

// settings returns what nodes are started with.
func (r *run) settings(codec *engine.Codec) coronatest.Settings {
	w := r.world
	s := coronatest.Default(w.Nodes)
	s.Pastry = pastry.Default()
	r.leaves = s.Pastry.LeafSet
	s.Pastry.KeepAlive *= time.Duration(w.Upkeep)
	s.Pastry.TablePeriod *= time.Duration(w.Upkeep)
	s.Late, s.Homes, s.OwnPolls, s.Only = w.Late, w.Private, true, true
	for _, o := range r.judges.all {
		s.Checkers = append(s.Checkers, o.Checker)
	}
	config := &s.Corona
	config.Interval, config.Maintenance = w.Interval.D(), 2*w.Interval.D()
	config.AggregateEvery = w.Interval.D() / 3
	config.Renew, config.Forget = renewals*w.Interval.D(), 16*w.Interval.D()
	config.Witnesses, config.HostCeiling, config.DirectUpTo = w.Witnesses, w.Ceiling, w.DirectUpTo
	config.Policy, _ = honeycomb.ParsePolicy(w.Policy)
	config.Router, _ = network.ParseRouter(w.Router)
	s.Pushes = len(w.Publishers) > 0
	s.Trees = config.Router == network.Scribe || s.Pushes && config.Router == network.Direct
	s.Rappel = config.Router == network.Rappel
	s.Spider, s.Zones, s.Home = config.Router == network.SpiderCast, config.Router == network.NewsWire, w.home
	s.Started = r.publishers
	s.Configure = func(n sim.Node, _ *corona.Config) { r.starts(n) }
	s.Env = func(n sim.Node, env engine.Env) engine.Env {
		if !r.liars[n] {
			return env
		}
		return &liar{env, n, r.lying, codec}
	}
	return s
}

// starts notes that a node starts.
func (r *run) starts(n sim.Node) {
	r.lives[n]++
	r.started[n] = r.sim.Now()
	r.joined[n] = true
}

var planetLab = sync.OnceValue(func() [][]time.Duration { return dataset.PlanetLab()[0] })

func (w *World) latency() sim.Latency {
	switch w.Latency {
	case uniform:
		return sim.Uniform{Min: 10 * time.Millisecond, Max: 300 * time.Millisecond}
	case planetlab:
		return latency.NewMatrix(w.Seed, planetLab())
	}
	return sim.Constant(50 * time.Millisecond)
}

// follow makes the channels, and has their readers follow them, within some seconds.
func (r *run) follow() {
	for i, c := range r.world.Channels {
		channel := r.net.Origin.Add(fmt.Sprintf("https://host-%d.example/feed-%d", c.Host, i))
		r.channels = append(r.channels, channel)
		r.judges.serves(r.sim.Now(), channel.ID, r.net.Origin.Content(channel.ID))
		if len(r.liars) > 0 {
			r.net.Origin.Behave(channel.ID, coronatest.Behaviour{See: r.sees})
		}
		r.judges.polite.host[channel.ID] = c.Host
		for _, n := range r.world.readers(i) {
			r.reads[n] = append(r.reads[n], i)
			if !r.world.late(n) {
				r.sim.After(time.Duration(n)*time.Millisecond, func() { r.net.Subscribe(n, channel, 1) })
			}
		}
		r.change(i, r.world.chance(uint64(i)))
	}
	for i, a := range r.authors {
		for _, n := range r.world.followers(i) {
			r.pushes[n] = append(r.pushes[n], i)
			if !r.world.late(n) {
				r.sim.After(time.Duration(n)*time.Millisecond, func() { r.net.Follow(n, a.feed) })
			}
		}
	}
}

// followAll has a node follow all that it reads and does not follow. It must be up.
func (r *run) followAll(n sim.Node) {
	for _, i := range r.reads[n] {
		if id := r.channels[i].ID; !r.wants(n, id) {
			delete(r.acked, follower{n, id}) // that was an earlier subscription, if any
			r.net.Subscribe(n, r.channels[i], 1)
		}
	}
	for _, i := range r.pushes[n] {
		r.net.Follow(n, r.authors[i].feed)
	}
}

// change has an origin change again and again, while origins do.
func (r *run) change(i int, chance *rand.Rand) {
	d := time.Duration(chance.ExpFloat64() * float64(r.world.Channels[i].Every))
	r.sim.After(max(d, 10*time.Millisecond), func() {
		if r.changing {
			content := fmt.Sprintf("channel %d at %v", i, r.sim.Now())
			r.net.Origin.Change(r.channels[i].ID, content)
			r.judges.serves(r.sim.Now(), r.channels[i].ID, content)
		}
		r.change(i, chance)
	})
}

// sees returns what a node says that an origin serves.
func (r *run) sees(n sim.Node, content string) string {
	if r.lying(n) == Invent {
		return invented(n, content)
	}
	return content
}

// lying returns how a node lies now, empty if it does not.
func (r *run) lying(n sim.Node) Kind {
	if r.storm == 0 || r.over {
		return ""
	}
	now := r.sim.Now() - r.storm
	for _, f := range r.world.Faults {
		if f.Kind.lies() && sim.Node(f.Node) == n && f.At <= now && now < f.At+f.For {
			return f.Kind
		}
	}
	return ""
}

// load lets time pass, and returns what a node does in it on average.
func (r *run) load(d time.Duration) load {
	messages, counting := r.sent()
	timers := r.sim.Counters().Timers
	r.sim.Run(d)
	up := 0
	for n := range sim.Node(r.sim.Len()) {
		if r.sim.Up(n) {
			up++
		}
	}
	each := float64(up) * d.Minutes()
	later, counts := r.sent()
	return load{float64(later-messages) / each, float64(counts-counting) / each,
		float64(r.sim.Counters().Timers-timers) / each}
}

// sent returns how many messages were sent, those that count nodes and channels apart. So are those between private
// nodes, as other nodes pass these on: they may count, too.
func (r *run) sent() (messages, counting uint64) {
	ask, answer := new(plan.AggregateRequest).Kind(), new(plan.Aggregate).Kind()
	for kind, k := range r.sim.Counters().Kinds {
		if kind == ask || kind == answer || kind.Protocol() == engine.Forward {
			counting += k.Sent
		} else {
			messages += k.Sent
		}
	}
	return messages, counting
}

// tick looks at the run once in a second of its time.
func (r *run) tick(at time.Duration) {
	r.check()
	if r.net != nil && at%r.world.lookEvery() < time.Second {
		r.look(at)
	}
}

// check ends the run if it is to be over.
func (r *run) check() {
	if r.ctx.Err() != nil {
		panic(errStopped)
	}
	if r.sim.Counters().Events > r.world.MaxEvents {
		panic(errBounded)
	}
}

func (r *run) outcome() Outcome {
	return Outcome{
		Hash: r.sim.TraceHash(), Events: r.sim.Counters().Events, Virtual: Seconds(r.sim.Now()), Bounded: r.bounded,
		Quiet: Seconds(r.judges.quiet.at), Failures: r.judges.failures(),
	}
}
