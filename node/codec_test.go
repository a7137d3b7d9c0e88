package node

import (
	"testing"

	"tidings/lab/cost"
	"tidings/network/engine/enginetest"
)

// Every message that nodes send each other keeps the codec's promises (hostile 27, 28, 29).
func TestEveryMessageKeepsTheCodecsPromises(t *testing.T) {
	if cost.RaceDetector() {
		t.Skip("reads and writes messages, in one goroutine")
	}
	enginetest.Check(t, Codec())
}
