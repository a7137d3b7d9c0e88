package pieces

import "testing"

func TestConfig(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
	for i, edit := range []func(c *Config){
		func(c *Config) { c.MaxLength = MaxContent + 1 },
		func(c *Config) { c.Window = 0 },
		func(c *Config) { c.Window = maxWindow + 1 },
		func(c *Config) { c.Patience = 0 },
		func(c *Config) { c.ServeRate = 0 },
		func(c *Config) { c.MaxServing = 0 },
		func(c *Config) { c.Owners = maxOwners + 1 },
		func(c *Config) { c.Announce = 0 },
		func(c *Config) { c.MaxKnown = 0 },
	} {
		c := Default()
		edit(&c)
		if c.Validate() == nil {
			t.Errorf("case %d is not refused: %+v", i, c)
		}
	}
}
