package corona

import (
	"time"

	"tidings/network/engine"
)

// versions is the updates under way at a node: what it has found, what it takes, what it lacks.
type versions struct {
	sentReports     map[engine.ID]*sentReport    // by channel: found here, and the primary has not answered
	arrivals        map[engine.ID]*arrival       // by channel: what the library is taking
	gaps            map[engine.ID]*gap           // by channel: what is missing here
	pendingVerifies map[engine.ID]*pendingVerify // by channel: who waits to hear what this node sees
	quiet           map[engine.ID]time.Duration  // by channel: until when changes are not reported
	falseReporters  falseReporters
	forgers         falseReporters // who has sent what is not signed as it should be
	equivocators    equivocators
	seals           seals
	floors          map[engine.ID]uint64        // by channel: above which the next number has to be
	told            map[engine.ID]time.Duration // by channel: when an owner was told of a higher number
	acting          map[engine.ID]time.Duration // by channel: until when this node does the primary's work
	relayed         map[engine.ID]struct{}      // channels that the library keeps as this node makes their versions
	doubts          doubts
	lends           int // that the library has not answered
}

func (n *versioner) startVersions() {
	v := &n.versions
	v.sentReports = make(map[engine.ID]*sentReport)
	v.arrivals = make(map[engine.ID]*arrival)
	v.gaps = make(map[engine.ID]*gap)
	v.pendingVerifies = make(map[engine.ID]*pendingVerify)
	v.quiet = make(map[engine.ID]time.Duration)
	v.floors = make(map[engine.ID]uint64)
	v.told = make(map[engine.ID]time.Duration)
	v.acting = make(map[engine.ID]time.Duration)
	v.relayed = make(map[engine.ID]struct{})
	n.node.roster.OnChange(n.maybeResend)
}

// maxUnderWay bounds each of the tables of updates under way: beyond it reports, updates and
// gaps are let go, and come up again with the next poll.
const maxUnderWay = 1 << 14

// Polled tells what a poll of a channel gave.
func (n *versioner) Polled(channel engine.ID, r PollResult) {
	n.learnLimits(channel, r.Wait, r.Interval, r.Hash != Hash{})
	if n.Keys != nil && r.Update != nil { // who has found what is held is no matter here
		own := *r.Update
		own.FoundBy, own.Seal = n.Env.Self().ID, Seal{}
		r.Update = &own
	}
	if r.Verified {
		n.answerPendingVerify(channel, r.Hash)
		if n.fillGap(channel, &r) {
			return
		}
		if o := n.node.roster.Find(channel); o != nil && n.judges(o) && n.checked(o, &r) {
			return
		}
	}
	var found *Update
	if r.Update != nil {
		u := *r.Update
		u.Channel, u.URL, u.Size = channel, "", max(u.Size, r.Size)
		found = &u
	}
	switch {
	case n.polledFirst(channel, found):
	case found == nil:
		n.endDoubt(channel, r.Hash)
	default:
		n.tellFound(found)
	}
}

// tellFound has what a poll has found checked by the primary.
func (n *versioner) tellFound(u *Update) {
	n.Env.Trace(Found{u.Channel, u.Hash})
	o := n.node.roster.Find(u.Channel)
	own := report{update: *u, finder: n.Env.Self(), heard: n.Env.Now()}
	switch {
	case o == nil:
	case o.Primary():
		n.consider(o, own)
		return
	case n.judges(o) && o.contents != nil && o.contents.now != nil && o.contents.now.update.Hash == u.Hash:
		n.foundAgain(o, o.contents.now, own) // in the primary's place; it is told all the same
	}
	n.report(u)
}

// takeGot takes a subscriber's acknowledgement.
func (n *versioner) takeGot(from engine.Peer, m *Got) {
	n.dissemination.direct.got(from, m)
}
