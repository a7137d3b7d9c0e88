package scribe

import (
	"time"

	"tidings/network/engine"
)

// downlink sends events to one child, in all groups that it shares with this node. It numbers its Disseminates, and
// keeps the last resendable of them to send them again. The latest is sent once more. Then a Heartbeat asks about it up
// to unheardTimes-1 times, each after twice the wait, until the child acknowledges it. The child requests earlier ones
// by itself.
type downlink struct {
	env  engine.Env
	to   engine.Peer
	wait time.Duration // for the Heard
	sum  uint64        // of the hashes of the groups

	line     uint32
	sent     uint64
	last     []sentDown    // a ring of the last ones; see resendable
	latest   time.Duration // when the last one was sent
	unheard  engine.Alarm  // when the child is asked whether it knows of it
	repeated int           // how often it was
}

type sentDown struct {
	key   engine.ID
	event *Event
}

// resendable is how many Disseminates back a child can ask for.
const resendable = 64

const (
	heardAfter   = 200 * time.Millisecond
	unheardTimes = 4
)

// start begins a new numbering, for a child of which nothing is known any more.
func (d *downlink) start() {
	*d = downlink{env: d.env, to: d.to, wait: d.wait, sum: d.sum, line: 1 + d.env.Rand().Uint32N(1<<31)}
}

// measured adapts the wait for a Heard to the round trip time; 0: not known.
func (d *downlink) measured(rtt time.Duration) {
	d.wait = heardAfter + resendAfter
	if rtt > 0 {
		d.wait = heardAfter + 2*rtt + late
	}
}

// stop ends the repetitions, as the peer is no child any more.
func (d *downlink) stop() { d.unheard.Stop() }

// send hands over an event.
func (d *downlink) send(key engine.ID, e *Event) {
	d.sent++
	d.remember(sentDown{key, e})
	d.sendAgain(d.sent)
	d.latest, d.repeated = d.env.Now(), 0
	d.awaitHeard()
}

// sendAgain sends one of the last Disseminates.
func (d *downlink) sendAgain(number uint64) {
	s := d.sentAt(number)
	d.env.Send(d.to, &Disseminate{Line: d.line, Number: number, Key: s.key, Event: *s.event})
}

// remember keeps a Disseminate, the number of which is sent, to send it again. The ring grows as they come, because
// most links carry only one or two.
func (d *downlink) remember(s sentDown) {
	if len(d.last) < resendable {
		d.last = append(d.last, s)
	} else {
		*d.sentAt(d.sent) = s
	}
}

// sentAt returns what a number stands for, one of the last that were sent.
func (d *downlink) sentAt(number uint64) *sentDown { return &d.last[(number-1)%resendable] }

// awaitHeard repeats the latest Disseminate, or asks about it, if the child does not acknowledge it in time.
func (d *downlink) awaitHeard() {
	d.unheard.Set(d.env, d.latest+d.wait<<d.repeated, d.repeat)
}

// repeat does so. An event may be large, and a child may never answer: it is repeated once.
func (d *downlink) repeat() {
	if d.repeated == unheardTimes {
		return
	}
	if d.repeated == 0 {
		d.sendAgain(d.sent)
	} else {
		d.heartbeat(true)
	}
	d.repeated++
	d.awaitHeard()
}

// heartbeat says to the child that this node is there.
func (d *downlink) heartbeat(unheard bool) {
	d.env.Send(d.to, &Heartbeat{Line: d.line, Sent: d.sent, Sum: d.sum, Unheard: unheard})
}

// receiveHeard learns that the child knows of Disseminates up to a number: what it misses of them it asks for itself.
func (d *downlink) receiveHeard(line uint32, last uint64) {
	if d.line == line && last >= d.sent {
		d.unheard.Stop()
	}
}

// receiveResend sends events once more.
func (d *downlink) receiveResend(m *Resend) {
	if d.line != m.Line {
		return
	}
	d.receiveHeard(m.Line, m.Last)
	for back := range uint64(reaches) {
		number := m.Last - back
		switch {
		case m.Missing>>back&1 == 0 || number > d.sent || number == 0:
		case number+resendable <= d.sent:
			d.env.Send(d.to, &Disseminate{Line: d.line, Number: number, Gone: true})
		default:
			d.sendAgain(number)
		}
	}
}
