package newswire

import (
	"math"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/engine"
)

// load is how busy a node is with forwarding, which counts when representatives are chosen (NewsWire, section 5: "the
// load on each node"). It is announced in halves, and lasts, so that those that alternate do so seldom; while nothing
// is forwarded nothing is reckoned.
type load struct {
	used  time.Duration // for how long parcels have been in outlets since it was reckoned last, all together
	width int           // outlets that there were since then at a time, at most
	// share of the outlets' windows that was in use, 0 to 1; it falls by a fifth a minute at most
	level     float64
	announced float64 // what the node's row says: 0, 0.5 or 1
	reckon    engine.Alarm
}

// reckonEvery is how often a load is reckoned while there is one. By turning is how much a load has to differ from the
// one that is announced.
const (
	reckonEvery = time.Minute
	turning     = 3.0 / 8
)

// occupied notes that a parcel has come into an outlet.
func (n *Node) occupied(p *parcel) {
	p.since = n.env.Now()
	n.load.width = max(n.load.width, len(n.outlets.all))
	n.load.reckon.Soon(n.env, p.since+reckonEvery, n.reckonLoad)
}

// vacated notes that a parcel has left its outlet.
func (n *Node) vacated(p *parcel) {
	p.outlet = nil
	n.load.used += n.env.Now() - p.since
}

func (n *Node) reckonLoad() {
	l := &n.load
	share := float64(l.used) / float64(reckonEvery) / float64(n.config.Window*l.width)
	l.level = max(min(share, 1), l.level*4/5)
	l.used, l.width = 0, max(1, len(n.outlets.all))
	if math.Abs(l.level-l.announced) > turning {
		level := math.Round(2*l.level) / 2
		n.zones.Set(n.busy(level)...)
		l.announced = level
	}
	if l.announced > 0 {
		l.reckon.Set(n.env, n.env.Now()+reckonEvery, n.reckonLoad)
	}
}

// busy returns the attribute by which the node's row announces such a load; nothing, if a person has set the node's
// load.
func (n *Node) busy(level float64) []attr.Attribute {
	said := n.zones.Says(astrolabe.AttrLoad)
	if said.Type != attr.Null && !said.Equal(attr.Float(n.load.announced)) {
		return nil
	}
	return []attr.Attribute{{Name: astrolabe.AttrLoad, Value: attr.Float(level)}}
}

// Attributes returns what the row of a node says that has nothing to forward.
func Attributes(filter []byte) []attr.Attribute {
	return []attr.Attribute{{Name: AttrFilter, Value: attr.Bytes(filter)},
		{Name: astrolabe.AttrLoad, Value: attr.Float(0)}}
}
