package view_test

import (
	"math"
	"testing"
	"time"

	"tidings/network/engine/enginetest"
	"tidings/network/routers/spidercast/view"
)

// A configuration is accepted with each bounded field at either end of its bound, and refused with it one beyond.
func TestBoundsOfConfig(t *testing.T) {
	c := view.Default()
	enginetest.CheckConfig(t, c, enginetest.Bounds{
		"Round":      {int64(c.FastRound), int64(c.MaxAge)},
		"FastRound":  {1, int64(c.Round)},
		"MaxAge":     {int64(c.Round), int64(24 * time.Hour)},
		"Retry":      {1, enginetest.Endless},
		"Sample":     {1, 16},
		"Alike":      {0, 16},
		"Least":      {1, int64(c.Most)},
		"Most":       {int64(c.Least), 1 << 16},
		"Cover":      {0, 64},
		"Broad":      {0, 1 << 20},
		"MaxLost":    {1, 1 << 10},
		"MaxMetered": {1, 1 << 20},
	})
}

// A share is a part.
func TestShareIsAPart(t *testing.T) {
	for share, good := range map[float64]bool{-0.01: false, 0: true, 1: true, 1.01: false, math.NaN(): false} {
		c := view.Default()
		c.Share = share
		if (c.Validate() == nil) != good {
			t.Errorf("a share of %v: accepted should be %v", share, good)
		}
	}
}
