package overlay_test

import (
	"math"
	"testing"

	"tidings/network/engine/enginetest"
	"tidings/network/routers/spidercast/overlay"
)

// A configuration is accepted with each bounded field at either end of its bound, and refused with it one beyond.
func TestBoundsOfConfig(t *testing.T) {
	c := overlay.Default()
	enginetest.CheckConfig(t, c, enginetest.Bounds{
		"Interval":      {1, int64(c.MaxInterval)},
		"MaxInterval":   {int64(c.Interval), enginetest.Endless},
		"Heartbeat":     {1, int64(c.Silence)},
		"Silence":       {int64(c.Heartbeat), enginetest.Endless},
		"Quarantine":    {1, enginetest.Endless},
		"Suspicion":     {1, enginetest.Endless},
		"Return":        {0, enginetest.Endless},
		"ReturnFirst":   {1, enginetest.Endless},
		"Greedy":        {0, 64},
		"Random":        {0, int64(c.MaxRandom)},
		"MaxRandom":     {int64(c.Random), 64},
		"Broad":         {0, 1 << 20},
		"Margin":        {0, 1024},
		"Exact":         {0, 64},
		"MaxTopics":     {1, 1 << 15},
		"MaxQuarantine": {1, 1 << 16},
		"MaxRedirects":  {1, 1 << 10},
		"MaxHops":       {0, 1 << 10},
		"MaxLost":       {0, 1 << 10},
		"AnswerRate":    {1, 1 << 20},
	}, "Swaps.Pause")
}

// Parts are parts, and neighbours are not swapped more often than they send heartbeats.
func TestPartsOfConfig(t *testing.T) {
	for what, c := range map[string]struct {
		set  func(c *overlay.Config)
		good bool
	}{
		"share below":   {func(c *overlay.Config) { c.MaxShare = -0.01 }, false},
		"share none":    {func(c *overlay.Config) { c.MaxShare = 0 }, true},
		"share all":     {func(c *overlay.Config) { c.MaxShare = 1 }, true},
		"share above":   {func(c *overlay.Config) { c.MaxShare = 1.01 }, false},
		"share nothing": {func(c *overlay.Config) { c.MaxShare = math.NaN() }, false},
		"risk below":    {func(c *overlay.Config) { c.Swaps.Risk = -0.01 }, false},
		"risk none":     {func(c *overlay.Config) { c.Swaps.Risk = 0 }, true},
		"risk all":      {func(c *overlay.Config) { c.Swaps.Risk = 1 }, false},
		"pause below":   {func(c *overlay.Config) { c.Swaps.Pause = -1 }, false},
		"no pause":      {func(c *overlay.Config) { c.Swaps.Pause = 0 }, true},
		"pause short":   {func(c *overlay.Config) { c.Swaps.Pause = 2*c.Heartbeat - 1 }, false},
		"pause least":   {func(c *overlay.Config) { c.Swaps.Pause = 2 * c.Heartbeat }, true},
	} {
		config := overlay.Default()
		c.set(&config)
		if err := config.Validate(); (err == nil) != c.good {
			t.Errorf("%s: accepted should be %v: %v", what, c.good, err)
		}
	}
}
