package check

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// toy is a router of one hub, node 0, that polls an origin and sends each version to all nodes that subscribe; and a
// lookup of one hop. It makes the mistakes that the test sets.
type toy struct {
	env    engine.Env
	number sim.Node
	cast   *cast
	latest uint64
}

// cast is what the toys of a world share: their mistakes, and their roles.
type cast struct {
	wrong  string
	world  *sim.World
	watch  *Watch
	lookup uint64
}

type notice struct {
	Topic   engine.ID `cbor:"1,keyasint"`
	Version uint64    `cbor:"2,keyasint"`
	Content engine.ID `cbor:"3,keyasint"`
}

type look struct {
	Key    engine.ID `cbor:"1,keyasint"`
	Number uint64    `cbor:"2,keyasint"`
}

// applied is what the toy traces; hear makes a Delivered of it.
type applied struct{ notice }

func (*notice) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 1) }
func (*look) Kind() engine.Kind   { return engine.KindOf(engine.Experiment, 2) }

var vocabulary = engine.Vocabulary{Protocol: engine.Experiment, Name: "toy", Messages: []engine.MessageType{
	{Message: new(notice)}, {Message: new(look)},
}}

var topic = engine.PrefixID("c0ffee")

const (
	nodes    = 6
	outsider = 5 // the node that does not subscribe
	hub      = 0
	interval = time.Minute
	rounds   = 5
)

func observe(event any, report func(Event)) {
	if e, ok := event.(applied); ok {
		report(Delivered{e.Topic, e.Version, e.Content})
	}
}

func (p *toy) start() {
	if p.number == hub {
		p.env.After(interval, p.poll)
	} else if p.number != outsider {
		p.env.Trace(Subscribed{topic})
	}
}

// poll asks the origin, which has something new each time, and notifies the subscribers.
func (p *toy) poll() {
	p.env.After(interval, p.poll)
	p.latest++
	content := engine.IDOf([]byte{byte(p.latest)})
	p.env.Trace(Polled{topic})
	if p.cast.wrong == "polls twice" && p.latest == 3 {
		p.env.Trace(Polled{topic})
	}
	p.cast.watch.Report(-1, Served{topic, content})
	p.env.Trace(Published{topic, p.latest, content})
	p.env.Trace(Queued{"out", p.queue(), nodes})
	for n := sim.Node(1); n < nodes; n++ {
		p.send(n, notice{topic, p.latest, content})
	}
	p.lookUp(content)
}

func (p *toy) queue() int {
	if p.cast.wrong == "queues too many" {
		return nodes + 1
	}
	return nodes
}

// send sends an update to a subscriber, rightly or wrongly.
func (p *toy) send(n sim.Node, m notice) {
	to := p.cast.world.Peer(n)
	last := m.Version == rounds
	if n == outsider && p.cast.wrong != "makes noise" {
		return
	}
	switch {
	case n == 1 && last && p.cast.wrong == "leaves the last out":
		return
	case n == 1 && m.Version == 2 && p.cast.wrong == "leaves one out":
		return
	case n == 2 && last && p.cast.wrong == "sends twice":
		p.env.Send(to, &m)
	case n == 2 && last && p.cast.wrong == "goes back":
		p.env.Send(to, &m)
		m.Version, m.Content = 1, engine.IDOf([]byte{1})
	case n == 3 && last && p.cast.wrong == "changes content":
		m.Content = engine.IDOf([]byte{1})
	case n == 3 && last && p.cast.wrong == "invents":
		m.Content = engine.IDOf([]byte("never served"))
	}
	p.env.Send(to, &m)
}

// lookUp sends a lookup for a key to the node that is closest, or elsewhere.
func (p *toy) lookUp(key engine.ID) {
	o := oracle{world: p.cast.world}
	closest, _ := o.closest(key)
	p.cast.lookup++
	p.env.Trace(Sought{key, p.cast.lookup})
	switch p.cast.wrong {
	case "looks up elsewhere":
		closest = (closest + 1) % nodes
	case "loses a lookup":
		if p.cast.lookup == 2 {
			return
		}
	case "delivers a lookup twice":
		p.env.Send(p.cast.world.Peer(closest), &look{key, p.cast.lookup})
	}
	p.env.Send(p.cast.world.Peer(closest), &look{key, p.cast.lookup})
}

func (p *toy) Receive(_ engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *notice:
		p.env.Trace(Carried{m.Topic, m.Version})
		if p.number != outsider {
			p.env.Trace(applied{*m})
		}
	case *look:
		p.env.Trace(Found{m.Key, m.Number})
	}
}

func (p *toy) PeerDown(engine.Peer) {}
func (p *toy) Stop()                {}

// leaves returns a leaf set as wide as half on each side: the right one, or not.
func (c *cast) leaves(half int) func(n sim.Node) []engine.Peer {
	return func(n sim.Node) []engine.Peer {
		o := &oracle{world: c.world}
		members := o.members()
		for i, m := range members {
			if m != n {
				continue
			}
			leaves := (&Ring{Half: half}).want(c.world, members, i)
			if n == 4 && c.wrong == "loses a leaf" {
				return leaves[1:]
			}
			if n == 4 && c.wrong == "keeps a dead leaf" {
				return append(leaves, engine.Peer{ID: topic})
			}
			return leaves
		}
		return nil
	}
}

// play runs the toys with every checker on, and returns the world and the watch.
func play(wrong string) (*sim.World, *Watch) {
	config := sim.Default(engine.NewCodec(vocabulary))
	config.Seed, config.Wire = 42, true
	w := sim.New(config)
	c := &cast{wrong: wrong, world: w}
	c.watch = All(w, observe,
		&Once{}, &Latest{}, &Complete{}, &Increasing{}, &OneContent{}, &Genuine{}, &Queues{},
		&PollLimit{Window: interval, Topic: func(engine.ID) int { return 1 }}, &Noiseless{},
		&Ring{Half: 2, Leaves: c.leaves(2)}, NewLookups(w))
	c.watch.Command = "go test -run Story"
	for n := range sim.Node(nodes) {
		w.Add(engine.IDOf([]byte{byte(n)}), func(env engine.Env, _ *sim.Disk) engine.Protocol {
			p := &toy{env: env, number: n, cast: c}
			env.After(0, p.start)
			return p
		})
		w.Boot(n)
	}
	w.Run(rounds*interval + interval/2)
	return w, c.watch
}

func TestNoViolationWithoutWrong(t *testing.T) {
	if _, watch := play(""); watch.Finish() != nil {
		t.Error(watch.Err())
	}
}

// Every wrong is seen by the checkers that are there for it and by no other.
func TestEachWrongIsSeen(t *testing.T) {
	for _, c := range []struct {
		wrong string
		want  []string // in the order of play's checkers
	}{
		{"sends twice", []string{"is delivered a second time", "version 5 is delivered after version 5"}},
		{"leaves the last out", []string{"the subscriber has version 4, and not 5",
			"is missing; of 20 deliveries 19 happened"}},
		{"leaves one out", []string{"version 2 (c4ea21bb), published at 2m0s, is missing"}},
		{"goes back", []string{"is delivered a second time", "version 1 is delivered after version 5"}},
		{"changes content", []string{"version 5 (8dc00598), published at 5m0s, is missing",
			"version 5 has two contents"}},
		{"invents", []string{"is missing", "version 5 has two contents", "the origin never served version 5"}},
		{"queues too many", []string{"queue out has 7 entries, where 6 are allowed"}},
		{"polls twice", []string{"2 polls of one topic within 1m0s, where 1 are allowed"}},
		{"makes noise", []string{"version 1 reached a node that does not subscribe (and 4 more)"}},
		{"loses a leaf", []string{"the leaf set lacks ["}},
		{"keeps a dead leaf", []string{"the leaf set lacks [] and has [c0ffee00] too many"}},
		{"looks up elsewhere", []string{"was delivered here, and node"}},
		{"loses a lookup", []string{"lookup 2, sent out at 2m0s, was never delivered"}},
		{"delivers a lookup twice", []string{"was delivered a second time (and 4 more)"}},
	} {
		_, watch := play(c.wrong)
		err := watch.Finish()
		if err == nil {
			t.Errorf("%s: not seen", c.wrong)
			continue
		}
		violations := err.(interface{ Unwrap() []error }).Unwrap()
		if len(violations) != len(c.want) {
			t.Errorf("%s: %d violations, want %d:\n%v", c.wrong, len(violations), len(c.want), err)
			continue
		}
		for i, v := range violations {
			if !strings.Contains(v.Error(), c.want[i]) {
				t.Errorf("%s: want %q, got %v", c.wrong, c.want[i], v)
			}
		}
	}
}

func TestViolationHasItsStory(t *testing.T) {
	_, watch := play("goes back")
	var v *Violation
	if !errors.As(watch.Finish(), &v) {
		t.Fatal("no violation")
	}
	const want = `seed 42, at 5m0.05s, node 2 (c4ea21bb), topic c0ffee00: version 1 (bf8b4530) is delivered a second time
	4m0s node 0 polled`
	if got := v.Error(); !strings.HasPrefix(got, want) ||
		!strings.HasSuffix(got, "node 2 was delivered version 1 (bf8b4530)\n\trepeat it by: go test -run Story") {
		t.Errorf("got  %s\nwant %s…", got, want)
	}
	if len(v.Story) != storyLength {
		t.Errorf("the story has %d events, want the last %d", len(v.Story), storyLength)
	}
}
