package roster

import (
	"encoding/binary"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// subscriptionWords begin the signed words with their purpose.
const subscriptionWords = "tidings corona subscription\n"

// Words returns what the subscriber's node signs of a subscription. Its address contains its identity.
func (s *Subscription) Words(channel engine.ID) []byte {
	b := make([]byte, 0, len(subscriptionWords)+len(channel)+12+len(s.Outside))
	b = append(append(b, subscriptionWords...), channel[:]...)
	b = binary.BigEndian.AppendUint64(b, s.Stamp)
	b = binary.BigEndian.AppendUint32(b, s.Count)
	return append(b, s.Outside...)
}

// named is a subscription to a channel.
type named struct {
	channel machine.Channel
	*Subscription
	renewed bool // see Wanted
}

// of returns the subscription as owners keep it.
func (w *Wanted) of(node engine.Peer) named {
	return named{machine.Channel{ID: w.Channel, URL: w.URL},
		&Subscription{Node: node, Outside: w.Outside, Count: w.Count, Stamp: w.Stamp, Signature: w.Signature},
		w.Renewed}
}

// check calls then with the subscriptions that the named nodes have signed. Those that change nothing in a channel's
// table are not checked: they count as signed.
func (t *tables) check(list []named, then func(valid []named)) {
	if t.Keys == nil {
		then(list)
		return
	}
	proofs := make([]machine.Signed, len(list))
	for i, s := range list {
		if t.changes(s) {
			proofs[i] = machine.Signed{By: s.Node, Words: s.Words(s.channel.ID), Signature: s.Signature}
		}
	}
	t.CheckSigned(proofs, func(valid []bool) {
		var signed []named
		for i, s := range list {
			if valid[i] && (proofs[i].Words != nil || !t.changes(s)) { // the table may have changed since
				signed = append(signed, s)
			} else {
				t.Env.Trace(Unsigned{s.channel.ID, s.Node.ID})
			}
		}
		then(signed)
	})
}

// changes reports whether a subscription would change its channel's table.
func (t *tables) changes(s named) bool {
	e, known := t.entryOf(t.Find(s.channel.ID), s.Node.ID, s.Outside)
	return !known || (entry{stamp: s.Stamp, count: s.Count}).beats(e)
}

// maxStamp is the highest stamp that is accepted: there is always a higher one for the next.
const maxStamp = 1<<63 - 1

// latestStamp is the highest stamp that is accepted today. Stamps follow the subscribers' calendars: one that is far
// ahead would block its subscriber's later changes until that day. A node with a calendar more than a day ahead is
// refused, and polls by itself meanwhile.
func latestStamp(wall time.Time) uint64 {
	now := wall.Add(machine.MaxAhead)
	if now.Unix() < machine.ClockUnset {
		return maxStamp
	}
	return uint64(now.UnixMilli())
}
