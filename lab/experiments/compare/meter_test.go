package compare

import (
	"testing"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/compare/fan"
	"tidings/lab/experiments/testnet"
	"tidings/network"
	"tidings/network/engine"
	"tidings/network/sim"
)

// small is a world that needs no time to speak of.
var small = struct {
	size
	times
}{
	size{nodes: 30, topics: 6, follows: 3, events: 20},
	times{settle: 3 * time.Minute, warm: 10 * time.Second, calm: time.Minute, trouble: time.Minute, after: time.Minute,
		joins: 2, observed: 0.2},
}

// measured runs a contestant in a small world with a kind of interests, without trouble or with all nodes that crash.
func measured(t *testing.T, c *contestant, r row) *outcome {
	t.Helper()
	var o *outcome
	e := lab.Experiment[struct{}]{
		Name: "small", Title: "A small world", Source: "none", About: "For a test.",
		Expect: func(struct{}) []lab.Expected { return []lab.Expected{{Name: "one", Within: lab.Exactly(1)}} },
		Run: func(run *lab.Run, _ struct{}) error {
			sites := testnet.Locate(run.Seed(), testnet.PlanetLab(run.Seed()), small.nodes, false)
			o = measure(run, c, r, small.size, small.times, sites)
			run.Figure("one", 1)
			return nil
		},
	}
	if _, err := lab.Try(t.Context(), e, lab.Options{Scale: lab.Tiny, Seed: 1, Seeds: 1}); err != nil {
		t.Fatal(err)
	}
	return o
}

// with returns direct sends with something changed in what a node sends, and in what its member is handed.
func with(send func(h *host, to engine.Peer, m engine.Message) bool,
	deliver func(h *host, again func())) *contestant {
	return &contestant{name: "planted", vocabularies: []engine.Vocabulary{fan.Vocabulary},
		build: func(h *host) network.Router {
			n := fan.New(planted{h.Env, h, send}, handing{h.member(), h, deliver}, h.world)
			h.Add(fan.Protocol, n)
			return n
		}}
}

// planted is the Env of a node that sends otherwise.
type planted struct {
	engine.Env
	host *host
	send func(h *host, to engine.Peer, m engine.Message) bool // false: it is not sent
}

func (p planted) Send(to engine.Peer, m engine.Message) {
	if p.send == nil || p.send(p.host, to, m) {
		p.Env.Send(to, m)
	}
}

// handing is a member that is handed events otherwise.
type handing struct {
	network.Member
	host    *host
	deliver func(h *host, again func())
}

func (d handing) Deliver(topic engine.ID, event engine.Message, from engine.Peer) {
	d.Member.Deliver(topic, event, from)
	if d.deliver != nil {
		d.deliver(d.host, func() { d.Member.Deliver(topic, event, from) })
	}
}

// Nothing is wrong where nothing is planted, and direct sends are as long as direct sends.
func TestNothingPlanted(t *testing.T) {
	o := measured(t, with(nil, nil), row{kind: zipf05})
	if o.lost+o.twice+o.noise+o.repeated+o.joinsFailed > 0 || o.delivered() != 1 {
		t.Errorf("%d lost, %d twice, %d noise, %d repeated, %d joins failed, of %d", o.lost, o.twice, o.noise,
			o.repeated, o.joinsFailed, o.due)
	}
	if o.due == 0 || len(o.delays) == 0 || len(o.joins) != small.joins {
		t.Errorf("%d due, %d delays, %d joins", o.due, len(o.delays), len(o.joins))
	}
	if o.stretch[0] != 1 || o.stretch[len(o.stretch)-1] != 1 || o.stretchMean < 0.999 || o.stretchMean > 1.001 {
		t.Errorf("stretch is %v to %v, %v on average", o.stretch[0], o.stretch[len(o.stretch)-1], o.stretchMean)
	}
}

// isEvent reports whether a message is an event of a topic, to which the planted mistake happens.
func isEvent(h *host, m engine.Message, topic int) bool {
	e, is := m.(*fan.Event)
	return is && e.Topic == h.world.topicIDs[topic]
}

func TestAPlantedDoubleIsSeen(t *testing.T) {
	first := sim.Node(-1)
	o := measured(t, with(nil, func(h *host, again func()) {
		if first < 0 && h.world.Now() > small.settle+small.warm+time.Minute/2 {
			first = h.node
			again()
		}
	}), row{kind: zipf05})
	if o.twice != 1 || o.lost != 0 {
		t.Errorf("one event was handed over twice: %d twice, %d lost", o.twice, o.lost)
	}
}

func TestPlantedNoiseIsSeen(t *testing.T) {
	sent := 0
	o := measured(t, with(func(h *host, _ engine.Peer, m engine.Message) bool {
		if isEvent(h, m, 1) {
			for n := range sim.Node(small.nodes) {
				if _, is := find(h.world.interests.Followers[1], n); !is && n != h.node && sent < 3 {
					sent++
					h.Env.Send(h.world.Peer(n), m)
				}
			}
		}
		return true
	}, nil), row{kind: zipf05})
	if sent != 3 || o.noise != sent || o.lost+o.twice != 0 {
		t.Errorf("%d were sent to strangers: %d noise, %d lost, %d twice", sent, o.noise, o.lost, o.twice)
	}
}

func TestAPlantedLossIsSeen(t *testing.T) {
	var victim engine.ID
	number := uint64(0)
	o := measured(t, with(func(h *host, to engine.Peer, m engine.Message) bool {
		if !isEvent(h, m, 0) || h.world.Now() < small.settle+small.warm+time.Second {
			return true
		}
		e := m.(*fan.Event)
		if number == 0 {
			victim, number = to.ID, e.Event.(*testnet.Note).Number
		}
		return victim != to.ID || number != e.Event.(*testnet.Note).Number
	}, nil), row{kind: zipf05})
	if number == 0 || o.lost != 1 || o.twice != 0 || o.delivered() == 1 {
		t.Errorf("one delivery was kept back: %d lost, %d twice, %v delivered", o.lost, o.twice, o.delivered())
	}
}

// What is lost in trouble is counted apart from what is lost after it, and a crash is healed some time after it.
func TestTroubleIsCountedApart(t *testing.T) {
	o := measured(t, with(func(h *host, _ engine.Peer, m engine.Message) bool {
		e, is := m.(*fan.Event)
		return !is || h.world.meter.events[e.Event.(*testnet.Note).Number-1].part != trouble
	}, nil), row{trial: trial{name: "crash", crash: 0.3}, kind: zipf05})
	if o.lost != 0 || o.troubledLost == 0 || o.heal <= 0 || o.due == 0 {
		t.Errorf("nothing came in the trouble: %d of %d lost, %d of %d after it, healed after %v s",
			o.troubledLost, o.troubledDue, o.lost, o.due, o.heal)
	}
}

// Systems get the same: what is drawn is a function of the seed.
func TestWorkloadsAreFunctionsOfTheSeed(t *testing.T) {
	of := func(seed uint64) *workload {
		return newWorkload(seed, copied, small.size, trial{churn: 0.5}, small.times)
	}
	a, b, c := of(1), of(1), of(2)
	for i := range a.events {
		if a.events[i] != b.events[i] {
			t.Fatalf("event %d is %v and %v", i, a.events[i], b.events[i])
		}
	}
	for i := range a.moves {
		if a.moves[i] != b.moves[i] || a.moves[i].node == 0 {
			t.Fatalf("move %d is %v and %v", i, a.moves[i], b.moves[i])
		}
	}
	if a.ids[0] != b.ids[0] || a.ids[0] == c.ids[0] {
		t.Error("IDs are not of the seed")
	}
}
