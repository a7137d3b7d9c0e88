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
	env    engine.Env
	zones  *astrolabe.Node
	window int // parcels of an outlet that are under way at a time, at most

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

// occupied notes that a parcel has come into one of so many outlets.
func (l *load) occupied(p *parcel, outlets func() int) {
	p.since = l.env.Now()
	l.width = max(l.width, outlets())
	l.reckon.Soon(l.env, p.since+reckonEvery, func() { l.reckonNow(outlets) })
}

// vacated notes that a parcel has left its outlet.
func (l *load) vacated(p *parcel) {
	p.outlet = nil
	l.used += l.env.Now() - p.since
}

func (l *load) reckonNow(outlets func() int) {
	share := float64(l.used) / float64(reckonEvery) / float64(l.window*l.width)
	l.level = max(min(share, 1), l.level*4/5)
	l.used, l.width = 0, max(1, outlets())
	if math.Abs(l.level-l.announced) > turning {
		level := math.Round(2*l.level) / 2
		l.zones.Set(l.attributes(level)...)
		l.announced = level
	}
	if l.announced > 0 {
		l.reckon.Set(l.env, l.env.Now()+reckonEvery, func() { l.reckonNow(outlets) })
	}
}

// attributes returns the attribute by which the node's row announces such a load; nothing, if a person has set the
// node's load.
func (l *load) attributes(level float64) []attr.Attribute {
	said := l.zones.Says(astrolabe.AttrLoad)
	if said.Type != attr.Null && !said.Equal(attr.Float(l.announced)) {
		return nil
	}
	return []attr.Attribute{{Name: astrolabe.AttrLoad, Value: attr.Float(level)}}
}

// Attributes returns what the row of a node says that has nothing to forward.
func Attributes(filter []byte) []attr.Attribute {
	return []attr.Attribute{{Name: AttrFilter, Value: attr.Bytes(filter)},
		{Name: astrolabe.AttrLoad, Value: attr.Float(0)}}
}
