package scene

import (
	"strconv"
	"time"
)

// pauseCommand stops nodes' processes; what falls due meanwhile happens when they wake:
//
//	pause a3 for=10s
func pauseCommand(c *Call) {
	d := c.howLong()
	for _, n := range c.Nodes() {
		c.mustBeUp(n)
		c.world.Pause(n.number, d)
	}
}

// suspendCommand puts nodes' machines to sleep; messages that come meanwhile are lost:
//
//	suspend a3 for=8h
func suspendCommand(c *Call) {
	d := c.howLong()
	for _, n := range c.Nodes() {
		c.mustBeUp(n)
		c.world.Suspend(n.number, d)
	}
}

func (c *Call) howLong() time.Duration {
	c.t.Helper()
	d := c.duration(c.Need("for"))
	if d <= 0 {
		c.Fatalf("for=%v is no time", d)
	}
	return d
}

// clockCommand makes clocks wrong:
//
//	clock a3 wall=-1h                   the calendar clock jumps, now an hour slow
//	clock a3 rate=2                     all clocks of the machine run twice too fast
func clockCommand(c *Call) {
	for _, n := range c.Nodes() {
		if c.Has("wall") {
			c.world.SetWall(n.number, c.Duration("wall", 0))
		}
		if text := c.Text("rate", ""); text != "" {
			rate, err := strconv.ParseFloat(text, 64)
			if err != nil || rate < 1.0/1024 || rate > 1024 {
				c.Fatalf("rate=%s does not lie between 1/1024 and 1024", text)
			}
			c.world.SetRate(n.number, rate)
		}
	}
}
