package corona

import (
	"time"

	"tidings/network/engine"
)

// dispatch is a message to another owner that is sent again until the owner says that it is
// stored, three times at most.
type dispatch struct {
	to      engine.Peer
	message engine.Message
	tries   int
	timer   engine.Timer
	done    func(stored bool)
}

// Sent three times, with these waits, a message is lost altogether with 5 % of all messages lost
// once in 10^3 times; then its content waits for the next comparison.
const (
	dispatchWait  = 2 * time.Second // doubled each time
	dispatchTries = 3
)

// number returns a new number for a message that is to be dispatched.
func (n *roster) number() uint32 {
	n.owned.numbers++
	return n.owned.numbers
}

// dispatch sends a message with a number. done is called once, when the receiver has stored it,
// or has not said so in time.
func (n *roster) dispatch(to engine.Peer, number uint32, m engine.Message, done func(stored bool)) {
	d := &dispatch{to: to, message: m, done: done}
	n.owned.dispatches[number] = d
	n.try(number, d)
}

func (n *roster) try(number uint32, d *dispatch) {
	n.Env.Send(d.to, d.message)
	d.timer = n.Env.After(dispatchWait<<d.tries, func() {
		if d.tries++; d.tries < dispatchTries {
			n.try(number, d)
			return
		}
		delete(n.owned.dispatches, number)
		d.done(false)
	})
}

// stored takes note that another owner has what it was sent.
func (n *roster) stored(from engine.Peer, m *Stored) {
	d := n.owned.dispatches[m.Number]
	if d == nil || d.to.ID != from.ID {
		return
	}
	d.timer.Stop()
	delete(n.owned.dispatches, m.Number)
	d.done(true)
}
