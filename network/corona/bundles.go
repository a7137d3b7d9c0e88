package corona

import "tidings/network/engine"

// maxOrders is how many orders go in one message.
const maxOrders = 256

// bundles gathers orders by contact, those for the first one first. What fills a message is sent at once.
type bundles struct {
	to     []*contact
	orders [][]Order // fewer than maxOrders each
}

func (b *bundles) add(n *Node, c *contact, o Order) {
	i := 0
	for i < len(b.to) && b.to[i] != c {
		i++
	}
	if i == len(b.to) {
		b.to = append(b.to, c)
		b.orders = append(b.orders, nil)
	}
	if b.orders[i] = append(b.orders[i], o); len(b.orders[i]) == maxOrders {
		n.env.Send(c.peer, &Orders{Orders: b.orders[i]})
		b.orders[i] = nil
	}
}

// send sends the rest.
func (b *bundles) send(n *Node) {
	for i, c := range b.to {
		if len(b.orders[i]) > 0 {
			n.env.Send(c.peer, &Orders{Orders: b.orders[i]})
		}
		n.tellLater(c)
	}
}

// explain sends orders with their URLs.
func (n *Node) explain(from engine.Peer, m *Unknown) {
	c := n.contactOf(from.ID)
	if c == nil {
		return
	}
	var out bundles
	for _, id := range m.Channels {
		p := n.polledHere(id)
		if p == nil {
			continue
		}
		for _, s := range n.shares(p) {
			if s.contact == c {
				out.add(n, c, n.order(p, s, ordered))
			}
		}
	}
	out.send(n)
}
