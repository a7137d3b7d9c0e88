package overlay

import (
	"tidings/network/engine"
)

// Receive handles one of Messages.
func (o *Overlay) Receive(from engine.Peer, m engine.Message) {
	if l := o.links.byID[from.ID]; l != nil {
		l.heard, l.peer = o.env.Now(), from
	}
	switch m := m.(type) {
	case *Connect:
		o.onConnect(from, m)
	case *ConnectOK:
		o.onConnectOK(from, m)
	case *Redirect:
		o.onRedirect(from, m)
	case *Disconnect:
		o.onDisconnect(from, m)
	case *DisconnectOK:
		o.onDisconnectOK(from, m)
	case *Leave:
		o.onLeave(from, m)
	case *Heartbeat:
		o.onHeartbeat(from, m)
	case *ProfileChanged:
		o.onProfileChanged(from, m)
	case *Topics:
		o.onTopics(from, m)
	}
}

// onConnect accepts a node if there is room, or else sends it on (Figure 4, lines 1 to 9). A node that shares no topic
// with this one is of no use here. Its profile of this node was out of date.
func (o *Overlay) onConnect(from engine.Peer, m *Connect) {
	if !o.sound(from, m.Task, &m.Profile) {
		return
	}
	if l := o.links.byID[from.ID]; l != nil {
		o.compare(l, m.Tasks)
	}
	t := &o.tasks[m.Task]
	switch {
	case o.quarantine.suspects(from.ID) || !o.topics.anyFollowed(m.Profile.Follows) &&
		!o.topics.anyFollowed(m.Profile.Publishes) && len(o.topics.in(m.Profile.Follows)) == 0:
		o.refuse(from, m.Task, engine.Peer{})
	case !o.links.in(m.Task, from.ID) && t.degree >= t.lmaxAsked(o.topics.count)+o.config.Margin:
		o.refuse(from, m.Task, o.links.redirect(m.Task, &m.Profile, o.config.Margin, o.env.Rand()))
	default:
		l := o.addNeighbor(t, from, m.Standing, &m.Profile, false)
		o.env.Send(from, &ConnectOK{m.Task, t.standing(), o.profile})
		t.adjust(o.topics.count, o.config.Margin)
		o.greet(l)
	}
}

// refuse answers a Connect that is not accepted, if there are not too many.
func (o *Overlay) refuse(from engine.Peer, t Task, to engine.Peer) {
	if !o.answers.Take(1, o.env.Now()) {
		o.env.Trace(LimitHit{"AnswerRate", o.config.AnswerRate})
		return
	}
	o.env.Send(from, &Redirect{t, to})
}

// onConnectOK adds a node that was asked, if there is still room (Figure 4, lines 12 to 18).
func (o *Overlay) onConnectOK(from engine.Peer, m *ConnectOK) {
	if !o.sound(from, m.Task, &m.Profile) {
		return
	}
	t := &o.tasks[m.Task]
	switch {
	case !o.links.in(m.Task, from.ID) && !o.quarantine.asked(from.ID, m.Task):
		o.env.Trace(Refused{from, "not asked"})
		o.env.Send(from, &Leave{m.Task.bit()})
	case !o.links.in(m.Task, from.ID) && t.degree >= t.lmaxAsked(o.topics.count)+o.config.Margin:
		o.env.Send(from, &Leave{m.Task.bit()})
	default:
		l := o.addNeighbor(t, from, m.Standing, &m.Profile, true)
		o.quarantine.answered(from.ID, m.Task)
		t.adjust(o.topics.count, o.config.Margin)
		o.greet(l)
	}
}

// onRedirect notes where a node that was asked sends us (Figure 4, lines 10 and 11).
func (o *Overlay) onRedirect(from engine.Peer, m *Redirect) {
	if m.Task >= tasks || !o.quarantine.asked(from.ID, m.Task) {
		o.env.Trace(Refused{from, "not asked"})
		return
	}
	o.quarantine.answered(from.ID, m.Task)
	o.env.Trace(Redirected{from, m.To, m.Task})
	t := &o.tasks[m.Task]
	if m.To.IsZero() || m.To.ID == o.env.Self().ID {
		return
	}
	if len(t.redirects) >= o.config.MaxRedirects {
		o.env.Trace(LimitHit{"MaxRedirects", o.config.MaxRedirects})
		return
	}
	t.redirects = append(t.redirects, m.To)
}

// onDisconnect lets a neighbour go that this node can do without (Figure 4, lines 21 to 26).
func (o *Overlay) onDisconnect(from engine.Peer, m *Disconnect) {
	if m.Task >= tasks {
		return
	}
	t, l := &o.tasks[m.Task], o.links.byID[from.ID]
	if l == nil || !l.sets[m.Task].in {
		o.env.Send(from, &DisconnectOK{m.Task})
		return
	}
	under := o.topics.underWithout(t, l)
	if t.degree > t.l || under == 0 {
		o.removeNeighbor(t, l, Agreed)
		o.env.Send(from, &DisconnectOK{m.Task})
		if under == 0 {
			t.l = t.degree
		}
	}
}

// onDisconnectOK ends what a Disconnect began. One that nobody asked for has the same effect: the sender has removed
// us.
func (o *Overlay) onDisconnectOK(from engine.Peer, m *DisconnectOK) {
	if l := o.links.byID[from.ID]; l != nil && m.Task < tasks && l.sets[m.Task].in {
		o.removeNeighbor(&o.tasks[m.Task], l, Agreed)
	}
}

// onLeave removes a neighbour that says that it is none (Figure 4, lines 19 and 20).
func (o *Overlay) onLeave(from engine.Peer, m *Leave) {
	for i := range o.tasks {
		t := &o.tasks[i]
		if l := o.links.byID[from.ID]; l != nil && l.sets[t.kind].in && m.Tasks&t.kind.bit() != 0 {
			o.removeNeighbor(t, l, Left)
		}
	}
}

// sound reports whether a task and a profile that came can be what they say.
func (o *Overlay) sound(from engine.Peer, t Task, p *Profile) bool {
	if t >= tasks || p.Version == 0 || p.Follows.Validate() != nil || p.Publishes.Validate() != nil {
		o.env.Trace(Refused{from, "malformed"})
		return false
	}
	return true
}
