package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"

	"tidings/network/engine"
	"tidings/network/routers/scribe"
)

// plain is an event that nobody has signed.
type plain struct {
	Bytes []byte `cbor:"1,keyasint" max:"1048000"`
}

func (*plain) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 11) }

var plainVocabulary = engine.Vocabulary{
	Protocol: engine.Experiment, Name: "plain",
	Messages: []engine.MessageType{{Message: new(plain), Class: engine.Update}},
}

// member accepts every plain event.
type member struct {
	number int
	got    func(node int, event []byte)
}

// Admit names an event by its hash.
func (member) Admit(_ engine.ID, event engine.Message, _ engine.Peer) (digest uint64, bytes int, ok bool) {
	m, ok := event.(*plain)
	if !ok {
		return 0, 0, false
	}
	sum := sha256.Sum256(m.Bytes)
	return binary.BigEndian.Uint64(sum[:]), len(m.Bytes), true
}

// Deliver notes that an event has come.
func (d member) Deliver(_ engine.ID, event engine.Message, _ engine.Peer) {
	d.got(d.number, event.(*plain).Bytes)
}

// startScribe starts nodes that are members of one group. Links are authenticated, events are not signed.
func startScribe(ctx context.Context, w work, got func(node int, event []byte)) (running, error) {
	topic := engine.IDOf([]byte("news"))
	r, err := newRing(ctx, w, func(n *ringNode, stack *engine.Stack) {
		n.tree = scribe.New(n.env, n.pastry, member{n.number, got}, scribe.Default())
		n.pastry.Handle(engine.Scribe, n.tree)
		stack.Add(engine.Scribe, n.tree)
	})
	if err != nil {
		return running{}, err
	}
	for _, n := range r.nodes {
		if err = n.host.Do(ctx, func() { n.tree.Join(topic) }); err != nil {
			break
		}
	}
	if err == nil {
		err = r.await(ctx, func(n *ringNode) bool { return inTree(n, topic) })
	}
	if err != nil {
		r.stop()
		return running{}, err
	}
	publish := func(event []byte) error {
		return r.nodes[0].host.Do(ctx, func() { r.nodes[0].tree.Publish(topic, &plain{event}) })
	}
	return running{publish, r.sent, r.stop}, nil
}
