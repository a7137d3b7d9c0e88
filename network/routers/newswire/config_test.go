package newswire_test

import (
	"testing"

	"tidings/network/engine/enginetest"
	"tidings/network/routers/newswire"
)

// A configuration is accepted with each bounded field at either end of its bound, and refused with it one beyond.
func TestBoundsOfConfig(t *testing.T) {
	c := newswire.Default()
	enginetest.CheckConfig(t, c, enginetest.Bounds{
		"Patience":     {1, enginetest.Endless},
		"Sign":         {1, int64(c.Silence / 2)},
		"Silence":      {int64(2 * c.Sign), int64(c.Deadline)},
		"Deadline":     {int64(c.Silence), enginetest.Endless},
		"Keep":         {int64(c.Missed), enginetest.Endless},
		"CatchUp":      {1, int64(c.Missed)},
		"Missed":       {int64(c.CatchUp), int64(c.Keep)},
		"Redundancy":   {1, 8},
		"Attempts":     {1, 16},
		"Window":       {1, int64(c.Queue)},
		"Queue":        {int64(c.Window), 1 << 16},
		"Rate":         {1, 1 << 20},
		"Burst":        {1, 1 << 20},
		"Cache":        {1, 1 << 16},
		"CacheBytes":   {1, 1 << 30},
		"MaxTopics":    {1, 1 << 16},
		"Shape.Hashes": {1, 5},
	}, "Shape.Bits")
}

// Filters have whole bytes.
func TestBitsOfShapes(t *testing.T) {
	for bits, good := range map[int]bool{0: false, 7: false, 8: true, 9: false, 12: false, 16: true, 1 << 15: true,
		1<<15 + 8: false} {
		c := newswire.Default()
		c.Shape.Bits = bits
		if (c.Validate() == nil) != good {
			t.Errorf("filters of %d bits: accepted should be %v", bits, good)
		}
	}
}
