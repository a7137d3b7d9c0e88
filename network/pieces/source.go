package pieces

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// source is a node that may have a content.
type source struct {
	peer    engine.Peer
	opened  bool          // it has said what it has, since it was last asked
	bits    Bits          // what it has
	next    time.Duration // when it is asked again what it has
	rest    time.Duration // until when it is busy
	vain    int           // how often it did not have what it had said
	waiting []waiting     // pieces that it was asked for
	probed  time.Duration // when it was asked first what has become of pieces that are late
	probes  int           // how often it was, without an answer
	dropped bool          // it has lied, or was silent for long
	heard   bool          // it has answered before
	down    bool          // it could not be reached
}

// waiting is a piece that was asked for.
type waiting struct {
	index int
	since time.Duration
}

// late reports whether the source has kept a piece waiting for longer than it may.
func (s *source) late(now, patience time.Duration) bool {
	return slices.ContainsFunc(s.waiting, func(w waiting) bool { return now >= w.since+patience })
}

// waits reports whether the source was asked for a piece, and has not been for too long.
func (s *source) waits(index int, now, patience time.Duration) bool {
	return slices.ContainsFunc(s.waiting, func(w waiting) bool { return w.index == index && now < w.since+patience })
}

// cleared notes an answer to a probe. Messages arrive in the order of sending, so that whatever
// was asked for before and has not come is lost.
func (s *source) cleared() {
	if s.probes > 0 {
		s.waiting = slices.DeleteFunc(s.waiting, func(w waiting) bool { return w.since < s.probed })
		s.probes = 0
	}
}

// answered notes that something has come about a piece, and reports whether it was asked for.
func (s *source) answered(index int) bool {
	before := len(s.waiting)
	s.waiting = slices.DeleteFunc(s.waiting, func(w waiting) bool { return w.index == index })
	return len(s.waiting) < before
}
