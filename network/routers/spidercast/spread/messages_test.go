package spread

import (
	"testing"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

var vocabulary = engine.Vocabulary{Protocol: engine.SpiderCast, Name: "spidercast", Messages: Messages}

func TestMessages(t *testing.T) { enginetest.Check(t, engine.NewCodec(vocabulary)) }

func FuzzMessages(f *testing.F) { enginetest.Fuzz(f, engine.NewCodec(vocabulary)) }
