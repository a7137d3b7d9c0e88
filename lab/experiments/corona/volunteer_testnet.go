package corona

import (
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/routers/scribe"
	"tidings/network/sim"
	"tidings/network/volunteer"
)

var volunteerCodec = engine.NewCodec(pastry.Vocabulary, scribe.Vocabulary, volunteer.Vocabulary)

// volunteerTestnet is a world of nodes that volunteer.
type volunteerTestnet struct {
	*polled
	config volunteer.Config
	found  []time.Duration // by channel: when a poll first saw the latest content
	seen   []uint32        // by channel: the latest content that a poll saw
	delays []float64       // seconds from such a poll until another reader received it
}

// volunteerNode is a node and what its library holds.
type volunteerNode struct {
	*engine.Stack
	testnet   *volunteerTestnet
	env       engine.Env
	ring      *pastry.Node
	volunteer *volunteer.Node
	holds     map[int]uint32 // by channel that it follows: which content
}

func measureVolunteers(run *lab.Run, work *workload, s sizes, row string) *volunteerTestnet {
	c := sim.Default(volunteerCodec)
	c.Latency = testnet.Spread
	config := volunteer.Default()
	if row == "as-many" {
		config.Enough = s.Subscriptions / s.Channels
	}
	t := &volunteerTestnet{
		polled: newPolled(run, c, 0x701, newMeasured(work, s, config.Interval)), config: config,
		found: make([]time.Duration, s.Channels), seen: make([]uint32, s.Channels),
	}
	t.Start, t.Hasty = t.start, true
	t.form(t.AddNodes(s.Nodes), 0.1)
	t.follow()
	run.Stage("polling", 0.9)
	run.Advance(t.World, s.For+2*config.Interval)
	t.close()
	run.Ran(t.World)
	return t
}

func (t *volunteerTestnet) node(n sim.Node) *volunteerNode { return t.Protocol(n).(*volunteerNode) }

// follow has all follow what they want at one moment.
func (t *volunteerTestnet) follow() {
	nodes := make([]int, t.sizes.Nodes)
	for i, c := range t.work.channels {
		for _, r := range t.work.readings(i, nodes, t.sizes.Homes, corona.Default().MaxCount) {
			n := t.node(sim.Node(r.node))
			n.holds[i] = 0
			t.Do(sim.Node(r.node), func(engine.Protocol) { n.volunteer.Follow(c.ID, "") })
		}
		t.changeLater(i, 0)
		t.probeLater(i, 0)
	}
}

func (t *volunteerTestnet) start(number sim.Node, env engine.Env) engine.Protocol {
	n := &volunteerNode{Stack: engine.NewStack(env), testnet: t, env: env, ring: pastry.New(env, t.Config),
		holds: make(map[int]uint32)}
	n.volunteer = volunteer.New(env, nil, n, t.config)
	tree := scribe.New(env, n.ring, n.volunteer, scribe.Default())
	n.volunteer.Use(tree)
	n.ring.Handle(engine.Scribe, tree)
	n.Add(engine.Pastry, n.ring)
	n.Add(engine.Scribe, tree)
	if len(t.Live) == 0 {
		n.ring.Create()
	} else {
		n.ring.Join(t.Peer(t.Someone()))
	}
	t.Entered(number, n.ring)
	return n
}

// Poll implements volunteer.Poller.
func (n *volunteerNode) Poll(id engine.ID) {
	n.env.After(requestTime, func() {
		t := n.testnet
		i := t.work.number(id)
		t.watch.once(i)
		content := t.watch.channels[i].content
		f := volunteer.Found{Hash: hashOfContent(int32(i), content)}
		if content > n.holds[i] {
			n.holds[i], f.Payload = content, wholeContent
		}
		if content > t.seen[i] {
			t.seen[i], t.found[i] = content, t.Now()
		}
		n.volunteer.Polled(id, f)
	})
}

// Take implements volunteer.Poller.
func (n *volunteerNode) Take(m *volunteer.PollReport) {
	n.env.After(0, func() {
		n.apply(n.testnet.work.number(m.Channel), contentOf(corona.Hash(m.Hash)))
		n.volunteer.Taken(m, true)
	})
}

func (n *volunteerNode) apply(channel int, content uint32) {
	if content <= n.holds[channel] {
		return
	}
	n.holds[channel] = content
	if content == n.testnet.seen[channel] {
		n.testnet.delays = append(n.testnet.delays, (n.testnet.Now() - n.testnet.found[channel]).Seconds())
	}
}

// Opinion implements volunteer.Poller.
func (n *volunteerNode) Opinion(engine.ID) volunteer.Opinion { return volunteer.Neutral }

// hashOfContent names a channel's k-th content, the one before the first too.
func hashOfContent(channel int32, k uint32) volunteer.Hash {
	if k == 0 {
		return volunteer.Hash{31: 1}
	}
	return volunteer.Hash(hashOf(channel, k))
}

// lacking counts readers that do not have what some poll has found.
func (t *volunteerTestnet) lacking() (count int) {
	for _, n := range t.Live {
		for i, content := range t.node(n).holds {
			if content < t.seen[i] {
				count++
			}
		}
	}
	return count
}
