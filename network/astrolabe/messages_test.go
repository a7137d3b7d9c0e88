package astrolabe_test

import (
	"testing"

	"tidings/network/astrolabe"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

var codec = engine.NewCodec(astrolabe.Vocabulary)

func TestMessages(t *testing.T) { enginetest.Check(t, codec) }

func FuzzMessages(f *testing.F) { enginetest.Fuzz(f, codec) }
