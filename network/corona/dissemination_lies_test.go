package corona_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network"
	"tidings/network/corona"
	"tidings/network/corona/coronatest"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/routers/rappel"
	"tidings/network/routers/scribe"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// mouths are the Envs of a world's nodes, by which tests make them send invented messages, and see the messages that
// they receive.
type mouths struct {
	envs map[sim.Node]engine.Env
	said func(n sim.Node, to engine.Peer, m engine.Message) // nil: nobody listens
}

// among puts mouths into a world's settings.
func (m *mouths) among(s *coronatest.Settings) {
	m.envs = make(map[sim.Node]engine.Env)
	s.Env = func(n sim.Node, env engine.Env) engine.Env {
		m.envs[n] = &mouth{env, n, m}
		return m.envs[n]
	}
}

// say has a node send a message.
func (m *mouths) say(v *testWorld, n, to sim.Node, message engine.Message) {
	v.Do(n, func(engine.Protocol) { m.envs[n].Send(v.Peer(to), message) })
}

type mouth struct {
	engine.Env
	number sim.Node
	all    *mouths
}

func (m *mouth) Send(to engine.Peer, message engine.Message) {
	if m.all.said != nil {
		m.all.said(m.number, to, message)
	}
	m.Env.Send(to, message)
}

// carriedIn returns a message that another one carries over the ring, or the message itself.
func carriedIn(m engine.Message) engine.Message {
	for {
		c, carries := m.(interface{ Carried() engine.Message })
		if !carries || c.Carried() == nil {
			return m
		}
		m = c.Carried()
	}
}

// falseAudits makes a node announce to all subscribers, every twenty seconds for a while, a version newer than theirs.
// It comes within the minute of every audit.
func (v *testWorld) falseAudits(m *mouths, attacker sim.Node, lasting time.Duration) {
	for end := v.Now() + lasting; v.Now() < end; v.Run(20 * time.Second) {
		version := v.numbered[len(v.numbered)-1].Version + 1
		for n := range sim.Node(v.Len()) {
			if n != attacker && v.Up(n) && v.Node(n).Corona.Subscribed(v.news.ID) {
				m.say(v, attacker, n, &corona.Heard{Channel: v.news.ID, Version: version})
			}
		}
	}
}

// newTreeWorld is a testWorld in which all subscribers get versions down a tree.
func newTreeWorld(t *simtest.T, nodes, subscribers int, change ...func(*coronatest.Settings)) *testWorld {
	v := newWorld(t, nodes, subscribers, append([]func(*coronatest.Settings){treed}, change...)...)
	v.publish()
	v.Run(v.interval())
	if got := v.carried(); got != subscribers {
		t.Fatalf("%d of %d subscribers are in the tree", got, subscribers)
	}
	return v
}

// A subscriber believes announcements of newer versions by nodes that can own the channel. Those of others cost
// nothing, however frequent (hostile 41).
func TestFalseAuditAnswersOfStrangers(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		m := new(mouths)
		v := newTreeWorld(t, 70, 30, m.among, calm, fewPoll)
		order := v.Owners(v.news.ID, v.Len())
		attacker := order[len(order)-1]
		v.Unsubscribe(attacker, v.news.ID)
		v.Run(time.Minute)
		blamed, missed := v.events["Blamed"], 0
		v.Observe(func(_ time.Duration, _ sim.Node, event any) {
			if e, is := event.(corona.Missed); is && e.Version > v.numbered[len(v.numbered)-1].Version {
				missed++
			}
		})
		v.falseAudits(m, attacker, 2*v.interval())
		if b := v.events["Blamed"] - blamed; b > 0 || missed > 0 {
			t.Errorf("a stranger cost %d parents, and %d versions were asked for that do not exist", b, missed)
		}
		v.publish()
		v.all(fmt.Sprint("change ", v.changed))
		v.ends()
	})
}

// An owner that claims newer versions costs each subscriber one parent and a few requests in a polling interval, and
// one request to the origin. Nothing is lost meanwhile, and quiet returns when it ends (hostile 41).
func TestFalseAuditAnswersOfAnOwner(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		const intervals = 3
		m := new(mouths)
		v := newTreeWorld(t, 40, 30, m.among, calm, fewPoll)
		attacker := v.Owners(v.news.ID, 2)[1]
		lost, asked := make(map[sim.Node]int), make(map[sim.Node]int)
		v.Observe(func(_ time.Duration, n sim.Node, event any) {
			if _, is := event.(scribe.Blamed); is {
				lost[n]++
			}
		})
		m.said = func(n sim.Node, _ engine.Peer, message engine.Message) {
			if routed, is := message.(*pastry.Routed); is && routed.Origin.ID != v.Peer(n).ID {
				return // it is another node's question
			}
			if _, is := carriedIn(message).(*corona.Missing); is {
				asked[n]++
			}
		}
		for range intervals {
			v.falseAudits(m, attacker, v.interval()-2*time.Minute)
			v.publish() // lasts a minute
			v.all(fmt.Sprint("change ", v.changed))
			v.falseAudits(m, attacker, time.Minute)
		}
		for n := range sim.Node(v.Len()) {
			// An audit begins a jitter before an interval is over. A missing version is requested from its announcer,
			// twice by the ring, and anew for each of four offers.
			if most := intervals + 1; lost[n] > most || asked[n] > most*(1+3*5) {
				t.Errorf("node %d lost %d parents, and asked %d times, in %d intervals", n, lost[n], asked[n],
					intervals)
			}
		}
		v.Run(2 * v.interval())
		clear(lost)
		v.Run(2 * v.interval())
		if len(lost) > 0 {
			t.Errorf("parents are lost still: %v", lost)
		}
		v.ends()
	})
}

// newLateWorld is a testWorld after its latest version has reached all, and the update as subscribers received it.
func newLateWorld(t *simtest.T, m *mouths) (*testWorld, corona.Update) {
	v := newTreeWorld(t, 40, 34, m.among, calm)
	var latest corona.Update
	m.said = func(_ sim.Node, _ engine.Peer, message engine.Message) {
		if u, is := carriedInTree(message).(*corona.Update); is && u.Channel == v.news.ID {
			latest = *u
		}
	}
	v.publish()
	m.said = nil
	if version := v.numbered[len(v.numbered)-1].Version; latest.Version != version {
		t.Fatalf("version %d was seen on its way, not %d", latest.Version, version)
	}
	return v, latest
}

// carriedInTree returns the event in a message of a tree, or the message itself.
func carriedInTree(m engine.Message) (event engine.Message) {
	turned(func(_ engine.Peer, inside engine.Message) engine.Message {
		event = inside
		return inside
	}, engine.Peer{}, m)
	return event
}

// reporters returns the nodes that poll the channel and subscribe, and own nothing of it.
func (v *testWorld) reporters() (nodes []sim.Node) {
	owners := v.Owners(v.news.ID, 4)
	for _, n := range v.Pollers(v.news.ID) {
		if !slices.Contains(owners, n) && v.Node(n).Corona.Subscribed(v.news.ID) {
			nodes = append(nodes, n)
		}
	}
	if len(nodes) == 0 {
		v.t.Fatal("nobody polls but the owners")
	}
	return nodes
}

// hushes returns to how many others a node passes on a Shared that it is sent.
func (v *testWorld) hushes(m *mouths, n, from sim.Node, s corona.Shared) (count int) {
	m.said = func(by sim.Node, _ engine.Peer, message engine.Message) {
		if shared, is := message.(*corona.Shared); is && by == n && shared.Quiet > 0 {
			count++
		}
	}
	m.say(v, from, n, &s)
	v.Run(2 * time.Second)
	m.said = nil
	return count
}

// reports reports whether a node reports a change that it sees.
func (v *testWorld) reports(m *mouths, n sim.Node) (does bool) {
	m.said = func(by sim.Node, _ engine.Peer, message engine.Message) {
		if routed, is := message.(*pastry.Routed); is && by == n && routed.Origin.ID == v.Peer(n).ID {
			_, detected := routed.Payload.(*corona.Detected)
			does = does || detected
		}
	}
	v.changed++
	v.Origin.Change(v.news.ID, fmt.Sprint("change ", v.changed))
	v.verify(n)
	v.Run(2 * time.Second)
	m.said = nil
	return does
}

// A version comes down the tree, and later from the primary with Quiet. That counts, and is passed on once to the nodes
// below.
func TestLateWordToBeQuiet(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		m := new(mouths)
		v, latest := newLateWorld(t, m)
		primary, hushed := v.Owners(v.news.ID, 1)[0], 0
		nodes := v.reporters()
		quiet := corona.Shared{Update: latest, Quiet: 600}
		for _, n := range nodes {
			hushed += v.hushes(m, n, primary, quiet)
		}
		if hushed == 0 {
			t.Error("nobody passes on that changes need not be reported")
		}
		for _, n := range nodes {
			if again := v.hushes(m, n, primary, quiet); again > 0 {
				t.Errorf("node %d passes it on again, to %d others", n, again)
			}
		}
		if v.reports(m, nodes[0]) {
			t.Error("a node reports a change though it need not")
		}
		v.Run(600 * time.Second)
		if !v.reports(m, nodes[0]) {
			t.Error("a node reports nothing when the time is over")
		}
		v.Run(2 * v.interval())
		v.all(fmt.Sprint("change ", v.changed))
		v.ends()
	})
}

// No node can keep others silent for long with a version that they have: not by repeating it, not with an older
// version, and not with one that no owner has numbered.
func TestWordsToBeQuietThatDoNotCount(t *testing.T) {
	for name, spoil := range map[string]func(v *testWorld, m *mouths, n, attacker sim.Node, s *corona.Shared){
		"again": func(v *testWorld, m *mouths, n, attacker sim.Node, s *corona.Shared) {
			v.hushes(m, n, attacker, *s)
			v.Run(time.Duration(s.Quiet) * time.Second)
		},
		"old": func(v *testWorld, _ *mouths, _, _ sim.Node, _ *corona.Shared) { v.publish() },
		"forged": func(_ *testWorld, _ *mouths, _, _ sim.Node, s *corona.Shared) {
			s.Update.Seal.Given = slices.Repeat([]byte{7}, 32)
		},
	} {
		t.Run(name, func(t *testing.T) {
			simtest.Run(t, 3, func(t *simtest.T) {
				m := new(mouths)
				v, latest := newLateWorld(t, m)
				n, attacker := v.reporters()[0], sim.Node(v.Len()-1)
				word := corona.Shared{Update: latest, Quiet: 300}
				spoil(v, m, n, attacker, &word)
				if hushed := v.hushes(m, n, attacker, word); hushed > 0 {
					t.Errorf("the node keeps %d others silent", hushed)
				}
				if !v.reports(m, n) {
					t.Error("the node is silent")
				}
				v.Run(2 * v.interval())
				v.all(fmt.Sprint("change ", v.changed))
				v.ends()
			})
		})
	}
}

// carriedBy returns how many of the nodes that subscribe get versions by a router.
func (v *testWorld) carriedBy(router network.RouterName) (count int) {
	for n := range sim.Node(v.Len()) {
		if v.Up(n) && v.Node(n).Corona.Subscribed(v.news.ID) && v.Node(n).Corona.CarriedBy(v.news.ID) == router {
			count++
		}
	}
	return count
}

// down returns how many messages of a router have carried versions down its trees.
func (v *testWorld) down(router network.RouterName) (count uint32) {
	kind := new(scribe.Disseminate).Kind()
	if router == network.Rappel {
		kind = new(rappel.Update).Kind()
	}
	for n := range sim.Node(v.Len()) {
		count += v.NodeKindCount(n, kind).Sent
	}
	return count
}

// A network goes from Scribe's trees to Rappel's, and back, its nodes one after the other. Meanwhile there are two
// trees, each with some of the subscribers: each version comes to everybody, once. Then the new one carries all, and
// the old nothing.
func TestTwoTreesAtOnce(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		const subscribers = 25
		v := newTreeWorld(t, 30, subscribers, calm, func(s *coronatest.Settings) { s.Rappel = true })
		old := network.Scribe
		for _, router := range []network.RouterName{network.Rappel, network.Scribe} {
			// nodes that started together compare what they go by at about the same time: it is to be over
			v.Run(30 * time.Minute)
			for i, node := range v.Rand().Perm(v.Len()) {
				n := sim.Node(node)
				v.Do(n, func(engine.Protocol) {
					if err := v.Node(n).Corona.GoBy(router); err != nil {
						t.Error(err)
					}
				})
				if i%5 == 4 {
					v.publish()
					v.Run(time.Minute)
					v.all(fmt.Sprint("change ", v.changed))
				}
			}
			// Some go back once more, with what most went by before. Then versions come by both for a while.
			v.Run(4 * corona.Default().Maintenance)
			if got := v.carriedBy(router); got != subscribers {
				t.Errorf("%d of %d subscribers go by %v", got, subscribers, router)
			}
			before, beforeOld := v.down(router), v.down(old)
			v.publish()
			v.all(fmt.Sprint("change ", v.changed))
			if now, by := v.down(router)-before, v.down(old)-beforeOld; now < subscribers-2 || by > 0 {
				t.Errorf("one version went down %v's tree in %d messages, and down %v's in %d", router, now, old, by)
			}
			old = router
		}
		v.ends()
	})
}
