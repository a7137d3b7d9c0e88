package campaign

import (
	"testing"

	"tidings/network/corona/coronatest"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/feedtree"
	"tidings/network/routers/spidercast/spread"
	"tidings/network/sim"
)

// A liar alters or keeps back what is pushed, on its way and in answers, and lets heartbeats pass.
func TestLiarsLieOfWhatIsPushed(t *testing.T) {
	item := &feedtree.Item{Number: 1, Time: 1, Entry: []byte("an item"), Signature: make([]byte, 64)}
	beat := &feedtree.Heartbeat{Number: 1, Time: 1, Signature: make([]byte, 64)}
	for _, c := range []struct {
		kind Kind
		send engine.Message
		sent int
		same bool
	}{
		{"", item, 1, true},
		{Invent, item, 1, true},
		{Mute, &spread.Event{Topic: topic, Event: item}, 0, false},
		{Mute, &feedtree.Items{Topic: topic, Items: []engine.Message{item}}, 0, false},
		{Mute, &spread.Event{Topic: topic, Event: beat}, 1, true},
		{Forge, &spread.Event{Topic: topic, Event: item}, 1, false},
		{Forge, &feedtree.Items{Topic: topic, Items: []engine.Message{item}}, 1, false},
		{Forge, &spread.Event{Topic: topic, Event: beat}, 1, true},
	} {
		env := enginetest.NewEnv(enginetest.NewPeer("aa"))
		l := &liar{env, 1, func(sim.Node) Kind { return c.kind }, coronatest.SimConfig().Codec}
		l.Send(enginetest.NewPeer("bb"), c.send)
		sent := env.Sent()
		if len(sent) != c.sent || len(sent) == 1 && (sent[0].Message == c.send) != c.same {
			t.Errorf("%s: of %T is sent %+v", c.kind, c.send, sent)
		}
		if string(item.Entry) != "an item" {
			t.Fatalf("%s: the item itself is altered", c.kind)
		}
	}
}
