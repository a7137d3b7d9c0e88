package corona

import (
	"testing"
	"time"

	"tidings/network/engine/enginetest"
)

// A configuration is accepted with each bounded field at either end of its bound, and refused with it one beyond.
func TestBoundsOfConfig(t *testing.T) {
	c := Default()
	enginetest.CheckConfig(t, c, enginetest.Bounds{
		"Interval":         {int64(2 * time.Second), int64(30 * 24 * time.Hour)},
		"Maintenance":      {1, enginetest.Endless},
		"AggregateEvery":   {1, enginetest.Endless},
		"LeastInterval":    {1, enginetest.Endless},
		"Renew":            {1, int64(c.Forget - 1)},
		"Forget":           {int64(c.Renew + 1), enginetest.Endless},
		"Owners":           {1, 9},
		"AssignmentsLast":  {1, 100},
		"DirectUpTo":       {0, 1 << 20},
		"MaxChannels":      {1, 1 << 30},
		"MaxPolled":        {1, 1 << 30},
		"MaxSubscriptions": {1, 1 << 30},
		"MaxEntries":       {1, 1 << 30},
		"MaxPerNode":       {1, 1 << 30},
		"MaxCount":         {1, 1 << 20},
		"MaxUnacked":       {1, 1 << 16},
		"Witnesses":        {0, 8},
		"HostCeiling":      {0, 1 << 30},
		"MaxHostReaders":   {1, 1 << 20},
	}, "Policy.Goal", "Policy.Target", "Router", "Digit")
}

// Whatever else is wrong with a configuration is refused too.
func TestConfigsThatCannotBe(t *testing.T) {
	for digit := range 10 {
		c := Default()
		c.Digit = digit
		if good := digit == 1 || digit == 2 || digit == 4 || digit == 8; (c.Validate() == nil) != good {
			t.Errorf("a digit of %d bits: accepted should be %v", digit, good)
		}
	}
	for what, spoil := range map[string]func(*Config){
		"router": func(c *Config) { c.Router = 200 },
		"goal":   func(c *Config) { c.Policy.Goal = 200 },
	} {
		c := Default()
		if spoil(&c); c.Validate() == nil {
			t.Errorf("%s: no error", what)
		}
	}
}
