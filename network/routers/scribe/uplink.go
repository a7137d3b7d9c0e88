package scribe

import (
	"math/bits"
	"time"

	"tidings/network/engine"
)

// uplink receives events from one parent, in all groups with this parent. It requests missing Disseminates once they
// are overdue by late, so that it requests none that another only overtook. It requests them again after each
// resendAfter, resendTries times. Within heardAfter it acknowledges all that arrived meanwhile, by one Heard. It finds
// up to reaches missing ones. If more are missing, or if the parent does not send them again, its node has to compare.
type uplink struct {
	env  engine.Env
	from engine.Peer
	// onGaveUp is called when the parent has not sent again what it has sent.
	onGaveUp func()

	sum    uint64        // of the hashes of the groups
	heard  time.Duration // when anything came from the parent
	differ int           // Heartbeats in a row that did not fit

	line     uint32 // names the numbering; 0: none yet
	came     window // of its Disseminates
	asked    int    // how often for those missing
	overdue  engine.Alarm
	report   engine.Alarm  // when the parent learns how far this node knows of its Disseminates
	troubled time.Duration // when Disseminates were missing last; 0: never
	denied   time.Duration // when the parent did not send them again, last; 0: never
}

const (
	late        = 300 * time.Millisecond
	resendAfter = 700 * time.Millisecond
	resendTries = 3
)

// reset forgets all, as the peer is a parent no longer.
func (u *uplink) reset() {
	u.overdue.Stop()
	u.report.Stop()
	*u = uplink{env: u.env, from: u.from, onGaveUp: u.onGaveUp}
}

// start adopts the parent's numbering, from a number on, if it is a new one.
func (u *uplink) start(line uint32, sent uint64) {
	if u.line != line {
		u.line, u.came = line, window{last: sent}
	}
}

// receive notes the number of a Disseminate. It reports whether something is missing that the parent cannot send again.
func (u *uplink) receive(m *Disseminate) (lost bool) {
	if u.line != m.Line { // the Joined is missing
		u.start(m.Line, m.Number)
	} else {
		lost = u.sentUpTo(m.Number - 1)
		lost = u.came.add(m.Number) && m.Gone || lost
	}
	u.reportSoon()
	return lost
}

// receiveHeartbeat notes how much the parent has sent. It reports whether more is missing than can be asked for, and
// whether the parent disagrees about which groups it shares with this node.
func (u *uplink) receiveHeartbeat(m *Heartbeat) (lost, disagrees bool) {
	if u.line == m.Line {
		lost = u.sentUpTo(m.Sent)
		if m.Unheard {
			u.reportSoon()
		}
		if m.Sum == u.sum {
			u.differ = 0
			return lost, false
		}
	}
	if u.differ++; u.differ > 1 { // the first may have crossed with a Join or a Leave
		u.differ = 0
		return lost, true
	}
	return lost, false
}

// sentUpTo notes that the parent has sent so many Disseminates, and has those that are missing asked for. It reports
// whether more are lost than can be named.
func (u *uplink) sentUpTo(sent uint64) (lost bool) {
	if sent <= u.came.last {
		return false
	}
	u.troubled = u.env.Now()
	if !u.came.reach(sent) {
		u.came.missing = 0
		return true
	}
	u.asked = 0
	u.overdue.Soon(u.env, u.env.Now()+late, u.askAgain)
	return false
}

// askAgain asks for the Disseminates that are missing.
func (u *uplink) askAgain() {
	if u.came.missing == 0 {
		return
	}
	if u.asked++; u.asked > resendTries {
		u.env.Trace(GaveUp{u.from, bits.OnesCount64(u.came.missing)})
		u.came.missing, u.denied = 0, u.env.Now()
		u.onGaveUp()
		return
	}
	u.report.Stop() // the Resend says it
	u.env.Send(u.from, &Resend{Line: u.line, Last: u.came.last, Missing: u.came.missing})
	u.overdue.Soon(u.env, u.env.Now()+resendAfter, u.askAgain)
}

// reportSoon has the parent learn how far this node knows of its Disseminates.
func (u *uplink) reportSoon() {
	u.report.Soon(u.env, u.env.Now()+heardAfter, func() {
		u.env.Send(u.from, &Heard{Line: u.line, Last: u.came.last})
	})
}

// silent reports whether nothing has come for so long.
func (u *uplink) silent(wait time.Duration) bool { return u.env.Now() > u.heard+wait }

// excused reports whether losses on the way are being mended, so that an event may come late; and denied whether the
// parent has lately not sent again what it had sent.
func (u *uplink) excused() (troubled, denied bool) {
	now := u.env.Now()
	return u.troubled > 0 && now < u.troubled+innocent, u.denied > 0 && now < u.denied+innocent
}
