package spidercast_test

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/routertest"
	"tidings/network/routers/spidercast"
	"tidings/network/routers/spidercast/overlay"
	"tidings/network/routers/spidercast/spread"
	"tidings/network/sim"
	"tidings/network/sim/check"
	"tidings/network/sim/simtest"
)

type world = routertest.World[*spidercast.Node]

func newWorld(t *simtest.T, c spidercast.Config, s routertest.Settings) *world {
	t.Helper()
	p := protocol(c)
	sc := p.SimConfig()
	sc.Latency = routertest.Space(t.Seed())
	return routertest.New(t.World(sc), p, s)
}

// finish complains of what the oracles saw.
func finish(t *simtest.T, w *world) {
	t.Helper()
	if err := w.Watch.Finish(); err != nil {
		t.Error(err)
	}
}

// A node publishes on a topic without having joined it, in a network that it knows only in part. It finds nodes that
// have joined it, and is sent nothing itself. Later it has no links any more.
func TestStrangerPublishes(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		c := spidercast.Default()
		c.View.Least, c.View.Most, c.View.Share = 8, 40, 0
		noiseless := &check.Noiseless{Except: func(sim.Node, engine.ID) bool { return false }}
		w := newWorld(t, c, routertest.Settings{Nodes: 60,
			Checkers: []check.Checker{noiseless, &check.Complete{Grace: time.Minute}}})
		for n := range sim.Node(60) {
			if n > 0 {
				w.Join(n, routertest.Topic(int(n%6)))
			}
		}
		w.Run(3 * time.Minute)
		for i := range 6 {
			w.Publish(0, routertest.Topic(i), 100)
			w.Publish(0, routertest.Topic(i), 100)
		}
		w.Run(90 * time.Second)
		if len(w.Node(0).Neighbors()) == 0 {
			t.Error("the publisher has no links")
		}
		w.Run(4 * time.Minute)
		for _, v := range w.Node(0).Neighbors() {
			if len(v.Shared) > 0 {
				t.Error("the publisher still keeps a link to publish on")
			}
		}
		finish(t, w)
	})
}

// A node that joins, leaves and joins again has what was published last, once.
func TestJoinAgain(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		w := newWorld(t, spidercast.Default(),
			routertest.Settings{Nodes: 12, Checkers: []check.Checker{&check.Complete{Grace: time.Minute}}})
		topic := routertest.Topic(0)
		for n := range sim.Node(12) {
			w.Join(n, topic)
		}
		w.Run(2 * time.Minute)
		for range 3 {
			w.Leave(5, topic)
			w.Publish(1, topic, 100)
			w.Run(5 * time.Second)
			w.Join(5, topic)
			w.Run(time.Minute)
			w.Publish(5, topic, 100)
			w.Run(30 * time.Second)
		}
		if _, joined := w.Node(5).Tree(topic); !joined {
			t.Error("the node is not in the topic's tree")
		}
		finish(t, w)
	})
}

// A neighbour that announces events which it does not give is left (Suspect), and everybody has everything all the
// same.
func TestAnnouncesInventions(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		suspected, invented := 0, uint64(0)
		w := newWorld(t, spidercast.Default(), routertest.Settings{
			Nodes: 20,
			Env: func(n sim.Node, env engine.Env) engine.Env {
				if n%5 != 4 {
					return env
				}
				return &lie{env, func(_ engine.Peer, m engine.Message) engine.Message {
					switch m := m.(type) {
					case *spread.Announce:
						invented++
						more := spread.Announced{Topic: routertest.Topic(0),
							Names: []spread.Name{{Digest: invented, Hops: 1}}}
						return &spread.Announce{Number: m.Number, Topics: append(slices.Clone(m.Topics), more)}
					}
					return m
				}}
			},
			Checkers: []check.Checker{&check.Complete{Grace: time.Minute}},
		})
		w.Observe(func(_ time.Duration, _ sim.Node, event any) {
			if e, ok := event.(overlay.Parted); ok && e.Why == overlay.Suspected {
				suspected++
			}
		})
		topic := routertest.Topic(0)
		for n := range sim.Node(20) {
			w.Join(n, topic)
		}
		w.Run(2 * time.Minute)
		for range 25 {
			w.Publish(0, topic, 100)
			w.Run(5 * time.Second)
		}
		w.Run(2 * time.Minute)
		if suspected == 0 {
			t.Error("nobody was suspected")
		}
		finish(t, w)
	})
}
