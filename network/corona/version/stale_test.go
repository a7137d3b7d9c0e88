package version

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
)

// sentBy returns the messages of a type that a node has sent since the last call, and to which nodes.
func sentBy[M engine.Message](m *many, name string) (to []engine.Peer, list []M) {
	for _, s := range m.envs[name].Sent() {
		if message, ok := s.Message.(M); ok {
			to, list = append(to, s.To), append(list, message)
		}
	}
	return to, list
}

// numbered returns the versions that a node has sent out since the last call.
func numbered(m *many, name string) (versions []uint64) {
	for _, e := range m.envs[name].Traced() {
		if e, ok := e.(Numbered); ok {
			versions = append(versions, e.Version)
		}
	}
	return versions
}

// An owner publishes a version when all other owners have acknowledged this one. Late answers for the version before,
// answers of other nodes, and one owner's second answer do not count (hostile 31).
func TestWordsOfTheVersionBeforeDoNotCount(t *testing.T) {
	t.Parallel()
	const me = "51"
	m := newMany()
	owner, env := m.at(me), m.envs[me]
	m.pollers, m.subscribers = []engine.ID{env.Self().ID}, []engine.Peer{m.envs["61"].Self()}
	var last uint64
	for _, text := range []string{"first", "second", "third", "fourth"} {
		owner.content = text
		owner.poll(false)
		env.Advance(200 * time.Millisecond)
		to, commits := sentBy[*Commit](m, me)
		if len(to) != owners-1 {
			t.Fatalf("%s: %d owners are asked, %v", text, len(to), numbered(m, me))
		}
		number := commits[0].State.Version
		say := func(from engine.Peer, version uint64) {
			owner.machine.Receive(from, &Committed{Channel: news.ID, Version: version})
		}
		for _, p := range to {
			say(p, last)
			say(p, 0)
		}
		say(m.envs["c9"].Self(), number)
		say(to[0], number)
		say(to[0], number)
		if got := numbered(m, me); len(got) > 0 {
			t.Errorf("%s: it is sent out though an owner has not said that it knows of it", text)
		}
		say(to[1], number)
		if got := numbered(m, me); !slices.Equal(got, []uint64{number}) {
			t.Errorf("%s: when all know of it %v is sent out, not %v", text, got, number)
		}
		for _, p := range to {
			say(p, number)
			say(p, last)
		}
		if got := numbered(m, me); len(got) > 0 || number <= last {
			t.Errorf("%s: %v is sent out again, after %v", text, got, last)
		}
		last = number
		env.Advance(2 * owner.machine.config.Interval)
		sentBy[*Commit](m, me)
		numbered(m, me)
	}
}

// An owner that sends older versions than the one held is notified once an interval, however many it sends. A node that
// has nothing newer does not notify it.
func TestAnOwnerBehindIsNotifiedOnceAnInterval(t *testing.T) {
	t.Parallel()
	const me, owner = "61", "51"
	m := newMany()
	reader, env, from := m.at(me), m.envs[me], m.envs[owner].Self()
	m.subscribers = []engine.Peer{env.Self()}
	receive := func(version uint64, text string) (notified int) {
		reader.Receive(from, m.at(owner).sealedBy(version<<tagBits, text, true))
		env.Advance(time.Second)
		_, list := sentBy[*Ahead](m, me)
		return len(list)
	}
	if n := receive(1, "first") + receive(3, "third"); n != 0 {
		t.Errorf("for newer versions an owner is notified %d times", n)
	}
	for interval := range 3 {
		if n := receive(2, "second"); n != 1 {
			t.Errorf("interval %d: for an older version an owner is notified %d times", interval, n)
		}
		for range 4 {
			if n := receive(1, "first") + receive(2, "second"); n != 0 {
				t.Errorf("interval %d: it is notified again, %d times", interval, n)
			}
		}
		env.Advance(reader.machine.config.Interval)
		sentBy[*Ahead](m, me)
	}
}

// An older version that comes down a tree is no fault of the neighbour that has passed it on. The owner that signed it
// is notified that there is a higher number.
func TestTheSignerOfAnOldVersionIsNotified(t *testing.T) {
	t.Parallel()
	const me, owner, above = "61", "51", "91"
	m := newMany()
	reader, env := m.at(me), m.envs[me]
	m.subscribers = []engine.Peer{env.Self()}
	signer := []engine.Peer{m.envs[owner].Self()}
	for _, c := range []struct {
		number uint64
		text   string
		want   []engine.Peer
	}{{1, "first", nil}, {3, "third", nil}, {2, "second", signer}} {
		u := m.at(owner).sealedBy(c.number<<tagBits, c.text, true)
		reader.machine.TreeMember().Deliver(news.ID, u, m.envs[above].Self())
		env.Advance(time.Second)
		if to, _ := sentBy[*Ahead](m, me); !slices.Equal(to, c.want) {
			t.Errorf("for the %s version %v is notified, want %v", c.text, to, c.want)
		}
	}
	if reader.held != "third" {
		t.Errorf("held is %q", reader.held)
	}
}

// An owner's own find that the library refuses, as it does not fit, is polled for once more, and then refused: it makes
// no version. If the library keeps it the second time, it makes one.
func TestWhatDoesNotFitIsPolledForOnce(t *testing.T) {
	t.Parallel()
	for _, fits := range []bool{false, true} {
		const me = "51"
		m := newMany()
		a, env := m.at(me), m.envs[me]
		m.pollers = []engine.ID{env.Self().ID}
		a.content, a.refuses = "found", true
		a.poll(false)
		env.Advance(102 * time.Millisecond)
		if len(a.asked) != 1 || a.asked[0] != "origin" {
			t.Errorf("at first it asks %q", a.asked)
		}
		a.refuses = !fits
		env.Advance(time.Minute)
		_, commits := sentBy[*Commit](m, me)
		if (len(commits) > 0) != fits {
			t.Errorf("it fits: %v; %d owners are to commit it", fits, len(commits))
		}
		if len(a.asked) != 1 {
			t.Errorf("it fits: %v; it asks %q", fits, a.asked)
		}
		dropped := slices.ContainsFunc(env.Traced(),
			func(e any) bool { d, ok := e.(Dropped); return ok && d.Why == Unfit })
		if dropped == fits {
			t.Errorf("it fits: %v; it is dropped: %v", fits, dropped)
		}
	}
}

// An update of a polling set is accepted, and passed on, by the nodes of the set alone, and once.
func TestOnlyThePollingSetSharesVersions(t *testing.T) {
	t.Parallel()
	for _, polls := range []bool{false, true} {
		m := newMany()
		owner, a, env := m.at("51"), m.at("61"), m.envs["61"]
		m.subscribers = []engine.Peer{env.Self()}
		if polls {
			m.pollers = []engine.ID{owner.env.Self().ID, env.Self().ID}
		}
		for range 2 {
			a.Receive(owner.env.Self(), &Shared{Update: *owner.sealedBy(1<<tagBits, "text", true), Quiet: 60})
			env.Advance(time.Second)
		}
		if (a.held != "") != polls || (a.passed != 0) != polls || a.hushed != polls {
			t.Errorf("it polls: %v; it holds %q, and has passed on %d, hushed %v", polls, a.held, a.passed, a.hushed)
		}
	}
}
