package pastry

import (
	"time"

	"tidings/network/engine"
)

// lag is how much more than a round trip other nodes lately need to answer, as busy nodes do. If they counted as
// silent, they would be probed and messages sent elsewhere as well. That would cause still more work, until the ring
// falls apart. It grows at once and falls slowly, and is between 0 and maxLag. But it grows beyond alone only because
// of two nodes. One node that is slow, or lies, does not make others wait long for the rest.
type lag struct {
	by     time.Duration
	latest lateness // above by
}

// lateness is by how much more than a round trip a node needed to answer.
type lateness struct {
	of   engine.ID
	over time.Duration
}

// lagFactor times the lag is waited for where hops are busy, as answers scatter then. maxLag is the most that is
// believed: a node that answers late on purpose is found dead that much later.
const (
	lagFactor = 4
	maxLag    = 4 * time.Second
	alone     = 500 * time.Millisecond // is believed of a single node
)

// patience is how much longer than usual an answer is to be waited for; at most lagFactor times maxLag.
func (l *lag) patience() time.Duration { return lagFactor * l.by }

// note learns that a node has answered so much later than usual, or earlier if over is below 0. others says that the
// ring has further nodes, of which one can confirm it.
func (l *lag) note(of engine.ID, over time.Duration, others bool) {
	over = min(max(over, 0), maxLag)
	if over <= l.by {
		l.by += (over - l.by) / 16
		return
	}
	believed := max(alone, 4*l.latest.over)
	if l.latest.of == of && others {
		believed = alone
	}
	l.latest = lateness{of, over}
	l.by += max(min(over, believed)-l.by, 0) / 2
}

// Patience is how much longer than usual others' answers are to be waited for, as nodes are busy of late. It is at most
// 16 s.
func (n *Node) Patience() time.Duration { return n.lag.patience() }

// answeredAfter learns from an acknowledgement or an answer how busy other nodes are.
func (n *Node) answeredAfter(id engine.ID, passed time.Duration) {
	usual := n.config.ProbeTimeout / 2 // what lasts longer is no way but a wait
	if rtt, ok := n.RTT(id); ok {
		usual = min(usual, rtt)
	}
	n.lag.note(id, passed-usual, len(n.known.list) > 1)
}
