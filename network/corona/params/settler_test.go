package params

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// lone is a node among peers that answer as the test says.
type lone struct {
	*Settler
	actor
	env *enginetest.Env
}

func newLone(known ...engine.Peer) *lone {
	env := enginetest.NewEnv(enginetest.NewPeer("50"))
	l := &lone{actor: actor{env: env, known: known, active: true}, env: env}
	l.Settler = New(machine.Base{Env: env, Ring: &l.actor}, &l.actor, usual)
	return l
}

// uses is what a settled node says that uses an interval.
func uses(interval time.Duration) *Params {
	a := usual
	a.Interval = interval
	return a.message(1, true)
}

// Only answers of asked nodes count, each once, and half of them have to answer.
func TestOnlyThoseAskedHaveAVoice(t *testing.T) {
	peers := []engine.Peer{enginetest.NewPeer("10"), enginetest.NewPeer("20"), enginetest.NewPeer("30"),
		enginetest.NewPeer("40")}
	for name, test := range map[string]struct {
		from []engine.Peer
		want time.Duration
	}{
		"strangers": {[]engine.Peer{enginetest.NewPeer("a0"), enginetest.NewPeer("b0"), enginetest.NewPeer("c0"),
			enginetest.NewPeer("d0")}, usual.Interval},
		"one many times": {[]engine.Peer{peers[0], peers[0], peers[0], peers[0]}, usual.Interval},
		"two of four":    {peers[:2], time.Minute},
		"all":            {peers, time.Minute},
	} {
		l := newLone(peers...)
		l.env.Advance(soon)
		for _, p := range test.from {
			l.Settler.Receive(p, uses(time.Minute))
		}
		l.env.Advance(within)
		if a, settled := l.Params(); a.Interval != test.want || settled != (test.want != usual.Interval) {
			t.Errorf("after the answers of %s it goes by %v, settled: %v", name, a.Interval, settled)
		}
	}
}

// A node that stays alone keeps its settings, at their age. It settles at once if it is part of a ring before it has
// neighbours.
func TestFoundersKeepTheirAge(t *testing.T) {
	l := newLone()
	l.NeighboursChanged()
	if _, settled := l.Params(); !settled {
		t.Error("a founder waits")
	}
	since := l.since
	l.env.Advance(5 * time.Hour)
	if l.since != since || since == 0 {
		t.Errorf("set at %d, it says that it was at %d", since, l.since)
	}
	late := newLone()
	late.active = false
	for range 2 { // before it is part of the ring, and after
		late.NeighboursChanged()
		if _, settled := late.Params(); settled {
			t.Errorf("one that joins settles without an answer; it is part of the ring: %v", late.active)
		}
		late.active = true
	}
}

// Answers that come after the end of their round are too few to judge by: they change nothing.
func TestLateAnswersDoNotCount(t *testing.T) {
	peers := []engine.Peer{enginetest.NewPeer("10"), enginetest.NewPeer("20"), enginetest.NewPeer("30"),
		enginetest.NewPeer("40")}
	l := newLone(peers...)
	l.env.Advance(soon + within)
	for _, p := range peers {
		l.Settler.Receive(p, uses(time.Minute))
	}
	if a, settled := l.Params(); settled || a != usual {
		t.Errorf("it goes by %v, settled: %v", a, settled)
	}
}

// A node among others that are not settled either asks them again and again. Its pauses double up to about a minute: it
// learns of a network's settings soon, however late there are any. It begins itself only if its ID is the least.
func TestAnUnsettledNodeAsksOnceAMinute(t *testing.T) {
	peer := enginetest.NewPeer("10")
	l := newLone(peer)
	var pauses []time.Duration
	for last := time.Duration(0); len(pauses) < 12; {
		for len(l.env.Sent()) == 0 && l.env.Now() < last+time.Hour {
			l.env.Advance(time.Second)
		}
		pauses = append(pauses, l.env.Now()-last)
		last = l.env.Now()
		l.Settler.Receive(peer, usual.message(1, false))
	}
	want := []time.Duration{1, 2, 4, 8, 16, 32, 64, 64, 64, 64, 64, 64}
	for i := range want {
		want[i] *= time.Second
	}
	if _, settled := l.Params(); settled || !slices.Equal(pauses, want) {
		t.Errorf("it asks after pauses of %v, settled: %v", pauses, settled)
	}
}

// Where all agree, a short maintenance interval has nobody asked at each. Where one differs or has not settled, or none
// answers, all are asked again as ever.
func TestAgreementIsComparedSeldom(t *testing.T) {
	short := usual
	short.Interval, short.Maintenance = 10*time.Second, 20*time.Second
	other := short
	other.Interval = time.Minute
	peers := []engine.Peer{enginetest.NewPeer("10"), enginetest.NewPeer("20"), enginetest.NewPeer("30")}
	l := newLone(peers...)
	l.Settler.now = short
	asked := func() (after time.Duration) {
		for ; len(l.env.Sent()) == 0 && after < time.Hour; after += time.Second {
			l.env.Advance(time.Second)
		}
		return after
	}
	asked()
	agreed, unlike := []*Params{short.message(1, true), short.message(1, true), short.message(1, true)},
		[]*Params{short.message(1, true), short.message(1, true), other.message(1, true)}
	unsettled := []*Params{short.message(1, true), short.message(1, true), short.message(1, false)}
	for _, c := range []struct {
		name    string
		answers []*Params
		seldom  bool
	}{{"all agree", agreed, true}, {"one differs", unlike, false}, {"all agree again", agreed, true},
		{"one has not settled", unsettled, false}, {"all agree once more", agreed, true},
		{"none answers", nil, false}} {
		for i, m := range c.answers {
			l.Settler.Receive(peers[i], m)
		}
		least, most := 15*time.Second, 21*time.Second+within
		if c.seldom {
			least, most = 4*time.Minute, restLeast+time.Second
		}
		if after := asked(); after < least || after > most {
			t.Errorf("where %s, they are asked again after %v, not between %v and %v", c.name, after, least, most)
		}
	}
}

// crowd is a ring in which neighbours of this node and contacts from all over the ring overlap, with the node among
// them.
type crowd struct {
	actor
	self                 engine.Peer
	neighbours, contacts []engine.Peer
}

func (c *crowd) Owners(key engine.ID, k int) ([]engine.Peer, bool) {
	if key != c.self.ID {
		return nil, true
	}
	return c.neighbours[:min(k, len(c.neighbours))], true
}

// WedgeContacts returns contacts from all over the ring only for level 0.
func (c *crowd) WedgeContacts(key engine.ID, level int) []engine.Peer {
	if key != c.self.ID || level != 0 {
		return nil
	}
	return c.contacts
}

// A round asks the neighbours first and then the contacts, each other node once, and no more than the bound.
func TestNeighboursAreAskedFirst(t *testing.T) {
	for _, contacts := range []int{0, 3, maxAsked, 2 * maxAsked} {
		self := enginetest.NewPeer("50")
		c := &crowd{actor: actor{active: true}, self: self,
			neighbours: []engine.Peer{self, enginetest.NewPeer("51"), enginetest.NewPeer("4f"),
				enginetest.NewPeer("52")}}
		c.contacts = append(c.contacts, c.neighbours[1], self)
		for i := range contacts {
			c.contacts = append(c.contacts, enginetest.NewPeer(fmt.Sprintf("a%02x", i)))
		}
		env := enginetest.NewEnv(self)
		New(machine.Base{Env: env, Ring: c}, &c.actor, usual)
		env.Advance(soon)
		var asked []engine.Peer
		for _, s := range env.Sent() {
			if _, ok := s.Message.(*ParamsRequest); ok {
				asked = append(asked, s.To)
			}
		}
		want := slices.Concat(c.neighbours[1:], c.contacts[2:])
		if want = want[:min(len(want), maxAsked)]; !slices.Equal(asked, want) {
			t.Errorf("beside %d contacts it asks %v, not %v", contacts, asked, want)
		}
	}
}

// notingActor notes what the host learns.
type notingActor struct {
	actor
	learned []any
}

func (n *notingActor) Agreed(e Agreed)       { n.learned = append(n.learned, e) }
func (n *notingActor) Disagreed(e Disagreed) { n.learned = append(n.learned, e) }

// The host learns of each agreement, and of each that it could not adopt, once, as it is traced.
func TestTheHostLearnsWhatIsTraced(t *testing.T) {
	t.Parallel()
	peers := []engine.Peer{enginetest.NewPeer("10"), enginetest.NewPeer("20")}
	env := enginetest.NewEnv(enginetest.NewPeer("50"))
	host := &notingActor{actor: actor{env: env, known: peers, active: true}}
	s := New(machine.Base{Env: env, Ring: &host.actor}, host, usual)
	for round, interval := range []time.Duration{usual.Interval, time.Minute, time.Hour} {
		for len(env.Sent()) == 0 { // until it asks
			env.Advance(time.Second)
		}
		for _, p := range peers {
			s.Receive(p, uses(interval))
		}
		var traced []any
		for _, e := range env.Traced() {
			switch e.(type) {
			case Agreed, Disagreed:
				traced = append(traced, e)
			}
		}
		want := Agreed{uses(interval).agreement(), interval != usual.Interval}
		if !slices.Equal(traced, []any{want}) || !slices.Equal(host.learned, traced) {
			t.Errorf("round %d: the host learns %v, traced is %v, want %v", round, host.learned, traced, want)
		}
		host.learned = nil
	}
}

// Without a majority the agreement that was set earlier holds, by the median of its nodes. A node that claims to be
// ages old, or new, moves that by one place at most, in groups of any size and in any order.
func TestTheAgeOfAnAgreementIsItsMedian(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		one, other []uint64
		oneHolds   bool
	}{
		{[]uint64{5}, []uint64{6}, true},
		{[]uint64{6}, []uint64{5}, false},
		{[]uint64{1, 8, 9}, []uint64{7, 7, 7}, false},
		{[]uint64{5, 6, 99}, []uint64{7, 7, 7}, true},
		{[]uint64{1, 1, 8, 9, 9}, []uint64{7, 7, 7, 7, 7}, false},
		{[]uint64{5, 5, 6, 99, 99}, []uint64{7, 7, 7, 7, 7}, true},
	} {
		for _, turned := range []bool{false, true} {
			var answers []answer
			for i := range c.one {
				other := usual
				other.Interval = time.Minute
				pair := []answer{
					{engine.ID{byte(i), 1}, usual, c.one[i], true},
					{engine.ID{byte(i), 2}, other, c.other[len(c.other)-1-i], true},
				}
				if turned {
					slices.Reverse(pair)
				}
				answers = append(answers, pair...)
			}
			if turned {
				slices.Reverse(answers)
			}
			if g := holding(answers); (g.uses == usual) != c.oneHolds {
				t.Errorf("%v against %v: %v holds", c.one, c.other, g.uses.Interval)
			}
		}
	}
}
