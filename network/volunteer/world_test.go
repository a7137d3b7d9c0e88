package volunteer_test

import (
	"encoding/binary"
	"time"

	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/routers/scribe"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
	"tidings/network/volunteer"
)

var codec = engine.NewCodec(pastry.Vocabulary, scribe.Vocabulary, volunteer.Vocabulary)

// town is a world of nodes that all follow one channel, which changes when the test says.
type town struct {
	*sim.World
	t       *simtest.T
	config  volunteer.Config
	content uint64
	at      time.Duration // of the latest change
	nodes   []*villager
	env     func(n sim.Node, env engine.Env) engine.Env // makes liars; nil: there are none

	polls    []time.Duration // when somebody polled
	detected []time.Duration // how long each change waited for the first poll
}

// villager is one node.
type villager struct {
	*engine.Stack
	town      *town
	env       engine.Env
	scribe    *scribe.Node
	volunteer *volunteer.Node
	had       uint64
	seen      []uint64 // contents, as they came
	polls     int
	stored    int
	unfit     bool // nothing that others have found fits what is here
	opinions  map[engine.ID]volunteer.Opinion
}

const (
	pollTime  = 100 * time.Millisecond
	storeTime = 20 * time.Millisecond
	url       = "http://origin.example/feed"
	host      = "origin.example"
)

var followed = engine.IDOf([]byte(url))

func newTown(t *simtest.T, nodes int, config volunteer.Config, env func(sim.Node, engine.Env) engine.Env) *town {
	c := sim.Default(codec)
	c.Wire = true
	v := &town{World: t.World(c), t: t, config: config, env: env}
	for range nodes {
		id := engine.DrawID(v.Rand())
		number := sim.Node(v.Len())
		v.Boot(v.Add(id, func(env engine.Env, _ *sim.Disk) engine.Protocol { return v.start(number, env) }))
		v.Run(100 * time.Millisecond)
	}
	v.Run(5 * time.Minute)
	return v
}

func (v *town) start(number sim.Node, env engine.Env) *villager {
	if v.env != nil {
		env = v.env(number, env)
	}
	n := &villager{town: v, env: env, Stack: engine.NewStack(env), opinions: make(map[engine.ID]volunteer.Opinion)}
	ring := pastry.New(env, pastry.Default())
	n.volunteer = volunteer.New(env, v.Keys(number), n, v.config)
	n.scribe = scribe.New(env, ring, n.volunteer, scribe.Default())
	n.volunteer.Use(n.scribe)
	ring.Handle(engine.Scribe, n.scribe)
	n.Add(engine.Pastry, ring)
	n.Add(engine.Scribe, n.scribe)
	if number == 0 {
		ring.Create()
	} else {
		ring.Join(v.Peer(0))
	}
	n.volunteer.Follow(followed, host)
	v.nodes = append(v.nodes, n)
	return n
}

// Poll implements volunteer.Poller.
func (n *villager) Poll(channel engine.ID) {
	n.env.After(pollTime, func() {
		v := n.town
		n.polls++
		v.polls = append(v.polls, v.Now())
		found := volunteer.Found{Hash: hashOf(v.content)}
		if n.had != v.content {
			found.Payload = []byte("what leads there")
			n.see(v.content)
		}
		n.volunteer.Polled(channel, found)
	})
}

// Take implements volunteer.Poller.
func (n *villager) Take(m *volunteer.PollReport) {
	n.stored++
	n.env.After(storeTime, func() {
		content := binary.BigEndian.Uint64(m.Hash[:])
		if !n.unfit && content != n.had {
			n.see(content)
		}
		n.volunteer.Taken(m, !n.unfit)
	})
}

// Opinion implements volunteer.Poller.
func (n *villager) Opinion(finder engine.ID) volunteer.Opinion { return n.opinions[finder] }

func (n *villager) see(content uint64) {
	if v := n.town; content == v.content && len(v.detected) < int(content) {
		v.detected = append(v.detected, v.Now()-v.at)
	}
	n.had = content
	n.seen = append(n.seen, content)
}

func hashOf(content uint64) (h volunteer.Hash) {
	binary.BigEndian.PutUint64(h[:], content)
	h[31] = 1
	return h
}

func (v *town) change() {
	v.content++
	v.at = v.Now()
}

// rate returns how often the channel was polled in an interval, since a time.
func (v *town) rate(since time.Duration) float64 {
	count := 0
	for _, at := range v.polls {
		if at >= since {
			count++
		}
	}
	return float64(count) * float64(v.config.Interval) / float64(v.Now()-since)
}
