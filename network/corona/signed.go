package corona

import (
	"encoding/binary"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// What is signed begins with words that say what for.
const (
	subscriptionWords = "tidings corona subscription\n"
	claimWords        = "tidings corona claim\n"
	grantWords        = "tidings corona grant\n"
)

// words returns what a node signs of one of its subscriptions. Who it is stands in its address.
func (w *Wanted) words() []byte {
	b := make([]byte, 0, len(subscriptionWords)+len(w.Channel)+12+len(w.Outside))
	b = append(append(b, subscriptionWords...), w.Channel[:]...)
	b = binary.BigEndian.AppendUint64(b, w.Stamp)
	b = binary.BigEndian.AppendUint32(b, w.Count)
	return append(b, w.Outside...)
}

// words returns what the subscriber's node has signed.
func (s *Subscription) words(channel engine.ID) []byte {
	w := Wanted{Channel: channel, Outside: s.Outside, Count: s.Count, Stamp: s.Stamp}
	return w.words()
}

// named is a subscription to a channel.
type named struct {
	channel engine.ID
	*Subscription
}

// checkSubscriptions tells then which subscriptions are signed by the nodes that they name. Those that
// change nothing in a channel's table are not examined: they count as signed.
func (n *roster) checkSubscriptions(list []named, then func(valid func(i int) bool)) {
	if n.Keys == nil {
		then(func(int) bool { return true })
		return
	}
	proofs := make([]machine.Signed, len(list))
	for i, s := range list {
		if n.changes(s) {
			proofs[i] = machine.Signed{By: s.Node, Words: s.words(s.channel), Signature: s.Signature}
		}
	}
	n.CheckSigned(proofs, func(valid []bool) {
		then(func(i int) bool {
			// The table may have changed since.
			if valid[i] && (proofs[i].Words != nil || !n.changes(list[i])) {
				return true
			}
			n.Env.Trace(Unsigned{list[i].channel, list[i].Node.ID})
			return false
		})
	})
}

// changes reports whether a subscription would change its channel's table.
func (n *roster) changes(s named) bool {
	o := n.Find(s.channel)
	if o == nil {
		return true
	}
	e, known := n.entryOf(o, s.Node.ID, s.Outside)
	return !known || (entry{stamp: s.Stamp, count: s.Count}).beats(e)
}
