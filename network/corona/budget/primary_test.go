package budget

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// grant returns what an owner has granted a channel of news, signed by it.
func (l *lone) grant(i int, c machine.Channel, size machine.Size, change ...func(*machine.Grant)) machine.Grant {
	g := machine.Grant{Owner: near(news, i), Size: size, Until: l.env.Wall().Add(time.Hour).Unix()}
	for _, f := range change {
		f(&g)
	}
	g.Signature = keys{g.Owner.ID}.Sign(GrantWords(&g, news, c.ID))
	return g
}

func (l *lone) grants(n int, c machine.Channel, size machine.Size,
	change ...func(*machine.Grant)) (list []machine.Grant) {
	for i := range n {
		list = append(list, l.grant(i, c, size, change...))
	}
	return list
}

// receive sends a primary an owner's grant.
func (l *lone) receiveGrant(from engine.Peer, c machine.Channel, g machine.Grant) {
	g.Owner, g.Channel = engine.Peer{}, c.ID
	l.Receive(from, &Grants{Host: news, Grants: []machine.Grant{g}})
}

// many has owners be nine of a ring.
func many() *lone {
	l := newLone()
	l.core.Ring = nine{owning{self: l.env.Node}}
	return l
}

type nine struct{ owning }

func (nine) Owners(key engine.ID, k int) (list []engine.Peer, sure bool) {
	for i := range k {
		list = append(list, near(key, i))
	}
	return list, true
}

// A primary accepts grants only of nodes that can be the host's owners, as signed, for the signed channel.
func TestGrantsAreAcceptedOfOwners(t *testing.T) {
	c, other := channel(0), channel(1)
	l := many()
	l.Changed(c, true)
	good := func(i int) machine.Grant { return l.grant(i, c, machine.Fine(8)) }
	for i := range 9 {
		l.receiveGrant(far(news), c, good(i)) // not by an owner
		forged := good(i)
		forged.Size = machine.Size{} // not what was signed
		l.receiveGrant(near(news, i), c, forged)
		l.receiveGrant(near(news, i+1), c, good(i)) // by another
		l.receiveGrant(near(news, i), other, l.grant(i, other, machine.Fine(8)))
	}
	if _, ok := l.Permit(c.ID); ok || l.host.permitted > 0 {
		t.Fatal("it has a permit")
	}
	for i := range 6 {
		if _, ok := l.Permit(c.ID); ok {
			t.Fatalf("it has a permit by %d grants", i)
		}
		l.receiveGrant(near(news, i), c, good(i))
		l.receiveGrant(near(news, i), c, good(i)) // counts once
	}
	p, ok := l.Permit(c.ID)
	if !ok || p.Size != machine.Fine(8) || l.host.permitted != 1 || !l.MayPoll(c.ID) || l.PollsAlone(c.ID) ||
		len(l.Certificate(c.ID)) != 6 {
		t.Errorf("by six grants it has %+v, %v", p, ok)
	}
	if _, ok := l.Permit(other.ID); ok {
		t.Error("it has a permit for a channel that it has not claimed")
	}
	l.env.Advance(66 * time.Minute)
	if _, ok := l.Permit(c.ID); ok || l.MayPoll(c.ID) || l.Certificate(c.ID) != nil {
		t.Error("it has a permit that is over")
	}
}

// A permit that allows a little more waits until half the time has passed. One that allows notably more, or less, does
// not.
func TestPermitsAreReplacedWhenItMatters(t *testing.T) {
	for _, test := range []struct {
		then machine.Size
		want bool
	}{{machine.Fine(16), false}, {machine.Fine(15), false}, {machine.Fine(14), true}, {machine.Fine(17), true},
		{machine.Alone, true}} {
		c, l := channel(0), many()
		l.Changed(c, true)
		later := func(g *machine.Grant) { g.Until += 3 * 3600 }
		for i := range 6 {
			l.receiveGrant(near(news, i), c, l.grant(i, c, machine.Fine(16), later))
		}
		before := l.host.permitted
		for i := range 9 {
			l.receiveGrant(near(news, i), c, l.grant(i, c, test.then, later))
		}
		p, _ := l.Permit(c.ID)
		if got := l.host.permitted > before; got != test.want || got && p.Size != test.then {
			t.Errorf("after %v it receives %v: %v, and has %v", machine.Fine(16), test.then, got, p.Size)
		}
	}
}

// A channel is claimed anew soon if more polls are needed out of turn, or notably more nodes would poll. It is not if a
// few more would, or fewer.
func TestClaimsGrowSoon(t *testing.T) {
	claimed := Wants{Readers: 40, Pollers: []uint32{40}, Verifies: 1}
	for _, test := range []struct {
		then Wants
		want bool
	}{
		{claimed, false},
		{Wants{Readers: 40, Pollers: []uint32{41}, Verifies: 1}, false},
		{Wants{Readers: 40, Pollers: []uint32{43}, Verifies: 1}, true},
		{Wants{Readers: 40, Pollers: []uint32{40}, Verifies: 2}, true},
		{Wants{Readers: 40, Pollers: []uint32{30}}, false},
	} {
		c, l := channel(0), many()
		l.host.Wants = claimed
		l.Changed(c, true)
		l.env.Advance(time.Minute)
		for i := range 6 {
			l.receiveGrant(near(news, i), c, l.grant(i, c, machine.Fine(8),
				func(g *machine.Grant) { g.Until += 3 * 3600 }))
		}
		l.env.Advance(10 * time.Minute)
		l.host.Wants = test.then
		l.Counted()
		l.env.Advance(time.Minute)
		now := l.permits[c.ID].claim
		if got := now.Verifies != claimed.Verifies || now.Pollers[0] != claimed.Pollers[0]; got != test.want {
			t.Errorf("after %+v it wants %+v, and claims %+v", claimed, test.then, now)
		}
	}
}

// Proof is shown to nodes that can own the host, for channels that this node leads.
func TestProofIsShownToOwners(t *testing.T) {
	c := channel(0)
	l := many()
	l.Changed(c, true)
	ask := func(from engine.Peer, host, channel engine.ID) bool {
		l.host.proofs = 0
		l.Receive(from, &AskProof{Host: host, Asks: []AskFor{{channel, 7}}})
		return l.host.proofs > 0
	}
	if !ask(near(news, 3), news, c.ID) || ask(far(news), news, c.ID) || ask(near(news, 3), news, channel(1).ID) {
		t.Error("proof is shown to the wrong nodes, or of the wrong channels")
	}
	if elsewhere := HostKey("https://other.example/"); ask(near(elsewhere, 3), elsewhere, c.ID) {
		t.Error("proof is shown to the owners of another host")
	}
}

// An assignment is followed only with a certificate of a quorum of owners of the channel's host that allows it (hostile
// 44).
func TestAssignmentsNeedCertificates(t *testing.T) {
	c, other := channel(0), channel(1)
	whole, half := machine.Size{}, machine.Fine(8)
	change := func(list []machine.Grant, f func(*machine.Grant)) []machine.Grant {
		f(&list[2])
		return list
	}
	for name, test := range map[string]struct {
		make func(l *lone) []machine.Grant
		url  string
		want Verdict
	}{
		"good":       {func(l *lone) []machine.Grant { return l.grants(6, c, whole) }, c.URL, Renewed},
		"left out":   {func(*lone) []machine.Grant { return nil }, c.URL, Unproved},
		"of too few": {func(l *lone) []machine.Grant { return l.grants(5, c, whole) }, c.URL, Refused},
		"of one twice": {func(l *lone) []machine.Grant {
			return append(l.grants(5, c, whole),
				l.grant(0, c, whole))
		}, c.URL, Refused},
		"of another":       {func(l *lone) []machine.Grant { return l.grants(6, other, whole) }, c.URL, Refused},
		"with a false URL": {func(l *lone) []machine.Grant { return l.grants(6, c, whole) }, other.URL, Refused},
		"of those far": {func(l *lone) []machine.Grant {
			return append(l.grants(5, c, whole), l.grant(5, c, whole, func(g *machine.Grant) { g.Owner = far(news) }))
		}, c.URL, Refused},
		"that is over": {func(l *lone) []machine.Grant {
			return l.grants(6, c, whole, func(g *machine.Grant) { g.Until -= 66 * 60 })
		}, c.URL, Refused},
		"for too long": {func(l *lone) []machine.Grant {
			return l.grants(6, c, whole, func(g *machine.Grant) { g.Until += 4 * 3600 })
		}, c.URL, Refused},
		"for less": {func(l *lone) []machine.Grant { return l.grants(6, c, half) }, c.URL, Refused},
		"one for less": {func(l *lone) []machine.Grant { return append(l.grants(5, c, whole), l.grant(5, c, half)) },
			c.URL, Refused},
		"signed wrongly": {func(l *lone) []machine.Grant {
			return change(l.grants(6, c, whole), func(g *machine.Grant) { g.Signature[5]++ })
		}, c.URL, Refused},
		"made out longer": {func(l *lone) []machine.Grant {
			return change(l.grants(6, c, whole), func(g *machine.Grant) { g.Until++ })
		}, c.URL, Refused},
		"made out for more": {func(l *lone) []machine.Grant {
			return change(l.grants(6, c, half), func(g *machine.Grant) { g.Size = whole })
		}, c.URL, Refused},
		"for the primary": {func(l *lone) []machine.Grant {
			return l.grants(6, c, whole, func(g *machine.Grant) { g.Every = 3600 })
		}, c.URL, Refused},
		"to poll alone": {func(l *lone) []machine.Grant { return l.grants(6, c, machine.Alone) }, c.URL, Refused},
	} {
		l := many()
		got := Verdict(99)
		l.Check([]Assigned{{machine.Channel{ID: c.ID, URL: test.url}, whole, test.make(l)}},
			func(verdict func(int) Verdict) { got = verdict(0) })
		if got != test.want || l.MayPoll(c.ID) != (got == Renewed) {
			t.Errorf("with a certificate %s the verdict is %d, want %d", name, got, test.want)
		}
	}
}

// A certificate is kept while the channel is polled here. It passes to a new primary that has polled before, and stays
// with an old one that continues to poll.
func TestCertificatesPassOn(t *testing.T) {
	c := channel(0)
	l := many()
	follow := func(grants []machine.Grant) (got Verdict) {
		l.Check([]Assigned{{c, machine.Fine(8), grants}}, func(verdict func(int) Verdict) { got = verdict(0) })
		return got
	}
	grants := l.grants(6, c, machine.Size{})
	if first, again, bare := follow(grants), follow(grants), follow(nil); first != Renewed || again != Allowed ||
		bare != Allowed {
		t.Errorf("verdicts %d, %d, %d", first, again, bare)
	}
	l.Changed(c, true)
	if _, ok := l.Permit(c.ID); !ok {
		t.Error("a new primary begins without the certificate by which it polls")
	}
	l.Ended(c.ID)
	if _, ok := l.Permit(c.ID); !ok {
		t.Error("the primary's permit ends with what it polled for another")
	}
	l.host.polls = true
	l.Changed(c, false)
	if !l.MayPoll(c.ID) {
		t.Error("a former primary that still polls has no certificate")
	}
	l.Ended(c.ID)
	if l.MayPoll(c.ID) || follow(nil) != Unproved {
		t.Error("a certificate outlives the polling")
	}
	follow(grants)
	l.Changed(c, true)
	l.Ended(c.ID)
	l.host.polls = false
	if l.Changed(c, false); l.MayPoll(c.ID) || len(l.certificates) > 0 {
		t.Error("a former primary that does not poll keeps the certificate")
	}
	follow(grants)
	l.env.Advance(2 * time.Hour)
	if l.Planned(); len(l.certificates) > 0 {
		t.Error("certificates that are over are kept")
	}
}

// A ring that has grown needs more owners than signed a permit.
func TestPermitsEndWhereTheRingGrows(t *testing.T) {
	c := channel(0)
	l := newLone(func(c *Config) { c.HostOwners = 3 })
	l.core.Ring = nine{owning{self: l.env.Node}}
	l.Changed(c, true)
	for i := range 3 {
		l.receiveGrant(near(news, i), c, l.grant(i, c, machine.Fine(8)))
	}
	if _, ok := l.Permit(c.ID); !ok {
		t.Fatal("two of three owners do")
	}
	l.config.HostOwners = 9
	if _, ok := l.Permit(c.ID); ok {
		t.Error("two of nine owners do")
	}
}

// A quorum of owners is believed for an interval at most, and then not for an interval. One primary alone is not
// believed.
func TestPatience(t *testing.T) {
	c := channel(0)
	l := many()
	l.Changed(c, true)
	say := func(owners int, seconds uint32) time.Duration {
		for i := range owners {
			l.Receive(near(news, i), &Grants{Host: news, Wait: seconds})
		}
		return max(0, l.Patience(c.ID)-l.env.Now())
	}
	for i := range 9 {
		p := far(news)
		p.ID[19] = byte(i)
		l.Receive(p, &Grants{Host: news, Wait: 600})
	}
	if got := say(0, 0); got != 0 {
		t.Errorf("by nodes that own no host near it waits %v", got)
	}
	if got := say(5, 600); got != 0 {
		t.Errorf("by five owners it waits %v", got)
	}
	if got := say(6, 1<<30); got != usual.Interval && got != 10*time.Minute {
		t.Errorf("by six owners it waits %v", got)
	}
	l.env.Advance(usual.Interval + time.Minute)
	if got := say(6, 600); got != 0 {
		t.Errorf("it is asked again, and waits %v", got)
	}
	l.env.Advance(usual.Interval)
	if got := say(6, 1<<30); got <= 0 || got > usual.Interval {
		t.Errorf("after an interval it is asked again, and waits %v", got)
	}
	var all longest
	one, other := engine.ID{1}, engine.ID{2}
	for _, w := range []struct {
		by   engine.ID
		for_ time.Duration
		want time.Duration
	}{{one, 5, 0}, {one, 9, 0}, {one, 7, 0}, {other, 3, 3}, {other, 4, 4}, {other, 12, 9}, {one, 11, 11}} {
		if all.add(w.by, w.for_); all.second != w.want {
			t.Errorf("%v is said by %v: two say %v, want %v", w.for_, w.by, all.second, w.want)
		}
	}
}

// Some nodes poll for gaps, once at a host in an interval. The memory for that is bounded.
func TestGapPolls(t *testing.T) {
	l := newLone(func(c *Config) { c.HostCeiling = 1000 }) // a fifth of them for a thousand nodes: one node in five
	host := func(i int) machine.Channel { return machine.Channel{URL: fmt.Sprintf("https://host-%d.example/", i)} }
	var drawn []int
	for i := range 1000 {
		if l.ReserveGapPoll(host(i)) {
			drawn = append(drawn, i)
		}
	}
	if len(drawn) < 150 || len(drawn) > 250 {
		t.Fatalf("it polls %d of 1000 hosts", len(drawn))
	}
	if slices.ContainsFunc(drawn, func(i int) bool { return l.ReserveGapPoll(host(i)) }) {
		t.Error("it polls a host twice in an interval")
	}
	l.env.Advance(usual.Interval)
	if !l.ReserveGapPoll(host(drawn[0])) {
		t.Error("after an interval it does not")
	}
	for i := range maxGaps {
		l.until[engine.IDOf(fmt.Append(nil, i))] = l.env.Now() + time.Second
	}
	if l.ReserveGapPoll(host(drawn[1])) {
		t.Error("it remembers more hosts than it may")
	}
	l.env.Advance(2 * time.Second)
	if !l.ReserveGapPoll(host(drawn[1])) {
		t.Error("it does not forget hosts")
	}
}
