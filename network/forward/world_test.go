package forward_test

import (
	"bytes"
	"crypto/sha256"
	"time"

	"tidings/network/engine"
	"tidings/network/forward"
	"tidings/network/sim"
)

// word is what the protocol of the tests says. It may name others.
type word struct {
	Number uint64        `cbor:"1,keyasint"`
	Of     []engine.Peer `cbor:"2,keyasint" max:"16"`
	Filler []byte        `cbor:"3,keyasint" max:"524288"`
}

func (*word) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 1) }

var words = engine.Vocabulary{
	Protocol: engine.Experiment, Name: "test",
	Messages: []engine.MessageType{{Message: new(word), Class: engine.Update}},
}

var codec = engine.NewCodec(forward.Vocabulary, words)

// heard and down are what the protocol of the tests traces.
type (
	heard struct {
		From   engine.Peer
		Number uint64
	}
	down struct{ Peer engine.Peer }
)

// talker is the protocol of the tests: it says what it is told to.
type talker struct {
	forward *forward.Node
	heard   []heard
	downs   []engine.Peer
}

func (t *talker) say(to engine.Peer, w *word) { t.forward.Send(to, w) }

func (t *talker) Receive(from engine.Peer, m engine.Message) {
	h := heard{from, m.(*word).Number}
	t.heard = append(t.heard, h)
	t.forward.Trace(h)
}

func (t *talker) PeerDown(p engine.Peer) {
	t.downs = append(t.downs, p)
	t.forward.Trace(down{p})
}

func (t *talker) Stop() {}

// member is a node of the tests: what the world sees is its forward.Node, or a liar in front of that.
type member struct {
	engine.Protocol
	*talker
}

func (m member) Receive(from engine.Peer, w engine.Message) { m.Protocol.Receive(from, w) }
func (m member) PeerDown(p engine.Peer)                     { m.Protocol.PeerDown(p) }
func (m member) Stop()                                      { m.Protocol.Stop() }

func start(env engine.Env, keys engine.Keys, c forward.Config) member {
	n := forward.New(env, keys, codec, c)
	t := &talker{forward: n}
	n.Serve(t)
	return member{n, t}
}

// signer signs for a node, as the keys of simulated nodes do.
type signer struct{ self engine.ID }

func (s signer) Sign(data []byte) []byte {
	sum := sha256.Sum256(append(s.self[:], data...))
	return append(sum[:], sum[:]...)
}

func (signer) Signed(p engine.Peer, data, signature []byte) bool {
	return bytes.Equal(signer{p.ID}.Sign(data), signature)
}

// connections has a world keep connections, for as long as tests last.
func connections(c *sim.Config) { c.Connections, c.Idle, c.Wire = true, 24*time.Hour, true }

// liar does something else to what it is to forward.
type liar struct {
	*forward.Node
	env  engine.Env
	kept []*forward.Message
	lie  func(l *liar, from engine.Peer, m *forward.Message)
}

func (l *liar) Receive(from engine.Peer, m engine.Message) {
	if m, ok := m.(*forward.Message); ok && m.To != l.env.Self().ID {
		l.lie(l, from, m)
		return
	}
	l.Node.Receive(from, m)
}

// lies are what liars do, by their names in scenes.
var lies = map[string]func(l *liar, from engine.Peer, m *forward.Message){
	"thief": func(*liar, engine.Peer, *forward.Message) {},
	"forger": func(l *liar, from engine.Peer, m *forward.Message) {
		forged := *m
		forged.Payload, _ = codec.Append(nil, &word{Number: 666})
		l.Node.Receive(from, &forged)
	},
	"parrot": func(l *liar, from engine.Peer, m *forward.Message) {
		l.kept = append(l.kept, m)
		for _, m := range l.kept {
			if p, ok := l.Node.Link(m.To); ok {
				l.env.Send(p, m)
			}
		}
	},
	"misleader": func(l *liar, from engine.Peer, m *forward.Message) {
		led := *m
		for _, other := range l.kept { // to whom the one before was
			led.To = other.To
		}
		l.kept = append(l.kept[:0], m)
		if p, ok := l.Node.Link(led.To); ok {
			l.env.Send(p, &led)
		}
	},
}
