package rappel

import (
	"time"

	"tidings/network/engine"
)

// runVoid has a root tell the latest number when there was nothing to publish for long (section 4.1), and returns when
// that will be.
func (f *feed) runVoid(now time.Duration) time.Duration {
	if !f.top || len(f.children.list) == 0 {
		return never
	}
	if f.void == 0 {
		f.void = now + f.config.Void
	}
	if now >= f.void {
		f.void = now + f.config.Void
		m := &Void{Topic: f.topic, Stamp: Stamp{Epoch: f.Epoch, Number: f.Last}}
		m.Stamp.Signature = f.sign(voidWords, m.Stamp, 0)
		f.spread(m, engine.Peer{})
	}
	return f.void
}

// onVoid takes the latest number, and hands it on: once a period at most, so that it goes round in no circle.
func (f *feed) onVoid(from engine.Peer, m *Void) {
	if !f.isParent(from.ID) || f.now() < f.void {
		return
	}
	if !f.genuine(voidWords, m.Stamp, 0) {
		f.env.Trace(Refused{f.topic, from, "void"})
		return
	}
	f.void = f.now() + f.config.Void/2
	f.heardOf(from, m.Stamp.Epoch, m.Stamp.Number)
	f.spread(m, from)
}
