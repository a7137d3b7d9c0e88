package live

import (
	"testing"
	"time"

	"tidings/network/engine"
)

func TestConfigsThatCannotBe(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"no key":            func(c *Config) { c.Key = nil },
		"short network key": func(c *Config) { c.NetworkKey = make([]byte, 16) },
		"no codec":          func(c *Config) { c.Codec = nil },
		"codec without ours": func(c *Config) {
			c.Codec = engine.NewCodec(engine.TransportVocabulary,
				testVocabulary())
		},
		"listen on text":      func(c *Config) { c.Listen = []string{"localhost:80"} },
		"listen on websocket": func(c *Config) { c.Listen = []string{"/ip4/127.0.0.1/tcp/0/ws"} },
		"water marks":         func(c *Config) { c.Limits.LowWater = c.Limits.HighWater + 1 },
		"quick death":         func(c *Config) { c.Limits.DeadAfter = c.Limits.PingEvery },
		"small queue":         func(c *Config) { c.Limits.QueueBytes = 100 },
		"a relay and none":    func(c *Config) { c.Relay, c.NoRelay = true, true },
		"a relay for nothing": func(c *Config) { c.Limits.SmallRelay.Bytes = 0 },
		"rest that is none":   func(c *Config) { c.Limits.RestEvery = time.Second },
		"no limits":           func(c *Config) { c.Limits = Limits{} },
	} {
		c := loopback(1)
		change(&c)
		if _, err := New(c); err == nil {
			t.Errorf("%s: allowed", name)
		}
	}
	if _, err := New(loopback(1)); err != nil {
		t.Error(err)
	}
}
