package corona

import "tidings/network/engine"

// maxAssignments is how many assignments go in one message.
const maxAssignments = 256

// bundles gathers assignments by contact, those for the first one first. What fills a message is sent at once.
type bundles struct {
	to          []*contact
	assignments [][]Assignment // fewer than maxAssignments each
}

func (b *bundles) add(n *planner, c *contact, o Assignment) {
	i := 0
	for i < len(b.to) && b.to[i] != c {
		i++
	}
	if i == len(b.to) {
		b.to = append(b.to, c)
		b.assignments = append(b.assignments, nil)
	}
	if b.assignments[i] = append(b.assignments[i], o); len(b.assignments[i]) == maxAssignments {
		n.Env.Send(c.peer, &Maintenance{Assignments: b.assignments[i]})
		b.assignments[i] = nil
	}
}

// send sends the rest.
func (b *bundles) send(n *planner) {
	for i, c := range b.to {
		if len(b.assignments[i]) > 0 {
			n.Env.Send(c.peer, &Maintenance{Assignments: b.assignments[i]})
		}
		n.queueDigest(c)
	}
}

// explain sends assignments with their URLs.
func (n *planner) explain(from engine.Peer, m *Unknown) {
	c := n.contactOf(from.ID)
	if c == nil {
		return
	}
	var out bundles
	for _, id := range m.Channels {
		p := n.Polled(id)
		if p == nil {
			continue
		}
		for _, s := range n.shares(p) {
			if s.contact == c {
				out.add(n, c, n.assignment(p, s, assigned))
			}
		}
	}
	out.send(n)
}
