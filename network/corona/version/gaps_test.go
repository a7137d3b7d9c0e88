package version

import (
	"strings"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// alone returns a subscriber that knows nobody, and a peer that it is told of versions by.
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

// A subscriber that nobody can give a version any more, as the origin has changed since, does not wait for the origin when a later one comes: it asks who
// sent that one, at once, and has it. It asks anew a few times, and gives up in time however often it is told of later versions that nobody gives it.
func TestALaterVersionFillsAnOldGap(t *testing.T) {
	t.Parallel()
	a, env, owner := alone()
	a.seen, a.seenIs = hashOf("a"), "a" // as this node's own poll has seen it
	first := after(0, hashOf("a"), "b")
	a.machine.MaybeBehind(owner, news.ID, first.Version)
	if asked(env, owner) != 1 {
		t.Fatal("who told of the version was not asked for it")
	}
	env.Advance(30 * time.Second) // nobody answers
	second := after(first.Version, hashOf("b"), "c")
	a.Receive(owner, second)
	env.Advance(gapGrace)
	if asked(env, owner) != 1 {
		t.Fatal("a later version came, and who sent it was not asked for what leads to it")
	}
	whole := *second
	whole.Base = hashOf("a")
	a.Receive(owner, &whole)
	env.Advance(time.Second)
	if a.version != second.Version || len(a.machine.gaps.of) != 0 {
		t.Fatalf("version %d is held, and not %d; %d gaps", a.version, second.Version, len(a.machine.gaps.of))
	}

	latest := after(second.Version, hashOf("unknown"), "d")
	a.Receive(owner, latest)
	old := a.machine.gaps.of[news.ID]
	for step := 0; a.machine.gaps.of[news.ID] == old; step++ {
		if step > 30 {
			t.Fatal("it never gives up")
		}
		env.Advance(30 * time.Second)
		latest = after(latest.Version, hashOf(strings.Repeat("u", step)), strings.Repeat("v", step+1))
		a.Receive(owner, latest)
	}
}

// A subscriber whose first poll is over before it could be told of, as the poll began before the channel was one that others poll too, does not wait for it
// until it can come no more.
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

// A first poll that never comes is awaited as long as it may take, and no longer.
func TestAFirstPollIsAwaitedForItsTime(t *testing.T) {
	t.Parallel()
	a, env, owner := alone()
	a.first = 2 * time.Minute
	a.machine.MaybeBehind(owner, news.ID, 1<<tagBits)
	g := a.machine.gaps.of[news.ID]
	if env.Advance(2*time.Minute - time.Second); g.first != awaited {
		t.Fatal("it is awaited no more")
	}
	if env.Advance(time.Second); g.first != over {
		t.Fatal("it is awaited still")
	}
}

// A delta that does not make the content is refused, and the whole content asked for: from who sent the delta, then from the owners, then from the origin
// (hostile 25).
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
	if a.held != "a" || len(a.machine.gaps.of) != 0 {
		t.Errorf("%q is held, and %d are asked for still", a.held, len(a.machine.gaps.of))
	}
	a.refuses, a.asked = false, nil
	whole := *u
	whole.Base = Hash{}
	a.Receive(parent, &whole)
	if env.Advance(time.Second); a.version != u.Version {
		t.Error("the whole content was not taken")
	}
}

// An update that lies between waits in its place, once, and no more than a few do.
func TestUpdatesAreSetAsideInOrder(t *testing.T) {
	t.Parallel()
	g := &gap{}
	for _, v := range []uint64{5, 3, 5, 9, 4, 3, 1} {
		g.setAside(&arrival{update: &Update{Version: v}})
	}
	var got []uint64
	for _, a := range g.aside {
		got = append(got, a.update.Version)
	}
	if len(got) != maxAfter || got[0] != 3 || got[1] != 4 || got[2] != 5 || got[3] != 9 {
		t.Errorf("aside are %v", got)
	}
}
