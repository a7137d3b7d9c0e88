package push

import (
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/source"
	"tidings/view"
)

// Describe fills in how channels are pushed.
func (p *Pushes) Describe(followed []tidings.Subscription) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range followed {
		id := engine.ID(tidings.IDOf(followed[i].URL))
		c := p.channels[id]
		if c == nil {
			if p.unprotected.has(id) {
				followed[i].Push = &tidings.Push{State: tidings.PushUnprotected}
			}
			continue
		}
		push := &tidings.Push{
			State: c.shown(), Fingerprint: c.fingerprint().String(), ThirdParty: c.ThirdParty, Since: c.Pinned,
			MaxSilence: c.Silence, Heard: c.Heard, Number: c.Have,
			Pushed: c.Pushed, Missed: c.Missed, Refused: c.refused,
		}
		if c.ThirdParty {
			push.MaxSilence = 0 // nothing is promised yet
		}
		if c.Offered != [32]byte{} {
			push.Offered, push.OfferedSince = feedtree.Fingerprint(c.Offered).String(), c.OfferedAt
		}
		if c.Replaced != [32]byte{} {
			push.Replaced = feedtree.Fingerprint(c.Replaced).String()
		}
		followed[i].Push = push
	}
}

// Counts sums up what publishers push.
func (p *Pushes) Counts() (sum view.PushCounts) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.channels {
		state := c.shown()
		if c.ThirdParty {
			sum.ThirdParties++
		} else {
			sum.Channels++
			if state == tidings.PushGood {
				sum.Good++
			}
		}
		if state.Alarming() {
			sum.Alarms++
		}
		sum.Pushed, sum.Missed, sum.Refused = sum.Pushed+c.Pushed, sum.Missed+c.Missed, sum.Refused+c.refused
	}
	return sum
}

// pushBackups bounds the polls a day of all nodes together at a channel with a publisher that pushes. They are made in
// case it does not push everything. It holds for any number of nodes.
const pushBackups = 1000

// maxPushBackup is the longest time between two such polls of one node.
const maxPushBackup = 30 * 24 * time.Hour

// Backup is the slot of a channel with a publisher that pushes, from that of a channel which others poll.
func (p *Pushes) Backup(others source.Slot) source.Slot {
	const day = 24 * time.Hour
	every := min(max(day, time.Duration(p.nodes.Load())*day/pushBackups), maxPushBackup)
	return source.Slot{First: others.First, Interval: max(every, others.Interval),
		Regular: "a check in case its publisher has not pushed everything"}
}
