package experiments

import (
	"math/rand/v2"
	"slices"
	"time"

	"tidings/lab"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/scribe"
	"tidings/network/sim"
	"tidings/network/volunteer"
)

var volunteerCodec = engine.NewCodec(pastry.Vocabulary, scribe.Vocabulary, volunteer.Vocabulary)

// volunteerTown is a world whose nodes volunteer.
type volunteerTown struct {
	*coronaFigures
	work   *coronaWork
	sizes  coronaSizes
	config volunteer.Config
	world  *sim.World
	watch  *watch
	chance *rand.Rand
	began  time.Duration

	nodes []*volunteerNode
	found []time.Duration // by channel: when a poll first saw the latest content
	seen  []uint32        // by channel: the latest content that a poll saw
	told  []float64       // seconds from such a poll until another reader was told
}

// volunteerNode is a node and what its library holds.
type volunteerNode struct {
	*engine.Stack
	town      *volunteerTown
	env       engine.Env
	ring      *pastry.Node
	volunteer *volunteer.Node
	holds     map[int]uint32 // by channel that it follows: which content
}

func measureVolunteers(run *lab.Run, work *coronaWork, s coronaSizes, row string) (*volunteerTown, error) {
	c := sim.Default(volunteerCodec)
	c.Seed, c.Latency = run.Seed(), sim.Uniform{Min: 10 * time.Millisecond, Max: 120 * time.Millisecond}
	t := &volunteerTown{
		work: work, sizes: s, config: volunteer.Default(), world: sim.New(c), chance: rand.New(rand.NewPCG(run.Seed(), 0x701)),
		found: make([]time.Duration, s.Channels), seen: make([]uint32, s.Channels),
	}
	if row == "as-many" {
		t.config.Enough = s.Subscriptions / s.Channels
	}
	t.coronaFigures = newCoronaFigures(work, s, t.config.Interval)
	t.watch = newWatch(t.world, s.Channels)
	t.watch.counted = func(channel int, at time.Duration) { t.poll(channel, at-t.began) }
	t.watch.answered = func(channel int, q question, at time.Duration) {
		if q.change {
			t.change(channel, q.at-t.began, at-q.at)
		} else {
			t.probe(channel, q.at-t.began, at-q.at)
		}
	}
	if err := t.form(run); err != nil {
		return nil, err
	}
	run.Stage("polling", 0.9)
	if err := run.Advance(t.world, s.For+2*t.config.Interval); err != nil {
		return nil, err
	}
	t.close()
	run.Ran(t.world)
	return t, nil
}

// form makes the ring, and has all follow what they want at one moment.
func (t *volunteerTown) form(run *lab.Run) error {
	run.Stage("joining", 0.1)
	const step = 50 * time.Millisecond
	for i := range t.sizes.Nodes {
		var id engine.ID
		for j := range id {
			id[j] = byte(t.chance.Uint32())
		}
		n := t.world.Add(id, t.start)
		t.world.At(time.Duration(i)*step, func() { t.world.Boot(n) })
	}
	if err := run.Advance(t.world, time.Duration(t.sizes.Nodes)*step+settling*pastry.Default().TablePeriod); err != nil {
		return err
	}
	t.began = t.world.Now()
	nodes := make([]int, t.sizes.Nodes)
	for i := range t.work.channels {
		for _, r := range t.work.readings(i, nodes, t.sizes.Homes, corona.Default().MaxCount) {
			n := t.nodes[r.node]
			n.holds[i] = 0
			t.world.Do(sim.Node(r.node), func(engine.Protocol) { n.volunteer.Follow(t.work.channels[i].ID, "") })
		}
		t.changeLater(i, 0)
		t.probeLater(i, 0)
	}
	return nil
}

func (t *volunteerTown) start(env engine.Env, _ *sim.Disk) engine.Protocol {
	n := &volunteerNode{Stack: engine.NewStack(env), town: t, env: env, ring: pastry.New(env, pastry.Default()), holds: make(map[int]uint32)}
	n.volunteer = volunteer.New(env, nil, n, t.config)
	tree := scribe.New(env, n.ring, n.volunteer, scribe.Default())
	n.volunteer.Use(tree)
	n.ring.Handle(engine.Scribe, tree)
	n.Add(engine.Pastry, n.ring)
	n.Add(engine.Scribe, tree)
	if len(t.nodes) == 0 {
		n.ring.Create()
	} else {
		n.ring.Join(t.nodes[t.chance.IntN(len(t.nodes))].env.Self())
	}
	t.nodes = append(t.nodes, n)
	return n
}

// Poll implements volunteer.Poller.
func (n *volunteerNode) Poll(id engine.ID) {
	n.env.After(requestTakes, func() {
		t := n.town
		i := t.work.number(id)
		t.watch.once(i)
		content := t.watch.channels[i].content
		f := volunteer.Found{Hash: hashOfContent(int32(i), content)}
		if content > n.holds[i] {
			n.holds[i], f.Payload = content, wholeContent
		}
		if content > t.seen[i] {
			t.seen[i], t.found[i] = content, t.world.Now()
		}
		n.volunteer.Polled(id, f)
	})
}

// Take implements volunteer.Poller.
func (n *volunteerNode) Take(m *volunteer.PollReport) {
	n.env.After(0, func() {
		n.take(n.town.work.number(m.Channel), contentOf(corona.Hash(m.Hash)))
		n.volunteer.Taken(m, true)
	})
}

func (n *volunteerNode) take(channel int, content uint32) {
	if content <= n.holds[channel] {
		return
	}
	n.holds[channel] = content
	if content == n.town.seen[channel] {
		n.town.told = append(n.town.told, (n.town.world.Now() - n.town.found[channel]).Seconds())
	}
}

// Opinion implements volunteer.Poller.
func (n *volunteerNode) Opinion(engine.ID) volunteer.Opinion { return volunteer.Neutral }

// hashOfContent names a channel's k-th content, the one before the first too.
func hashOfContent(channel int32, k uint32) volunteer.Hash {
	if k == 0 {
		return volunteer.Hash{31: 1}
	}
	return volunteer.Hash(coronaHash(channel, k))
}

func (t *volunteerTown) changeLater(channel, k int) {
	gap := t.work.untilChange(channel, k)
	if t.world.Now()+gap >= t.began+t.sizes.For {
		return
	}
	t.world.After(gap, func() {
		t.watch.change(channel)
		t.changeLater(channel, k+1)
	})
}

func (t *volunteerTown) probeLater(channel, k int) {
	part := t.config.Interval / time.Duration(t.sizes.Probes)
	at := time.Duration(k)*part + time.Duration(t.work.chance(chanceProbe, channel, k).Int64N(int64(part)))
	if at >= t.sizes.For {
		return
	}
	t.world.At(t.began+at, func() {
		t.watch.ask(channel, question{at: t.world.Now()})
		t.probeLater(channel, k+1)
	})
}

func (t *volunteerTown) toldMedian() float64 {
	if len(t.told) == 0 {
		return 0
	}
	slices.Sort(t.told)
	return t.told[len(t.told)/2]
}

// lacking counts readers who do not have what somebody has found.
func (t *volunteerTown) lacking() (count int) {
	for _, n := range t.nodes {
		for i, content := range n.holds {
			if content < t.seen[i] {
				count++
			}
		}
	}
	return count
}
