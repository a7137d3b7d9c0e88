package scribe

import (
	"testing"

	"tidings/network/engine"
)

// empty is an event without content.
type empty struct{}

func (*empty) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 9) }

// What trees add to an event on the wire, in a group that is rooted at its topic, is little: items are often
// short, and go over many links.
func TestWhatTreesAddIsLittle(t *testing.T) {
	codec := engine.NewCodec(Vocabulary, engine.Vocabulary{
		Protocol: engine.Experiment, Name: "test",
		Messages: []engine.MessageType{{Message: new(empty), Class: engine.Update}},
	})
	topic := engine.IDOf([]byte("topic"))
	name := NameOf(topic, topic)
	event := Event{Topic: topic, Stream: 1 << 63, Number: 1000, Payload: new(empty)}
	for _, test := range []struct {
		message engine.Message
		most    int
	}{
		{&Disseminate{Line: 1 << 30, Number: 100_000, Key: name.Key, Event: event}, 60},
		{&Publish{Key: name.Key, Event: event}, 50},
		{&IHave{name, 1 << 63}, 40},
		{&Taken{Group: name, Name: 1 << 63}, 40},
		{&Heartbeat{Line: 1 << 30, Sent: 100_000, Sum: 1 << 63}, 32},
	} {
		got := codec.Size(test.message)
		t.Logf("%T: %d bytes", test.message, got)
		if got > test.most {
			t.Errorf("a %T takes %d bytes, more than %d", test.message, got, test.most)
		}
	}
}
