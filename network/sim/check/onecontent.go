package check

import (
	"fmt"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// OneContent checks that a version of a topic stands for one content in the whole world: no number is assigned twice,
// and nothing is changed on the way.
type OneContent struct {
	verdict
	contents map[version]engine.ID
}

type version struct {
	topic  engine.ID
	number uint64
}

// Observe sees what is published and delivered.
func (c *OneContent) Observe(at time.Duration, n sim.Node, event Event) {
	switch e := event.(type) {
	case Published:
		c.see(at, n, version{e.Topic, e.Version}, e.Content)
	case Delivered:
		c.see(at, n, version{e.Topic, e.Version}, e.Content)
	}
}

func (c *OneContent) see(at time.Duration, n sim.Node, v version, content engine.ID) {
	if v.number == 0 {
		return
	}
	if c.contents == nil {
		c.contents = make(map[version]engine.ID)
	}
	first, known := c.contents[v]
	if !known {
		c.contents[v] = content
		return
	}
	if first != content {
		c.fail(at, n, v.topic, fmt.Sprintf("version %d has two contents, %s and %s", v.number, first.Short(),
			content.Short()))
	}
}
