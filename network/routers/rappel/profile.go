package rappel

import (
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/rappel/interest"
	"tidings/network/vivaldi"
)

// profile is what others keep of a node: what it wants, and where it lies. Both change seldom and have versions, so
// that they are fetched only when they are new (section 3.4).
type profile struct {
	versions   Versions
	filter     interest.Filter
	coordinate vivaldi.Coordinate
}

// moved is how far a coordinate that is not frozen must have gone to be announced to others.
const moved = 5 * time.Millisecond

// locate learns where the node lies, and reports whether that is elsewhere than before. Until the coordinate
// is frozen small moves count nothing.
func (p *profile) locate(c Coordinates) bool {
	now := c.Coordinate()
	small := !p.coordinate.IsZero() && !c.Frozen() && apart(now, p.coordinate) < moved
	if small || same(now, p.coordinate) {
		return false
	}
	p.coordinate = now
	p.versions.Coordinate++
	return true
}

// locateFirst learns where the node lies, if that is not known, and reports whether it is now.
func (p *profile) locateFirst(c Coordinates) bool {
	if p.coordinate.IsZero() {
		p.locate(c)
	}
	return !p.coordinate.IsZero()
}

// message returns the profile as it travels, in answer to a request of that number.
func (p *profile) message(number uint32) *Profile {
	return &Profile{Number: number, Versions: p.versions, Filter: p.filter.Wire(), Coordinate: p.coordinate}
}

// want adopts the filter of what the node has joined.
func (p *profile) want(f interest.Filter) {
	if p.versions.Filter == 0 || f != p.filter {
		p.filter = f
		p.versions.Filter++
	}
}

func same(a, b vivaldi.Coordinate) bool {
	return a.Height == b.Height && slices.Equal(a.Vector, b.Vector)
}

// apart returns how far two coordinates lie from each other, heights not added but compared.
func apart(a, b vivaldi.Coordinate) time.Duration {
	if len(a.Vector) != len(b.Vector) {
		return vivaldi.MaxReach
	}
	low := min(a.Height, b.Height)
	high := max(a.Height, b.Height)
	a.Height, b.Height = 0, 0
	return a.Distance(b) + time.Duration(high-low)*time.Microsecond
}

// remoteness orders nodes by how far they are from a topic's root. Equal ones are ordered by ID (section 4.2, footnote
// 2: the paper uses addresses). A parent is always less remote than its child.
type remoteness struct {
	distance time.Duration
	id       engine.ID
}

func (a remoteness) less(b remoteness) bool {
	if a.distance != b.distance {
		return a.distance < b.distance
	}
	return a.id.Compare(b.id) < 0
}

// micros returns d in microseconds, as it stands in messages.
func micros(d time.Duration) uint32 { return uint32(min(max(d/time.Microsecond, 0), 1<<32-1)) }
