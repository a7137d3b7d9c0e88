package newswire_test

import (
	"slices"
	"testing"
	"time"

	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/newswire"
	"tidings/network/sim"
)

// stuck is a node that has published item 1, and more, to the zone /~03, where no representative has answered.
type stuck struct {
	*lone
	asked []sim.Node // nodes that were asked for a member of the zone
}

// member is a member of /~03 that does not speak for it.
func (l *lone) member() sim.Node {
	for n, z := range l.paths {
		if z == "/~03" && !slices.Contains(l.representatives(z), sim.Node(n)) {
			return sim.Node(n)
		}
	}
	panic("all members speak for the zone")
}

func newStuck(p plan, more ...uint64) *stuck {
	l := &stuck{lone: newLone(p, 20)}
	for _, number := range append(more, 1) {
		if err := l.wire.Send("/~03", sub(0), []engine.ID{sub(0)}, "", note(number, 0)); err != nil {
			panic(err)
		}
	}
	l.env.Advance(2*p.config.Patience + time.Millisecond)
	for _, s := range l.sent() {
		if m, ok := s.Message.(*newswire.FindMember); ok && m.Zone == "/~03" {
			n, _ := l.NodeAt(s.To)
			l.asked = append(l.asked, n)
		}
	}
	return l
}

// forwards returns which nodes were sent an item for a zone.
func (l *lone) forwards(sent []enginetest.Sent, z zone.Path) (to []sim.Node) {
	for _, s := range sent {
		if f, ok := s.Message.(*newswire.Forward); ok && f.Zone == z {
			n, _ := l.NodeAt(s.To)
			to = append(to, n)
		}
	}
	return to
}

// A node asks others for a member of a zone that is silent, and sends the item to the first that is named.
func TestContactIsFound(t *testing.T) {
	l := newStuck(newPlan(64, 8))
	if len(l.asked) != newswire.MaxAsked {
		t.Fatalf("%v were asked", l.asked)
	}
	found := &newswire.MemberFound{Zone: "/~03", Member: l.Peer(l.member())}
	if to := l.forwards(l.from(l.asked[0], found), "/~03"); !slices.Equal(to, []sim.Node{l.member()}) {
		t.Errorf("the item went to %v", to)
	}
	if to := l.forwards(l.from(l.asked[1], &newswire.MemberFound{Zone: "/~03", Member: l.Peer(63)}),
		"/~03"); len(to) > 0 {
		t.Errorf("after a second answer the item went to %v", to)
	}
}

// The first answer names the contact. Later answers do not replace it: the next items go to it as well.
func TestLaterAnswersReplaceNoContact(t *testing.T) {
	l := newStuck(newPlan(64, 8))
	var members []sim.Node
	for n, z := range l.paths {
		if z == "/~03" && !slices.Contains(l.representatives(z), sim.Node(n)) {
			members = append(members, sim.Node(n))
		}
	}
	for i, by := range l.asked[:3] {
		l.from(by, &newswire.MemberFound{Zone: "/~03", Member: l.Peer(members[i])})
	}
	if err := l.wire.Send("/~03", sub(0), []engine.ID{sub(0)}, "", note(2, 0)); err != nil {
		t.Fatal(err)
	}
	if to := l.forwards(l.sent(), "/~03"); !slices.Equal(to, members[:1]) {
		t.Errorf("the next item went to %v, of the members %v", to, members[:3])
	}
}

// A message that answers no question changes nothing: of a node that was not asked, of another zone, or naming a silent
// representative or no node.
func TestContactIsNone(t *testing.T) {
	l := newStuck(newPlan(64, 8))
	other := sim.Node(0)
	for slices.Contains(l.asked, other) {
		other++
	}
	for what, answer := range map[string]struct {
		from   sim.Node
		zone   zone.Path
		member engine.Peer
	}{
		"not asked":                  {other, "/~03", l.Peer(l.member())},
		"another zone":               {l.asked[0], "/~04", l.Peer(l.member())},
		"a zone below":               {l.asked[0], "/~03/x", l.Peer(l.member())},
		"the node's own zone":        {l.asked[0], l.paths[20], l.Peer(l.member())},
		"no zone":                    {l.asked[0], "~03", l.Peer(l.member())},
		"a representative":           {l.asked[0], "/~03", l.Peer(l.representatives("/~03")[0])},
		"the node that has the item": {l.asked[0], "/~03", l.Peer(20)},
		"nobody":                     {l.asked[0], "/~03", engine.Peer{}},
	} {
		if sent := l.from(answer.from, &newswire.MemberFound{Zone: answer.zone, Member: answer.member}); len(sent) > 0 {
			t.Errorf("%s: %v", what, sent)
		}
	}
	found := &newswire.MemberFound{Zone: "/~03", Member: l.Peer(l.member())}
	if to := l.forwards(l.from(l.asked[1], found), "/~03"); !slices.Equal(to, []sim.Node{l.member()}) {
		t.Errorf("after those an answer counts for nothing: the item went to %v", to)
	}
}

// Of many items that wait for one zone, the first asks for a contact, and all go to it.
func TestContactIsSharedByItems(t *testing.T) {
	l := newStuck(newPlan(64, 8), 2, 3, 4, 5)
	if len(l.asked) != newswire.MaxAsked {
		t.Fatalf("%d were asked", len(l.asked))
	}
	found := &newswire.MemberFound{Zone: "/~03", Member: l.Peer(l.member())}
	if to := l.forwards(l.from(l.asked[0], found), "/~03"); !slices.Equal(to,
		slices.Repeat([]sim.Node{l.member()}, 5)) {
		t.Errorf("the items went to %v", to)
	}
}

// A contact that sends no sign of life, or lies elsewhere, is forgotten: the representatives are tried again, and
// others are asked for a contact.
func TestContactIsSilent(t *testing.T) {
	for _, elsewhere := range []bool{false, true} {
		l := newStuck(newPlan(64, 8))
		contact := l.member()
		l.from(l.asked[0], &newswire.MemberFound{Zone: "/~03", Member: l.Peer(contact)})
		if elsewhere {
			l.from(contact, &newswire.Elsewhere{Number: newswire.NumberFor(l.wire, "/~03")})
		}
		l.env.Advance(l.plan.config.Patience)
		l.sent()
		l.env.Advance(4 * l.plan.config.Silence)
		sent := l.sent()
		if to := l.forwards(sent, "/~03"); len(to) < 3 || slices.Contains(to, contact) {
			t.Errorf("elsewhere %v: the item went to %v", elsewhere, to)
		}
		if count[*newswire.FindMember](sent) == 0 {
			t.Errorf("elsewhere %v: nobody was asked for another", elsewhere)
		}
	}
}

// A member of a silent zone that requests what it has missed becomes the zone's contact, if it does not represent it.
// Held items go to it at once.
func TestContactAsks(t *testing.T) {
	asks := func(pick func(l *stuck) sim.Node) (n sim.Node, to []sim.Node) {
		l := newStuck(newPlan(64, 8))
		l.env.Advance(2 * l.plan.config.Patience) // the item is held
		l.sent()
		n = pick(l)
		return n, l.forwards(l.from(n, &newswire.CatchUp{Zone: "/~03"}), "/~03")
	}
	if _, to := asks(func(l *stuck) sim.Node { return l.representatives("/~03")[0] }); len(to) > 0 {
		t.Errorf("after a representative has asked the item went to %v", to)
	}
	if n, to := asks(func(l *stuck) sim.Node { return l.member() }); !slices.Equal(to, []sim.Node{n}) {
		t.Errorf("after %d has asked the item went to %v", n, to)
	}
}

// A node names the member of another zone that last requested missed items of it, for contactFor, and not to that
// member itself.
func TestContactIsNamed(t *testing.T) {
	p := newPlan(64, 8)
	p.zones.Lifetime = 2 * newswire.ContactFor // so that the zone's row does not expire before
	l := newLone(p, 20)
	ask := func(from sim.Node, z zone.Path) (named []engine.Peer) {
		for _, s := range l.from(from, &newswire.FindMember{Zone: z}) {
			named = append(named, s.Message.(*newswire.MemberFound).Member)
		}
		return named
	}
	if named := ask(40, "/~03"); len(named) > 0 {
		t.Errorf("%v is named, and none is known", named)
	}
	member := l.member()
	l.from(member, &newswire.CatchUp{Zone: "/~03"})
	if named := ask(40, "/~03"); !slices.Equal(named, []engine.Peer{l.Peer(member)}) {
		t.Errorf("%v is named", named)
	}
	for _, z := range []zone.Path{"/~04", "/~03/x", "/", l.paths[20], "~03", ""} {
		if named := ask(40, z); len(named) > 0 {
			t.Errorf("%v is named for %q", named, z)
		}
	}
	if named := ask(member, "/~03"); len(named) > 0 {
		t.Errorf("%v is named to itself", named)
	}
	l.env.Advance(newswire.ContactFor + time.Second)
	l.sent()
	if named := ask(40, "/~03"); len(named) > 0 {
		t.Errorf("%v is named for ever", named)
	}
}

// In a closed network no member is named to a node that shows no certificate.
func TestContactInClosed(t *testing.T) {
	l := newLone(newClosed(), 20)
	soon := l.env.Wall().Add(30 * time.Minute)
	proof := func(n sim.Node) cert.Chain { return certified(1, l.Peer(n).ID, "/", 0, soon) }
	member := l.member()
	ask := func(proof cert.Chain) int {
		return count[*newswire.MemberFound](l.from(40, &newswire.FindMember{Zone: "/~03", Proof: proof}))
	}
	l.from(member, &newswire.CatchUp{Zone: "/~03"})
	if ask(proof(40)) != 0 {
		t.Error("a node without a certificate is named")
	}
	l.from(member, &newswire.CatchUp{Zone: "/~03", Proof: proof(member)})
	if ask(nil) != 0 {
		t.Error("a member is named to a node without a certificate")
	}
	if ask(proof(40)) != 1 {
		t.Error("no member is named to a member")
	}
}
