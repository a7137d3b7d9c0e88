package roster

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine/enginetest"
)

// rarely has owners compare what they have only for a reason.
func rarely(c *Config) {
	c.Maintenance, c.Renew, c.Forget = 1000*time.Hour, 3000*time.Hour, 9000*time.Hour
}

// Two owners are sent a table at the same time. When one has it, the other is still sent one message at a time.
func TestTheEndOfATransferEndsNoOther(t *testing.T) {
	v := newLone(nil, nil, "90", "a0")
	one, other := v.peers[1], v.peers[2]
	v.copy(one, subscriptionOf("d0", 1))
	v.Receive(one, &Parts{Channel: sceneNews.ID})
	v.Receive(other, &Parts{Channel: sceneNews.ID})
	begun := sent[*Entries](v)
	if len(begun) != 2 {
		t.Fatalf("%d owners are sent the table", len(begun))
	}
	v.Receive(one, &Stored{begun[0].Number})
	v.Receive(other, &Parts{Channel: sceneNews.ID})
	if more := sent[*Entries](v); len(more) > 0 {
		t.Errorf("the other owner is sent %d messages before it has stored the first", len(more))
	}
	v.Receive(other, &Stored{begun[1].Number})
	if more := sent[*Entries](v); len(more) != 1 {
		t.Errorf("when it has, it is sent %d messages; want one, as it has asked again", len(more))
	}
}

// What one owner sends is compared with the others as often each time: with those that were silent before, and with
// those that had the same.
func TestEachOwnersNewsIsCompared(t *testing.T) {
	v := newLone(nil, rarely, "90", "a0")
	v.copy(v.peers[1], subscriptionOf("d0", 1))
	v.env.Advance(time.Hour) // no owner answers, and the node stops
	for round, equal := range []bool{false, false, true, false} {
		if o := v.owned(); equal {
			o.equal = o.all() // they have said that they have the same
		}
		v.env.Sent()
		v.Receive(v.peers[1], &Entries{Channel: sceneNews.ID, URL: sceneNews.URL,
			Subscriptions: []Subscription{subscriptionOf("d0", uint64(round)+2)}})
		v.env.Advance(time.Hour)
		compared := 0
		for _, s := range v.env.Sent() {
			if _, is := s.Message.(*Digests); is && s.To == v.peers[2] {
				compared++
			}
		}
		if compared != compareTries {
			t.Errorf("round %d: the other owner is sent %d digests; want %d", round, compared, compareTries)
		}
	}
}

// A channel is not compared while its subscriptions still come, up to a bound. It is the same each time, however long
// they have come before.
func TestEachChangingTableIsWaitedFor(t *testing.T) {
	const least = compareWaits * compareWait
	v := newLone(nil, rarely, "90", "a0")
	stamp := uint64(1)
	change := func() Subscription {
		stamp++
		return subscriptionOf("d0", stamp)
	}
	v.copy(v.peers[1], change())
	v.env.Advance(time.Hour) // no owner answers, and the node stops
	for round := range 3 {
		v.env.Sent()
		v.Receive(v.peers[1], &Entries{Channel: sceneNews.ID, URL: sceneNews.URL,
			Subscriptions: []Subscription{change()}})
		began := v.env.Now()
		compared := func() bool {
			return slices.ContainsFunc(v.env.Sent(), func(s enginetest.Sent) bool {
				_, is := s.Message.(*Digests)
				return is
			})
		}
		for !compared() && v.env.Now() < began+time.Minute {
			v.copy(v.peers[1], change())
			v.env.Advance(compareWait / 4)
		}
		if after := v.env.Now() - began; after < least || after > least+4*compareWait {
			t.Errorf("round %d: a table that changes all the time is compared after %v; want %v, and a little more",
				round, after, time.Duration(least))
		}
		answer := v.owned().digest()
		answer.Answer = true
		for _, owner := range v.peers[1:] {
			v.Receive(owner, &Digests{[]Digest{answer}})
		}
		v.env.Advance(time.Hour)
	}
}

// Silent owners are compared with in each round, and as often in each.
func TestSilentOwnersAreComparedInEachRound(t *testing.T) {
	const rounds = 10
	v := newLone(nil, func(c *Config) {
		rarely(c)
		c.Maintenance = time.Hour
	}, "90")
	v.copy(v.peers[1], subscriptionOf("d0", 1))
	for round := range rounds {
		v.env.Advance(time.Hour)
		if n := len(sent[*Digests](v)); n < compareTries/2 || n > 2*compareTries {
			t.Errorf("round %d: a silent owner is sent %d digests; want about %d", round, n, compareTries)
		}
	}
}
