package scribe

import (
	"testing"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

func TestMessages(t *testing.T) { enginetest.Check(t, engine.NewCodec(Vocabulary)) }

func FuzzMessages(f *testing.F) { enginetest.Fuzz(f, engine.NewCodec(Vocabulary)) }
