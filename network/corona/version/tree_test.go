package version

import (
	"slices"
	"testing"
	"time"

	"tidings/network"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// newTree returns a ring of channels with a tree beyond the given number of subscribers.
func newTree(most int) *many { return newManyOn(&ground{signs: true, most: most}) }

// toTree makes the primary publish to so many subscribers that a tree carries the next versions. The named ones do not
// acknowledge the Routed. It returns the number of the first version down the tree.
func (m *many) toTree(t *testing.T, silent ...engine.Peer) uint64 {
	t.Helper()
	a, env := m.at("51"), m.envs["51"]
	env.Advance(2 * halfHour)
	env.Sent()
	m.makeVersion(t, env.Now().String()+", before the tree")
	for range 100 {
		for _, s := range env.Sent() {
			switch message := s.Message.(type) {
			case *Update:
				a.machine.Receive(s.To, &Got{Channel: news.ID, Version: message.Version})
			case *Routed:
				if !slices.Contains(silent, s.To) {
					a.machine.Receive(s.To, &Got{Channel: news.ID})
				}
			}
		}
		env.Advance(time.Second)
	}
	env.Advance(2 * halfHour)
	env.Sent()
	env.Traced()
	return m.makeVersion(t, env.Now().String()+", by the tree")
}

// An acknowledged subscriber is to join the tree if there are more than the primary sends to itself. That holds at the
// primary and the other owners, and nowhere else.
func TestWhereSubscribersAreToJoinATree(t *testing.T) {
	t.Parallel()
	for _, count := range []int{0, 3, 4} {
		m := newTree(3)
		m.subscribers = peers(count)
		for name, owns := range map[string]bool{"51": true, "49": true, "59": true, "61": false, "d1": false} {
			if got, want := m.at(name).machine.Routed(news.ID), owns && count > 3; got != want {
				t.Errorf("%d subscribers, at %s: to join is %v", count, name, got)
			}
		}
	}
}

// A version goes down the tree, and also to the subscribers that have not acknowledged a Routed. These are sent a
// Routed once with each version, until they acknowledge. Former subscribers are sent nothing.
func TestSubscribersThatMayBeInNoTree(t *testing.T) {
	t.Parallel()
	m := newTree(3)
	a, env := m.at("51"), m.envs["51"]
	m.subscribers = peers(8)
	slow, gone, deaf := m.subscribers[0], m.subscribers[1], m.subscribers[2]
	number := m.toTree(t, slow, gone, deaf)
	check := func(number uint64, want ...engine.Peer) {
		t.Helper()
		if got := events[published](env); !slices.Equal(got, []published{{number}}) {
			t.Errorf("the tree is sent %v, want version %d", got, number>>tagBits)
		}
		var versions, reminders []engine.Peer
		for _, s := range env.Sent() {
			switch message := s.Message.(type) {
			case *Update:
				versions = append(versions, s.To)
			case *Routed:
				if reminders = append(reminders, s.To); s.To == slow {
					a.machine.Receive(slow, &Got{Channel: news.ID})
				}
			default:
				t.Logf("%T", message)
			}
		}
		if !slices.Equal(versions, want) || !slices.Equal(reminders, want) {
			t.Errorf("sent it are %v, reminded %v, want %v", versions, reminders, want)
		}
	}
	check(number, slow, gone, deaf)
	m.subscribers = slices.DeleteFunc(m.subscribers, func(p engine.Peer) bool { return p == gone })
	for _, text := range []string{"third", "fourth"} {
		env.Advance(2 * halfHour)
		env.Sent()
		number = m.makeVersion(t, text)
		check(number, deaf)
	}
}

// When half of the subscribers have gone, versions are sent directly again, and not down the tree. When they come back
// all are notified anew.
func TestBackFromTheTree(t *testing.T) {
	t.Parallel()
	m := newTree(4)
	env := m.envs["51"]
	all := peers(5)
	m.subscribers = all
	m.toTree(t)
	for _, c := range []struct {
		count  int
		routed bool
	}{{3, true}, {2, false}, {4, false}} {
		env.Advance(2 * halfHour)
		env.Sent()
		env.Traced()
		m.subscribers = all[:c.count]
		m.makeVersion(t, string(rune('a'+c.count)))
		if got := m.at("51").machine.Routed(news.ID); got != c.routed {
			t.Errorf("%d subscribers: one that is acknowledged is to join the tree: %v", c.count, got)
		}
		down := len(events[published](env))
		to, _ := sentBy[*Update](m, "51")
		if (down == 1) != c.routed || c.routed == (len(to) == c.count) {
			t.Errorf("%d subscribers: %d versions go down the tree, %d are sent", c.count, down, len(to))
		}
	}
	m.subscribers = all
	if number := m.toTree(t); !slices.Equal(events[published](env), []published{{number}}) {
		t.Error("it does not go down the tree again")
	}
}

// A node that becomes the primary of a channel with a tree notifies all subscribers, at most once in five minutes,
// however often it comes and goes. It notifies those that another owner reports. A node that is no primary notifies
// none.
func TestANewRootNotifiesSubscribers(t *testing.T) {
	t.Parallel()
	m := newTree(3)
	m.subscribers = peers(5)
	a, env, primary := m.at("49"), m.envs["49"], m.at("51")
	late := enginetest.NewPeer("e9")
	notified := func() []engine.Peer {
		to, _ := sentBy[*Routed](m, "49")
		for _, p := range to {
			a.machine.Receive(p, &Got{Channel: news.ID})
		}
		return to
	}
	h := hashOf("text")
	a.machine.Merge(news.ID, primary.env.Self(), &State{Version: 1<<tagBits | tagOf(h), Hash: h, Routed: true})
	a.machine.Changed(news.ID)
	a.machine.SubscriberReported(news.ID, late)
	env.Advance(time.Minute)
	if to := notified(); len(to) > 0 {
		t.Fatalf("an owner that is not the primary notifies %v", to)
	}
	nodes := m.nodes
	without := slices.DeleteFunc(slices.Clone(nodes), func(b *actor) bool { return b == primary })
	comeAndGo := func(leads bool) {
		m.nodes = nodes
		if leads {
			m.nodes = without
		}
		a.reassess()
	}
	comeAndGo(true)
	if to := notified(); !slices.Equal(to, m.subscribers) {
		t.Errorf("a new primary notifies %v", to)
	}
	a.machine.SubscriberReported(news.ID, late)
	a.machine.SubscriberReported(news.ID, env.Self())
	if to := notified(); len(to) > 0 {
		t.Errorf("of a single subscriber %v are notified at once", to)
	}
	if env.Advance(notifyWait); !slices.Equal(notified(), []engine.Peer{late}) {
		t.Error("the subscriber that another owner has reported is not notified")
	}
	for range 3 {
		comeAndGo(false)
		comeAndGo(true)
		if env.Advance(time.Second); len(notified()) > 0 {
			t.Error("all are notified at once again")
		}
	}
	env.Advance(announceLeast - 10*time.Second)
	if len(notified()) > 0 {
		t.Error("all are notified again before five minutes are over")
	}
	env.Advance(6 * time.Second) // and no longer: those that do not answer are notified again
	if to := notified(); !slices.Equal(to, m.subscribers) {
		t.Errorf("after five minutes %v are notified again", to)
	}
	comeAndGo(false)
	a.machine.SubscriberReported(news.ID, late)
	if env.Advance(announceLeast); len(notified()) > 0 {
		t.Error("one that is primary no longer notifies subscribers")
	}
}

// A member of a tree asks an owner once an interval for something newer. It requests an offered version that does not
// come down the tree within a grace. Offers that nobody asked for, or that come late or twice, start nothing.
func TestAMemberFindsOutWhatIsKeptBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		delay   time.Duration // of the answer
		times   int
		version uint64
		comes   bool // the version comes down the tree meanwhile
		leaves  bool
		asks    int
	}{
		"kept back":         {time.Second, 1, 2, false, false, 1},
		"said twice":        {time.Second, 2, 2, false, false, 1},
		"at the last":       {auditWait - time.Second, 1, 2, false, false, 1},
		"too late":          {auditWait + 1, 1, 2, false, false, 0},
		"it comes":          {time.Second, 1, 2, true, false, 0},
		"nothing newer":     {time.Second, 1, 1, false, false, 0},
		"of the far future": {time.Second, 1, 1 << 38, false, false, 0},
		"it has left":       {time.Second, 1, 2, false, true, 0},
	} {
		m := newTree(3)
		a, env, owner := m.at("61"), m.envs["61"], m.envs["51"].Self()
		m.subscribers = []engine.Peer{env.Self()}
		a.version, a.held = 1<<tagBits, "text"
		a.machine.Joined(news.ID, true)
		answer := &Heard{Channel: news.ID, Version: c.version << tagBits}
		a.machine.Receive(owner, answer)
		env.Advance(halfHour * 3 / 4)
		if n := asked(env, owner); n > 0 {
			t.Errorf("%s: an answer that nothing asked for has the owner asked %d times", name, n)
		}
		env.Traced()
		audits := 0
		for range 1800 {
			for _, e := range events[routed](env) {
				if missing, ok := e.Message.(*Missing); ok && missing.Version == a.version {
					audits++
				}
			}
			if audits > 0 {
				break
			}
			env.Advance(time.Second)
		}
		if audits != 1 {
			t.Fatalf("%s: %d questions in an interval", name, audits)
		}
		env.Advance(c.delay)
		for range c.times {
			a.machine.Receive(owner, answer)
		}
		if c.comes {
			a.version = 2 << tagBits
		}
		if c.leaves {
			a.machine.Joined(news.ID, false)
		}
		if env.Advance(auditGrace - time.Second); asked(env, owner) > 0 {
			t.Errorf("%s: the owner is asked before the grace is over", name)
		}
		if env.Advance(2 * time.Second); asked(env, owner) != c.asks {
			t.Errorf("%s: the owner is not asked %d times", name, c.asks)
		}
	}
}

// When its network adopts another router, a node joins that one's tree at once. It leaves the old tree when both have
// carried versions long enough. One that leaves a channel meanwhile is in neither.
func TestAnotherRouter(t *testing.T) {
	t.Parallel()
	const other = network.Rappel
	direct := newMany()
	direct.at("61").machine.Joined(news.ID, true)
	c := direct.at("61").machine.config
	c.Router = network.Scribe
	direct.at("61").machine.Reconfigure(c)
	if direct.envs["61"].Advance(2 * c.Maintenance); direct.at("61").machine.CarriedBy(news.ID) != network.Scribe {
		t.Error("after no router it is not carried by the first")
	}
	for _, leaves := range []bool{false, true} {
		m := newTree(3)
		a, env := m.at("61"), m.envs["61"]
		a.machine.Use(other, &star{a})
		count := func() (in, out int) {
			for _, e := range env.Traced() {
				switch e.(type) {
				case joined:
					in++
				case left:
					out++
				}
			}
			return in, out
		}
		a.machine.Joined(news.ID, true)
		a.machine.Joined(news.ID, true)
		if in, out := count(); in != 1 || out != 0 || a.machine.CarriedBy(news.ID) != network.Scribe {
			t.Fatalf("it joins %d times, leaves %d times", in, out)
		}
		c.Router = other
		a.machine.Reconfigure(c)
		if in, out := count(); in != 1 || out != 0 || a.machine.CarriedBy(news.ID) != other {
			t.Errorf("another router: it joins %d times, leaves %d times, and is carried by %q", in, out,
				a.machine.CarriedBy(news.ID))
		}
		want := 1
		if leaves {
			a.machine.Joined(news.ID, false)
			a.machine.Joined(news.ID, false)
			if in, out := count(); in != 0 || out != 2 || a.machine.CarriedBy(news.ID) != network.Direct {
				t.Errorf("it leaves %d times", out)
			}
			want = 0
		}
		if env.Advance(2*c.Maintenance - 1); len(events[left](env)) > 0 {
			t.Error("it leaves the tree while versions still come that way")
		}
		if env.Advance(1); len(events[left](env)) != want {
			t.Error("it does not leave the tree that carries nothing any more")
		}
	}
}
