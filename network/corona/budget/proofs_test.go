package budget

import (
	"slices"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/roster"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// member is a node of a ring of ten, which is assigned channels, and what it routes.
type member struct {
	*Budget
	env    *enginetest.Env
	host   *tenth
	routed *routed
}

// tenth is the Host of a member.
type tenth struct {
	quiet
	joins []engine.ID
}

func (*tenth) Nodes() int                                     { return 10 }
func (*tenth) Pollers(_ engine.ID, s machine.Size) float64    { return max(1, 10*s.Share()) }
func (*tenth) Wants(engine.ID, int) Wants                     { return Wants{} }
func (h *tenth) Joins(channel engine.ID)                      { h.joins = append(h.joins, channel) }
func (*tenth) Sample(engine.ID, uint64) []roster.Subscription { return nil }

// routed is the ring of a member.
type routed struct {
	machine.Ring
	asked []AskFor
}

func (*routed) Nodes() int              { return 10 }
func (*routed) Active() bool            { return true }
func (*routed) Patience() time.Duration { return 0 }
func (*routed) Owners(engine.ID, int) ([]engine.Peer, bool) {
	return nil, true
}
func (r *routed) Route(_ engine.ID, m engine.Message) {
	r.asked = append(r.asked, m.(*AskProof).Asks...)
}

// parted is an Env in which the first letter of an address is its part of the network.
type parted struct{ *enginetest.Env }

func (parted) Prefix(a engine.Address) string { return string(a[:min(1, len(a))]) }

func newMember() *member {
	env, host, ring := enginetest.NewEnv(enginetest.NewPeer("05")), &tenth{}, &routed{}
	return &member{New(machine.Base{Env: parted{env}, Ring: ring, Keys: keys{env.Node.ID}}, host, usual), env, host,
		ring}
}

// distant returns channels of one host of whose sets, except the largest, the member is in none.
func distant(self engine.ID, count int) (list []machine.Channel) {
	for i := 0; len(list) < count; i++ {
		if c := channel(i); !machine.ArcOf(c.ID, machine.Fine(4)).Contains(self) {
			list = append(list, c)
		}
	}
	return list
}

// signs returns signed subscriptions of so many nodes to a channel.
func (m *member) signs(count int, c machine.Channel,
	change ...func(*roster.Subscription)) (list []roster.Subscription) {
	for i := range count {
		s := roster.Subscription{Node: engine.Peer{ID: numbered(i)}, Count: 1, Stamp: uint64(m.env.Wall().UnixMilli())}
		for _, f := range change {
			f(&s)
		}
		s.Signature = keys{s.Node.ID}.Sign(s.Words(c.ID))
		list = append(list, s)
	}
	return list
}

func (m *member) prove(c machine.Channel, list []roster.Subscription) {
	asked := m.routed.asked
	m.Receive(engine.Peer{}, &Proof{Claim: Claim{URL: c.URL}, Nonce: asked[len(asked)-1].Nonce, Subscriptions: list})
	m.env.RunWork()
}

// A node that is assigned a channel polls it once as many readers are proved as there are nodes in the set. Readers
// count if their nodes have recently signed for this channel, each once, and not too many of them in one part of the
// network.
func TestPollersSeeReadersProved(t *testing.T) {
	self := enginetest.NewPeer("05").ID
	list := distant(self, 2)
	c, other := list[0], list[1]
	for name, test := range map[string]struct {
		proof func(m *member) []roster.Subscription
		want  bool
	}{
		"as many readers as nodes": {func(m *member) []roster.Subscription { return m.signs(10, c) }, true},
		"of few nodes": {func(m *member) []roster.Subscription {
			return m.signs(2, c, func(s *roster.Subscription) { s.Count = 5 })
		}, true},
		"too few readers":    {func(m *member) []roster.Subscription { return m.signs(8, c) }, false},
		"nobody":             {func(m *member) []roster.Subscription { return nil }, false},
		"of another channel": {func(m *member) []roster.Subscription { return m.signs(10, other) }, false},
		"forged": {func(m *member) []roster.Subscription {
			proof := m.signs(10, c)
			for i := range 5 {
				proof[i].Signature = keys{numbered(9)}.Sign(proof[i].Words(c.ID))
			}
			return proof
		}, false},
		"made out for more": {func(m *member) []roster.Subscription {
			proof := m.signs(5, c)
			proof[0].Count = 60
			return proof
		}, false},
		"one node ten times": {func(m *member) []roster.Subscription {
			return m.signs(10, c, func(s *roster.Subscription) { s.Node.ID = numbered(1) })
		}, false},
		"of one part of the network": {func(m *member) []roster.Subscription {
			return m.signs(10, c, func(s *roster.Subscription) { s.Node.Address = "a" })
		}, false},
		"of five parts": {func(m *member) []roster.Subscription {
			i := 0
			return m.signs(10, c, func(s *roster.Subscription) {
				s.Node.Address = engine.Address(rune('a' +
					i%5))
				i++
			})
		}, true},
		"old": {func(m *member) []roster.Subscription {
			old := m.env.Wall().Add(-2*usual.Forget - 6*time.Minute)
			return m.signs(10, c, func(s *roster.Subscription) { s.Stamp = uint64(old.UnixMilli()) })
		}, false},
	} {
		m := newMember()
		if m.MayJoin(c, machine.Size{}) {
			t.Fatalf("%s: it polls before anything is proved", name)
		}
		m.prove(c, test.proof(m))
		if got := m.MayJoin(c, machine.Size{}); got != test.want {
			t.Errorf("%s: it polls: %v", name, got)
		}
		if len(m.host.joins) == 0 {
			t.Errorf("%s: no event is sent", name)
		}
	}
}

// A full sample proves as many readers as there seem to be.
func TestPollersEstimateReaders(t *testing.T) {
	c := distant(enginetest.NewPeer("05").ID, 1)[0]
	m := newMember()
	m.MayJoin(c, machine.Size{})
	m.prove(c, m.signs(roster.SampleSize, c, func(s *roster.Subscription) { s.Count = 2 }))
	if got := m.proofs.index[c.ID].readers; got < roster.SampleSize || got > 4*roster.SampleSize {
		t.Errorf("%v readers count as proved", got)
	}
}

// Proof is requested once for a set and the smaller ones, a few times and then rarely from a primary that does not
// answer, and again when it is old. A proof that was not requested does not count.
func TestProofIsAskedForOnce(t *testing.T) {
	c := distant(enginetest.NewPeer("05").ID, 1)[0]
	m := newMember()
	asked := func() int {
		count := len(m.routed.asked)
		m.routed.asked = nil
		return count
	}
	m.MayJoin(c, machine.Fine(2))
	nonce := m.routed.asked[0].Nonce
	m.Receive(engine.Peer{}, &Proof{Claim: Claim{URL: c.URL}, Nonce: nonce + 1, Subscriptions: m.signs(10, c)})
	m.MayJoin(c, machine.Fine(2))
	m.MayJoin(c, machine.Fine(3))
	if got := asked(); got != 1 || m.proofs.index[c.ID].readers != 0 {
		t.Errorf("it was asked %d times, and a proof counts that was not asked for: %v", got,
			m.proofs.index[c.ID].readers > 0)
	}
	m.env.Advance(time.Minute)
	if got := asked(); got != proofTries-1 || m.proofs.asking != 0 {
		t.Errorf("it was asked %d times more in a minute, and %d answers are waited for", got, m.proofs.asking)
	}
	m.env.Advance(usual.Maintenance)
	if got := asked(); got != proofTries {
		t.Errorf("it was asked %d times in a maintenance interval", got)
	}
	m.MayJoin(c, machine.Size{})
	m.prove(c, m.signs(10, c))
	asked()
	for range 20 {
		m.MayJoin(c, machine.Fine(1))
		m.MayJoin(c, machine.Size{})
		m.env.Advance(usual.Maintenance)
	}
	if got := asked(); got != 0 || !m.MayJoin(c, machine.Size{}) {
		t.Errorf("it was asked %d times in 20 maintenance intervals at rest", got)
	}
	m.env.Advance(proofLasts)
	if got := asked(); got == 0 || !m.MayJoin(c, machine.Size{}) {
		t.Error("an old proof is not renewed, or does not count meanwhile")
	}
	m.env.Advance(3 * proofLasts)
	if m.MayJoin(c, machine.Size{}) {
		t.Error("it still polls for readers without proof for days")
	}
	m.Ended(c.ID)
	asked()
	m.env.Advance(proofLasts)
	if got := asked(); got != 0 || len(m.proofs.index) != 0 || len(m.proofs.hosts) != 0 || m.proofs.asking != 0 {
		t.Errorf("%d proofs were asked for of what has ended, or %d are waited for", got, m.proofs.asking)
	}
}

// Readers of a channel with more readers than pollers pay for other channels of its host, as far as they have polls
// left.
func TestReadersPayForOthersOfTheirHost(t *testing.T) {
	list := distant(enginetest.NewPeer("05").ID, 12)
	rich, poor := list[0], list[1:]
	m := newMember()
	for _, c := range poor {
		m.MayJoin(c, machine.Size{})
		m.prove(c, m.signs(1, c))
	}
	joined := func() (count int) {
		for _, c := range poor {
			if m.MayJoin(c, machine.Size{}) {
				count++
			}
		}
		return count
	}
	if got := joined(); got != 0 {
		t.Errorf("%d channels are polled beyond their readers", got)
	}
	before := len(m.host.joins)
	m.MayJoin(rich, machine.Size{})
	m.prove(rich, m.signs(40, rich))
	m.env.Advance(2 * joinPause)
	if got := joined(); got < 3 || got > 4 { // 35 readers are left for ten nodes
		t.Errorf("%d channels are polled on account of another", got)
	}
	if !slices.Contains(m.host.joins[before:], poor[0].ID) {
		t.Error("the others are not notified")
	}
}
