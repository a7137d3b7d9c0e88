package vivaldi

import (
	"time"

	"tidings/network/engine"
)

// Observe adds a sample: peer, which claims to be at there, was measured to be rtt away. The samples of this protocol's
// own pings come here. Others may be added, such as round trips that the transport or another protocol measured. An
// impossible sample is rejected.
func (v *Vivaldi) Observe(peer engine.Peer, there Coordinate, rtt time.Duration) {
	switch {
	case there.Validate(v.config.Dimensions) != nil:
		v.env.Trace(Rejected{peer, Invalid})
		return
	case rtt <= 0 || rtt > v.config.MaxRTT:
		v.env.Trace(Rejected{peer, NoTime})
		return
	}
	k := v.known.answered(peer)
	k.coordinate = there
	k.sample(rtt, v.config.Samples)
	distance := v.space.here.Distance(there)
	k.off = (distance - k.rtt).Abs()
	sampled := Sampled{Peer: peer, RTT: rtt, Filtered: k.rtt, Distance: distance}
	if v.settled() {
		v.maybeThaw()
	}
	if v.still.frozen {
		v.env.Trace(sampled)
		return
	}
	limit, outlier := v.limits()
	switch {
	case k.off > outlier:
		v.env.Trace(Rejected{peer, Outlier})
		return
	case k.applied > 0 && v.update-k.applied < len(v.known.list)/turns:
		v.env.Trace(Rejected{peer, TooOften})
		return
	}
	v.update++
	k.applied = v.update
	sampled.Clipped = k.off > limit
	sampled.Moved = v.space.move(v.modest(there), k.rtt, limit)
	v.env.Trace(sampled)
	v.maybeFreeze()
}

// turns is how often in a round of all known peers one of them can move the coordinate.
const turns = 4

// modest returns a peer's coordinate with an error no lower than the median of all peers' claims: a peer that claims to
// be sure weighs more.
func (v *Vivaldi) modest(there Coordinate) Coordinate {
	usual := v.known.medianOf(func(k *known) time.Duration { return time.Duration(k.coordinate.Error) })
	there.Error = max(there.Error, uint16(usual))
	return there
}

// limits returns by how much distance and round trip may differ to count in full, and to count at
// all.
func (v *Vivaldi) limits() (limit, outlier time.Duration) {
	if len(v.known.list) < v.config.MinPeers {
		return firstLimit, longest
	}
	usual := v.known.medianOf(func(k *known) time.Duration { return k.off })
	usual = max(usual, minUsual)
	return time.Duration(v.config.Filter * float64(usual)), time.Duration(v.config.Outlier * float64(usual))
}

const (
	// firstLimit is the limit before there are peers to compare with.
	firstLimit = MaxReach / 2

	// minUsual lets every sample count a little, so that a node can still move if all its peers fit.
	minUsual = 50 * time.Microsecond
)
