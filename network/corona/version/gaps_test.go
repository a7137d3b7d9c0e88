package version

import (
	"strings"
	"testing"
	"time"

	"tidings/network/corona/version/deliver"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// alone returns a subscriber without contacts, and a peer that announces versions to it.
func alone() (*actor, *enginetest.Env, engine.Peer) {
	env := enginetest.NewEnv(enginetest.NewPeer("05"))
	g := &ground{subscribers: []engine.Peer{env.Self()}}
	return g.start(env), env, enginetest.NewPeer("07")
}

// after returns the version after another, with the whole content.
func after(number uint64, base Hash, text string) *Update {
	u := &Update{Channel: news.ID, Base: base, Hash: hashOf(text), Payload: []byte(text), Size: uint32(len(text))}
	u.Version, _ = follow(number, u.Hash, 0, 1<<40)
	return u
}

// asked returns how often a peer was asked for a version since the last call.
func asked(env *enginetest.Env, peer engine.Peer) (count int) {
	for _, s := range env.Sent() {
		if _, ok := s.Message.(*Missing); ok && s.To == peer {
			count++
		}
	}
	return count
}

// No node can send a subscriber a version any more, as the origin has changed since. When a later one comes, it does
// not wait for the origin: it asks that sender at once, and gets it. It restarts maxOffers times, and gives up in time,
// however often versions are announced that no node sends.
func TestALaterVersionFillsAnOldGap(t *testing.T) {
	t.Parallel()
	a, env, owner := alone()
	a.seen, a.seenIs = hashOf("a"), "a" // as this node's own poll has seen it
	first := after(0, hashOf("a"), "b")
	a.machine.MaybeBehind(owner, news.ID, first.Version)
	if asked(env, owner) != 1 {
		t.Fatal("the announcing node was not asked for the version")
	}
	env.Advance(30 * time.Second) // nobody answers
	second := after(first.Version, hashOf("b"), "c")
	a.Receive(owner, second)
	env.Advance(gapGrace)
	if asked(env, owner) != 1 {
		t.Fatal("a later version came, and its sender was not asked for the change to it")
	}
	whole := *second
	whole.Base = hashOf("a")
	a.Receive(owner, &whole)
	env.Advance(time.Second)
	if a.version != second.Version || a.machine.deliver.Lacks(news.ID) {
		t.Fatalf("version %d is held, and not %d, or it is still requested", a.version, second.Version)
	}

	latest := after(second.Version, hashOf("unknown"), "d")
	a.Receive(owner, latest)
	env.Traced()
	for step := 0; a.machine.deliver.Lacks(news.ID) && len(events[deliver.Missed](env)) == 0; step++ {
		if step > 30 {
			t.Fatal("it never ends")
		}
		env.Advance(30 * time.Second)
		latest = after(latest.Version, hashOf(strings.Repeat("u", step)), strings.Repeat("v", step+1))
		a.Receive(owner, latest)
	}
}

// The origin is polled once for each missing version: also for a later version that is announced while the first is
// awaited.
func TestTheOriginIsAskedForEachVersion(t *testing.T) {
	t.Parallel()
	a, env, owner := alone()
	a.version, a.held, a.slow = 1<<tagBits, "a", 24*time.Hour
	polls := func() (polls int) {
		for _, what := range a.asked {
			polls += count(what == "origin")
		}
		return polls
	}
	first := after(a.version, hashOf("a"), "b")
	a.machine.MaybeBehind(owner, news.ID, first.Version)
	for begun := env.Now(); polls() == 0; env.Advance(time.Second) {
		if env.Now() > begun+time.Hour {
			t.Fatal("the origin is not asked")
		}
	}
	second := after(first.Version, hashOf("b"), "c")
	a.machine.MaybeBehind(owner, news.ID, second.Version)
	if env.Advance(time.Hour); polls() != 2 {
		t.Errorf("for two versions the origin was asked %d times", polls())
	}
}

// A first poll may end before its outcome can be reported, if the channel was not shared when it began. A subscriber
// then waits for it only until it can come no more.
func TestAFirstPollThatIsOverIsNotAwaited(t *testing.T) {
	t.Parallel()
	a, env, owner := alone()
	a.first = 10 * time.Minute
	a.machine.MaybeBehind(owner, news.ID, 1<<tagBits)
	if env.Advance(time.Minute); asked(env, owner) > 0 {
		t.Fatal("it asked although its own poll is to come")
	}
	a.first = 0
	if env.Advance(time.Minute); asked(env, owner) == 0 { // it looks after as long again as it has waited
		t.Fatal("the poll is over, and it still waits for that")
	}
}

// A first poll that never comes is awaited as long as it may last, and no longer.
func TestAFirstPollIsAwaitedForItsTime(t *testing.T) {
	t.Parallel()
	a, env, owner := alone()
	a.first = 2 * time.Minute
	a.machine.MaybeBehind(owner, news.ID, 1<<tagBits)
	if env.Advance(2*time.Minute - time.Second); asked(env, owner) > 0 {
		t.Fatal("it is awaited no more")
	}
	if env.Advance(time.Second); asked(env, owner) != 1 {
		t.Fatal("it is awaited still")
	}
}

// A delta that does not make the content is refused. The whole content is requested from its sender, then from the
// owners, then from the origin (hostile 25).
func TestAfterARefusedDeltaTheWholeIsAskedFor(t *testing.T) {
	t.Parallel()
	a, env, parent := alone()
	a.version, a.held, a.refuses, a.blind = 1<<tagBits, "a", true, true
	u := after(a.version, hashOf("a"), "b")
	a.Receive(parent, u)
	for range 120 {
		for _, s := range env.Sent() {
			if m, ok := s.Message.(*Missing); ok && s.To == parent {
				a.asked = append(a.asked, "parent "+baseOf(m))
			}
		}
		env.Advance(time.Second)
	}
	if got, want := strings.Join(a.asked, ", "), "parent whole, owner whole, owner whole, origin"; got != want {
		t.Errorf("it asked %s; want %s", got, want)
	}
	if a.held != "a" || a.machine.deliver.Lacks(news.ID) {
		t.Errorf("%q is held, or it is still requested", a.held)
	}
	a.refuses, a.asked = false, nil
	whole := *u
	whole.Base = Hash{}
	a.Receive(parent, &whole)
	if env.Advance(time.Second); a.version != u.Version {
		t.Error("the whole content was not accepted")
	}
}

// The find of a first poll is reported after the gap that waited for it has ended, once, unless it is the missing
// version.
func TestWhatAFirstPollFindsIsReportedAfterTheGap(t *testing.T) {
	t.Parallel()
	for _, missing := range []bool{false, true} {
		m := newMany()
		a, env, owner := m.at("61"), m.envs["61"], m.at("51")
		m.subscribers, a.first = []engine.Peer{env.Self()}, time.Minute
		u := owner.sealedBy(1<<tagBits, "missing", true)
		a.machine.MaybeBehind(owner.env.Self(), news.ID, u.Version)
		text := "found"
		if missing {
			text = "missing"
		}
		a.first, a.seen, a.seenIs = 0, hashOf(text), text
		a.machine.Polled(news.ID, PollResult{Hash: hashOf(text), Size: 5, Update: &Update{Hash: hashOf(text), Size: 5}})
		reports := func() (reports int) {
			for _, e := range events[routed](env) {
				_, is := e.Message.(*Detected)
				reports += count(is)
			}
			return reports
		}
		if n := reports(); n > 0 {
			t.Errorf("it is reported while the version is missing")
		}
		a.Receive(owner.env.Self(), u)
		if !missing {
			a.seen, a.seenIs = hashOf(text), text // it is what the origin shows
		}
		env.Advance(time.Second)
		if n := reports(); a.version != u.Version || n != count(!missing) {
			t.Errorf("the missing version is found: %v; it is reported %d times, and version %d held", missing, n,
				a.version>>tagBits)
		}
	}
}
