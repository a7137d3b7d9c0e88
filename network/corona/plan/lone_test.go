package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/honeycomb"
)

// lone is a plan in a world that the test plays. It is node 50, with the given contacts.
type lone struct {
	*Plan
	env      *enginetest.Env
	contacts []engine.Peer
	dense    int         // nodes that the ring has by its density; 0: as many as there are contacts
	down     []engine.ID // contacts that the ring does not know any more
	tasks    map[engine.ID]Task
	polled   []engine.ID // each time that a poll began or moved
	stopped  []engine.ID
	ended    []engine.ID
	learned  []uint64
	held     map[engine.ID]uint64
	readers  map[engine.ID]int
	limits   Limits
	joins    bool // it may poll as one of a set
	unproved bool // no readers are proved
	asking   bool // a proof is on its way
	waited   []engine.ID
}

func newLone(change func(*Config), contacts ...string) *lone {
	v := &lone{
		env: enginetest.NewEnv(enginetest.NewPeer("50")), tasks: make(map[engine.ID]Task),
		held:    make(map[engine.ID]uint64),
		readers: make(map[engine.ID]int), joins: true,
	}
	for _, digits := range contacts {
		v.contacts = append(v.contacts, enginetest.NewPeer(digits))
	}
	c := testConfig()
	if change != nil {
		change(&c)
	}
	v.Plan = New(machine.Base{Env: v.env, Ring: v, Seed: 1}, v, v, c)
	v.NeighboursChanged()
	return v
}

// What the ring says.
func (v *lone) Active() bool                                         { return true }
func (v *lone) Nodes() int                                           { return cmp.Or(v.dense, len(v.contacts)+1) }
func (v *lone) Route(engine.ID, engine.Message)                      {}
func (v *lone) Owners(engine.ID, int) (all []engine.Peer, sure bool) { return nil, true }
func (v *lone) Contacts(int) []engine.Peer                           { return v.contacts }
func (v *lone) WedgeContacts(engine.ID, int) []engine.Peer           { return v.contacts }
func (v *lone) Knows(id engine.ID) bool                              { return !slices.Contains(v.down, id) }
func (v *lone) Patience() time.Duration                              { return 0 }
func (v *lone) OnNeighbours(func())                                  {}

// What the host says.
func (v *lone) Factors(channel engine.ID) honeycomb.Factors {
	return honeycomb.Factors{Subscribers: uint32(v.readers[channel])}
}
func (v *lone) Limits(engine.ID) Limits                    { return v.limits }
func (v *lone) Most(engine.ID) (float64, bool)             { return 0, false }
func (v *lone) Proved(machine.Channel, machine.Size) bool  { return !v.unproved }
func (v *lone) Asking(engine.ID) bool                      { return v.asking }
func (v *lone) Waits(channel engine.ID, _ time.Duration)   { v.waited = append(v.waited, channel) }
func (v *lone) MayJoin(machine.Channel, machine.Size) bool { return v.joins }
func (v *lone) Ended(channel engine.ID)                    { v.ended = append(v.ended, channel) }
func (v *lone) Held(channel engine.ID) uint64              { return v.held[channel] }
func (v *lone) Learned(_ engine.Peer, _ engine.ID, number uint64) {
	v.learned = append(v.learned, number)
}
func (v *lone) Moved(engine.ID) {}
func (v *lone) Planned()        {}

// The poller's calls.
func (v *lone) Poll(c machine.Channel, t Task) {
	v.tasks[c.ID] = t
	v.polled = append(v.polled, c.ID)
}
func (v *lone) Stop(channel engine.ID) {
	delete(v.tasks, channel)
	v.stopped = append(v.stopped, channel)
}

// sentTo returns the messages of one kind that were sent to a peer, and drops all others.
func sentTo[M engine.Message](v *lone, to engine.Peer) (list []M) {
	for _, s := range v.env.Sent() {
		if m, ok := s.Message.(M); ok && s.To.ID == to.ID {
			list = append(list, m)
		}
	}
	return list
}

// near returns channels with IDs that begin as node 50's.
func near(count int) (list []machine.Channel) {
	for i := 0; len(list) < count; i++ {
		url := fmt.Sprintf("http://near/%d", i)
		if id := engine.IDOf([]byte(url)); id[0] == 0x50 {
			list = append(list, machine.Channel{ID: id, URL: url})
		}
	}
	return list
}

var all = machine.Size{Run: 1} // a set of all nodes

// assign has a contact assign channels, with versions from 1 on, in a set of all nodes.
func (v *lone) assign(from engine.Peer, change func(*Assignment), list ...machine.Channel) {
	m := new(Maintenance)
	for i, c := range list {
		a := Assignment{Channel: c.ID, URL: c.URL, Size: all, Term: 5, Start: 1000, Width: 1000, Version: uint64(i + 1)}
		if change != nil {
			change(&a)
		}
		m.Assignments = append(m.Assignments, a)
	}
	v.Receive(from, m)
}

// A channel that this node may not poll as a member of its set is not polled until it may. When it no longer may,
// polling ends. Each time that it may, it requests the version that was named. Nodes below receive the assignment all
// the same.
func TestJoinsAndParts(t *testing.T) {
	v := newLone(nil, "90", "58")
	news := near(1)[0]
	v.joins = false
	v.assign(v.contacts[0], nil, news)
	if _, polls := v.Polled(news.ID); polls || len(v.polled)+len(v.stopped)+len(v.learned) > 0 {
		t.Fatalf("it polls: %v, has begun %d times and stopped %d times", polls, len(v.polled), len(v.stopped))
	}
	v.env.Advance(time.Second)
	if n := len(sentTo[*Maintenance](v, v.contacts[1])); n != 1 {
		t.Errorf("those below are sent it %d times", n)
	}
	for round := range 3 {
		for _, joins := range []bool{true, true, false, false} {
			changes := joins != v.joins
			v.joins, v.polled, v.stopped, v.learned = joins, nil, nil, nil
			v.Joins(news.ID)
			_, task := v.tasks[news.ID]
			_, polls := v.Polled(news.ID)
			if polls != joins || task != joins || len(v.polled) != count(changes && joins) ||
				len(v.stopped) != count(changes && !joins) {
				t.Errorf("round %d, may poll %v: polls %v, has a task %v, begun %d times, stopped %d times", round,
					joins, polls, task, len(v.polled), len(v.stopped))
			}
			if len(v.learned) != count(changes && joins) || len(v.learned) == 1 && v.learned[0] != 1 {
				t.Errorf("round %d, may poll %v: versions %v are asked for", round, joins, v.learned)
			}
		}
	}
	other := near(2)[1]
	v.readers[other.ID] = 9
	v.Changed(other, Standing{Primary: true, Informed: true})
	v.joins, v.stopped = false, nil
	if v.Joins(other.ID); len(v.stopped) > 0 {
		t.Error("a primary does not poll what it may not join")
	}
	if v.Joins(engine.PrefixID("77")); len(v.stopped) > 0 {
		t.Error("a channel that is not polled is stopped")
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Each of these conditions decides alone whether an assignment is accepted. It ends when its sender ends it, and by no
// other node.
func TestEachConditionOfAnAssignment(t *testing.T) {
	news := near(1)[0]
	for what, c := range map[string]struct {
		change  func(v *lone, a *Assignment)
		accepts bool // it is accepted
		asks    bool // the sender is asked for missing parts
	}{
		"as it should be": {func(*lone, *Assignment) {}, true, false},
		"no URL":          {func(_ *lone, a *Assignment) { a.URL = "" }, false, true},
		"another URL":     {func(_ *lone, a *Assignment) { a.URL = "http://other/" }, false, false},
		"a size that cannot be": {func(_ *lone, a *Assignment) { a.Size = machine.Size{Bits: 200, Run: 77} }, false,
			false},
		"a set far away": {func(_ *lone, a *Assignment) {
			a.Channel, a.URL, a.Size = far.ID, far.URL, machine.Size{Bits: 8, Run: 8}
		}, false, false},
		"no room":    {func(v *lone, _ *Assignment) { v.config.MaxPolled = 0 }, false, false},
		"no readers": {func(v *lone, _ *Assignment) { v.unproved = true }, false, false},
		"no readers so far": {func(v *lone, _ *Assignment) {
			v.unproved, v.asking = true, true
		}, false, false},
		"it ends a missing assignment": {func(_ *lone, a *Assignment) { a.Stop = true }, false, false},
	} {
		v := newLone(nil, "90", "58")
		v.env.Sent()
		v.assign(v.contacts[0], func(a *Assignment) { c.change(v, a) }, news)
		asked := sentTo[*Unknown](v, v.contacts[0])
		if len(v.tasks) != count(c.accepts) || len(asked) != count(c.asks) {
			t.Errorf("%s: %d tasks, asked for %v", what, len(v.tasks), asked)
		}
		if len(asked) == 1 && !slices.Equal(asked[0].Channels, []engine.ID{news.ID}) {
			t.Errorf("%s: %v are asked for", what, asked[0].Channels)
		}
		if !c.accepts {
			continue
		}
		if above, ok := v.Above(news.ID); !ok || above.ID != v.contacts[0].ID {
			t.Errorf("above is %v", above)
		}
		stop := func(a *Assignment) { a.Stop = true }
		if v.assign(v.contacts[1], stop, news); len(v.tasks) != 1 {
			t.Error("another node ends it")
		}
		if v.assign(v.contacts[0], stop, news); len(v.tasks) != 0 || !slices.Equal(v.ended, []engine.ID{news.ID}) {
			t.Error("its sender does not end it")
		}
	}
}

var far = func() machine.Channel {
	for i := 0; ; i++ {
		url := fmt.Sprintf("http://far/%d", i)
		if id := engine.IDOf([]byte(url)); id[0] == 0xd0 {
			return machine.Channel{ID: id, URL: url}
		}
	}
}()

// An assignment of a lower term is outdated while the sender of the higher one still confirms, and no longer. From the
// same node it holds.
func TestTermsOfTwoParents(t *testing.T) {
	news := near(1)[0]
	term := func(n uint32) func(*Assignment) { return func(a *Assignment) { a.Term = n } }
	v := newLone(nil, "90", "b0")
	one, other := v.contacts[0], v.contacts[1]
	above := func(want engine.Peer, when string) {
		t.Helper()
		if got, _ := v.Above(news.ID); got.ID != want.ID {
			t.Errorf("%s: above is %s", when, got)
		}
	}
	v.assign(one, term(5), news)
	v.assign(other, term(4), news)
	above(one, "a lower term")
	v.assign(other, term(5), news)
	above(other, "the same term")
	v.assign(one, term(6), news)
	above(one, "a higher term")
	v.assign(one, term(3), news)
	above(one, "its own lower term")
	v.assign(one, term(6), news)
	v.env.Advance(v.config.Maintenance*3/2 - time.Second)
	v.assign(other, term(5), news)
	above(one, "a lower term in time")
	v.env.Advance(2 * time.Second)
	v.assign(other, term(5), news)
	above(other, "a lower term after the other was silent")
}

// Sums that differ are requested: from a known sender with the sums by part, else all. Repeated and other assignments
// are distinguished, and only a whole repetition ends any.
func TestWhatIsNotRepeatedEnds(t *testing.T) {
	list := near(3)
	sum := func(of ...machine.Channel) (sum uint64) {
		for _, c := range of {
			sum += assignmentSum(c.ID, all)
		}
		return sum
	}
	v := newLone(nil, "90", "b0")
	one, other := v.contacts[0], v.contacts[1]
	digest := func(from engine.Peer, m MaintenanceDigest) []*MaintenancePull {
		v.env.Sent()
		v.Receive(from, &m)
		return sentTo[*MaintenancePull](v, from)
	}
	if p := digest(one, MaintenanceDigest{}); len(p) > 0 {
		t.Error("nothing is asked for where there is nothing")
	}
	if p := digest(one, MaintenanceDigest{Sum: 1}); len(p) != 1 || len(p[0].Sums) > 0 {
		t.Errorf("of a stranger %v is asked for", p)
	}
	v.assign(one, nil, list...)
	if p := digest(one, MaintenanceDigest{Sum: sum(list...)}); len(p) > 0 {
		t.Error("equal sums are asked for")
	}
	everything := ^uint32(0)
	if digest(one, MaintenanceDigest{Sum: sum(list[:2]...), Repeated: everything}); len(v.tasks) != 3 {
		t.Error("what nobody has doubted ends")
	}
	p := digest(one, MaintenanceDigest{Sum: sum(list[:2]...)})
	if len(p) != 1 || len(p[0].Sums) != parts {
		t.Fatalf("%v is asked for", p)
	}
	var total uint64
	for _, s := range p[0].Sums {
		total += s
	}
	if total != sum(list...) {
		t.Error("the sums by part do not add up")
	}
	v.assign(one, nil, list[0])
	if digest(one, MaintenanceDigest{Sum: sum(list[:2]...), Repeated: everything}); len(v.tasks) != 3 {
		t.Error("something ends though a repetition was lost")
	}
	if digest(other, MaintenanceDigest{Repeated: everything}); len(v.tasks) != 3 {
		t.Error("another node ends it")
	}
	v.assign(one, nil, list[1])
	digest(one, MaintenanceDigest{Sum: sum(list[:2]...), Repeated: everything})
	if _, still := v.tasks[list[2].ID]; still || len(v.tasks) != 2 {
		t.Errorf("%d are polled after the third was not repeated", len(v.tasks))
	}
	if p := digest(one, MaintenanceDigest{Sum: sum(list[:2]...)}); len(p) > 0 {
		t.Error("it is asked for again when all is as it should be")
	}
}

// A requester is sent the parts that differ, and a digest of all. A node that is no contact is answered that it has
// nothing. No repetition goes to one node twice within ten seconds.
func TestAnswersToPulls(t *testing.T) {
	list := near(40)
	v := newLone(nil, "90", "58")
	below, stranger := v.contacts[1], enginetest.NewPeer("a7")
	v.assign(v.contacts[0], nil, list...)
	v.env.Advance(time.Minute)
	sums := make([]uint64, parts)
	for _, c := range list {
		sums[int(c.ID[engine.Bits/8-1])%parts] += assignmentSum(c.ID, all)
	}
	part := int(list[0].ID[engine.Bits/8-1]) % parts
	want := 0
	for _, c := range list {
		want += count(int(c.ID[engine.Bits/8-1])%parts == part)
	}
	pull := func(from engine.Peer, m MaintenancePull) (assignments int, digests []*MaintenanceDigest) {
		v.env.Sent()
		v.Receive(from, &m)
		for _, s := range v.env.Sent() {
			switch m := s.Message.(type) {
			case *Maintenance:
				assignments += len(m.Assignments)
			case *MaintenanceDigest:
				digests = append(digests, m)
			}
		}
		return assignments, digests
	}
	differs := slices.Clone(sums)
	differs[part]++
	for _, c := range []struct {
		name     string
		sums     []uint64
		wait     time.Duration
		want     int
		repeated uint32
		silent   bool
	}{
		{"nothing is had", nil, 0, len(list), ^uint32(0), false},
		{"again at once", nil, 9 * time.Second, 0, 0, true},
		{"one part differs", differs, time.Second, want, 1 << part, false},
		{"all is had", sums, time.Minute, 0, 0, false},
	} {
		v.env.Advance(c.wait)
		n, digests := pull(below, MaintenancePull{Sums: c.sums})
		if n != c.want || len(digests) != count(!c.silent) {
			t.Errorf("%s: %d are repeated, not %d, with %d digests", c.name, n, c.want, len(digests))
		} else if len(digests) == 1 && digests[0].Repeated != c.repeated {
			t.Errorf("%s: %x is repeated, not %x", c.name, digests[0].Repeated, c.repeated)
		}
	}
	if n, digests := pull(stranger, MaintenancePull{}); n != 0 || len(digests) != 1 || digests[0].Sum != 0 ||
		digests[0].Repeated != ^uint32(0) {
		t.Errorf("a stranger is sent %d and %v", n, digests)
	}
}

// A contact is sent changes within a second, and then three digests. A former contact is notified once that it has
// nothing.
func TestContactsThatComeAndGo(t *testing.T) {
	list := near(3)
	v := newLone(nil, "90", "58")
	below := v.contacts[1]
	v.assign(v.contacts[0], nil, list...)
	v.env.Advance(time.Second)
	sent := sentTo[*Maintenance](v, below)
	if len(sent) != 1 || len(sent[0].Assignments) != 3 {
		t.Fatalf("it is sent %v", sent)
	}
	for i, a := range sent[0].Assignments {
		if a.Channel != list[i].ID || a.URL != list[i].URL || a.Term != 5 || a.Size != all ||
			a.Version != uint64(i+1) || a.Stop {
			t.Errorf("assignment %d is %+v", i, a)
		}
	}
	v.env.Advance(5 * time.Minute)
	if digests := sentTo[*MaintenanceDigest](v, below); len(digests) != digestTimes {
		t.Errorf("%d digests follow", len(digests))
	}
	v.assign(v.contacts[0], func(a *Assignment) { a.Stop = true }, list[1])
	v.env.Advance(time.Second)
	if sent = sentTo[*Maintenance](v, below); len(sent) != 1 || len(sent[0].Assignments) != 1 ||
		!sent[0].Assignments[0].Stop || sent[0].Assignments[0].Channel != list[1].ID {
		t.Errorf("of an end it is sent %v", sent)
	}
	next := enginetest.NewPeer("58f0")
	v.down, v.contacts = []engine.ID{below.ID}, []engine.Peer{v.contacts[0], next}
	v.PeerDown(below)
	v.env.Advance(time.Minute)
	count := func() (whole, nothing int) {
		for _, s := range v.env.Sent() {
			switch m := s.Message.(type) {
			case *Maintenance:
				if s.To.ID == next.ID {
					whole += len(m.Assignments)
				}
			case *MaintenanceDigest:
				if s.To.ID == below.ID && m.Sum == 0 {
					nothing++
				}
			}
		}
		return whole, nothing
	}
	if whole, nothing := count(); whole != 2 || nothing != 0 {
		t.Errorf("the next is sent %d assignments, and before it has answered the one that is gone %d times that it "+
			"has none", whole, nothing)
	}
	v.Receive(next, &Aggregate{Bits: 8, Sum: 1, Nodes: 1})
	v.env.Advance(time.Minute)
	if _, nothing := count(); nothing != 1 {
		t.Errorf("the one that is gone is sent %d times that it has none", nothing)
	}
}

// Two contacts of a slot go before the one after them has answered. It is the first that had assignments: it is
// notified that it has none.
func TestASecondContactGoesBeforeItAnswers(t *testing.T) {
	v := newLone(nil, "90", "58")
	first, second, third := v.contacts[1], enginetest.NewPeer("58f0"), enginetest.NewPeer("58f8")
	v.assign(v.contacts[0], nil, near(3)...)
	v.env.Advance(5 * time.Minute)
	for _, change := range [][2]engine.Peer{{first, second}, {second, third}} {
		v.down = append(v.down, change[0].ID)
		v.contacts = []engine.Peer{v.contacts[0], change[1]}
		v.PeerDown(change[0])
		v.env.Advance(time.Minute)
	}
	v.env.Sent()
	v.Receive(third, &Aggregate{Bits: 8, Sum: 1, Nodes: 1})
	v.env.Advance(time.Minute)
	nothing := make(map[engine.ID]int)
	for _, s := range v.env.Sent() {
		if m, ok := s.Message.(*MaintenanceDigest); ok && m.Sum == 0 {
			nothing[s.To.ID]++
		}
	}
	if len(nothing) != 1 || nothing[first.ID] != 1 {
		t.Errorf("when the third has answered these learn that they have no assignments: %v; want %v, once", nothing,
			first.ID)
	}
}

// Assignments that fill a message go as soon as they do, and none goes twice.
func TestMessagesOfManyAssignments(t *testing.T) {
	const channels = 300
	v := newLone(nil, "90", "58")
	list := near(channels)
	for at := 0; at < channels; at += 100 {
		v.assign(v.contacts[0], nil, list[at:at+100]...)
	}
	v.env.Advance(time.Second)
	var lengths []int
	seen := map[engine.ID]int{}
	for _, m := range sentTo[*Maintenance](v, v.contacts[1]) {
		lengths = append(lengths, len(m.Assignments))
		for _, a := range m.Assignments {
			seen[a.Channel]++
		}
	}
	if !slices.Equal(lengths, []int{256, 44}) || len(seen) != channels {
		t.Errorf("messages of %v with %d channels", lengths, len(seen))
	}
}

// Assignments that were not confirmed for some maintenance intervals end. Confirmed ones continue.
func TestUnconfirmedAssignmentsEnd(t *testing.T) {
	list := near(2)
	for _, confirmed := range []bool{false, true} {
		v := newLone(nil, "90", "b0")
		v.assign(v.contacts[0], nil, list[0])
		v.assign(v.contacts[1], nil, list[1])
		for range v.config.AssignmentsLast + 2 {
			v.env.Advance(v.config.Maintenance)
			v.Receive(v.contacts[1], &MaintenanceDigest{Sum: assignmentSum(list[1].ID, all)})
			if confirmed {
				v.Receive(v.contacts[0], &MaintenanceDigest{Sum: assignmentSum(list[0].ID, all)})
			}
		}
		_, one := v.tasks[list[0].ID]
		_, other := v.tasks[list[1].ID]
		if one != confirmed || !other {
			t.Errorf("confirmed %v: the one is polled: %v, the other: %v", confirmed, one, other)
		}
	}
}

// A former primary in the set polls on as if its successor had assigned the channel. One outside the set does so for
// half a minute, unless it is assigned. One that leads a channel without readers stops at once.
func TestHandingOver(t *testing.T) {
	for what, c := range map[string]struct {
		next    string
		ended   bool
		assigns bool
		at      map[time.Duration]bool
	}{
		"the next is known": {"51", false, false,
			map[time.Duration]bool{0: true, 29 * time.Second: true, 31 * time.Second: false}},
		"the next assigns it":   {"51", false, true, map[time.Duration]bool{0: true, 31 * time.Second: true}},
		"nobody is known":       {"", false, false, map[time.Duration]bool{0: false}},
		"nobody subscribes":     {"51", true, false, map[time.Duration]bool{0: false}},
		"nobody, and no reader": {"", true, false, map[time.Duration]bool{0: false}},
	} {
		v := newLone(nil, "90", "51")
		v.readers[far.ID] = 1 // this node is in no set of it but as primary
		v.Changed(far, Standing{Primary: true, Informed: true})
		if _, polls := v.tasks[far.ID]; !polls || !v.Leads(far.ID) {
			t.Fatalf("%s: the primary does not poll", what)
		}
		s := Standing{Ended: c.ended}
		if c.next != "" {
			s.Next = enginetest.NewPeer(c.next)
		}
		if v.Changed(far, s); v.Leads(far.ID) {
			t.Errorf("%s: it leads on", what)
		}
		if c.assigns {
			v.assign(s.Next, func(a *Assignment) { a.Term = 1 << 31 }, far)
		}
		now := time.Duration(0)
		for _, at := range []time.Duration{0, 29 * time.Second, 31 * time.Second} {
			v.env.Advance(at - now)
			now = at
			want, ok := c.at[at]
			if _, polls := v.tasks[far.ID]; ok && polls != want {
				t.Errorf("%s: after %v it polls: %v", what, at, polls)
			}
		}
	}
}

// The version in an assignment is requested by a node that polls the channel, each time, and by no other.
func TestVersionsThatAssignmentsName(t *testing.T) {
	news := near(1)[0]
	for what, c := range map[string]struct {
		version uint64
		joins   bool
		size    machine.Size
		asked   bool
	}{
		"a version":       {7, true, all, true},
		"none":            {0, true, all, false},
		"it may not poll": {7, false, all, false},
		"it passes on alone": {7, true, machine.Size{Bits: 12, Run: 1},
			machine.ArcOf(news.ID, machine.Size{Bits: 12, Run: 1}).Contains(engine.PrefixID("50"))},
		"a set of half of all": {7, true, machine.Size{Bits: 1, Run: 1}, true},
	} {
		v := newLone(nil, "90", "58")
		v.joins = c.joins
		for round := range 2 {
			v.learned = nil
			v.assign(v.contacts[0], func(a *Assignment) { a.Version, a.Size = c.version, c.size }, news)
			if want := count(c.asked); len(v.learned) != want || want == 1 && v.learned[0] != c.version {
				t.Errorf("%s, round %d: versions %v are asked for", what, round, v.learned)
			}
		}
	}
}

// When a node is allowed to poll a channel, it requests the latest version that an assignment has named, even if a
// later assignment named an older one.
func TestTheLatestVersionIsAskedFor(t *testing.T) {
	news := near(1)[0]
	v := newLone(nil, "90", "58")
	v.joins = false
	for _, version := range []uint64{5, 7, 6, 0} {
		v.assign(v.contacts[0], func(a *Assignment) { a.Version = version }, news)
	}
	v.joins = true
	if v.Joins(news.ID); len(v.learned) != 1 || v.learned[0] != 7 {
		t.Errorf("versions %v are asked for", v.learned)
	}
}

// A former primary in its channel's set polls on, though its successor assigns nothing, for as long as an assignment
// lasts, and no longer.
func TestAFormerPrimaryInTheSetPollsOn(t *testing.T) {
	news := near(1)[0]
	v := newLone(nil, "90", "51")
	v.readers[news.ID] = 1000
	v.Changed(news, Standing{Primary: true, Informed: true})
	v.env.Advance(2 * v.config.Maintenance) // its set is chosen
	if d := v.duties.find(news.ID); !machine.ArcOf(news.ID, d.size).Contains(v.env.Self().ID) {
		t.Fatalf("it is in no set of size %v", d.size)
	}
	v.Changed(news, Standing{Next: enginetest.NewPeer("51")})
	lasts := time.Duration(v.config.AssignmentsLast) * v.config.Maintenance
	for _, c := range []struct {
		after time.Duration
		polls bool
	}{{handingOver + time.Second, true}, {lasts - time.Hour, true}, {3 * v.config.Maintenance, false}} {
		v.env.Advance(c.after)
		if _, polls := v.tasks[news.ID]; polls != c.polls {
			t.Errorf("%v later it polls: %v", c.after, polls)
		}
	}
}

// An assignment waits for the proof of its channel's readers, at its own place in the interval. It is refused when the
// proof does not come, when its sender ends it, and beyond so many.
func TestAssignmentsWaitForProof(t *testing.T) {
	news := near(1)[0]
	for what, c := range map[string]struct {
		then    func(v *lone)
		follows bool
	}{
		"proved":     {func(v *lone) { v.unproved = false }, true},
		"not proved": {func(*lone) {}, false},
		"ended meanwhile": {func(v *lone) {
			v.assign(v.contacts[0], func(a *Assignment) { a.Stop = true }, news)
			v.unproved = false
		}, false},
		"ended by another": {func(v *lone) {
			v.assign(v.contacts[1], func(a *Assignment) { a.Stop = true }, news)
			v.unproved = false
		}, true},
	} {
		v := newLone(nil, "90", "58")
		v.unproved, v.asking = true, true
		v.assign(v.contacts[0], func(a *Assignment) { a.Start, a.Width = 60_000, 1000 }, news)
		due := v.env.Now() + time.Minute
		v.env.Advance(90 * time.Second) // its time has passed
		if len(v.tasks) > 0 {
			t.Fatalf("%s: it polls before the proof", what)
		}
		v.Joins(news.ID) // while the proof is still on its way
		if len(v.duties.pending) != 1 {
			t.Errorf("%s: it does not wait any more", what)
		}
		v.asking = false
		c.then(v)
		v.Joins(news.ID)
		task, polls := v.tasks[news.ID]
		if polls != c.follows || len(v.duties.pending) > 0 {
			t.Errorf("%s: it polls: %v, and %d wait", what, polls, len(v.duties.pending))
		}
		if late := (task.First - due) % v.config.Interval; polls && late != 0 {
			t.Errorf("%s: it polls %v later in the interval than assigned", what, late)
		}
		if ended := len(v.ended) > 0; ended == c.follows {
			t.Errorf("%s: the channel has ended: %v", what, ended)
		}
	}
	v := newLone(nil, "90", "58")
	v.unproved, v.asking = true, true
	list := make([]machine.Channel, maxPending+3)
	for i := range list {
		url := fmt.Sprintf("http://many/%d", i)
		list[i] = machine.Channel{ID: engine.IDOf([]byte(url)), URL: url}
	}
	v.assign(v.contacts[0], nil, list...)
	if len(v.duties.pending) != maxPending || len(v.ended) != 3 {
		t.Errorf("%d wait, and %d are refused", len(v.duties.pending), len(v.ended))
	}
}

// A node that is not the contact of its slot is answered that nothing is repeated to it. That does not hold for the
// former contact while the new one has not answered.
func TestStrangersInASlotHaveNothing(t *testing.T) {
	v := newLone(nil, "90", "58")
	v.assign(v.contacts[0], nil, near(3)...)
	v.env.Advance(time.Minute)
	former, next, stranger := v.contacts[1], enginetest.NewPeer("58f0"), enginetest.NewPeer("58a0")
	pull := func(from engine.Peer) (digests []*MaintenanceDigest) {
		v.env.Sent()
		v.Receive(from, &MaintenancePull{})
		return sentTo[*MaintenanceDigest](v, from)
	}
	nothing := func(from engine.Peer, when string) {
		t.Helper()
		if got := pull(from); len(got) != 1 || got[0].Sum != 0 || got[0].Repeated != ^uint32(0) {
			t.Errorf("%s: it is sent %v", when, got)
		}
	}
	nothing(stranger, "beside a contact")
	v.down, v.contacts = []engine.ID{former.ID}, []engine.Peer{v.contacts[0], next}
	v.PeerDown(former)
	if got := pull(former); len(got) > 0 {
		t.Errorf("the former contact is sent %v before the next has answered", got)
	}
	nothing(stranger, "beside a former contact")
	v.Receive(next, &Aggregate{Bits: 8, Sum: 1, Nodes: 1})
	v.env.Advance(time.Minute)
	nothing(former, "after the next has answered")
}

// A node counts the ring by its contacts' reports, once these have gone around, within factors of six and three of the
// estimate by density. It is almost certain of seven eighths of a count, and of half of an estimate. After one round a
// lower count replaces that half: the ring may happen to be dense around this node. Others may be certain of more, and
// for some rounds this node reckons with the most that it has counted.
func TestHowManyNodesThereAre(t *testing.T) {
	var digits []string
	for i := range 200 {
		if i != 0x50 {
			digits = append(digits, fmt.Sprintf("%02x", i))
		}
	}
	for name, c := range map[string]struct {
		contacts int
		each     uint32 // nodes that a contact says it answers for
		rounds   int
		dense    int
		nodes    int
		least    int
		most     int
	}{
		"a small ring":        {9, 1, 0, 0, 10, 10, 10},
		"at first":            {199, 1, 0, 0, 200, 100, 266},
		"at first, dense":     {199, 1, 0, 600, 600, 300, 800},
		"at first, few":       {19, 1, 0, 0, 20, exactNodes, exactNodes},
		"a round":             {199, 1, 1, 0, 200, 100, 266},
		"a round, dense":      {199, 1, 1, 600, 600, 175, 800},
		"a round, denser":     {199, 1, 1, 1000, 1000, 291, 1333},
		"a round, sparse":     {199, 3, 1, 0, 200, 100, 598},
		"counted":             {199, 1, 3, 0, 200, 175, 175},
		"counted, more":       {199, 2, 3, 0, 399, 349, 349},
		"counted, far more":   {199, 10, 3, 0, 600, 525, 525},
		"counted, in density": {199, 1, 3, 1000, 200, 175, 254},
		"counted, far fewer":  {199, 1, 3, 2400, 400, 350, 612},
		"counted, impossible": {199, 1 << 30, 3, 0, 600, 525, 525},
	} {
		v := newLone(nil, digits[:c.contacts]...)
		v.dense = c.dense
		v.count(c.each, c.rounds)
		if nodes, least, most := v.CountNodes(); nodes != c.nodes || least != c.least || most != c.most {
			t.Errorf("%s: %d nodes, at least %d, for others %d; want %d, %d, %d", name, nodes, least, most, c.nodes,
				c.least, c.most)
		}
	}
}

// count lets some rounds of counting pass, in which each contact answers for so many nodes.
func (v *lone) count(each uint32, rounds int) {
	for end := v.counting.rounds + rounds; v.counting.rounds < end; v.env.Advance(time.Second) {
		for _, p := range v.contacts {
			bits := (p.ID.CommonBits(v.env.Self().ID)/v.config.Digit + 1) * v.config.Digit
			v.Receive(p, &Aggregate{Bits: uint8(bits), Sum: 1, Nodes: each})
		}
	}
}

// When many nodes crash at once, others may go on counting them for some rounds after this node does not.
func TestOthersCountNodesThatAreGone(t *testing.T) {
	v := newLone(nil, "00", "10", "20", "30", "70", "80", "90", "a0")
	v.dense = 200
	v.count(25, quickRounds)
	v.contacts, v.dense = v.contacts[:4], 100
	v.NeighboursChanged()
	for _, want := range []int{201 * 7 / 8, 175 * 7 / 8, 153 * 7 / 8, 133 * 7 / 8, 116 * 7 / 8, 101 * 7 / 8,
		101 * 7 / 8} {
		if _, least, most := v.CountNodes(); least != 101*7/8 || most != want {
			t.Errorf("the ring has at least %d nodes, and others count %d; want %d and %d", least, most, 101*7/8, want)
		}
		v.count(25, 1)
	}
}

// A turn that is skipped for polls out of turn is the next one, and only that: the node polls a period later. About
// half of the turns are skipped if there are many such polls, none if there are none, and none of a node that polls
// alone.
func TestOneTurnIsSkippedAtATime(t *testing.T) {
	news := near(1)[0]
	for name, c := range map[string]struct {
		dense, polls int
		least, most  int // turns that are skipped, of 100
	}{
		"many polls": {200, 400, 25, 75}, "no polls": {200, 0, 0, 0}, "alone": {1, 400, 0, 0},
	} {
		v := newLone(nil, "90")
		v.dense = c.dense
		v.assign(v.contacts[0], func(a *Assignment) {
			if c.dense == 1 {
				a.Size = machine.Size{Bits: 7, Run: 1}
			}
		}, news)
		skipped := 0
		for range 100 {
			task := v.tasks[news.ID]
			turn := nextTime(task.First, task.Interval, v.env.Now())
			v.polled = nil
			if v.Rest(news.ID, c.polls); len(v.polled) > 0 {
				skipped++
				if got := v.tasks[news.ID]; got.First != turn+task.Interval || got.Interval != task.Interval {
					t.Fatalf("%s: the turn at %v becomes %v, with an interval of %v", name, turn, got.First,
						task.Interval)
				}
				v.duties.poll(v.duties.find(news.ID)) // as if it had not been
			}
			v.env.Advance(task.Interval * 101 / 100)
			v.Receive(v.contacts[0], &MaintenanceDigest{Sum: assignmentSum(news.ID, v.duties.find(news.ID).size)})
		}
		if skipped < c.least || skipped > c.most {
			t.Errorf("%s: %d turns of 100 are skipped", name, skipped)
		}
	}
}

// A limit is corrected once in a maintenance interval, by at most a twentieth, and a quarter altogether, in either
// direction.
func TestLimitsAreCorrectedOnceAnInterval(t *testing.T) {
	for _, used := range []float64{0, 1000} {
		v, c := newLone(nil), new(Correction)
		v.env.Advance(time.Second)
		last := c.Factor()
		for round := range 12 {
			for range 3 {
				c.Learn(v.env.Now(), v.config.Maintenance, used, 100)
			}
			step := c.Factor() - last
			if used > 100 {
				step = -step
			}
			if round == 0 && step != 0 || round > 0 && round < 5 && (step < 0.03 || step > mostAtATime*1.3) ||
				step < 0 {
				t.Errorf("used %v, round %d: the limit is corrected by %.3f", used, round, step)
			}
			last = c.Factor()
			v.env.Advance(v.config.Maintenance)
		}
		if math.Abs(last-1) != mostCorrection {
			t.Errorf("used %v: at last the factor is %v", used, last)
		}
	}
}
