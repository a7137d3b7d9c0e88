package node

import (
	"testing"

	"tidings/network/engine/enginetest"
)

// Every message that nodes send each other keeps the codec's promises (hostile 27, 28, 29).
func TestEveryMessageKeepsTheCodecsPromises(t *testing.T) {
	t.Parallel()
	enginetest.Check(t, Codec())
}
