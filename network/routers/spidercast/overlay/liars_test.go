package overlay_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/interest"
	"tidings/network/routers/spidercast/overlay"
	"tidings/network/sim"
)

// liar answers as it likes.
type liar struct {
	env    engine.Env
	answer func(env engine.Env, from engine.Peer, m engine.Message)
}

func (l *liar) Receive(from engine.Peer, m engine.Message) { l.answer(l.env, from, m) }
func (*liar) PeerDown(engine.Peer)                         {}
func (*liar) Stop()                                        {}

// among is one honest node, a1, that knows liars and at last one other honest node, b1. All are said to follow the
// same.
type among struct {
	*sim.World
	honest, other *actor
	sent          map[string]int // of the honest node, by type
	liars         []engine.Peer
}

func newAmong(c overlay.Config, liars, topics int, answer func(w *among, env engine.Env, from engine.Peer,
	m engine.Message)) *among {
	w := &among{World: sim.New(sim.Default(codec)), sent: make(map[string]int)}
	var ids []engine.ID
	for i := range topics {
		ids = append(ids, topic(i))
	}
	actors := make([]*actor, 2)
	for i := range actors {
		w.Add(engine.IDOf(fmt.Append(nil, "honest ", i)), func(env engine.Env, _ *sim.Disk) engine.Protocol {
			actors[i] = newActor(env, c)
			for _, t := range ids {
				actors[i].Join(t)
			}
			return actors[i]
		})
		w.Boot(sim.Node(i))
	}
	w.honest, w.other = actors[0], actors[1]
	for i := range liars {
		n := w.Add(engine.IDOf(fmt.Append(nil, "liar ", i)), func(env engine.Env, _ *sim.Disk) engine.Protocol {
			return &liar{env, func(env engine.Env, from engine.Peer, m engine.Message) { answer(w, env, from, m) }}
		})
		w.Boot(n)
		w.liars = append(w.liars, w.Peer(n))
		w.honest.index.Put(w.Peer(n), interest.Of(append(ids, topic(topics)), 64), 0)
	}
	w.honest.index.Put(w.Peer(1), interest.Of(ids[:1], 64), 0)
	w.Tap(func(p sim.Delivery) {
		if p.From == 0 && p.Fate == sim.Sent {
			w.sent[fmt.Sprintf("%T", p.Message)]++
		}
	})
	return w
}

// Nodes redirect in circles, to each other. Each of them is asked once in Config.Quarantine, one a second at most. The
// only honest candidate is found though all of them promise more.
func TestRedirectsInCircles(t *testing.T) {
	w := newAmong(tiny(), 3, 3, func(w *among, env engine.Env, from engine.Peer, m engine.Message) {
		if m, ok := m.(*overlay.Connect); ok {
			next := w.liars[env.Rand().IntN(len(w.liars))]
			env.Send(from, &overlay.Redirect{Task: m.Task, To: next})
		}
	})
	w.Run(time.Minute)
	if u := w.honest.Uncovered(); len(u) > 0 {
		t.Errorf("%d topics lack cover after a minute", len(u))
	}
	if n := w.sent["*overlay.Connect"]; n > 4*4+1 {
		t.Errorf("%d requests were sent in a minute", n)
	}
}

// Without an honest candidate it goes on like that, and no faster.
func TestRedirectsInCirclesForever(t *testing.T) {
	w := newAmong(tiny(), 3, 3, func(w *among, env engine.Env, from engine.Peer, m engine.Message) {
		if m, ok := m.(*overlay.Connect); ok {
			env.Send(from, &overlay.Redirect{Task: m.Task, To: w.liars[env.Rand().IntN(len(w.liars))]})
		}
	})
	w.honest.index.Remove(w.Peer(1).ID)
	w.Run(5 * time.Minute)
	if n := w.sent["*overlay.Connect"]; n < 10 || n > 3*5*4 {
		t.Errorf("%d requests were sent in five minutes to three nodes, each of which may be asked four times a minute",
			n)
	}
}

// Unasked redirects are not followed, and fill nothing.
func TestUnaskedRedirects(t *testing.T) {
	w := newAmong(tiny(), 1, 1, func(*among, engine.Env, engine.Peer, engine.Message) {})
	w.Run(5 * time.Second)
	before := w.sent["*overlay.Connect"]
	for i := range 100 {
		to := engine.Peer{ID: engine.IDOf(fmt.Append(nil, "nobody ", i)), Address: w.Peer(1).Address}
		w.Do(0, func(p engine.Protocol) {
			p.Receive(engine.Peer{ID: to.ID, Address: w.liars[0].Address}, &overlay.Redirect{To: to})
			p.Receive(w.liars[0], &overlay.Redirect{To: to})
		})
	}
	w.Run(20 * time.Second)
	if n := w.sent["*overlay.Connect"] - before; n > 4 {
		t.Errorf("%d requests were sent after redirects that nobody had asked for", n)
	}
}

// A neighbour that claims to do without us and then does not answer is asked to disconnect once a minute. One that
// claims to need all others keeps its link, and no more than that.
func TestFalseDegrees(t *testing.T) {
	for _, standing := range []overlay.Standing{{Degree: 60_000, Target: 0}, {Degree: 0, Target: 60_000}} {
		c := tiny()
		c.Margin = 5
		w := newAmong(c, 4, 1, func(w *among, env engine.Env, from engine.Peer, m engine.Message) {
			switch m := m.(type) {
			case *overlay.Connect:
				profile := overlay.Profile{Version: 1, Follows: interest.Of([]engine.ID{topic(0)}, 64)}
				env.Send(from, &overlay.ConnectOK{Task: m.Task, Standing: standing, Profile: profile})
			case *overlay.Heartbeat:
				env.Send(from, &overlay.Heartbeat{Tasks: 1, Known: m.Known, Greedy: standing, Idle: 1})
			}
		})
		w.Run(10 * time.Second)
		for _, l := range w.liars {
			profile := overlay.Profile{Version: 1, Follows: interest.Of([]engine.ID{topic(0)}, 64)}
			w.Do(0, func(p engine.Protocol) {
				p.Receive(l, &overlay.Connect{Standing: standing, Profile: profile})
			})
		}
		w.Run(10 * time.Minute)
		if n := len(w.honest.Neighbors()); n > 1+5 {
			t.Errorf("%v: the node has %d links", standing, n)
		}
		most := 4 * 11 // liars, minutes
		if standing.Degree == 0 {
			most = 11 // b1 alone, if it is one
		}
		if n := w.sent["*overlay.Disconnect"]; n > most {
			t.Errorf("%v: %d requests to disconnect were sent", standing, n)
		}
	}
}

// Requests that are refused are answered so often and no oftener, and malformed ones not at all.
func TestFloodOfRequests(t *testing.T) {
	c := tiny()
	c.AnswerRate, c.Margin = 10, 5
	w := newAmong(c, 1, 1, func(*among, engine.Env, engine.Peer, engine.Message) {})
	w.honest.index.Remove(w.liars[0].ID)
	w.Run(5 * time.Second)
	stranger := overlay.Profile{Version: 1, Follows: interest.Of([]engine.ID{topic(50)}, 64)}
	for range 1000 {
		w.Do(0, func(p engine.Protocol) { p.Receive(w.liars[0], &overlay.Connect{Profile: stranger}) })
	}
	if n := w.sent["*overlay.Redirect"]; n < 5 || n > 20 {
		t.Errorf("%d of 1,000 requests were answered at once", n)
	}
	before := w.sent["*overlay.Redirect"] + w.sent["*overlay.ConnectOK"]
	w.Run(5 * time.Second)
	for _, m := range []engine.Message{
		&overlay.Connect{Task: 2, Profile: stranger}, &overlay.Connect{Profile: overlay.Profile{}},
		&overlay.Connect{Profile: overlay.Profile{Version: 1, Follows: make(interest.Set, 16)}},
		&overlay.Connect{Profile: overlay.Profile{Version: 1, Publishes: make(interest.Set, 9)}},
		&overlay.ConnectOK{Task: 9, Profile: stranger}, &overlay.Redirect{Task: 9}, &overlay.Disconnect{Task: 9},
		&overlay.DisconnectOK{Task: 9},
		&overlay.Leave{Tasks: 0xff}, &overlay.Heartbeat{Tasks: 0xff},
		&overlay.ProfileChanged{Profile: overlay.Profile{}},
		&overlay.Topics{Names: make(interest.Set, 9)}, &overlay.ConnectOK{Profile: stranger},
	} {
		w.Do(0, func(p engine.Protocol) { p.Receive(w.liars[0], m) })
	}
	if n := w.sent["*overlay.Redirect"] + w.sent["*overlay.ConnectOK"] - before; n > 0 {
		t.Errorf("%d malformed messages were answered as requests", n)
	}
	for _, v := range w.honest.Neighbors() {
		if v.Peer == w.liars[0] {
			t.Error("a node that was not asked became a neighbour")
		}
	}
}

// A node that accepts nothing, or has another's address, is tried in vain. The best come to nothing twice, then any
// other is tried.
func TestBestComeToNothing(t *testing.T) {
	w := newAmong(tiny(), 40, 5, func(*among, engine.Env, engine.Peer, engine.Message) {})
	w.honest.index.Put(w.Peer(1), w.other.Profile().Follows, 0)
	ids := []engine.ID{topic(0)}
	w.honest.index.Put(w.Peer(1), interest.Of(ids, 64), 0)
	w.Run(90 * time.Second)
	if n := len(w.honest.Neighbors()); n != 1 {
		t.Errorf("%d neighbours among 40 that never answer and one that does", n)
	}
}
