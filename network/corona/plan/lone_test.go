package plan

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/honeycomb"
)

// lone is a plan whose world is played by hand. It is node 50, whose contacts are those that are given.
type lone struct {
	*Plan
	env      *enginetest.Env
	contacts []engine.Peer
	down     []engine.ID // contacts that the ring does not know any more
	tasks    map[engine.ID]Task
	polled   []engine.ID // each time that a poll began or moved
	stopped  []engine.ID
	ended    []engine.ID
	heard    []uint64
	held     map[engine.ID]uint64
	readers  map[engine.ID]int
	limits   Limits
	permit   Permit
	waits    bool // there is no permit
	joins    bool // it may poll as one of a set
	may      bool // it may poll at all
	verdict  Verdict
}

func newLone(change func(*Config), contacts ...string) *lone {
	v := &lone{
		env: enginetest.NewEnv(enginetest.NewPeer("50")), tasks: make(map[engine.ID]Task), held: make(map[engine.ID]uint64),
		readers: make(map[engine.ID]int), joins: true, may: true, verdict: Allowed,
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
func (v *lone) Nodes() int                                           { return len(v.contacts) + 1 }
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
func (v *lone) Limits(engine.ID) Limits                         { return v.limits }
func (v *lone) Permit(engine.ID) (Permit, bool)                 { return v.permit, !v.waits }
func (v *lone) Certificate(engine.ID) []machine.Grant           { return nil }
func (v *lone) MayPoll(engine.ID) bool                          { return v.may }
func (v *lone) MayPollIn(engine.ID, machine.Size) bool          { return v.may }
func (v *lone) MayJoin(machine.Channel, machine.Size) bool      { return v.joins }
func (v *lone) Ended(channel engine.ID)                         { v.ended = append(v.ended, channel) }
func (v *lone) Held(channel engine.ID) uint64                   { return v.held[channel] }
func (v *lone) Heard(_ engine.Peer, _ engine.ID, number uint64) { v.heard = append(v.heard, number) }
func (v *lone) Moved(engine.ID)                                 {}
func (v *lone) Counted(bool)                                    {}
func (v *lone) Check(_ []Assignment, then func(func(int) Verdict)) {
	then(func(int) Verdict { return v.verdict })
}

// What the poller is told.
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

// near returns channels whose IDs begin as node 50's.
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

// A channel that this node may not poll as one of its set is not polled until it may, and is polled no more once it may not; each time that it may, the version that
// it was told of is asked for. Those below are told of it all the same.
func TestJoinsAndParts(t *testing.T) {
	v := newLone(nil, "90", "58")
	news := near(1)[0]
	v.joins = false
	v.assign(v.contacts[0], nil, news)
	if _, polls := v.Polled(news.ID); polls || len(v.polled)+len(v.stopped)+len(v.heard) > 0 {
		t.Fatalf("it polls: %v, has begun %d times and stopped %d times", polls, len(v.polled), len(v.stopped))
	}
	v.env.Advance(time.Second)
	if n := len(sentTo[*Maintenance](v, v.contacts[1])); n != 1 {
		t.Errorf("those below are told %d times", n)
	}
	for round := range 3 {
		for _, joins := range []bool{true, true, false, false} {
			changes := joins != v.joins
			v.joins, v.polled, v.stopped, v.heard = joins, nil, nil, nil
			v.Joins(news.ID)
			_, task := v.tasks[news.ID]
			_, polls := v.Polled(news.ID)
			if polls != joins || task != joins || len(v.polled) != count(changes && joins) || len(v.stopped) != count(changes && !joins) {
				t.Errorf("round %d, may poll %v: polls %v, has a task %v, begun %d times, stopped %d times", round, joins, polls, task, len(v.polled), len(v.stopped))
			}
			if len(v.heard) != count(changes && joins) || len(v.heard) == 1 && v.heard[0] != 1 {
				t.Errorf("round %d, may poll %v: versions %v are asked for", round, joins, v.heard)
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
		t.Error("what is not polled is stopped")
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// What is assigned is taken by each of these conditions alone, and ends when its sender ends it, and no other node.
func TestEachConditionOfAnAssignment(t *testing.T) {
	news := near(1)[0]
	for what, c := range map[string]struct {
		change func(v *lone, a *Assignment)
		takes  bool // it is taken
		asks   bool // the sender is asked for what is missing
	}{
		"as it should be":       {func(*lone, *Assignment) {}, true, false},
		"no URL":                {func(_ *lone, a *Assignment) { a.URL = "" }, false, true},
		"another URL":           {func(_ *lone, a *Assignment) { a.URL = "http://other/" }, false, false},
		"a size that cannot be": {func(_ *lone, a *Assignment) { a.Size = machine.Size{Bits: 200, Run: 77} }, false, false},
		"a set far away": {func(_ *lone, a *Assignment) {
			a.Channel, a.URL, a.Size = far.ID, far.URL, machine.Size{Bits: 8, Run: 8}
		}, false, false},
		"no room":                 {func(v *lone, _ *Assignment) { v.config.MaxPolled = 0 }, false, false},
		"refused":                 {func(v *lone, _ *Assignment) { v.verdict = Refused }, false, false},
		"unproved, with URL":      {func(v *lone, _ *Assignment) { v.verdict = Unproved }, false, false},
		"it ends what is not yet": {func(_ *lone, a *Assignment) { a.Stop = true }, false, false},
	} {
		v := newLone(nil, "90", "58")
		v.env.Sent()
		v.assign(v.contacts[0], func(a *Assignment) { c.change(v, a) }, news)
		asked := sentTo[*Unknown](v, v.contacts[0])
		if len(v.tasks) != count(c.takes) || len(asked) != count(c.asks) {
			t.Errorf("%s: %d tasks, asked for %v", what, len(v.tasks), asked)
		}
		if len(asked) == 1 && !slices.Equal(asked[0].Channels, []engine.ID{news.ID}) {
			t.Errorf("%s: %v are asked for", what, asked[0].Channels)
		}
		if !c.takes {
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

// An assignment of a lower term is out of date while who gave the higher one is heard of, and not for longer; from the same node it holds.
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

// Sums that differ are asked for: of a sender that is known with the sums by part, else all. What was repeated and what was not is told apart, and only a whole
// repetition ends anything.
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

// Who asks for what it lacks is sent the parts that differ, and a digest of all; a node that is no contact is told that it has nothing. Nobody is repeated to twice
// within ten seconds.
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
	if n, digests := pull(stranger, MaintenancePull{}); n != 0 || len(digests) != 1 || digests[0].Sum != 0 || digests[0].Repeated != ^uint32(0) {
		t.Errorf("a stranger is sent %d and %v", n, digests)
	}
}

// A contact is told what changes within a second, and then three digests; one that goes is told once that it has nothing.
func TestContactsThatComeAndGo(t *testing.T) {
	list := near(3)
	v := newLone(nil, "90", "58")
	below := v.contacts[1]
	v.assign(v.contacts[0], nil, list...)
	v.env.Advance(time.Second)
	told := sentTo[*Maintenance](v, below)
	if len(told) != 1 || len(told[0].Assignments) != 3 {
		t.Fatalf("it is told %v", told)
	}
	for i, a := range told[0].Assignments {
		if a.Channel != list[i].ID || a.URL != list[i].URL || a.Term != 5 || a.Size != all || a.Version != uint64(i+1) || a.Stop || a.Random {
			t.Errorf("assignment %d is %+v", i, a)
		}
	}
	v.env.Advance(5 * time.Minute)
	if digests := sentTo[*MaintenanceDigest](v, below); len(digests) != digestTimes {
		t.Errorf("%d digests follow", len(digests))
	}
	v.assign(v.contacts[0], func(a *Assignment) { a.Stop = true }, list[1])
	v.env.Advance(time.Second)
	if told = sentTo[*Maintenance](v, below); len(told) != 1 || len(told[0].Assignments) != 1 || !told[0].Assignments[0].Stop || told[0].Assignments[0].Channel != list[1].ID {
		t.Errorf("of an end it is told %v", told)
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
		t.Errorf("the next is sent %d assignments, and before it has answered the one that is gone %d times that it has none", whole, nothing)
	}
	v.Receive(next, &Aggregate{Bits: 8, Sum: 1, Nodes: 1})
	v.env.Advance(time.Minute)
	if _, nothing := count(); nothing != 1 {
		t.Errorf("the one that is gone is sent %d times that it has none", nothing)
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

// What nobody has confirmed for some maintenance intervals, and what may not be polled any more, ends; what is confirmed goes on.
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
		v.may = false
		if v.env.Advance(v.config.Maintenance); len(v.tasks) > 0 {
			t.Errorf("%d are polled though they may not be", len(v.tasks))
		}
	}
}

// A former primary that is in the set polls on as if its successor had assigned the channel; one that is not does so for half a minute, unless it is assigned. One
// whose channel has no readers stops at once.
func TestHandingOver(t *testing.T) {
	for what, c := range map[string]struct {
		next    string
		ended   bool
		assigns bool
		at      map[time.Duration]bool
	}{
		"the next is known":     {"51", false, false, map[time.Duration]bool{0: true, 29 * time.Second: true, 31 * time.Second: false}},
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
