package corona

import (
	"encoding/binary"

	"tidings/network/engine"
)

// signature is by the key of the node that a subscription names.
type signature [engine.SignatureLength]byte

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

// sign returns this node's signature; nil where nothing is signed.
func (n *core) sign(words []byte) []byte {
	if n.keys == nil {
		return nil
	}
	return n.keys.Sign(words)
}

// signed is something that a node is said to have signed. Without words it need not be checked.
type signed struct {
	by        engine.Peer
	words     []byte
	signature []byte
}

func (s *signed) valid(k engine.Keys) bool {
	return s.words == nil || len(s.signature) == engine.SignatureLength && k.Signed(s.by, s.words, s.signature)
}

// checkedAtOnce is how many signatures are checked in the loop of protocols: that takes it about a
// millisecond. More are checked outside it.
const checkedAtOnce = 16

// checkSigned tells then which of some things are signed by whom they should be: at once if they are
// few. Where too much is being checked already then is not called: who sent them sends them again.
func (n *core) checkSigned(list []signed, then func(valid []bool)) {
	valid := make([]bool, len(list))
	all := func() {
		for i := range list {
			valid[i] = list[i].valid(n.keys)
		}
	}
	work := 0
	for i := range list {
		if list[i].words != nil {
			work++
		}
	}
	switch {
	case work <= checkedAtOnce:
		all()
		then(valid)
	case !n.env.Work(all, func() { then(valid) }):
		n.limitHit("Work", engine.MaxWork)
	}
}

// named is a subscription to a channel.
type named struct {
	channel engine.ID
	*Subscription
}

// checkSubscriptions tells then which subscriptions are signed by the nodes that they name. Those that
// change nothing in a channel's table are not examined: they count as signed.
func (n *roster) checkSubscriptions(list []named, then func(valid func(i int) bool)) {
	if n.keys == nil {
		then(func(int) bool { return true })
		return
	}
	proofs := make([]signed, len(list))
	for i, s := range list {
		if n.changes(s) {
			proofs[i] = signed{s.Node, s.words(s.channel), s.Signature}
		}
	}
	n.checkSigned(proofs, func(valid []bool) {
		then(func(i int) bool {
			// The table may have changed since.
			if valid[i] && (proofs[i].words != nil || !n.changes(list[i])) {
				return true
			}
			n.env.Trace(Unsigned{list[i].channel, list[i].Node.ID})
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
