package sim

import (
	"testing"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// The remembered size is the size of the message, whatever was sent before.
func TestSizesAreThoseOfTheCodec(t *testing.T) {
	t.Parallel()
	codec := toyCodec()
	rapid.Check(t, func(t *rapid.T) {
		var s sizes
		nodes := rapid.IntRange(1, 100).Draw(t, "nodes")
		messages := make([]engine.Message, rapid.IntRange(1, 400).Draw(t, "messages"))
		for i := range messages {
			messages[i] = &toyBulk{uint64(i), make([]byte, rapid.IntRange(0, 100).Draw(t, "length"))}
		}
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(messages)-1), 0, 1000).Draw(t, "sent") {
			if got, want := s.of(codec, messages[i], nodes), codec.Size(messages[i]); got != want {
				t.Fatalf("message %d has %d bytes, want %d", i, got, want)
			}
		}
	})
}

// Messages that are sent once are let go.
func TestSizesKeepWhatIsSentAgain(t *testing.T) {
	t.Parallel()
	codec, s := toyCodec(), sizes{}
	kept := func(m engine.Message) (is bool) {
		for i := range s.slots {
			is = is || s.slots[i].message == m
		}
		return is
	}
	once, again := &toyBulk{1, make([]byte, 100)}, &toyBulk{2, make([]byte, 100)}
	s.of(codec, once, 1)
	if kept(once) {
		t.Error("a message is kept that was sent once")
	}
	s.of(codec, again, 1)
	s.of(codec, again, 1)
	if !kept(again) {
		t.Error("a message is not kept that was sent twice")
	}
}
