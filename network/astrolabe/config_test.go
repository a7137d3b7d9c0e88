package astrolabe_test

import (
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/engine/enginetest"
)

// A configuration is accepted with each bounded field at either end of its bound, and refused with it one beyond.
func TestBoundsOfConfig(t *testing.T) {
	c := astrolabe.Default()
	enginetest.CheckConfig(t, c, enginetest.Bounds{
		"Interval":        {1, int64(c.DissolveAfter)},
		"PushDelay":       {0, enginetest.Endless},
		"Refresh":         {int64(time.Second), int64(c.Lifetime / 3)},
		"Lifetime":        {int64(3 * c.Refresh), int64(2 * time.Hour)},
		"Turn":            {1, enginetest.Endless},
		"Settle":          {0, enginetest.Endless},
		"DissolveAfter":   {int64(c.Interval), enginetest.Endless},
		"Patience":        {1, enginetest.Endless},
		"Stay":            {0, enginetest.Endless},
		"Fanout":          {1, 16},
		"Representatives": {1, 8},
		"Full":            {int64(max(4, 4*c.Small)), 64},
		"Small":           {0, int64(c.Full / 4)},
		"MaxAttributes":   {256, 8192},
		"MaxFunctions":    {0, 64},
	}, "MaxFilter")
	c.Small = 0
	for full, valid := range map[int]bool{3: false, 4: true} {
		if c.Full = full; (c.Validate() == nil) != valid {
			t.Errorf("where no zone is small, Full of %d is valid: %v", full, !valid)
		}
	}
}
