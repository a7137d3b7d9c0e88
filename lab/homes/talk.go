package homes

// ForgetTalk has Talk start anew.
func (n *Net) ForgetTalk() {
	n.internet.mu.Lock()
	defer n.internet.mu.Unlock()
	clear(n.internet.flows)
}

// leastTalk is how many packets either side sends before it counts as reached: the first may have met a router that did
// not expect it yet. A side that keeps a port open sends more within a minute.
const leastTalk = 2

// Talk reports whether two machines have exchanged packets directly since ForgetTalk: whether packets went both ways
// between one port and another. A packet to a port at which a router expects nothing has no answer from there.
func (n *Net) Talk(a, b *Machine) bool {
	n.internet.mu.Lock()
	defer n.internet.mu.Unlock()
	for f, packets := range n.internet.flows {
		if f.from != a.site || f.to != b.site || packets < leastTalk {
			continue
		}
		if n.internet.flows[flow{b.site, a.site, f.toPort, f.fromPort, f.protocol}] >= leastTalk {
			return true
		}
	}
	return false
}
