package corona

import (
	"time"

	"tidings/network/corona/plan"
	"tidings/network/corona/roster"
	"tidings/network/corona/version"
	"tidings/network/corona/version/believe"
	"tidings/network/corona/version/deliver"
	"tidings/network/corona/version/report"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// What users need of package version and those below it.
type (
	Attestation  = update.Attestation
	Contradicted = believe.Contradicted
	Update       = update.Update
	Seal         = update.Seal
	Detected     = report.Detected
	Shared       = deliver.Shared
	Got          = deliver.Got
	Limit        = report.Limit

	Numbered  = report.Numbered
	Carried   = deliver.Carried
	Delivered = deliver.Delivered
	Suspected = report.Suspected
	Suspicion = report.Suspicion
)

// Values of the types above.
const (
	MaxPayload = update.MaxPayload

	Trusted = report.Trusted
	Silent  = report.Silent
	Denied  = report.Denied

	FalseReporter = update.FalseReporter
	Unfit         = update.Unfit
	Impossible    = update.Impossible
	Forged        = update.Forged
)

// AttestationWords returns what a witness signs, as [update.AttestationWords].
func AttestationWords(channel engine.ID, number uint64, h Hash, a *Attestation) []byte {
	return update.AttestationWords(channel, number, h, a)
}

// startVersion creates the version machine, and passes it the roster's changes.
func (n *Node) startVersion() {
	n.version = version.New(n.Base, version.Seams{
		Roster: rosterForVersion{n.roster}, Plan: n.plan, Ceilings: n.budget, Library: n.library, Poller: outOfTurn{n},
		Host: versionHost{n},
	}, n.config.version())
	n.roster.OnChange(func(o *roster.Owned) { n.version.Changed(o.ID()) })
}

// rosterForVersion implements version.Roster.
type rosterForVersion struct{ *rosterHost }

func (r rosterForVersion) Shun(node, channel engine.ID, until time.Duration) {
	r.rosterHost.Shun(node, until)
	if o := r.Find(channel); o != nil {
		r.Reassess(o)
	}
}

func (r rosterForVersion) Owned(channel engine.ID) version.Owned {
	if o := r.Find(channel); o != nil {
		return o
	}
	return nil
}

// versionHost implements version.Host.
type versionHost struct{ *Node }

func (h versionHost) State(channel engine.ID) State {
	return h.stateOf(h.roster.Find(channel))
}

func (h versionHost) Adopted(channel engine.ID, s State) {
	h.plan.Adopt(h.roster.Find(channel).Channel(),
		plan.Set{Size: s.Set, Slot: h.Env.Now() + time.Duration(s.Slot)*time.Millisecond, Term: s.Term})
}

func (h versionHost) Changed(channel engine.ID) { h.roster.NotifyChange(h.roster.Find(channel)) }

func (h versionHost) Limited(channel engine.ID, waits bool) {
	if waits {
		h.budget.Waits(channel, h.version.Limits(channel).NotBefore)
	}
	h.plan.Renew(channel)
}

func (h versionHost) Suspected(e Suspected)       { h.listener.Suspected(e) }
func (h versionHost) Carried(e Carried)           { h.listener.Carried(e) }
func (h versionHost) Contradicted(e Contradicted) { h.listener.Contradicted(e) }

// outOfTurn is the poller; the plan counts its polls out of turn.
type outOfTurn struct{ *Node }

func (p outOfTurn) Verify(c Channel) {
	p.plan.Verifies()
	p.poller.Verify(c)
}

func (p outOfTurn) FirstPoll(channel engine.ID) time.Duration { return p.poller.FirstPoll(channel) }

// stateOf returns the state of a channel besides its subscriptions.
func (n *Node) stateOf(o *roster.Owned) State {
	interval, set := n.config.Interval, n.plan.Set(o.ID())
	slot := ((set.Slot-n.Env.Now())%interval + interval) % interval
	s := State{Version: o.Version(), Stamp: o.Stamp(), Set: set.Size, Term: set.Term,
		Slot: uint32(slot / time.Millisecond)}
	n.version.Fill(o.ID(), &s)
	return s
}

// Root returns the primary of a channel, where its versions enter the tree; zero if it is unknown here.
func (h *rosterHost) Root(channel engine.ID) engine.Peer {
	if o := h.Find(channel); o != nil && o.Rank() >= 0 {
		if closest, _ := h.core.Ring.Owners(channel, 1); len(closest) > 0 {
			return closest[0]
		}
	}
	home, _ := h.Home(channel)
	return home
}

// OnRoot registers f for changes of a channel's Root.
func (h *rosterHost) OnRoot(f func(channel engine.ID)) {
	h.homed = f
	h.OnChange(func(o *roster.Owned) { f(o.ID()) })
}
