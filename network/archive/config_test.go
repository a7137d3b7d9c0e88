package archive

import (
	"testing"
	"time"
)

func TestConfig(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
	for i, edit := range []func(c *Config){
		func(c *Config) { c.Replicas = 0 },
		func(c *Config) { c.Replicas = maxReplicas + 1 },
		func(c *Config) { c.Compare = 0 },
		func(c *Config) { c.Patience = 25 * time.Hour },
		func(c *Config) { c.MaxItem = maxItem + 1 },
		func(c *Config) { c.MaxBytes = int64(c.MaxItem) - 1 },
		func(c *Config) { c.MaxTopicBytes = c.MaxBytes + 1 },
		func(c *Config) { c.ServeBurst = c.MaxItem - 1 },
	} {
		c := Default()
		edit(&c)
		if c.Validate() == nil {
			t.Errorf("case %d is not refused: %+v", i, c)
		}
	}
}
