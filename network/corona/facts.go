package corona

import (
	"math"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/roster"
	"tidings/network/engine"
)

// Bounds of asking the primaries of a node's channels how these are polled, for its user.
const (
	maxInquired  = 256  // channels in a message
	inquiryPage  = 1024 // channels asked about at a time
	inquiryPause = time.Second
	maxInquiries = 1 << 16 // channels that wait to be asked about
)

// inquiries are the channels to ask the primaries about.
type inquiries struct {
	waiting []engine.ID
	asking  bool // the next page is due
}

// Inquire asks the primaries of channels how these are polled. Answers are traced as Told. There is none for a channel
// without an acknowledged subscription of this node. At most 1,024 channels are asked about in a second, the others
// later. At most 65,536 channels wait; the rest is dropped.
func (n *Node) Inquire(channels []engine.ID) {
	q := &n.inquiries
	if room := maxInquiries - len(q.waiting); len(channels) > room {
		n.LimitHit("maxInquiries", maxInquiries)
		channels = channels[:room]
	}
	q.waiting = append(q.waiting, channels...)
	if !q.asking {
		n.inquirePage()
	}
}

// inquirePage asks about the next channels, with one message for those of one primary.
func (n *Node) inquirePage() {
	q := &n.inquiries
	page := q.waiting[:min(inquiryPage, len(q.waiting))]
	var out []*Inquire
	var to []engine.Peer
	for _, id := range page {
		home, ok := n.roster.Home(id)
		if !ok {
			continue
		}
		i := len(to) - 1
		for i >= 0 && (to[i] != home || len(out[i].Channels) == maxInquired) {
			i--
		}
		if i < 0 {
			i = len(to)
			to, out = append(to, home), append(out, new(Inquire))
		}
		out[i].Channels = append(out[i].Channels, id)
	}
	for i, m := range out {
		n.Env.Send(to[i], m)
	}
	if q.waiting = q.waiting[len(page):]; len(q.waiting) == 0 {
		q.waiting = nil
	}
	if q.asking = len(page) > 0; q.asking {
		n.Env.After(inquiryPause, n.inquirePage)
	}
}

// answerInquire answers for the channels that this node is primary of.
func (n *Node) answerInquire(from engine.Peer, m *Inquire) {
	var facts Facts
	for _, id := range m.Channels {
		// else no node polls it yet, or any longer
		if o := n.roster.Find(id); o != nil && o.Primary() && n.plan.Leads(id) {
			facts.Facts = append(facts.Facts, n.fact(o))
		}
	}
	if len(facts.Facts) > 0 {
		n.Env.Send(from, &facts)
	}
}

// fact sums up how a channel is polled at present, as far as this node knows.
func (n *Node) fact(o *roster.Owned) Fact {
	pollers, _ := n.plan.Pollers(o.ID())
	period := max(n.config.Interval, n.plan.Limits(o.ID()).Interval)
	detection := float64(n.plan.Expected(o.ID())) * (float64(period) / float64(n.config.Interval))
	detection += float64(n.version.ConfirmsWithin(o.ID()))
	_, update := n.version.Factors(o.ID())
	return Fact{
		Channel: o.ID(), Readers: uint32(min(o.Readers(), math.MaxUint32)),
		Pollers:  max(1, pollers),
		Interval: machine.InMillis(period), Detection: machine.InMillis(time.Duration(detection)),
		Update: machine.InSeconds(update),
	}
}

// receiveFacts accepts facts only from the primary that has acknowledged the subscription.
func (n *Node) receiveFacts(from engine.Peer, m *Facts) {
	for _, f := range m.Facts {
		home, ok := n.roster.Home(f.Channel)
		if ok && home.ID == from.ID && f.Pollers > 0 && f.Interval > 0 {
			n.Env.Trace(Told{f})
			n.listener.Answered(f)
		}
	}
}

// Told reports the answer of a channel's primary to Inquire.
type Told struct{ Fact Fact }

// Every returns the mean time between two polls of the channel by all its pollers together.
func (f Fact) Every() time.Duration {
	return time.Duration(f.Interval) * time.Millisecond / time.Duration(max(1, f.Pollers))
}
