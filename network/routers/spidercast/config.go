package spidercast

import (
	"fmt"
	"time"

	"tidings/network/routers/spidercast/overlay"
	"tidings/network/routers/spidercast/spread"
	"tidings/network/routers/spidercast/view"
)

// Config holds the settings of the parts, and the router's own. Start from Default or Paper.
type Config struct {
	View    view.Config
	Overlay overlay.Config
	Spread  spread.Config

	// Near has nodes prefer near neighbours among those that cover equally much (section 5), where Seams.Coordinates
	// says where they lie. It accepts no further links.
	Near bool
}

const (
	// Publishing is how long after a publication a node keeps neighbours for a topic that it has not joined. Longer
	// spares publishers the search at the next event.
	Publishing = 2 * time.Minute

	// maxPublished is on how many such topics a node publishes; events of others reach the nodes that are neighbours by
	// chance.
	maxPublished = 256

	// surveyEvery is how often the node checks where it lies, and how many topics others follow.
	surveyEvery = 10 * time.Second
)

// Default returns what an ordinary network uses.
func Default() Config {
	return Config{View: view.Default(), Overlay: overlay.Default(), Spread: spread.Default(), Near: true}
}

// Paper returns the paper's way where Default departs from it: see overlay.Paper; distance counts for nothing.
func Paper() Config {
	c := Default()
	c.Overlay, c.Near = overlay.Paper(), false
	return c
}

// Validate returns what is wrong with c, nil if nothing.
func (c Config) Validate() error {
	for _, part := range []interface{ Validate() error }{c.View, c.Overlay, c.Spread} {
		if err := part.Validate(); err != nil {
			return fmt.Errorf("spidercast: %w", err)
		}
	}
	return nil
}
