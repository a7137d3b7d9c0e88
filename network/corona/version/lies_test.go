package version

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// many is a ring of twenty nodes that sign: most are too far from the channel to own it.
type many struct {
	*ground
	envs map[string]*enginetest.Env
}

func newMany() *many { return newManyWith(0) }

// newManyWith has versions signed by so many witnesses.
func newManyWith(witnesses int) *many { return newManyOn(&ground{signs: true, witnesses: witnesses}) }

// newManyOn has the nodes stand on a ground of its own kind.
func newManyOn(g *ground) *many {
	m := &many{g, make(map[string]*enginetest.Env)}
	for i := range 20 {
		name := fmt.Sprintf("%02x", 0x41+8*i)
		m.envs[name] = enginetest.NewEnv(enginetest.NewPeer(name))
		m.start(m.envs[name])
	}
	m.settle()
	return m
}

func (m *many) at(name string) *actor {
	for _, a := range m.nodes {
		if a.env.Self().ID == m.envs[name].Self().ID {
			return a
		}
	}
	panic("version: there is no node " + name)
}

// reasons returns why a node has refused or dropped something since the last call.
func reasons(env *enginetest.Env) (why []Why) {
	for _, e := range env.Traced() {
		switch e := e.(type) {
		case Refused:
			why = append(why, e.Why)
		case Dropped:
			why = append(why, e.Why)
		}
	}
	return why
}

// An update that its owner or its finder has not signed is not accepted, whichever way it comes. A node that sends
// three is ignored.
func TestForgedVersionsAreRefused(t *testing.T) {
	t.Parallel()
	const near, far, me = "51", "d1", "61"
	day := uint64(24 * time.Hour / time.Second)
	for name, c := range map[string]struct {
		by     string
		change func(m *many, u *Update)
		why    Why
	}{
		"good":            {near, func(*many, *Update) {}, ""},
		"by a stranger":   {far, func(*many, *Update) {}, Stranger},
		"of another hash": {near, func(_ *many, u *Update) { u.Hash[9]++ }, Forged},
		"of another time": {near, func(_ *many, u *Update) { u.FoundAt++ }, Forged},
		"of the future": {near, func(m *many, u *Update) {
			u.Version = (uint64(m.envs[me].Wall().Unix()) + 2*day) << tagBits
		}, Impossible},
		"numbered by nobody": {near, func(_ *many, u *Update) { u.Seal.Given[0]++ }, Forged},
		"found by nobody": {near, func(m *many, u *Update) {
			u.Seal.Found[0]++
			h := u.Header()
			u.Seal.Given = testKeys{u.Seal.Giver.ID}.Sign(h.Words())
		}, Forged},
	} {
		for way, take := range map[string]func(a *actor, from engine.Peer, u *Update){
			"sent":   func(a *actor, from engine.Peer, u *Update) { a.Receive(from, u) },
			"passed": func(a *actor, from engine.Peer, u *Update) { a.Receive(from, &Shared{Update: *u}) },
			"a tree": func(a *actor, from engine.Peer, u *Update) {
				tree := a.machine.TreeMember()
				digest, _, ok := tree.Admit(news.ID, u, from)
				if ok != (c.why == "") || ok != (digest != 0) {
					t.Errorf("%s by a tree: admitted is %v, with the digest %x", name, ok, digest)
				}
				if d, doubted := tree.Doubted(news.ID, u); doubted != (c.why == Stranger) || doubted && d == 0 {
					t.Errorf("%s by a tree: doubted is %v, with the digest %x", name, doubted, d)
				}
				if u.Seal.Given[0]++; c.why == Stranger {
					if _, doubted := tree.Doubted(news.ID, u); doubted {
						t.Errorf("%s by a tree, and not signed: it is doubted", name)
					}
				}
			},
		} {
			m := newMany()
			a, env := m.at(me), m.envs[me]
			m.subscribers, m.pollers = []engine.Peer{env.Self()}, []engine.ID{env.Self().ID}
			u := m.at(c.by).sealedBy(1, "text", true)
			u.Version = 1 << tagBits
			h := u.Header()
			u.Seal.Given = testKeys{u.Seal.Giver.ID}.Sign(h.Words())
			c.change(m, u)
			take(a, m.envs[near].Self(), u)
			why := reasons(env)
			if c.why == "" && len(why) > 0 || c.why != "" && (len(why) == 0 || why[0] != c.why) {
				t.Errorf("%s, %s: %q", name, way, why)
			}
			if env.Advance(time.Second); way != "a tree" && (a.version > 0) != (c.why == "") {
				t.Errorf("%s, %s: version %d is held", name, way, a.version)
			}
		}
	}

	m := newMany()
	a, env := m.at(me), m.envs[me]
	m.subscribers = []engine.Peer{env.Self()}
	for range maxFalseReports {
		u := m.at(near).sealedBy(1<<tagBits, "text", true)
		u.FoundAt++
		a.Receive(m.envs[near].Self(), u)
	}
	reasons(env)
	a.Receive(m.envs[near].Self(), m.at(near).sealedBy(1<<tagBits, "text", true))
	if why := reasons(env); len(why) != 1 || why[0] != FalseReporter {
		t.Errorf("after three forged versions a good one is refused for %q", why)
	}
}

// Only two contents with one number, both signed by one node, prove that it equivocates.
func TestProofs(t *testing.T) {
	t.Parallel()
	m := newMany()
	header := func(by string, number uint64, text string) Header {
		u := m.at(by).sealedBy(number<<tagBits, text, false)
		return u.Header()
	}
	unsigned := header("51", 1, "b")
	unsigned.Given = header("51", 1, "c").Given
	for name, c := range map[string]struct {
		a, b Header
		good bool
	}{
		"two contents":      {header("51", 1, "a"), header("51", 1, "b"), true},
		"one content":       {header("51", 1, "a"), header("51", 1, "a"), false},
		"two numbers":       {header("51", 1, "a"), header("51", 2, "b"), false},
		"two nodes":         {header("51", 1, "a"), header("59", 1, "b"), false},
		"the second forged": {header("51", 1, "a"), unsigned, false},
		"the first forged":  {unsigned, header("51", 1, "a"), false},
	} {
		v := newMany()
		a := v.at("61")
		if a.Receive(v.envs["49"].Self(), &Equivocation{First: c.a, Second: c.b}); a.machine.IsEquivocator(
			c.a.Giver.ID) != c.good {
			t.Errorf("%s: proved is %v", name, !c.good)
		}
	}
}

// A node that cannot own a channel cannot make others join its tree, and cannot offer a version.
func TestStrangersAreNotOwners(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env, stranger := m.at("61"), m.envs["61"], m.envs["d1"].Self()
	m.subscribers = []engine.Peer{env.Self()}
	a.machine.MaybeBehind(engine.Peer{}, news.ID, 1<<tagBits)
	env.Sent()
	for _, message := range []engine.Message{&Routed{Channel: news.ID},
		&Heard{Channel: news.ID, Version: 1 << tagBits}} {
		a.Receive(stranger, message)
		if why := reasons(env); len(why) != 1 || why[0] != Stranger || len(env.Sent()) > 0 ||
			a.machine.TreeMember().Recovers(news.ID) {
			t.Errorf("%T of a stranger: %q, or it joined a tree", message, why)
		}
	}
	m.at("51").Receive(stranger, &Commit{Channel: news.ID, State: State{Version: 1 << tagBits}})
	if why := reasons(m.envs["51"]); len(why) != 1 || why[0] != Stranger || m.at("51").owned.version > 0 {
		t.Errorf("a number of a stranger: %q", why)
	}
}

// A report in another's name is dropped. A good one waits until the owner knows what the others do.
func TestReportsOfOthers(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env, finder := m.at("51"), m.envs["51"], m.at("91")
	report := func(text string) *Detected {
		u := finder.sealedBy(0, text, false)
		u.Seal.Giver, u.Seal.Given = engine.Peer{}, nil
		return &Detected{Update: *u}
	}
	forged := report("forged")
	forged.Update.FoundAt++
	for way, take := range map[string]func(){
		"routed": func() { a.machine.Deliver(news.ID, finder.env.Self(), forged) },
		"beside": func() { a.Receive(finder.env.Self(), forged) },
	} {
		if take(); a.machine.report.Checks(news.ID) {
			t.Errorf("a forged report that is %s is examined", way)
		}
		if why := reasons(env); len(why) != 1 || why[0] != Unsound {
			t.Errorf("a forged report that is %s is dropped for %q", way, why)
		}
	}
	a.owned.uninformed = true
	if a.machine.Deliver(news.ID, finder.env.Self(), report("good")); a.machine.report.Checks(news.ID) {
		t.Error("a report is examined by an owner that may not know the latest version")
	}
	a.owned.uninformed = false
	if a.machine.Informed(news.ID); !a.machine.report.Checks(news.ID) {
		t.Error("the report is not considered")
	}
}

// Another node's report of an origin's wishes holds for an interval, and once in two. For more the primary asks the
// origin.
func TestLimitsOfOthers(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env := m.at("51"), m.envs["51"]
	limit := func() time.Duration {
		a.machine.Deliver(news.ID, m.envs["91"].Self(), &Limit{Channel: news.ID, Wait: 10 * 3600})
		return a.machine.Limits(news.ID).NotBefore
	}
	if until := limit(); until != env.Now()+30*time.Minute || len(a.asked) != 1 {
		t.Errorf("all wait until %v; the origin was asked %d times", until, len(a.asked))
	}
	env.Advance(20 * time.Minute)
	if until := limit(); until != 30*time.Minute {
		t.Errorf("said twice, all wait until %v", until)
	}
	env.Advance(40 * time.Minute)
	if until := limit(); until != env.Now()+30*time.Minute {
		t.Errorf("an hour later, all wait until %v", until)
	}
	a.machine.Polled(news.ID, PollResult{Wait: 10 * time.Hour})
	if until := a.machine.Limits(news.ID).NotBefore; until != env.Now()+10*time.Hour {
		t.Errorf("as the origin asked the primary itself, all wait until %v", until)
	}
}

// A tree does not pass old versions on for ever, and an owner that sends an old one is sent the newer.
func TestOldVersions(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env, owner := m.at("61"), m.envs["61"], m.at("51")
	m.subscribers = []engine.Peer{env.Self()}
	admitted := func(number uint64) bool {
		_, _, ok := a.machine.TreeMember().Admit(news.ID, owner.sealedBy(number<<tagBits, "text", true),
			owner.env.Self())
		return ok
	}
	if !admitted(5) || !admitted(4) {
		t.Error("a version that comes a little late is not passed on")
	}
	env.Advance(passedAge)
	if admitted(4) || !admitted(5) {
		t.Error("an old version is passed on")
	}
	old := owner.sealedBy(4<<tagBits, "text", true)
	if digest, _, _ := a.machine.TreeMember().Admit(news.ID, old, owner.env.Self()); digest == 0 {
		t.Error("the node that has kept an old version is to blame")
	}
	old.Seal.Given[0]++
	if digest, _, _ := a.machine.TreeMember().Admit(news.ID, old, owner.env.Self()); digest != 0 {
		t.Error("the node that passes on an old version that is not signed is not to blame")
	}
	a.Receive(owner.env.Self(), owner.sealedBy(5<<tagBits, "text", true))
	env.Advance(time.Second)
	env.Sent()
	a.Receive(owner.env.Self(), owner.sealedBy(4<<tagBits, "old", true))
	notified := 0
	for _, s := range env.Sent() {
		if m, ok := s.Message.(*Ahead); ok && s.To == owner.env.Self() && m.Header.Version == 5<<tagBits {
			notified++
		}
	}
	if notified != 1 || a.held != "text" {
		t.Errorf("the owner is notified %d times that it is behind, and %q is held", notified, a.held)
	}
}

// What a node reports and owners deny, three of them, makes it doubt them.
func TestDeniedReports(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env := m.at("61"), m.envs["61"]
	m.subscribers = []engine.Peer{env.Self()}
	a.content = "what nobody else sees"
	for i := range maxDismissals {
		a.poll(false)
		env.Advance(time.Second)
		a.Receive(m.envs["51"].Self(), &Heard{Channel: news.ID, Hash: hashOf(a.content)})
		suspects := false
		for _, e := range env.Traced() {
			suspects = suspects || e == any(Suspected{Channel: news.ID, Why: Denied})
		}
		if suspects != (i == maxDismissals-1) {
			t.Errorf("after %d dismissals it suspects: %v", i+1, suspects)
		}
		env.Advance(40 * time.Minute)
	}
}

// A suspicion begins once and ends once, however many reports are denied and versions come; and both happen again.
func TestASuspicionBeginsAndEndsOnce(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env, owner := m.at("61"), m.envs["61"], m.at("51")
	m.subscribers = []engine.Peer{env.Self()}
	said := func() (list []Suspicion) {
		for _, e := range env.Traced() {
			if s, ok := e.(Suspected); ok {
				list = append(list, s.Why)
			}
		}
		return list
	}
	number := uint64(0)
	for round := range 3 {
		a.content = fmt.Sprint("seen by nobody else ", round)
		for range maxDismissals + 2 {
			a.poll(false)
			env.Advance(time.Second)
			a.Receive(owner.env.Self(), &Heard{Channel: news.ID, Hash: hashOf(a.content)})
			env.Advance(40 * time.Minute)
		}
		if why := said(); !slices.Equal(why, []Suspicion{Denied}) {
			t.Errorf("round %d: while reports are denied it says %q", round, why)
		}
		for range 3 {
			number++
			a.content = fmt.Sprint("version ", number)
			a.Receive(owner.env.Self(), owner.sealedBy(number<<tagBits, a.content, true))
			env.Advance(time.Minute)
		}
		if why := said(); !slices.Equal(why, []Suspicion{Trusted}) {
			t.Errorf("round %d: when versions come it says %q", round, why)
		}
	}
}

// If an origin wants few polls, a primary's own find waits for another node's, which others believe. It does not wait
// if no other node polls: it would wait for its own next turn.
func TestAPrimaryAwaitsOthersIfThereAreSome(t *testing.T) {
	t.Parallel()
	for _, others := range []bool{false, true} {
		m := newMany()
		a, env := m.at("51"), m.envs["51"]
		a.configure(func(c *Config) { c.Witnesses = 4 })
		if m.pollers = []engine.ID{env.Self().ID}; others {
			m.pollers = append(m.pollers, m.envs["91"].Self().ID)
		}
		found := &Update{Channel: news.ID, Hash: hashOf("new"), Size: 3, Payload: []byte("new")}
		a.machine.Polled(news.ID, PollResult{Hash: found.Hash, Size: found.Size, Interval: 2 * time.Hour,
			Update: found})
		env.Advance(time.Second)
		if made := a.owned.version > 0; made == others {
			t.Errorf("others poll: %v; a version is made: %v", others, made)
		}
	}
}

// A node polls for versions without witnesses as often as its readers would in an interval: at least four times, at
// most twelve. If a channel changes more often, it has the newest version within a minute.
func TestLooksForReaders(t *testing.T) {
	t.Parallel()
	for readers, want := range map[int]int{1: leastPolls, 7: 7, 100: mostPolls} {
		m := newMany()
		a, env, owner := m.at("61"), m.envs["61"], m.at("51")
		m.subscribers, a.readers = []engine.Peer{env.Self()}, readers
		a.configure(func(c *Config) { c.Witnesses = 4 })
		for number := range uint64(mostPolls + 3) {
			a.content = fmt.Sprint("text ", number)
			a.Receive(owner.env.Self(), owner.sealedBy((number+1)<<tagBits, a.content, true))
			env.Advance(30 * time.Second)
		}
		want += (mostPolls + 3 - want) / 2 // each other one of those beyond: two come in a minute
		looks := 0
		for _, of := range a.asked {
			if of == "origin" {
				looks++
			}
		}
		if looks != want {
			t.Errorf("for %d readers it looks %d times, want %d: %q", readers, looks, want, a.asked)
		}
		if env.Advance(pollEvery); a.held != a.content {
			t.Errorf("for %d readers it holds %q a minute after %q", readers, a.held, a.content)
		}
	}
}

// An origin shows each poll of a node something else, as it does if it changes every few seconds. What an owner alone
// has invented is not shown. The second such version costs one poll.
func TestAnInventionIsNotShownWhereEachPollDiffers(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env, owner := m.at("61"), m.envs["61"], m.at("51")
	m.subscribers = []engine.Peer{env.Self()}
	a.configure(func(c *Config) { c.Witnesses = 4 })
	before := a.held
	for number, polls := range []int{2, 1} {
		a.asked = nil
		a.Receive(owner.env.Self(), owner.sealedBy(uint64(number+1)<<tagBits, fmt.Sprint("invented ", number), true))
		for second := range 40 {
			a.content = fmt.Sprint("text ", number, " ", second)
			env.Advance(time.Second)
		}
		if a.held != before {
			t.Errorf("it holds %q, which the origin has never shown", a.held)
		}
		if looks := strings.Count(strings.Join(a.asked, " "), "origin"); looks != polls {
			t.Errorf("it has polled %d times, want %d: %q", looks, polls, a.asked)
		}
	}
}

// Polls have shown one content after another. When a poll does show a version, the next one is polled for twice again.
func TestAVersionThatIsSeenEndsTheSuspicionOfNoise(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env, owner := m.at("61"), m.envs["61"], m.at("51")
	m.subscribers = []engine.Peer{env.Self()}
	a.configure(func(c *Config) { c.Witnesses = 4 })
	for i, c := range []struct {
		seen  bool
		polls int
	}{{false, 2}, {false, 1}, {true, 1}, {false, 2}, {false, 1}} {
		a.asked = nil
		u := owner.sealedBy(uint64(i+1)<<tagBits, fmt.Sprint(i, " given"), true)
		a.Receive(owner.env.Self(), u)
		for second := range 40 {
			if a.content = fmt.Sprint(i, second, " at the origin"); c.seen {
				a.content = fmt.Sprint(i, " given")
			}
			env.Advance(time.Second)
		}
		if polls := a.polls(); polls != c.polls || (a.version == u.Version) != c.seen {
			t.Errorf("version %d: %d polls, want %d, and it is held: %v", i, polls, c.polls, a.version == u.Version)
		}
		env.Advance(2 * halfHour)
	}
}
