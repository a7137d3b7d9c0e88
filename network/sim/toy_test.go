package sim

import (
	"crypto/sha1"
	"encoding/binary"
	"time"

	"tidings/network/engine"
)

// The toys are protocols of a few lines, for tests of the world they live in.

// toyPing asks for a toyPong with the same number.
type toyPing struct {
	Number uint64 `cbor:"1,keyasint"`
}

// toyPong answers a toyPing.
type toyPong struct {
	Number uint64 `cbor:"1,keyasint"`
}

// toyBulk is less urgent than both.
type toyBulk struct {
	Number uint64 `cbor:"1,keyasint"`
	Filler []byte `cbor:"2,keyasint" max:"4096"`
}

func (*toyPing) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 1) }
func (*toyPong) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 2) }
func (*toyBulk) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 3) }

func toyCodec() *engine.Codec {
	return engine.NewCodec(engine.Vocabulary{
		Protocol: engine.Experiment, Name: "toy",
		Messages: []engine.MessageType{
			{Message: new(toyPing), Class: engine.Control},
			{Message: new(toyPong), Class: engine.Update},
			{Message: new(toyBulk), Class: engine.Bulk},
		},
	})
}

func toyID(n int) engine.ID {
	return sha1.Sum(binary.BigEndian.AppendUint64(nil, uint64(n)))
}

// recorder is a protocol that keeps what happens to it and does nothing.
type recorder struct {
	env   engine.Env
	disk  *Disk
	heard []heard
	downs []engine.Peer
	at    []time.Duration // of downs
	ended bool
}

type heard struct {
	at     time.Duration // by the node's clock
	from   engine.Peer
	number uint64
}

func (r *recorder) Receive(from engine.Peer, m engine.Message) {
	h := heard{at: r.env.Now(), from: from}
	switch m := m.(type) {
	case *toyPing:
		h.number = m.Number
	case *toyPong:
		h.number = m.Number
	case *toyBulk:
		h.number = m.Number
	}
	r.heard = append(r.heard, h)
}

func (r *recorder) PeerDown(p engine.Peer) {
	r.downs = append(r.downs, p)
	r.at = append(r.at, r.env.Now())
}

func (r *recorder) Stop() { r.ended = true }

func (r *recorder) numbers() []uint64 {
	numbers := []uint64{}
	for _, h := range r.heard {
		numbers = append(numbers, h.number)
	}
	return numbers
}

// recorders is a world of recorders that are up.
type recorders struct{ *World }

func newRecorders(n int, change ...func(*Config)) recorders {
	c := Default(toyCodec())
	for _, f := range change {
		f(&c)
	}
	w := recorders{New(c)}
	for i := range n {
		w.Boot(w.Add(toyID(i), func(env engine.Env, disk *Disk) engine.Protocol {
			return &recorder{env: env, disk: disk}
		}))
	}
	return w
}

func (w recorders) at(n Node) *recorder { return w.Protocol(n).(*recorder) }

func (w recorders) ping(from, to Node, number uint64) {
	w.at(from).env.Send(w.Peer(to), &toyPing{number})
}

// pinger exchanges pings with peers that it is given.
type pinger struct {
	env   engine.Env
	next  int
	count uint64
	peers [4]engine.Peer
}

func (p *pinger) ping() {
	p.count++
	p.next++
	if p.next == len(p.peers) {
		p.next = 0
	}
	p.env.Send(p.peers[p.next], &toyPing{p.count})
}

func (p *pinger) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *toyPing:
		p.env.Send(from, &toyPong{m.Number})
	case *toyPong:
		p.ping()
	}
}

func (p *pinger) PeerDown(engine.Peer) {}
func (p *pinger) Stop()                {}

// newPingers returns a world of n pingers with four random peers each, which
// all have sent their first ping.
func newPingers(n int, change ...func(*Config)) *World {
	c := Default(toyCodec())
	for _, f := range change {
		f(&c)
	}
	w := New(c)
	for i := range n {
		w.Add(toyID(i), func(env engine.Env, _ *Disk) engine.Protocol { return &pinger{env: env} })
	}
	for i := range Node(n) {
		w.Boot(i)
		p := w.Protocol(i).(*pinger)
		for i := range p.peers {
			p.peers[i] = w.Peer(Node(w.Rand().IntN(n)))
		}
		w.After(time.Duration(w.Rand().Int64N(int64(100*time.Millisecond))), p.ping)
	}
	return w
}
