package engine_test

import (
	"testing"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

func TestMessages(t *testing.T) {
	enginetest.Check(t, engine.NewCodec(engine.TransportVocabulary, engine.SampleMessages))
}

func FuzzMessages(f *testing.F) {
	enginetest.Fuzz(f, engine.NewCodec(engine.TransportVocabulary, engine.SampleMessages))
}
