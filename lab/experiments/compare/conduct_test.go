package compare

import (
	"testing"

	"tidings/network"
	"tidings/network/engine"
	"tidings/network/sim"
)

// chain is a tree without acknowledgements: each follower of a topic sends an event to the next one, in their order.
type chain struct{ host *host }

// carriedOn is an event on its way along a chain.
type carriedOn struct {
	Topic engine.ID      `cbor:"1,keyasint"`
	Event engine.Message `cbor:"2,keyasint"`
}

const chainProtocol = engine.Experiment + 3

func (*carriedOn) Kind() engine.Kind { return engine.KindOf(chainProtocol, 1) }

func (m *carriedOn) Carried() engine.Message { return m.Event }

func (chain) Join(engine.ID)       {}
func (chain) Leave(engine.ID)      {}
func (chain) PeerDown(engine.Peer) {}
func (chain) Stop()                {}
func (c chain) followers(topic engine.ID) []int32 {
	w := c.host.world
	return w.interests.Followers[w.number[topic]]
}

// Publish sends an event to the first follower, or to the second if this node is the first.
func (c chain) Publish(topic engine.ID, event engine.Message) {
	at, is := find(c.followers(topic), c.host.node)
	if is {
		c.host.member().Deliver(topic, event, c.host.Self())
	}
	if next := 0; !is || at != 0 {
		c.sendTo(next, topic, event)
	} else {
		c.sendTo(1, topic, event)
	}
}

// sendTo sends an event to a follower by its place, or to the one behind it if it is where the event entered.
func (c chain) sendTo(at int, topic engine.ID, event engine.Message) {
	w, followers := c.host.world, c.followers(topic)
	if at < len(followers) && w.entries[w.number[topic]] == sim.Node(followers[at]) {
		at++
	}
	if at < len(followers) {
		c.host.Send(w.Peer(sim.Node(followers[at])), &carriedOn{topic, event})
	}
}

func (c chain) Receive(from engine.Peer, m engine.Message) {
	on := m.(*carriedOn)
	if _, _, ok := c.host.member().Admit(on.Topic, on.Event, from); !ok {
		return
	}
	c.host.member().Deliver(on.Topic, on.Event, from)
	at, _ := find(c.followers(on.Topic), c.host.node)
	c.sendTo(at+1, on.Topic, on.Event)
}

var chained = &contestant{name: "chain", vocabularies: []engine.Vocabulary{{Protocol: chainProtocol, Name: "chain",
	Messages: []engine.MessageType{{Message: new(carriedOn), Class: engine.Update}}}},
	build: func(h *host) network.Router {
		c := chain{h}
		h.Add(chainProtocol, c)
		return c
	}}

// troubledBy returns a row with shares of nodes that misbehave.
func troubledBy(riders, liars float64) row {
	return row{trial: trial{name: "planted", riders: riders, liars: liars}, kind: zipf05}
}

// Free riders and liars on the way keep events from all behind them in a tree that does not notice. Where events go
// straight they keep none, because each sends its own.
func TestMisbehaviorHarmsATreeThatDoesNotNotice(t *testing.T) {
	for name, r := range map[string]row{"riders": troubledBy(0.2, 0), "liars": troubledBy(0, 0.2)} {
		if o := measured(t, chained, r); o.troubledLost < o.troubledDue/20 || o.lost < o.due/20 || o.lost == o.due {
			t.Errorf("%s: %d of %d lost in the trouble, %d of %d after it",
				name, o.troubledLost, o.troubledDue, o.lost, o.due)
		}
		if o := measured(t, with(nil, nil), r); o.troubledLost+o.lost > 0 || o.due == 0 || o.troubledDue == 0 {
			t.Errorf("%s: %d of %d straight sends lost, %d of %d after it",
				name, o.troubledLost, o.troubledDue, o.lost, o.due)
		}
	}
	quiet := row{trial: trial{name: "none", loss: 1e-12}, kind: zipf05}
	if o := measured(t, chained, quiet); o.troubledLost+o.lost > 0 {
		t.Errorf("nobody misbehaves, and %d are lost", o.troubledLost+o.lost)
	}
}

// What liars have changed is seen when it comes, and when a router delivers it without a check.
func TestForgedEventsAreSeen(t *testing.T) {
	o := measured(t, chained, troubledBy(0, 0.2))
	if o.forged == 0 || o.believed != 0 {
		t.Errorf("%d forged events came, and %d were believed", o.forged, o.believed)
	}
	gullible := *chained
	gullible.build = func(h *host) network.Router {
		c := credulous{chain{h}}
		h.Add(chainProtocol, c)
		return c
	}
	if o := measured(t, &gullible, troubledBy(0, 0.2)); o.believed == 0 {
		t.Error("no forged event is believed where nobody checks")
	}
	if o := measured(t, chained, troubledBy(0.2, 0)); o.forged != 0 {
		t.Errorf("free riders forge %d events", o.forged)
	}
}

// credulous is a chain that checks nothing.
type credulous struct{ chain }

func (c credulous) Receive(from engine.Peer, m engine.Message) {
	on := m.(*carriedOn)
	c.host.member().Deliver(on.Topic, on.Event, from)
	at, _ := find(c.followers(on.Topic), c.host.node)
	c.sendTo(at+1, on.Topic, on.Event)
}

// Of the nodes exactly the wanted shares misbehave, and the first does not.
func TestConducts(t *testing.T) {
	s := size{nodes: 50, topics: 6, follows: 3, events: 1}
	w := newWorkload(1, zipf05, s, trial{riders: 0.2, liars: 0.1}, small.times)
	count := make(map[conduct]int)
	for _, c := range w.conducts {
		count[c]++
	}
	if count[rides] != 10 || count[lies] != 5 || w.conducts[0] != honest {
		t.Errorf("%v, and the first is %v", count, w.conducts[0])
	}
}
