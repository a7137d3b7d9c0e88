package rappel

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/vivaldi"
)

// puppet is a node with the test as every neighbour: what it sends is kept, and it receives what the test sends.
type puppet struct {
	*Node
	t      *testing.T
	time   time.Duration
	chance *rand.Rand
	calls  []call
	sent   []sending
	traced []any
	root   engine.Peer
	at     vivaldi.Coordinate
}

type call struct {
	at time.Duration
	id uint64
	f  func()
}

type sending struct {
	to engine.Peer
	m  engine.Message
}

// newPuppet returns a node that lies at a point, in milliseconds, and has joined the topic.
func newPuppet(t *testing.T, c Config, root engine.Peer, x, y int) *puppet {
	p := &puppet{t: t, root: root, at: place(x, y), time: time.Hour, chance: rand.New(rand.NewPCG(1, 2))}
	p.Node = New(p, c, Seams{Member: p, Directory: p, Coordinates: p})
	p.Join(subject)
	p.advance(0)
	return p
}

var subject = engine.PrefixID("ee")

// place returns a coordinate, in milliseconds.
func place(x, y int) vivaldi.Coordinate {
	return vivaldi.Coordinate{Vector: []int32{int32(x * 1000), int32(y * 1000)}}
}

// named returns a peer with an ID that begins like its name.
func named(name string) engine.Peer {
	return engine.Peer{ID: engine.PrefixID(name), Address: engine.Address(name)}
}

// What an Env does.
func (p *puppet) Self() engine.Peer                     { return named("aa") }
func (p *puppet) Now() time.Duration                    { return p.time }
func (p *puppet) Wall() time.Time                       { return time.UnixMilli(1e12).Add(p.time) }
func (p *puppet) Rand() *rand.Rand                      { return p.chance }
func (p *puppet) Send(to engine.Peer, m engine.Message) { p.sent = append(p.sent, sending{to, m}) }
func (p *puppet) Work(func(), func()) bool              { return false }
func (p *puppet) Trace(event any)                       { p.traced = append(p.traced, event) }

func (p *puppet) After(d time.Duration, f func()) engine.Timer {
	id := p.chance.Uint64()
	p.calls = append(p.calls, call{p.time + max(d, 0), id, f})
	return engine.NewTimer(p, id)
}

func (p *puppet) StopTimer(id uint64) bool {
	before := len(p.calls)
	p.calls = slices.DeleteFunc(p.calls, func(c call) bool { return c.id == id })
	return len(p.calls) < before
}

// What its surroundings do.
func (p *puppet) Root(engine.ID) engine.Peer     { return p.root }
func (p *puppet) Coordinate() vivaldi.Coordinate { return p.at }
func (p *puppet) Frozen() bool                   { return true }

func (p *puppet) Admit(_ engine.ID, m engine.Message, _ engine.Peer) (digest uint64, bytes int, ok bool) {
	return uint64(m.(*Void).Stamp.Number), 1, true
}
func (p *puppet) Deliver(engine.ID, engine.Message, engine.Peer) {}

// advance lets time pass.
func (p *puppet) advance(d time.Duration) {
	for end, calls := p.time+d, 0; ; calls++ {
		if calls > 100_000 {
			p.t.Fatal("a node does not come to rest")
		}
		next := -1
		for i, c := range p.calls {
			if c.at <= end && (next < 0 || c.at < p.calls[next].at) {
				next = i
			}
		}
		if next < 0 {
			p.time = end
			return
		}
		c := p.calls[next]
		p.calls = slices.Delete(p.calls, next, next+1)
		p.time = max(p.time, c.at)
		c.f()
	}
}

// receives makes the node receive a message, and runs what is due at once. It returns what the node sends.
func (p *puppet) receives(from engine.Peer, m engine.Message) []sending {
	p.sent = nil
	p.Receive(from, m)
	p.advance(0)
	return p.sent
}

// sentOf returns what was sent of one type, to anybody.
func sentOf[M engine.Message](p *puppet) (list []M) {
	for _, s := range p.sent {
		if m, ok := s.m.(M); ok {
			list = append(list, m)
		}
	}
	return list
}

// asks fails unless the last Join that was sent went to a node and names these to be avoided. It returns it.
func (p *puppet) asks(to engine.Peer, avoid ...engine.Peer) *Join {
	p.t.Helper()
	for _, s := range slices.Backward(p.sent) {
		m, ok := s.m.(*Join)
		if !ok {
			continue
		}
		var want []engine.ID
		for _, a := range avoid {
			want = append(want, a.ID)
		}
		if s.to != to || !slices.Equal(m.Avoid, want) {
			p.t.Fatalf("a Join goes to %s and avoids %v, want %s and %v", s.to, m.Avoid, to, want)
		}
		return m
	}
	p.t.Fatalf("nobody is asked, want %s", to)
	return nil
}

// forwarded makes the node that was asked by m send it on to another.
func (p *puppet) forwarded(by engine.Peer, m *Join, to engine.Peer) {
	p.receives(by, &JoinForward{Topic: subject, Attempt: m.Attempt, To: to})
}

// joins has a node that lies at a point ask to be a child, and returns the answer.
func (p *puppet) joins(from engine.Peer, m Join) engine.Message {
	p.t.Helper()
	m.Topic = subject
	p.receives(from, &m)
	for _, s := range p.sent {
		switch s.m.(type) {
		case *JoinOK, *JoinForward, *JoinDeny:
			if s.to == from {
				return s.m
			}
		}
	}
	p.t.Fatalf("a Join of %s is not answered", from)
	return nil
}
