package live

import (
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/client"
)

// renewBefore is how long before a relay ends a circuit a link leaves it for another; at most a quarter of what the circuit lasts.
const renewBefore = 30 * time.Second

// maybeRenew begins a link's circuit anew before the relay ends it: both sides say Bye, so that nothing is under way, and what protocols
// send meanwhile waits for the new circuit. The side that dialled does so. Where both did, a link has a circuit for each direction, and
// the side with the lesser ID is first.
func (p *loop) maybeRenew(l *link) {
	if !l.connected || l.state != open || l.in == nil {
		return
	}
	at, dialled := time.Now(), false
	if p.h.id.Compare(l.peer.ID) > 0 {
		at = at.Add(-renewSecond)
	}
	worn := false
	for _, s := range []network.Stream{l.stream, l.in.stream} {
		circuit := s.Conn().Stat()
		if !circuit.Limited {
			continue
		}
		worn = worn || l.worn(circuit, at)
		if circuit.Direction == network.DirOutbound {
			dialled = true
		}
	}
	if worn && dialled {
		p.bye(l, ByeRenewing)
	}
}

// renewSecond is how long the side with the greater ID leaves it to the other one.
const renewSecond = 3 * time.Second

// worn reports whether a circuit is about to end, by what its relay has said: by time, or by bytes either way.
func (l *link) worn(circuit network.ConnStats, now time.Time) bool {
	lasts, _ := circuit.Extra[client.StatLimitDuration].(time.Duration)
	if lasts > 0 && now.Sub(circuit.Opened) > lasts-min(renewBefore, lasts/4) {
		return true
	}
	most, _ := circuit.Extra[client.StatLimitData].(uint64)
	return most > 0 && max(l.pulse.read.Load(), l.wrote.Load()) > int64(most/2)
}
