package version

import (
	"time"

	"tidings/network"
	"tidings/network/corona/machine"
	"tidings/network/corona/version/believe"
	"tidings/network/corona/version/deliver"
	"tidings/network/corona/version/report"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// Machine is one node's part in the versions of channels. It passes what one of its parts returns to the others. Use
// must be called for all routers before it receives anything.
type Machine struct {
	machine.Base
	seams  Seams
	config Config
	// owned returns nil if a channel is not owned here, and owners the owners without those that are shunned.
	owned  func(channel engine.ID) Owned
	owners func(channel engine.ID) (owners []engine.Peer, certain bool)

	duties  *duties          // the channels that this node makes versions of
	report  *report.Machine  // changes found, here and by others, and which of them are news
	believe *believe.Machine // which nodes have seen and signed what
	deliver *deliver.Machine // numbers, and how versions get to all

	// unproved are requests for this node as a witness that wait for a proof of a channel's readers, at most
	// maxUnproved. Proved ends each.
	unproved map[engine.ID][]standing
}

// New returns a machine without channels.
func New(base machine.Base, s Seams, c Config) *Machine {
	m := &Machine{Base: base, seams: s, config: c, owned: s.Roster.Owned, unproved: make(map[engine.ID][]standing)}
	m.duties = &duties{Base: base, roster: s.Roster, plan: s.Plan, library: s.Library,
		acting: make(map[engine.ID]time.Duration), relayed: make(map[engine.ID]struct{})}
	m.owners = func(channel engine.ID) ([]engine.Peer, bool) { return s.Roster.Owners(channel, m.config.Owners) }
	m.report = report.New(base, report.Seams{Contents: s.Library, Owners: m.owners, Readers: s.Roster.Readers,
		Plan: s.Plan, Ceilings: s.Ceilings, Host: reportHost{host{m}}}, c)
	m.believe = believe.New(base, s.Library, believeHost{host{m}}, c)
	m.deliver = deliver.New(base, deliver.Seams{Library: s.Library, Roster: s.Roster, Plan: s.Plan,
		Poller: gapPoller{s.Poller, m}, Host: deliverHost{host{m}}}, c)
	return m
}

// Use makes a router available, to carry versions if the network has agreed on it. The router's member is TreeMember.
func (m *Machine) Use(name network.RouterName, r network.Router) { m.deliver.Use(name, r) }

// Reconfigure replaces the configuration.
func (m *Machine) Reconfigure(c Config) {
	m.config = c
	m.report.Reconfigure(c)
	m.believe.Reconfigure(c)
	m.deliver.Reconfigure(c)
}

// route does what a part has returned as its next steps.
func (m *Machine) route(steps update.Steps) {
	for _, s := range steps {
		switch s := s.(type) {
		case func() update.Steps:
			m.route(s())
		case func():
			s()

		// a report is checked, and becomes a version or not
		case report.Early:
			if u := s.Update; m.believe.MayAskEarly(s.Channel) && m.deliver.Number(s.Channel, &u) {
				m.believe.AskEarly(m.owned(s.Channel).Channel(), u, m.witnessable(s.Channel))
			}
		case report.Ended:
			m.believe.Spoil(s.Channel)
		case report.Accepted:
			m.route(m.deliver.Keep(s.Channel, s.Update))
		case deliver.Unfit:
			m.route(m.report.Unfit(s.Channel))
		case deliver.Refused:
			m.route(m.report.Refused(s.Channel, s.Why))
		case deliver.Numbering:
			m.believe.SignNumber(s.Update)
			m.report.Numbered(s.Channel, s.Update.Hash)
		case deliver.Attesting:
			m.believe.Ask(m.owned(s.Channel).Channel(), *s.Update, m.witnessable(s.Channel))
		case deliver.Published:
			if len(s.Update.Seal.Seen) > 0 {
				m.believe.Note(s.Update)
			}
			m.seams.Plan.Rest(s.Channel, m.believe.Polls(s.Update))
			m.route(m.report.Published(s.Channel, s.Update))
		case report.Resend:
			m.route(m.deliver.Resend(s.Channel))

		// a version arrives
		case report.Lacked:
			if s.Unsent {
				m.deliver.Unsent(s.Update.Channel)
			}
			m.bring(s.From, s.Update, false)
		case deliver.Unseen:
			// this node polls for it, if it has readers for it or is to send it on
			m.route(m.deliver.Came(s.Update.Channel, s.Update.Version))
			if m.seams.Roster.Readers(s.Update.Channel) > 0 || m.duties.makes(s.Update.Channel) {
				m.believe.See(s.From, s.Update)
			}
		case deliver.Kept:
			m.kept(s)

		// a version is missing
		case report.Behind:
			m.route(m.deliver.MaybeBehind(s.From, s.Channel, s.Version))
		case believe.Unseen:
			m.route(m.deliver.Miss(s.From, s.Channel, s.Version))
		case deliver.Found:
			m.route(m.report.Found(s.Update))
		case deliver.Silent:
			m.report.Suspect(s.Channel, report.Silent)

		case report.Bypassing:
			m.receiveBypassing(m.Env.Self(), s.Report, true)
		case report.Doubled:
			m.Ring.Route(m.AlternateKey(s.Channel), &believe.Ahead{Header: m.believe.HeaderOf(s.Channel)})
		}
	}
}

// Receive handles a message from a peer.
func (m *Machine) Receive(from engine.Peer, message engine.Message) {
	switch v := message.(type) {
	case *report.Detected:
		m.receiveBypassing(from, v, true)
	case *report.Heard: // an owner's answer to a report, or its offer to lend a version: for a gap, or for an audit
		if v.Hash != (Hash{}) {
			m.route(m.report.Answered(from, v))
		} else if !m.seams.Roster.CouldOwn(v.Channel, from.ID) { // the ring led the requester to a node near an owner
			update.Refuse(&m.Base, v.Channel, v.Version, from, update.Stranger)
		} else {
			next, missing := m.deliver.Offered(from, v.Channel, v.Version)
			if m.route(next); !missing {
				m.deliver.Audited(from, v.Channel, v.Version)
			}
		}
	case *update.Verify:
		if v.Hash != (Hash{}) {
			m.report.Confirm(from, v)
		} else {
			m.pollFor(from, v.Channel)
		}
	case *update.Verified:
		if len(v.Seen.Signature) == 0 {
			m.route(m.report.ReceiveVerified(from, v))
		} else if u := m.believe.Count(v); u != nil {
			next, late := m.deliver.Attested(u)
			if m.route(next); late {
				m.believe.Note(u) // for nodes that request it later
			}
		}
	case *believe.Ahead:
		m.receiveAhead(from, v, true)
	case *believe.Equivocation:
		m.excluded(m.believe.ReceiveEquivocation(from, v), from)
	case *update.Update:
		m.receiveUpdate(from, v)
	case *deliver.Shared:
		m.receiveShared(from, v)
	case *deliver.Missing:
		m.deliver.Answer(from, v)
	case *deliver.Commit:
		m.receiveCommit(from, v)
	case *deliver.Committed:
		m.route(m.deliver.ReceiveCommitted(from, v))
	case *deliver.Got:
		m.deliver.Acknowledged(from, v)
	case *deliver.Routed:
		m.deliver.ReceiveRouted(from, v)
	}
}

// Deliver handles a message that was routed to a key which this node is closest to.
func (m *Machine) Deliver(key engine.ID, from engine.Peer, message engine.Message) {
	switch v := message.(type) {
	case *report.Detected:
		if v.Update.Channel == key {
			m.route(m.report.Receive(from, v))
		} else {
			m.receiveBypassing(from, v, false)
		}
	case *report.Limit:
		m.report.ReceiveLimit(key, v)
	case *update.Verify:
		m.stand(key, from, v)
	case *believe.Ahead:
		m.receiveAhead(from, v, false)
	case *believe.Equivocation:
		m.excluded(m.believe.ReceiveEquivocation(from, v), from)
	case *deliver.Missing:
		if version, has := m.deliver.Offers(from, v); has {
			m.Env.Send(from, &report.Heard{Channel: v.Channel, Version: version})
		}
	case *deliver.Offer: // it was routed to a subscriber, which may be gone
		if key == m.Env.Self().ID && m.seams.Roster.CouldOwn(v.Channel, from.ID) {
			m.route(m.deliver.ReceiveOffer(from, v))
		}
	}
}

// Polled handles the outcome of a poll of a channel.
func (m *Machine) Polled(channel engine.ID, r update.PollResult) {
	m.report.Learn(channel, r.Wait, r.Interval, r.Hash != Hash{})
	if m.Keys != nil && r.Update != nil { // the finder of the held version does not matter here
		own := *r.Update
		own.FoundBy, own.Seal = m.Env.Self().ID, update.Seal{}
		r.Update = &own
	}
	m.report.Sees(channel, r.Hash)
	// A witness owes its signature whatever this node itself concludes from the poll.
	answered := r.Verified && m.believe.Answer(channel, r.Hash)
	seen, contradicts := m.believe.Polled(channel, &r)
	if seen != nil {
		m.bring(seen.From, seen.Update, true)
		return
	}
	if contradicts {
		m.report.Contradicted(channel, r.Hash)
	}
	if r.Verified {
		if answered && !m.duties.wants(channel) {
			return
		}
		next, was := m.deliver.PolledForGap(channel, &r)
		if !was {
			next, was = m.report.Polled(channel, &r)
		}
		if m.route(next); was {
			return
		}
	} else {
		m.report.SeesInTurn(channel, r.Hash)
	}
	var found *update.Update
	if r.Update != nil {
		u := *r.Update
		u.Channel, u.URL, u.Size = channel, "", max(u.Size, r.Size)
		found = &u
	}
	next, awaited := m.deliver.PolledFirst(channel, found)
	switch {
	case awaited:
		m.route(next)
	case found == nil:
		m.report.Confirmed(channel, r.Hash)
	default:
		m.route(m.report.Found(found))
	}
}

// Stored handles the outcome of Library.Store: ok, if the library keeps the update.
func (m *Machine) Stored(channel engine.ID, version uint64, ok bool) {
	m.route(m.deliver.Stored(channel, version, ok))
}

// Owned reports that this node begins to own a channel, Forgotten that the roster no longer knows it.
func (m *Machine) Owned(o Owned) {
	m.report.Own(o)
	m.deliver.Own(o)
}
func (m *Machine) Forgotten(channel engine.ID) {
	m.report.Forget(channel)
	m.believe.Forget(channel)
	m.deliver.Forget(channel)
}

// Changed reports that a channel's primary, its state, or whether it has readers has changed, or that it is about to be
// forgotten.
func (m *Machine) Changed(channel engine.ID) { m.route(m.deliver.Changed(channel)) }

// Informed reports that the other owners have sent what they know, or had time to.
func (m *Machine) Informed(channel engine.ID) { m.route(m.report.Informed(channel)) }

// Merge adopts another owner's state of a channel if it is newer. A primary then sends the latest version to all: the
// other's subscribers have another one.
func (m *Machine) Merge(channel engine.ID, from engine.Peer, s *State) {
	o := m.owned(channel)
	if o == nil {
		return
	}
	m.Compare(channel, s.Version)
	if !m.seams.Roster.Near(channel, from) || !m.deliver.Credible(channel, from, s) {
		return
	}
	newer := s.Version > o.Version() || s.Version == o.Version() && s.Stamp > o.Stamp()
	var least time.Duration // an older state holds what the origin asked for earlier
	if newer {
		least = time.Duration(s.Least) * time.Second
	}
	m.report.Tighten(channel, time.Duration(s.Wait)*time.Second, least)
	if !newer {
		return
	}
	apart := s.Version != o.Version() && o.Version() > 0
	m.report.Adopt(channel, s, s.Version > o.Version())
	m.deliver.Adopt(channel, s)
	m.seams.Host.Adopted(channel, *s)
	m.seams.Host.Changed(channel)
	m.route(m.deliver.MaybeBehind(from, channel, o.Version()))
	if apart && o.Primary() {
		m.route(m.report.Reunite(channel))
	}
}

// Compare compares another owner's version: if it is older, its subscribers may have an older one. Any node can claim
// that; it costs a few rounds of messages.
func (m *Machine) Compare(channel engine.ID, version uint64) {
	if o := m.owned(channel); o != nil && o.Primary() && version > 0 && version < o.Version() {
		m.route(m.report.Reunite(channel))
	}
}

// SubscriberReported reports that another owner has named a subscriber.
func (m *Machine) SubscriberReported(channel engine.ID, p engine.Peer) {
	m.deliver.SubscriberReported(channel, p)
}

// Routed reports whether a subscriber that is about to be acknowledged is to join the channel's tree. Joined reports
// that an owner has acknowledged this node's subscription, and whether a tree carries versions; none does if the node
// no longer subscribes.
func (m *Machine) Routed(channel engine.ID) bool         { return m.deliver.Routes(channel) }
func (m *Machine) Joined(channel engine.ID, routed bool) { m.deliver.Join(channel, routed) }

// CarriedBy returns the router that carries a channel's versions to this node, as far as its primary has announced it.
func (m *Machine) CarriedBy(channel engine.ID) network.RouterName {
	return m.deliver.CarriedBy(channel)
}

// MaybeBehind reports that a peer knows a version of a channel, MaybeAhead that an owner knows it as the latest.
func (m *Machine) MaybeBehind(from engine.Peer, channel engine.ID, version uint64) {
	m.route(m.deliver.MaybeBehind(from, channel, version))
}
func (m *Machine) MaybeAhead(owner engine.Peer, channel engine.ID, version uint64) {
	m.believe.MaybeAhead(owner, channel, version)
}

// Suspect reports that the owners of a channel do not serve this node, or with report.Trusted that they do.
func (m *Machine) Suspect(channel engine.ID, why report.Suspicion) { m.report.Suspect(channel, why) }

// IsEquivocator reports whether a node is proved to have assigned one number to two contents.
func (m *Machine) IsEquivocator(node engine.ID) bool { return m.believe.IsEquivocator(node) }

// Limits returns what the origin of a channel owned here asks for.
func (m *Machine) Limits(channel engine.ID) Limits { return m.report.Limits(channel) }

// Fill fills in this machine's part of a channel's state. A channel that is not owned here counts as a new one.
func (m *Machine) Fill(channel engine.ID, s *State) {
	m.report.Fill(channel, s)
	m.deliver.Fill(channel, s)
}

// ConfirmsWithin returns how long it is of late, on average, from the first report of a change of a channel owned here
// until its number. It is 0 before the first number.
func (m *Machine) ConfirmsWithin(channel engine.ID) time.Duration {
	return m.report.ConfirmsWithin(channel)
}

// Factors returns the size in bytes of a channel's document, 0 if unknown, and the estimated time between its changes.
// The channel is owned here.
func (m *Machine) Factors(channel engine.ID) (size uint32, update time.Duration) {
	_, size = m.deliver.Latest(channel)
	return size, m.report.ChangesEvery(channel)
}
