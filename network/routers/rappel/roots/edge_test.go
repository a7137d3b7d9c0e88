package roots

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/rappel"
)

// lone is a Finder with the test as its ring.
type lone struct {
	*Finder
	env     *enginetest.Env
	active  bool
	owner   engine.Peer // of everything, if it is known for sure
	known   []engine.Peer
	routed  []*Ask
	changes []engine.ID
	moved   func()
}

func (l *lone) Active() bool { return l.active }
func (l *lone) Route(key engine.ID, m engine.Message) {
	if a := m.(*Ask); a.Topic == key {
		l.routed = append(l.routed, a)
	}
}
func (l *lone) Owners(engine.ID, int) ([]engine.Peer, bool) {
	return []engine.Peer{l.owner}, !l.owner.IsZero()
}
func (l *lone) Known() []engine.Peer    { return l.known }
func (l *lone) OnNeighbours(f func())   { l.moved = f }
func (l *lone) changed(topic engine.ID) { l.changes = append(l.changes, topic) }

func newLone(directory rappel.Directory) *lone {
	l := &lone{env: enginetest.NewEnv(enginetest.NewPeer("50")), active: true}
	l.Finder = New(l.env, l, directory)
	l.OnRoot(l.changed)
	return l
}

var (
	topicOf80 = engine.PrefixID("80")
	near81    = enginetest.NewPeer("81")
	far90     = enginetest.NewPeer("90")
	closest   = enginetest.NewPeer("8001")
)

// look has a topic be looked for, and others asked.
func (l *lone) look() {
	l.Look(topicOf80)
	l.env.Advance(0)
}

func (l *lone) root(t *testing.T, what string, want engine.Peer) {
	t.Helper()
	if got := l.Root(topicOf80); got != want {
		t.Errorf("%s: the root is %s, want %s", what, got, want)
	}
}

// fixed is a directory that knows one topic.
type fixed struct {
	topic engine.ID
	root  engine.Peer
}

func (f fixed) Root(topic engine.ID) engine.Peer {
	if topic == f.topic {
		return f.root
	}
	return engine.Peer{}
}

// A directory that knows the root is believed first. Then comes the ring if it is sure, then the closest of the named
// nodes.
func TestWhoIsBelieved(t *testing.T) {
	l := newLone(fixed{topicOf80, far90})
	l.look()
	l.owner = near81
	l.root(t, "a directory knows", far90)
	l = newLone(fixed{engine.PrefixID("77"), far90})
	l.look()
	l.Receive(far90, &Closest{topicOf80, far90})
	l.root(t, "one is named", far90)
	l.owner = near81
	l.root(t, "the ring is sure", near81)
	l.active = false
	l.root(t, "there is no ring", far90)
	l.owner = engine.Peer{}
	l.active = true
	l.env.Advance(Refresh)
	l.Receive(far90, &Closest{topicOf80, near81})
	l.env.Advance(Refresh)
	l.Receive(far90, &Closest{topicOf80, far90})
	l.root(t, "two are named, the closer first", near81)
	if l.Root(engine.PrefixID("99")) != (engine.Peer{}) {
		t.Error("the root of another topic is known")
	}
	if want := []engine.ID{topicOf80, topicOf80}; !slices.Equal(l.changes, want) {
		t.Errorf("notified of %v, want %v", l.changes, want)
	}
	l.Forget(topicOf80)
	l.root(t, "it is forgotten", engine.Peer{})
}

// A node that was named counts for a minute and a half. It does not count for a minute after it was found down, though
// it is named again.
func TestForHowLongOneIsBelieved(t *testing.T) {
	l := newLone(nil)
	l.look()
	l.Receive(far90, &Closest{topicOf80, closest})
	l.env.Advance(believed - time.Nanosecond)
	l.root(t, "almost a minute and a half later", closest)
	l.env.Advance(time.Nanosecond)
	l.root(t, "a minute and a half later", engine.Peer{})
	l.Receive(far90, &Closest{topicOf80, closest})
	l.root(t, "it is named again", closest)
	l.PeerDown(far90)
	l.root(t, "another is down", closest)
	before := len(l.changes)
	l.PeerDown(closest)
	l.root(t, "it is down", engine.Peer{})
	if len(l.changes) != before+1 {
		t.Errorf("notified %d times that it is down", len(l.changes)-before)
	}
	l.routed = nil
	l.env.Advance(0)
	if len(l.routed) != 1 {
		t.Errorf("others are asked %d times at once", len(l.routed))
	}
	l.env.Advance(Shunned / 2)
	l.PeerDown(closest) // that is known
	l.Receive(far90, &Closest{topicOf80, closest})
	l.root(t, "half a minute after it was found down", engine.Peer{})
	l.env.Advance(Shunned / 2)
	l.Receive(far90, &Closest{topicOf80, closest})
	l.root(t, "a minute after it was found down", closest)
}

// Answers count only from nodes that were asked: only as long as an answer is awaited, of topics that are looked for,
// and never a zero peer.
func TestOnlyAnswersAreHeard(t *testing.T) {
	l := newLone(nil)
	l.Receive(far90, &Closest{topicOf80, closest})
	l.root(t, "it is not looked for", engine.Peer{})
	l.look()
	l.Receive(far90, &Closest{topicOf80, engine.Peer{}})
	l.Receive(far90, &Closest{engine.PrefixID("77"), closest})
	l.root(t, "nobody is named", engine.Peer{})
	l.Receive(far90, &Closest{topicOf80, near81})
	l.Receive(far90, &Closest{topicOf80, closest})
	l.root(t, "a second answer", near81)
}

// Of a topic the latest eight that were named are kept.
func TestNamingsAreBounded(t *testing.T) {
	l := newLone(nil)
	l.look()
	for i := range maxNamed + 1 { // the closest first
		l.topics[topicOf80].vain = 1
		l.Receive(far90, &Closest{topicOf80, enginetest.NewPeer(fmt.Sprintf("80%02x", i+1))})
		if n := len(l.topics[topicOf80].named); n != min(i+1, maxNamed) {
			t.Errorf("%d are kept", n)
		}
	}
	l.root(t, "the first is dropped", enginetest.NewPeer("8002"))
}

// Others are asked at once, ever more seldom while no answer comes, and each minute once one has come. They are not
// asked if this node sees the root itself, or is on no ring, nor after Forget or Stop.
func TestWhenOthersAreAsked(t *testing.T) {
	ask := func(l *lone, d time.Duration) (n int) {
		l.routed = nil
		l.env.Sent()
		l.env.Advance(d)
		direct := 0
		for _, s := range l.env.Sent() {
			if m, ok := s.Message.(*Ask); ok && m.Start && m.Topic == topicOf80 && m.Asker == l.env.Self() &&
				s.To == far90 {
				direct++
			}
		}
		for _, m := range l.routed {
			if m.Start || m.Asker != l.env.Self() {
				t.Errorf("%+v is routed", m)
			}
		}
		if len(l.known) > 0 && direct != len(l.routed) {
			t.Errorf("%d are asked directly, %d over the ring", direct, len(l.routed))
		}
		return len(l.routed)
	}
	l := newLone(nil)
	l.known = []engine.Peer{far90}
	l.Look(topicOf80)
	l.Look(topicOf80)
	if n := ask(l, 0); n != 1 {
		t.Errorf("asked %d times at once", n)
	}
	if n := ask(l, 10*time.Minute); n < 12 || n > 16 { // after 2, 4, 8, 16, 32 s and then each minute or a little more
		t.Errorf("in ten minutes without an answer asked %d times", n)
	}
	for range 20 {
		l.Receive(far90, &Closest{topicOf80, closest})
		if n := ask(l, 30*time.Second); n > 5 {
			t.Errorf("asked %d times in half a minute", n)
		}
	}
	l.owner = near81
	if ask(l, Refresh*5/4) > 1 || ask(l, 10*time.Minute) > 0 {
		t.Error("it asks others though the ring is sure")
	}
	l.owner, l.active = engine.Peer{}, false
	if n := ask(l, 10*time.Minute); n > 0 {
		t.Errorf("asked %d times without a ring", n)
	}
	l.active = true
	if n := ask(l, 2*time.Minute); n == 0 {
		t.Error("it does not ask when there is a ring again")
	}
	l.Forget(topicOf80)
	if n := ask(l, 10*time.Minute); n > 0 || l.env.Timers() > 0 {
		t.Errorf("asked %d times after it was forgotten, %d timers go on", n, l.env.Timers())
	}
	l.look()
	l.Stop()
	if n := ask(l, 10*time.Minute); n > 0 || l.env.Timers() > 0 {
		t.Errorf("asked %d times after the end, %d timers go on", n, l.env.Timers())
	}
}

// A change of the neighbours is reported where the root is another for it.
func TestNeighboursThatChange(t *testing.T) {
	l := newLone(nil)
	l.look()
	l.moved()
	if len(l.changes) > 0 {
		t.Errorf("notified of %v", l.changes)
	}
	l.owner = near81
	l.moved()
	l.moved()
	if !slices.Equal(l.changes, []engine.ID{topicOf80}) {
		t.Errorf("notified of %v", l.changes)
	}
}

// A question is answered by the first node on its way that is sure, but not by its asker. A node that gets one directly
// and is not sure routes it on, once.
func TestQuestionsOfOthers(t *testing.T) {
	asker := enginetest.NewPeer("c0")
	for _, sure := range []bool{false, true} {
		l := newLone(nil)
		if sure {
			l.owner = near81
		}
		answered := func() int {
			n := 0
			for _, s := range l.env.Sent() {
				if m, ok := s.Message.(*Closest); ok && s.To == asker && *m == (Closest{topicOf80, near81}) {
					n++
				}
			}
			return n
		}
		want := 0
		if sure {
			want = 1
		}
		if l.Deliver(topicOf80, far90, &Ask{Topic: topicOf80, Asker: asker}, 3); answered() != want {
			t.Errorf("sure %v: at its end it is answered otherwise", sure)
		}
		if on := l.Forward(topicOf80, &Ask{Topic: topicOf80, Asker: asker}, far90); on == sure || answered() != want {
			t.Errorf("sure %v: it goes on: %v", sure, on)
		}
		if !l.Forward(topicOf80, &Ask{Topic: topicOf80, Asker: l.env.Self()}, far90) ||
			!l.Forward(topicOf80, &Closest{}, far90) {
			t.Errorf("sure %v: its own question, or another message, does not go on", sure)
		}
		l.Receive(far90, &Ask{Topic: topicOf80, Asker: asker})
		if answered() > 0 || len(l.routed) > 0 {
			t.Errorf("sure %v: one that began elsewhere is dealt with", sure)
		}
		l.Receive(far90, &Ask{Topic: topicOf80, Asker: asker, Start: true})
		if answered() != want || len(l.routed) != 1-want {
			t.Errorf("sure %v: one that begins here is routed %d times", sure, len(l.routed))
		} else if !sure && *l.routed[0] != (Ask{Topic: topicOf80, Asker: asker}) {
			t.Errorf("%+v is routed", l.routed[0])
		}
	}
}
