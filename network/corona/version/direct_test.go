package version

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// makeVersion lets the primary find a content and the other owners note its number, which it returns.
func (m *many) makeVersion(t *testing.T, text string) uint64 {
	t.Helper()
	const primary = "51"
	a, env := m.at(primary), m.envs[primary]
	a.content = text
	a.poll(false)
	env.Advance(200 * time.Millisecond)
	to, commits := sentBy[*Commit](m, primary)
	if len(to) != owners-1 {
		t.Fatalf("%s: %d owners are asked to note the number", text, len(to))
	}
	number := commits[0].State.Version
	for _, p := range to {
		a.machine.Receive(p, &Committed{Channel: news.ID, Version: number})
	}
	return number
}

// peers returns nodes that are no part of the ring.
func peers(count int) (list []engine.Peer) {
	for i := range count {
		list = append(list, enginetest.NewPeer(fmt.Sprintf("e%04x", i)))
	}
	return list
}

// A version is sent to each subscriber until it acknowledges, four times, and then offered over the ring, with doubling
// pauses. Only then is the subscriber given up, once. Acknowledgements of another version, and from
// others, do not count. The next version is sent as often (hostile 31).
func TestSubscribersAreSentAVersionUntilTheyAcknowledge(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env := m.at("51"), m.envs["51"]
	prompt, late, silent, stranger := m.envs["61"].Self(), m.envs["69"].Self(), m.envs["71"].Self(), m.envs["c9"].Self()
	m.subscribers = []engine.Peer{silent, prompt, late}
	var last uint64
	for _, text := range []string{"first", "second", "third"} {
		number := m.makeVersion(t, text)
		at, sent := make(map[engine.Peer][]time.Duration), make(map[engine.Peer]int)
		var dropped []Unsent
		var over time.Duration
		reached := func(p engine.Peer, version uint64) {
			at[p] = append(at[p], env.Now())
			if version != number {
				t.Errorf("%s: version %d is sent", text, version>>tagBits)
			}
			if p == prompt || p == late && len(at[late]) == directSends {
				a.machine.Receive(p, &Got{Channel: news.ID, Version: number})
				a.machine.Receive(p, &Got{Channel: news.ID, Version: number})
			}
			a.machine.Receive(silent, &Got{Channel: news.ID, Version: last})
			a.machine.Receive(silent, &Got{Channel: engine.PrefixID("51"), Version: number})
			a.machine.Receive(stranger, &Got{Channel: news.ID, Version: number})
		}
		for range 1200 {
			for _, s := range env.Sent() {
				if u, ok := s.Message.(*Update); ok {
					sent[s.To]++
					reached(s.To, u.Version)
				}
			}
			for _, o := range a.offered {
				for _, p := range m.subscribers {
					if p.ID == o.to {
						reached(p, o.version)
					}
				}
			}
			a.offered = nil
			for _, e := range events[Unsent](env) {
				dropped, over = append(dropped, e), env.Now()
			}
			env.Advance(100 * time.Millisecond)
		}
		if got := []int{len(at[prompt]), len(at[late]), len(at[silent])}; !slices.Equal(got, []int{1, directSends,
			directSends}) {
			t.Errorf("%s: it is sent or offered %v times", text, got)
		}
		if sent[silent] != directSends-1 {
			t.Errorf("%s: it is sent %d times without the ring, want 4", text, sent[silent])
		}
		if want := []Unsent{{Channel: news.ID, Version: number, To: silent}}; !slices.Equal(dropped, want) {
			t.Errorf("%s: dropped are %v, want %v", text, dropped, want)
		}
		for i, wait := 0, directAgain; i+1 < len(at[silent]); i, wait = i+1, 2*wait {
			if pause := at[silent][i+1] - at[silent][i]; pause < wait*7/8 || pause > wait+time.Second {
				t.Errorf("%s: pause %d is %v, want %v", text, i, pause, wait)
			}
		}
		if n := len(at[silent]); n > 0 && over < at[silent][n-1]+directAgain<<(directSends-1)*7/8 {
			t.Errorf("%s: it is dropped %v after it was last sent", text, over-at[silent][n-1])
		}
		last = number
		env.Advance(2 * halfHour)
	}
}

// Subscribers that fill several pages are each sent a version once, at most directBurst in a tick. Only those that have
// not acknowledged it are sent it again.
func TestManySubscribersAreSentAVersionInTurn(t *testing.T) {
	t.Parallel()
	for _, count := range []int{directPage - 1, directPage, directPage + 1, directBurst, directBurst + 1,
		3*directBurst + 5} {
		m := newMany()
		a, env := m.at("51"), m.envs["51"]
		m.subscribers = peers(count)
		number := m.makeVersion(t, "text")
		got := make(map[engine.Peer]int)
		collect := func() (sent int) {
			for _, s := range env.Sent() {
				if _, ok := s.Message.(*Update); ok {
					got[s.To]++
					sent++
				}
			}
			return sent
		}
		for left := count; left > 0; left -= directBurst {
			if n := collect(); n != min(left, directBurst) {
				t.Fatalf("%d subscribers: %d are sent it at a time, of %d that are left", count, n, left)
			}
			env.Advance(directTick)
		}
		for _, p := range m.subscribers {
			if got[p] != 1 {
				t.Fatalf("%d subscribers: one is sent it %d times", count, got[p])
			}
		}
		silent := m.subscribers[count/2]
		for _, p := range m.subscribers {
			if p != silent {
				a.machine.Receive(p, &Got{Channel: news.ID, Version: number})
			}
		}
		if env.Advance(directAgain + directTick); collect() != 1 || got[silent] != 2 {
			t.Errorf("%d subscribers: the one that has not acknowledged it is sent it %d times", count, got[silent])
		}
		a.machine.Receive(silent, &Got{Channel: news.ID, Version: number})
		if env.Advance(time.Hour); collect() != 0 || len(events[Unsent](env)) != 0 {
			t.Errorf("%d subscribers: it is sent after all have acknowledged it", count)
		}
	}
}

// Two versions are on their way at once: what acknowledges one does not acknowledge the other.
func TestEachVersionIsAcknowledgedByItself(t *testing.T) {
	t.Parallel()
	for which := range 2 {
		m := newMany()
		a, env := m.at("51"), m.envs["51"]
		m.subscribers = peers(3)
		numbers := []uint64{m.makeVersion(t, "first"), 0}
		a.configure(func(c *Config) { c.Interval = time.Second }) // the second version needs no second look
		env.Advance(time.Second)
		numbers[1] = m.makeVersion(t, "second")
		env.Sent()
		for _, p := range m.subscribers {
			a.machine.Receive(p, &Got{Channel: news.ID, Version: numbers[which]})
		}
		env.Advance(time.Hour)
		sent := make(map[uint64]bool)
		_, updates := sentBy[*Update](m, "51")
		for _, u := range updates {
			sent[u.Version] = true
		}
		if sent[numbers[which]] || !sent[numbers[1-which]] {
			t.Errorf("version %d is acknowledged: the first is sent again: %v, the second: %v", which+1,
				sent[numbers[0]], sent[numbers[1]])
		}
	}
}
