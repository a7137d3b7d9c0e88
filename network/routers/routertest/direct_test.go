package routertest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

// direct is the simplest router: the world shows it the subscribers, and it sends a note to each until it has
// acknowledged.
type direct struct {
	env         engine.Env
	member      Member
	subscribers func(topic engine.ID) []engine.Peer
	root        func(topic engine.ID) engine.Peer
	mistake     string

	wants map[engine.ID]time.Duration // since when
	joins map[engine.ID]int
	had   map[uint64]bool // numbers of notes
	open  []*parcel
}

// parcel is a note on its way to a subscriber.
type parcel struct {
	note *Note
	to   engine.Peer
	sent int
}

// carry brings a note to a subscriber, which answers with carried.
type carry struct {
	Note engine.Message `cbor:"1,keyasint"`
}

type carried struct {
	Number uint64 `cbor:"1,keyasint"`
}

func (*carry) Kind() engine.Kind   { return engine.KindOf(engine.Scribe, 1) }
func (*carried) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 2) }

// again is how long a node waits for an acknowledgement, and tries how often it sends.
const (
	again = 2 * time.Second
	tries = 100
)

// directWith returns the router with a mistake; without one if it is empty.
func directWith(mistake string) Protocol[*direct] {
	return Protocol[*direct]{
		Vocabularies: []engine.Vocabulary{{Protocol: engine.Scribe, Name: "direct", Messages: []engine.MessageType{
			{Message: new(carry), Class: engine.Update}, {Message: new(carried), Class: engine.Update},
		}}},
		Build: func(w *World[*direct], h *Host[*direct]) *direct {
			d := &direct{
				env: h.Env, member: w.Member(h), root: h.Root, mistake: mistake,
				wants: make(map[engine.ID]time.Duration), joins: make(map[engine.ID]int), had: make(map[uint64]bool),
			}
			d.subscribers = func(topic engine.ID) (peers []engine.Peer) {
				to := w.Subscribers(topic)
				if strings.HasPrefix(mistake, "sends to all") {
					to = w.Live()
				}
				for _, n := range to {
					peers = append(peers, w.Peer(n))
				}
				return peers
			}
			switch mistake {
			case "never at rest":
				d.env.After(10*time.Minute, d.chatter)
			case "queue too long":
				d.env.Trace(check.Queued{Queue: "open", Length: 2, Bound: 1})
			}
			h.Add(engine.Scribe, d)
			return d
		},
	}
}

func (d *direct) chatter() {
	for _, p := range d.subscribers(Topic(0)) {
		d.env.Send(p, &carried{})
	}
	d.env.After(time.Second, d.chatter)
}

func (d *direct) Join(topic engine.ID) {
	d.joins[topic]++
	if _, joined := d.wants[topic]; !joined {
		d.wants[topic] = d.env.Now()
	}
}

func (d *direct) Leave(topic engine.ID) {
	d.joins[topic]--
	if strings.HasSuffix(d.mistake, "never leaves") || strings.HasSuffix(d.mistake, "counts joins") &&
		d.joins[topic] > 0 {
		return
	}
	delete(d.wants, topic)
}

func (d *direct) Publish(topic engine.ID, event engine.Message) {
	m := event.(*Note)
	if _, joined := d.wants[topic]; d.mistake == "lets no strangers publish" && !joined {
		return
	}
	d.deliver(m)
	if root := d.root(topic); d.mistake == "relies on the root" && root.ID != d.env.Self().ID {
		d.env.Send(root, &carry{m})
		return
	}
	d.spread(m)
}

// spread sends a note to all subscribers.
func (d *direct) spread(m *Note) {
	for _, p := range d.subscribers(m.Topic) {
		if p.ID != d.env.Self().ID {
			d.open = append(d.open, &parcel{note: m, to: p})
			d.send(d.open[len(d.open)-1])
		}
	}
}

// send sends a note until that is over.
func (d *direct) send(p *parcel) {
	if p.sent == tries || !slices.Contains(d.open, p) || p.sent > 0 && d.mistake == "sends once" {
		return
	}
	p.sent++
	d.env.Send(p.to, &carry{p.note})
	d.env.After(again, func() { d.send(p) })
}

// deliver delivers a note that is wanted, once.
func (d *direct) deliver(m *Note) {
	since, joined := d.wants[m.Topic]
	if !joined || d.had[m.Number] || d.mistake == "is slow to join" && d.env.Now() < since+10*time.Second {
		return
	}
	d.had[m.Number] = d.mistake != "has no memory"
	if d.mistake == "changes notes" {
		changed := *m
		changed.Text += "!"
		m = &changed
	}
	d.member.Deliver(m.Topic, m, engine.Peer{})
	if d.mistake == "delivers twice" {
		d.member.Deliver(m.Topic, m, engine.Peer{})
	}
}

func (d *direct) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *carry:
		note := m.Note.(*Note)
		if _, _, ok := d.member.Admit(note.Topic, note, from); ok {
			if d.mistake == "relies on the root" && d.root(note.Topic).ID == d.env.Self().ID {
				d.spread(note)
			}
			d.deliver(note)
			d.env.Send(from, &carried{note.Number})
		}
	case *carried:
		d.open = slices.DeleteFunc(d.open, func(p *parcel) bool {
			return p.to.ID == from.ID &&
				p.note.Number == m.Number
		})
	}
}

func (d *direct) PeerDown(p engine.Peer) {
	if d.mistake == "gives up on nodes that are down" {
		d.open = slices.DeleteFunc(d.open, func(o *parcel) bool { return o.to.ID == p.ID })
	}
}

func (d *direct) Stop() {}

var promisesOfDirect = Promises{Noiseless: true, Kept: 30, Recovery: tries * again / 2,
	Settling: tries*again + time.Minute}

func TestDirectConforms(t *testing.T) { Conform(t, directWith(""), promisesOfDirect) }

// Each oracle finds what it is for, in each scene where it can be found, and says how to repeat the run.
func TestMistakesAreFound(t *testing.T) {
	for _, test := range []struct{ mistake, scene, want string }{
		{"delivers twice", "Everybody", "is delivered a second time"},
		{"has no memory", "Loss", "is delivered a second time"},
		{"has no memory", "Swarm", "is delivered a second time"},
		{"changes notes", "Everybody", "the origin never served version 0"},
		{"sends to all and never leaves", "Leave", "is delivered to a node that does not subscribe"},
		{"sends to all and counts joins", "Leave", "is delivered to a node that does not subscribe"},
		{"sends to all", "Everybody", "reached a node that does not subscribe"},
		{"lets no strangers publish", "Everybody", "is missing"},
		{"is slow to join", "JoinDuringPublication", "is missing"},
		{"is slow to join", "Churn", "is missing"},
		{"sends once", "Loss", "is missing"},
		{"sends once", "Partition", "is missing"},
		{"relies on the root", "RootCrashes", "is missing"},
		{"gives up on nodes that are down", "Partition", "is missing"},
		{"gives up on nodes that are down", "Swarm", "is missing"},
		{"never at rest", "Everybody", "messages a minute in the end"},
		{"queue too long", "Everybody", "queue open has 2 entries"},
	} {
		t.Run(test.mistake+"/"+test.scene, func(t *testing.T) {
			t.Parallel()
			for _, s := range scenes[*direct]() {
				if s.name != test.scene {
					continue
				}
				var found []string
				for seed := range uint64(s.seeds) {
					p := directWith(test.mistake)
					c := p.SimConfig()
					c.Seed, c.Latency = seed+1, Space(seed+1)
					if err := play(sim.New(c), p, promisesOfDirect, s); err != nil {
						found = append(found, err.Error())
					}
				}
				if all := strings.Join(found, "\n"); !strings.Contains(all, test.want) ||
					!strings.Contains(all, "seed ") {
					t.Errorf("found was %q, want %q", all, test.want)
				}
			}
		})
	}
}
