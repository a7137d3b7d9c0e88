package spidercast

import (
	"testing"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

func TestMessages(t *testing.T) { enginetest.Check(t, engine.NewCodec(Vocabulary)) }

func FuzzMessages(f *testing.F) { enginetest.Fuzz(f, engine.NewCodec(Vocabulary)) }

// Each part has a range of kinds to itself, by which messages are handed out.
func TestKindsOfParts(t *testing.T) {
	for _, m := range Vocabulary.Messages {
		number := byte(m.Message.Kind())
		part := "view"
		switch {
		case number >= spreadKinds:
			part = "spread"
		case number >= overlayKinds:
			part = "overlay"
		}
		if got := packageOf(m.Message); got != part {
			t.Errorf("kind %d is of %s, and handed to %s", number, got, part)
		}
	}
}
