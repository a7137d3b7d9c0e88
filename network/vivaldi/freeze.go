package vivaldi

import "time"

// still watches whether the coordinate has come to rest.
type still struct {
	frozen  bool
	updates int          // since the start, or since it has thawed
	past    []Coordinate // of the latest updates, a ring
	next    int          // where the next goes
}

func newStill(updates int) still { return still{past: make([]Coordinate, updates)} }

// moved stores the coordinate after an update. It returns how far it is from where it was FreezeUpdates before, and
// whether that long has passed.
func (s *still) moved(here Coordinate) (time.Duration, bool) {
	s.updates++
	old := s.past[s.next]
	s.past[s.next] = here
	s.next = (s.next + 1) % len(s.past)
	if old.IsZero() {
		return 0, false
	}
	return old.plane(here) + (time.Duration(old.Height)-time.Duration(here.Height)).Abs()*time.Microsecond, true
}

// maybeFreeze fixes the coordinate for the session once it is stable: the error estimate is low and it has moved little
// over the latest updates.
func (v *Vivaldi) maybeFreeze() {
	moved, full := v.still.moved(v.space.here)
	usual := v.known.medianOf(func(k *known) time.Duration { return k.rtt })
	switch {
	case !full || len(v.known.list) < min(v.config.MinPeers, v.others):
	case float64(v.space.here.Error) >= 1000*v.config.FreezeError:
	case float64(moved) > v.config.FreezeMove*float64(usual):
	default:
		v.still.frozen = true
		v.env.Trace(Frozen{v.space.here, v.update})
	}
}

// settled reports whether the coordinate has had the samples that it needs. It is frozen, or as good as it gets.
func (v *Vivaldi) settled() bool { return v.still.frozen || v.still.updates >= v.config.SettleUpdates }

// maybeThaw lets the coordinate move again, and pings as at the start, if it has become wrong towards most peers.
func (v *Vivaldi) maybeThaw() {
	errs := v.known.medianOf((*known).errs)
	if v.config.ThawError == 0 || len(v.known.list) < v.config.MinPeers || float64(errs) < 1000*v.config.ThawError {
		return
	}
	v.still = newStill(v.config.FreezeUpdates)
	v.space.here.Error = MaxError
	v.env.Trace(Thawed{v.space.here})
}
