package plan

import (
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// At rest every member of a channel's set polls it and no other node does. All nodes have counted all others right.
// Polls are evenly spread and as frequent as the limit allows, and messages do not grow with the number of channels. So
// it is again after a fifth of the nodes have gone at once.
func TestAtRest(t *testing.T) {
	long(t)
	t.Parallel()
	p := newNet(t, 1, upTo(40, 200, 1000), testConfig())
	p.zipf(upTo(100, 500, 2000))
	p.world.Run(4 * time.Hour)
	p.checkRest()

	before := make(map[engine.ID]machine.Size)
	for _, c := range p.channels {
		before[c.ID] = p.size(c.ID)
	}
	up := p.active()
	for _, i := range p.chance.Perm(len(up))[:len(up)/5] {
		p.world.Crash(up[i])
	}
	p.world.Run(6 * time.Hour) // sizes are corrected for the last time after three to five
	changed := 0
	for _, c := range p.channels {
		if p.size(c.ID) != before[c.ID] {
			changed++
		}
	}
	t.Logf("without a fifth of the nodes: %d of %d channels have sets of another size", changed, len(p.channels))
	if changed == 0 {
		t.Error("no size has changed")
	}
	p.checkRest()
}

// checkRest checks what holds at rest.
func (p *net) checkRest() {
	p.t.Helper()
	p.checkSets()
	p.checkCounts()
	uneven := p.unevenness()
	if uneven > 1.03 {
		p.t.Errorf("the mean gap squared is %.4f of the ideal's", uneven)
	}
	polls, detection := p.load()
	best := p.limit(p.allowed())
	p.t.Logf("%.2f polls a channel and interval of %.2f allowed, detection after %.1f s, %.1f can be; "+
		"the mean gap squared is %.4f of the ideal's", polls, p.allowed(), detection, best, uneven)
	if polls > 1.01*p.allowed() || polls < 0.96*p.allowed() {
		p.t.Errorf("%.2f polls a channel and interval, %.2f are allowed", polls, p.allowed())
	}
	if detection > 1.05*best {
		p.t.Errorf("detection after %.1f s, %.1f can be", detection, best)
	}
	begun, bytes := p.begun(), p.bytes()
	p.world.Run(p.config.Maintenance)
	perNode := float64(p.bytes()-bytes) / float64(len(p.active()))
	p.t.Logf("%.0f bytes a node and maintenance interval; %d of %d polls moved", perNode, p.begun()-begun, p.tasks())
	if moved := p.begun() - begun; moved > p.tasks()/20 {
		p.t.Errorf("%d of %d polls moved at rest", moved, p.tasks())
	}
}
