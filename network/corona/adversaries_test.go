package corona_test

import (
	"fmt"
	"time"

	"tidings/network/corona"
	"tidings/network/corona/coronatest"
	"tidings/network/engine"
	"tidings/network/routers/scribe"
	"tidings/network/sim"
)

// adversaries are a world's malicious nodes. Each has a function that replaces the messages that it is about to send;
// nil: it sends none.
type adversaries map[sim.Node]func(to engine.Peer, m engine.Message) engine.Message

// among puts adversaries into a world's settings. Nodes can be made adversaries at any time.
func (b adversaries) among(s *coronatest.Settings) {
	s.Env = func(n sim.Node, env engine.Env) engine.Env { return &adversary{env, n, b} }
}

type adversary struct {
	engine.Env
	number sim.Node
	all    adversaries
}

// Send treats an adversary's updates down a tree like those that it sends itself.
func (v *adversary) Send(to engine.Peer, m engine.Message) {
	if turn := v.all[v.number]; turn != nil {
		m = turned(turn, to, m)
	}
	if m != nil {
		v.Env.Send(to, m)
	}
}

// turned is what a adversary makes of a message, or of the update in one of a tree's.
func turned(turn func(engine.Peer, engine.Message) engine.Message, to engine.Peer, m engine.Message) engine.Message {
	var copied engine.Message
	var payload *engine.Message
	switch m := m.(type) {
	case *scribe.Disseminate:
		c := *m
		copied, payload = &c, &c.Event.Payload
	case *scribe.Publish:
		c := *m
		copied, payload = &c, &c.Event.Payload
	case *scribe.Missed:
		c := *m
		copied, payload = &c, &c.Event.Payload
	default:
		return turn(to, m)
	}
	if *payload == nil {
		return m
	}
	if *payload = turn(to, *payload); *payload == nil {
		return nil
	}
	return copied
}

// Trace keeps from the oracles which versions a adversary makes: nobody is owed them.
func (v *adversary) Trace(event any) {
	if _, ok := event.(corona.Numbered); !ok || v.all[v.number] == nil {
		v.Env.Trace(event)
	}
}

// turn makes a adversary of a node.
func (v *testWorld) turn(bad adversaries, n sim.Node, how func(engine.Peer, engine.Message) engine.Message) {
	v.Unsubscribe(n, v.news.ID)
	v.Run(10 * time.Second)
	bad[n] = how
}

// silent says nothing of what Corona asks for or is asked.
func silent(_ engine.Peer, m engine.Message) engine.Message {
	if m.Kind().Protocol() == engine.Corona {
		return nil
	}
	return m
}

// mute keeps up all appearances, and passes on nothing that was found.
func mute(_ engine.Peer, m engine.Message) engine.Message {
	switch m.(type) {
	case *corona.Update, *corona.Shared, *corona.Commit, *corona.Heard, *corona.Verify, *corona.Verified:
		return nil
	}
	return m
}

// denying makes no version, and says so.
func denying(_ engine.Peer, m engine.Message) engine.Message {
	switch m.(type) {
	case *corona.Update, *corona.Shared, *corona.Commit, *corona.Verify:
		return nil
	}
	return m
}

// censor passes on everything but updates of one channel.
func censor(channel engine.ID) func(engine.Peer, engine.Message) engine.Message {
	return func(_ engine.Peer, m engine.Message) engine.Message {
		switch m := m.(type) {
		case *corona.Shared:
			if m.Update.Channel == channel {
				return nil
			}
		case *corona.Update:
			if m.Channel == channel {
				return nil
			}
		}
		return m
	}
}

// equivocator sends half of all nodes the origin's content, and the others another one, under the same number. It signs
// both.
func equivocator(keys engine.Keys, self func() engine.Peer, truth, lie string) func(engine.Peer,
	engine.Message) engine.Message {
	twist := func(to engine.Peer, u corona.Update) corona.Update {
		if u.Hash != coronatest.HashOf(truth) || to.ID[19]%2 == 0 || u.Base == u.Hash || len(u.Payload) == 0 {
			return u
		}
		u.Hash, u.Payload = coronatest.HashOf(lie), []byte(lie)
		return *corona.SealAs(&u, keys, self())
	}
	return func(to engine.Peer, m engine.Message) engine.Message {
		switch m := m.(type) {
		case *corona.Update:
			u := twist(to, *m)
			return &u
		case *corona.Shared:
			return &corona.Shared{Update: twist(to, m.Update), Quiet: m.Quiet}
		}
		return m
	}
}

// twins are contents that can have one number.
type twins struct{ truth, lie string }

// findTwins returns pairs of contents with hashes that begin alike: by the birthday paradox few tries suffice.
func findTwins(pairs int) (found []twins) {
	seen := make(map[[3]byte]string)
	for i := 0; len(found) < pairs; i++ {
		content := fmt.Sprint("content ", i)
		h := coronatest.HashOf(content)
		start := [3]byte(h[:3])
		if first, ok := seen[start]; ok {
			found = append(found, twins{first, content})
		}
		seen[start] = content
	}
	return found
}

// numberOf returns the number of a node.
func (v *testWorld) numberOf(id engine.ID) sim.Node {
	for n := range sim.Node(v.Len()) {
		if v.Peer(n).ID == id {
			return n
		}
	}
	panic("nobody has the ID " + id.Short())
}
