package roster

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// lone is a roster in a world that the test plays. It is node 50, on a ring of peers.
type lone struct {
	*Roster
	env    *enginetest.Env
	peers  []engine.Peer // on the ring; this node need not be among them
	routed []engine.Message
	far    bool // owners are beyond this node's neighbours
}

func newLone(keys engine.Keys, change func(*Config), others ...string) *lone {
	return newLoneWith(testHost{}, keys, change, others...)
}

func newLoneWith(host Host, keys engine.Keys, change func(*Config), others ...string) *lone {
	v := &lone{env: enginetest.NewEnv(enginetest.NewPeer("50"))}
	v.peers = []engine.Peer{v.env.Self()}
	for _, digits := range others {
		v.peers = append(v.peers, enginetest.NewPeer(digits))
	}
	c := testConfig()
	if change != nil {
		change(&c)
	}
	v.Roster = New(machine.Base{Env: v.env, Ring: v, Keys: keys}, host, c)
	return v
}

func (v *lone) Active() bool { return true }
func (v *lone) Nodes() int   { return len(v.peers) }

func (v *lone) Route(_ engine.ID, m engine.Message) { v.routed = append(v.routed, m) }

func (v *lone) Owners(key engine.ID, k int) ([]engine.Peer, bool) {
	all := slices.Clone(v.peers)
	slices.SortFunc(all, func(a, b engine.Peer) int {
		if engine.Closer(key, a.ID, b.ID) {
			return -1
		}
		return 1
	})
	return all[:min(k, len(all))], !v.far
}

func (v *lone) Contacts(int) []engine.Peer                 { return nil }
func (v *lone) WedgeContacts(engine.ID, int) []engine.Peer { return nil }
func (v *lone) Knows(engine.ID) bool                       { return true }
func (v *lone) Patience() time.Duration                    { return 0 }
func (v *lone) OnNeighbours(func())                        {}

// owned returns the record of the news.
func (v *lone) owned() *Owned { return v.Find(sceneNews.ID) }

// sent returns the messages of one kind that were sent and routed since the last call.
func sent[M engine.Message](v *lone) (list []M) {
	for _, s := range v.env.Sent() {
		if m, ok := s.Message.(M); ok {
			list = append(list, m)
		}
	}
	for _, m := range v.routed {
		if m, ok := m.(M); ok {
			list = append(list, m)
		}
	}
	v.routed = nil
	return list
}

// copy sends subscriptions to the news from another owner.
func (v *lone) copy(from engine.Peer, list ...Subscription) {
	v.Receive(from, &Copies{Number: 1, Copies: []Copy{{Channel: sceneNews.ID, URL: sceneNews.URL,
		Subscriptions: list}}})
}

// subscriptionOf returns a subscription of a node to the news, signed.
func subscriptionOf(digits string, stamp uint64) Subscription {
	s := Subscription{Node: enginetest.NewPeer(digits), Count: 1, Stamp: stamp}
	s.Signature = sceneKeys{s.Node.ID}.Sign(s.Words(sceneNews.ID))
	return s
}

// Stamps are accepted up to a day ahead of the calendar, and ages up to Config.Forget.
func TestAcceptedStampsAndAges(t *testing.T) {
	for name, c := range map[string]struct {
		ahead    time.Duration
		age      time.Duration
		accepted bool
	}{
		"now":            {0, 0, true},
		"a day ahead":    {machine.MaxAhead, 0, true},
		"more":           {machine.MaxAhead + time.Millisecond, 0, false},
		"old":            {0, testConfig().Forget, true},
		"long forgotten": {0, testConfig().Forget + time.Second, false},
	} {
		v := newLone(nil, nil, "90")
		s := subscriptionOf("d0", uint64(v.env.Wall().Add(c.ahead).UnixMilli()))
		s.Age = uint32(c.age / time.Second)
		if v.copy(v.peers[1], s); (v.owned() != nil) != c.accepted {
			t.Errorf("%s: accepted is not %v", name, c.accepted)
		}
	}
}

// A subscription was not checked, as the table had it. It is refused if the table has lost it by the time that the
// others have been checked.
func TestUncheckedSubscriptionIsNotAcceptedLater(t *testing.T) {
	v := newLone(sceneKeys{enginetest.NewPeer("50").ID}, nil, "90")
	v.copy(v.peers[1], subscriptionOf("d0", 10))
	forged := subscriptionOf("d0", 10)
	forged.Signature = nil
	list := []Subscription{forged}
	for i := range 40 {
		list = append(list, subscriptionOf(fmt.Sprintf("%02x", i), 1))
	}
	v.copy(v.peers[1], list...)
	v.removeEntry(v.owned(), 0)
	if v.env.RunWork() != 1 || v.owned().Entries() != 40 {
		t.Errorf("%d entries", v.owned().Entries())
	}
}

// A primary without other owners waits for no reports.
func TestTheOnlyOwnerIsInformedAtOnce(t *testing.T) {
	v := newLone(nil, nil)
	v.copy(v.env.Self(), subscriptionOf("d0", 1))
	if v.env.Advance(2 * time.Second); !v.owned().Informed() {
		t.Error("it waits")
	}
}

// A node that leaves does not forget what has come since it began to hand over.
func TestWhatComesDuringAHandoverIsHandedOver(t *testing.T) {
	for _, late := range []bool{false, true} {
		v := newLone(nil, func(c *Config) { c.Owners = 1 })
		owner := enginetest.NewPeer("51")
		v.copy(owner, subscriptionOf("d0", 1))
		v.peers = []engine.Peer{owner}
		v.Reassess(v.owned())
		v.Receive(owner, &Parts{Channel: sceneNews.ID})
		if late {
			v.copy(owner, subscriptionOf("d1", 1))
		}
		for _, m := range sent[*Entries](v) {
			v.Receive(owner, &Stored{m.Number})
		}
		if (v.owned() != nil) != late {
			t.Errorf("something came: %v, and the channel is held: %v", late, v.owned() != nil)
		}
	}
}

// Only the owner that was sent copies can say that they are stored, and only once. When both owners have said so, the
// subscription is acknowledged, and nothing waits any more.
func TestReceipts(t *testing.T) {
	v := newLone(nil, nil, "90", "a0")
	s := subscriptionOf("d0", 1)
	ask := &Subscribe{Node: s.Node, Wanted: []Wanted{{Channel: sceneNews.ID, URL: sceneNews.URL, Count: 1, Stamp: 1}}}
	v.Receive(s.Node, ask)
	v.env.Advance(time.Second)
	answer := func(from func(to engine.Peer) engine.Peer) (acknowledged int) {
		for _, m := range v.env.Sent() {
			if c, ok := m.Message.(*Copies); ok {
				v.Receive(from(m.To), &Stored{c.Number})
			}
		}
		return len(sent[*Subscribed](v))
	}
	if answer(func(engine.Peer) engine.Peer { return s.Node }) != 0 || v.intake.waiting != 1 {
		t.Error("anybody can say that copies are stored")
	}
	v.env.Advance(2 * time.Second) // they are sent again
	for _, m := range v.env.Sent() {
		for range 2 { // its answer is doubled
			if c, ok := m.Message.(*Copies); ok && m.To == v.peers[1] {
				v.Receive(m.To, &Stored{c.Number})
			}
		}
	}
	if len(sent[*Subscribed](v)) != 0 || v.intake.waiting != 1 {
		t.Error("it is acknowledged when one of two owners has stored it")
	}
	v.env.Advance(4 * time.Second)
	if answer(func(to engine.Peer) engine.Peer { return to }) != 1 || v.intake.waiting != 0 {
		t.Errorf("it is not acknowledged; %d wait", v.intake.waiting)
	}
	v.intake.waiting = maxReceipts
	ask.Wanted[0].Stamp = 2
	if v.Receive(s.Node, ask); v.owned().readers.entries[0].stamp != 1 {
		t.Error("more are accepted than may wait")
	}
}

// Beyond the bound of transfers nothing is begun.
func TestTransfersAreBounded(t *testing.T) {
	v := newLone(nil, nil, "90", "a0")
	v.copy(v.peers[1], subscriptionOf("d0", 1))
	v.comparer.transfers = maxTransfers - 1
	v.Receive(v.peers[1], &Parts{Channel: sceneNews.ID})
	v.Receive(v.peers[2], &Parts{Channel: sceneNews.ID})
	if n := len(sent[*Entries](v)); n != 1 {
		t.Errorf("%d transfers were begun", n)
	}
}

// An owner that answers slowly is sent one message at a time, however often it asks. Later changes follow.
func TestRequestsJoinATransfer(t *testing.T) {
	v := newLone(nil, nil, "90")
	owner := v.peers[1]
	v.copy(owner, subscriptionOf("d0", 1))
	for range 3 {
		v.Receive(owner, &Parts{Channel: sceneNews.ID})
	}
	v.copy(owner, subscriptionOf("d1", 1))
	v.Receive(owner, &Parts{Channel: sceneNews.ID})
	first := sent[*Entries](v)
	if len(first) != 1 || len(first[0].Subscriptions) != 1 {
		t.Fatalf("sent at once: %d messages %+v", len(first), first)
	}
	v.Receive(owner, &Stored{first[0].Number})
	second := sent[*Entries](v)
	if len(second) != 1 || len(second[0].Subscriptions) != 2 {
		t.Fatalf("sent next: %d messages %+v", len(second), second)
	}
	v.Receive(owner, &Stored{second[0].Number})
	if third := sent[*Entries](v); len(third) != 0 || v.comparer.transfers != 0 {
		t.Errorf("sent at the end: %+v, and %d transfers are under way", third, v.comparer.transfers)
	}
}

// The state of a channel that changes while a transfer without entries is under way is sent as well.
func TestAStateJoinsATransfer(t *testing.T) {
	v := newLone(nil, nil, "90")
	owner := v.peers[1]
	v.copy(owner, subscriptionOf("d0", 1))
	for sum, stamp := v.owned().readers.sum, uint64(0); stamp < 2; stamp++ {
		v.owned().SetState(1, stamp)
		v.Receive(owner, &Parts{Channel: sceneNews.ID, Sums: []uint64{sum}})
	}
	for range 2 {
		all := sent[*Entries](v)
		if len(all) != 1 {
			t.Fatalf("%d messages where the state was asked for twice", len(all))
		}
		v.Receive(owner, &Stored{all[0].Number})
	}
	if all := sent[*Entries](v); len(all) != 0 {
		t.Errorf("sent at the end: %+v", all)
	}
}

// No more subscriptions are under way than may be, and an answer makes room for the next.
func TestSubscriptionsUnderWayAreBounded(t *testing.T) {
	v := newLone(nil, func(c *Config) { c.MaxUnacked = 3 }, "90")
	for i := range 5 {
		v.Subscribe(channel(i), "", 1)
	}
	v.env.Advance(time.Second)
	var wanted []Wanted
	for _, m := range sent[*Subscribe](v) {
		wanted = append(wanted, m.Wanted...)
	}
	if len(wanted) != 3 {
		t.Fatalf("%d are under way", len(wanted))
	}
	v.acknowledgeTo(v.peers[1], wanted[0])
	v.env.Advance(time.Second)
	if n := len(sent[*Subscribe](v)); n != 1 || v.Unacknowledged() != 4 {
		t.Errorf("%d are sent, %d not acknowledged", n, v.Unacknowledged())
	}
}

// acknowledgeTo has an owner acknowledge what this node wants.
func (v *lone) acknowledgeTo(owner engine.Peer, w Wanted) {
	v.Receive(owner, &Subscribed{[]Acknowledged{{Channel: w.Channel, Outside: w.Outside, Stamp: w.Stamp,
		Count: w.Count}}})
}

// next returns the first subscription that is sent from now on, within that time.
func (v *lone) next(t *testing.T, within time.Duration) Wanted {
	t.Helper()
	v.env.Advance(within)
	list := sent[*Subscribe](v)
	if len(list) == 0 {
		t.Fatalf("nothing is sent in %v", within)
	}
	return list[0].Wanted[0]
}

// Owners report stamps. An absurd one is not believed. If this node's own is refused, as it is too far ahead, stamps
// follow the calendar again, but not time and again.
func TestStampsThatOwnersReport(t *testing.T) {
	v := newLone(nil, nil, "90")
	owner := v.peers[1]
	v.Subscribe(sceneNews, "", 1)
	w := v.next(t, time.Second)
	v.Receive(owner, &Subscribed{[]Acknowledged{{Channel: w.Channel, Stamp: maxStamp/2 + 1, Count: 1}}})
	if again := v.next(t, 10*time.Second); again.Stamp != w.Stamp {
		t.Fatalf("stamp %d after an absurd one", again.Stamp)
	}
	far := uint64(v.env.Wall().Add(72 * time.Hour).UnixMilli())
	v.Receive(owner, &Subscribed{[]Acknowledged{{Channel: w.Channel, Stamp: far, Count: 1}}})
	ahead := v.next(t, time.Second)
	if ahead.Stamp <= far {
		t.Fatalf("stamp %d, where the owner holds %d", ahead.Stamp, far)
	}
	refuse := func(w Wanted) Wanted {
		v.Receive(owner, &Subscribed{[]Acknowledged{{Channel: w.Channel, Stamp: w.Stamp, Refused: true}}})
		v.env.Advance(time.Second)
		if list := sent[*Subscribe](v); len(list) > 0 {
			return list[0].Wanted[0]
		}
		return Wanted{}
	}
	if back := refuse(ahead); back.Stamp == 0 || back.Stamp > latestStamp(v.Ownership.Env.Wall()) {
		t.Errorf("stamp %d after the calendar's was asked for", back.Stamp)
	}
	v.Receive(owner, &Subscribed{[]Acknowledged{{Channel: w.Channel, Stamp: far + 10, Count: 1}}})
	if again := refuse(v.next(t, time.Second)); again.Stamp != 0 {
		t.Error("the clock is put back time and again")
	}
}

// If another node claims to be the primary, the subscription is renewed, unless it is under way. It goes straight to a
// node that is farther from the channel. It goes over the ring if the previous primary was closer, as that has died.
func TestMoveHome(t *testing.T) {
	closer, farther := enginetest.NewPeer("5001"), enginetest.NewPeer("90")
	for name, c := range map[string]struct {
		home, primary        engine.Peer
		acknowledged         bool
		renewed, overTheRing bool
	}{
		"another that is farther":   {closer, farther, true, true, true},
		"another that is closer":    {farther, closer, true, true, false},
		"the same":                  {closer, closer, true, false, false},
		"before an acknowledgement": {closer, farther, false, false, false},
	} {
		v := newLone(nil, nil, "90", "5001")
		v.Subscribe(sceneNews, "", 1)
		w := v.next(t, time.Second)
		if c.acknowledged {
			v.acknowledgeTo(c.home, w)
		}
		v.MoveHome(sceneNews.ID, c.primary)
		v.env.Advance(3 * time.Second)
		overTheRing := len(v.routed) > 0
		if renewed := len(sent[*Subscribe](v)) > 0; renewed != c.renewed || overTheRing != c.overTheRing {
			t.Errorf("%s: renewed %v, over the ring %v", name, renewed, overTheRing)
		}
	}
}

// If nodes renew every few seconds, the loss of the acknowledging node delays nothing, nor do other owners learn late
// of a renewal.
func TestRenewalsAreAsQuickAsTheirPace(t *testing.T) {
	const renew = 8 * time.Second
	quick := func(c *Config) { c.Maintenance, c.Renew, c.Forget = renew/2, renew, 3*renew }
	for seed := range 20 {
		v := newLone(nil, quick, "90")
		v.env.Advance(time.Duration(seed) * time.Second)
		v.Subscribe(channel(1), "", 1)
		v.acknowledgeTo(v.peers[1], v.next(t, time.Second))
		v.PeerDown(v.peers[1])
		v.next(t, renew*9/8+time.Second)
	}
	v := newLone(nil, quick, "90")
	for stamp := range uint64(2) {
		v.Receive(enginetest.NewPeer("d0"), &Subscribe{Node: enginetest.NewPeer("d0"),
			Wanted: []Wanted{{Channel: sceneNews.ID, URL: sceneNews.URL, Count: 1, Stamp: 1 + stamp,
				Renewed: stamp > 0}}})
		v.env.Advance(renew / 8)
		if copies := sent[*Copies](v); len(copies) == 0 {
			t.Errorf("stamp %d is not copied in time", 1+stamp)
		}
	}
}

// At a quicker pace subscriptions are renewed in the new time, and none of others is dropped for what it did by the old
// one.
func TestANewPace(t *testing.T) {
	v := newLone(nil, nil, "90")
	v.Subscribe(channel(1), "", 1)
	v.acknowledgeTo(v.peers[1], v.next(t, time.Second))
	v.copy(v.peers[1], subscriptionOf("d0", 1), subscriptionOf("d1", 1))
	v.env.Advance(time.Hour)
	c := testConfig()
	c.Maintenance, c.Renew, c.Forget = c.Maintenance/60, c.Renew/60, c.Forget/60
	sent[*Subscribe](v)
	v.Reconfigure(c)
	v.next(t, c.Renew*9/8)
	if v.env.Advance(c.Forget - c.Renew*9/8 - time.Second); v.owned() == nil || v.owned().Entries() != 2 {
		t.Error("a subscription is forgotten at once")
	}
	if v.env.Advance(2 * c.Maintenance); v.owned() != nil {
		t.Error("a subscription that is not renewed is kept")
	}
}

// A channel known only by its ID, as this node has disowned it, is subscribed to with its URL.
func TestSubscribeToWhatWasDisowned(t *testing.T) {
	v := newLone(nil, nil, "90")
	v.Disown(sceneNews.ID, "", 1)
	if w := v.next(t, time.Second); w.Count != 0 || w.URL != "" {
		t.Fatalf("it is disowned by %+v", w)
	}
	v.Subscribe(sceneNews, "", 1)
	if w := v.next(t, time.Second); w.Count != 1 || w.URL != sceneNews.URL {
		t.Errorf("it is subscribed to by %+v", w)
	}
}

// A new owner is informed as soon as all others have sent what they know. One that has dropped a channel is its primary
// no longer.
func TestInformedWhenAllHaveReported(t *testing.T) {
	v := newLone(nil, nil, "90", "a0")
	v.copy(v.peers[1], subscriptionOf("d0", 1))
	o := v.owned()
	v.Receive(v.peers[1], &Parts{Channel: sceneNews.ID})
	if o.Informed() {
		t.Error("it is informed by one of two")
	}
	if v.Receive(v.peers[2], &Parts{Channel: sceneNews.ID}); !o.Informed() || !o.Primary() {
		t.Error("it is not informed by both")
	}
	if v.forget(o); !o.Gone() || o.Primary() {
		t.Error("it is the primary of what it has forgotten")
	}
}

// An owner and a node that leaves a channel far from it agree if they have the same subscriptions and the owner's state
// is not older. That node merges no state of an owner that it does not know as one. A near node is sent the newer
// state.
func TestDigestsOfNodesFarAway(t *testing.T) {
	var others []string
	for i := range machine.Neighbourhood {
		others = append(others, fmt.Sprintf("50%02x", i))
	}
	near := enginetest.NewPeer(others[3])
	for _, c := range []struct {
		name   string
		from   engine.Peer
		stamp  uint64
		agrees bool
	}{
		{"far, an older state", enginetest.NewPeer("d0"), 2, true},
		{"far, the same", enginetest.NewPeer("d0"), 5, true},
		{"far, a newer one", enginetest.NewPeer("d0"), 9, false},
		{"near, an older one", near, 2, false},
	} {
		v := newLone(nil, nil, others...)
		v.copy(near, subscriptionOf("e0", 10))
		o := v.owned()
		o.SetState(3, 5)
		o.equal = o.all()
		v.env.Sent()
		v.Receive(c.from, &Digests{[]Digest{{Channel: o.ID(), Sum: o.readers.sum, Version: 3, Stamp: c.stamp,
			Entries: 1}}})
		v.env.Advance(time.Second)
		answers, parts := 0, 0
		for _, s := range v.env.Sent() {
			switch s.Message.(type) {
			case *Digests:
				answers++
			case *Parts:
				parts++
			}
		}
		if c.agrees && (answers != 1 || parts != 0) || !c.agrees && (answers != 0 || parts != 1) {
			t.Errorf("%s: %d answers, %d times parts", c.name, answers, parts)
		}
	}
}

// A node that leaves a channel far from it drops it once the owner has all its subscriptions, and a state that is not
// older.
func TestLeavingAChannelFarAway(t *testing.T) {
	for stamp, forgets := range map[uint64]bool{4: false, 5: true, 9: true} {
		v := newLone(nil, nil, "90")
		v.copy(v.peers[1], subscriptionOf("e0", 10))
		o := v.owned()
		o.SetState(3, 5)
		v.peers, v.far = v.peers[1:], true
		v.RecheckOwners()
		v.env.Advance(5 * time.Second)
		v.Receive(v.peers[0], &Digests{[]Digest{{Channel: o.ID(), Sum: o.readers.sum, Version: 3, Stamp: stamp,
			Entries: 1, Answer: true}}})
		if (v.owned() == nil) != forgets {
			t.Errorf("the owner's stamp is %d: it is forgotten: %v", stamp, v.owned() == nil)
		}
	}
}

// One owner holds a subscription, and another its end with a higher stamp, as a calendar was set back in between. The
// subscriber is asked, whichever of the two comes second.
func TestSubscriberIsAskedWhetherItHasEnded(t *testing.T) {
	live, ended := subscriptionOf("d0", 100), subscriptionOf("d0", 200)
	ended.Count = 0
	ended.Signature = sceneKeys{ended.Node.ID}.Sign(ended.Words(sceneNews.ID))
	newer, older := subscriptionOf("d0", 300), ended
	tooFar := ended // as a liar may say: a node that continued from there would be refused
	tooFar.Stamp = latestStamp(newLone(nil, nil).Ownership.Env.Wall()) + 1
	for _, c := range []struct {
		name          string
		first, second Subscription
		asked         bool
	}{
		{"it has ended, says the second", live, ended, true},
		{"it has ended, says the first", ended, live, true},
		{"it has begun again", older, newer, false},
		{"it had not begun yet", newer, older, false},
		{"its end is too far ahead", live, tooFar, false},
		{"both know the same", live, live, false},
		{"both know that it has ended", ended, ended, false},
	} {
		v := newLone(nil, nil, "90")
		v.copy(v.peers[1], c.first)
		v.env.Sent()
		v.Receive(v.peers[1], &Entries{Channel: sceneNews.ID, URL: sceneNews.URL,
			Subscriptions: []Subscription{c.second}, Number: 7})
		var asked []Acknowledged
		for _, m := range sent[*Subscribed](v) {
			asked = append(asked, m.Entries...)
		}
		switch {
		case c.asked && (len(asked) != 1 || asked[0].Channel != sceneNews.ID || asked[0].Stamp != 200 ||
			asked[0].Count != 0):
			t.Errorf("%s: it is asked by %+v", c.name, asked)
		case !c.asked && len(asked) > 0:
			t.Errorf("%s: it is asked by %+v", c.name, asked)
		}
	}
}

// A full message to another owner goes at once, the rest after a tenth of a second, and each subscription goes once to
// each.
func TestCopiesGoWhenTheirMessageIsFull(t *testing.T) {
	v := newLone(nil, nil, "90", "a0")
	subscribe := func(from, to int) {
		for i := from; i < to; i++ {
			p := enginetest.NewPeer(fmt.Sprintf("d%03x", i))
			v.Receive(p, &Subscribe{Node: p, Wanted: []Wanted{{Channel: sceneNews.ID, URL: sceneNews.URL, Count: 1,
				Stamp: 1}}})
		}
	}
	copies := func() (lengths []int) {
		for _, m := range sent[*Copies](v) {
			n := 0
			for _, c := range m.Copies {
				n += len(c.Subscriptions)
			}
			lengths = append(lengths, n)
			v.Receive(v.peers[1], &Stored{m.Number})
			v.Receive(v.peers[2], &Stored{m.Number})
		}
		return lengths
	}
	for round := range 2 { // the second time is as the first
		first := round * 200
		if subscribe(first, first+63); len(copies()) > 0 {
			t.Fatalf("round %d: they go before the message is full", round)
		}
		if subscribe(first+63, first+64); !slices.Equal(copies(), []int{64, 64}) {
			t.Fatalf("round %d: a full message does not go at once", round)
		}
		if subscribe(first+64, first+70); len(copies()) > 0 {
			t.Fatalf("round %d: they go before the message is full", round)
		}
		v.env.Advance(200 * time.Millisecond)
		if got := copies(); !slices.Equal(got, []int{6, 6}) {
			t.Fatalf("round %d: then messages of %v go, not of 6 to each", round, got)
		}
		v.env.Advance(20 * time.Second)
		if got := copies(); len(got) > 0 {
			t.Fatalf("round %d: messages of %v go again", round, got)
		}
	}
}

// MaxPerNode bounds the entries of a node, with those outside the network. Dropped ones make room for as many, however
// often.
func TestRoomOfANodeComesBack(t *testing.T) {
	const most = 5
	v := newLone(nil, func(c *Config) { c.MaxPerNode, c.Owners = most, 1 })
	p := enginetest.NewPeer("d0")
	ask := func(outside string, count uint32, stamp uint64) (refused bool) {
		v.Receive(p, &Subscribe{Node: p, Wanted: []Wanted{{Channel: sceneNews.ID, URL: sceneNews.URL, Outside: outside,
			Count: count, Stamp: stamp}}})
		v.env.Advance(time.Second)
		answers := sent[*Subscribed](v)
		if len(answers) != 1 || len(answers[0].Entries) != 1 {
			t.Fatalf("%d answers", len(answers))
		}
		return answers[0].Entries[0].Refused
	}
	for round := range uint64(4) {
		for i := range most + 2 {
			outside := ""
			if i > 0 {
				outside = fmt.Sprintf("xmpp:%d-%d@example", round, i)
			}
			if refused := ask(outside, 1, 2*round+1); refused != (i >= most) {
				t.Fatalf("round %d: subscription %d: refused is %v", round, i, refused)
			}
		}
		o := v.owned()
		for o.Entries() > 1 { // the node's own stays
			v.tables.removeEntry(o, o.Entries()-1)
		}
	}
}

// The primary's changes are sent to all other owners, though they had the same before, and equally often each time to
// those that are silent.
func TestRestateComparesAnew(t *testing.T) {
	rarely := func(c *Config) { c.Maintenance, c.Renew, c.Forget = 1000*time.Hour, 3000*time.Hour, 9000*time.Hour }
	v := newLone(nil, rarely, "90", "a0")
	v.copy(v.peers[1], subscriptionOf("d0", 1))
	v.env.Advance(time.Hour) // no owner answers, and the node stops
	o := v.owned()
	sent[*Digests](v)
	const times = 8
	for round := range 3 {
		if round == 2 {
			o.equal = o.all() // they have said that they have the same
		}
		before := o.Stamp()
		v.Restate(o.ID())
		stamp := o.Stamp()
		if stamp != before+1 {
			t.Errorf("round %d: the state's stamp goes from %d to %d", round, before, stamp)
		}
		v.env.Advance(v.config.Maintenance/8 + time.Hour)
		notified := make(map[engine.ID]int)
		for _, s := range v.env.Sent() {
			if m, ok := s.Message.(*Digests); ok && m.Digests[0].Stamp == stamp {
				notified[s.To.ID]++
			}
		}
		if one, other := notified[v.peers[1].ID], notified[v.peers[2].ID]; one != times || other != times {
			t.Errorf("round %d: they are sent it %d and %d times, not %d", round, one, other, times)
		}
	}
}

// reporting is a host that records another owner's reports.
type reporting struct {
	testHost
	reported *[]Subscription
}

func (h reporting) Reported(_ *Owned, s *Subscription) { *h.reported = append(*h.reported, *s) }

// A primary learns of each subscriber that another owner knows and it does not, and of each with a newer subscription
// there. That owner may have acknowledged it as the primary, after all were notified of this one: it is notified again.
// Entries of both owners cause no notice.
func TestSubscribersThatRenewedElsewhereAreReported(t *testing.T) {
	for name, c := range map[string]struct {
		here, there []Subscription
		reported    bool
	}{
		"unknown here": {nil, []Subscription{subscriptionOf("d0", 10)}, true},
		"newer there":  {[]Subscription{subscriptionOf("d0", 9)}, []Subscription{subscriptionOf("d0", 10)}, true},
		"the same":     {[]Subscription{subscriptionOf("d0", 10)}, []Subscription{subscriptionOf("d0", 10)}, false},
		"newer here":   {[]Subscription{subscriptionOf("d0", 11)}, []Subscription{subscriptionOf("d0", 10)}, false},
		"forged elsewhere": {[]Subscription{subscriptionOf("d0", 9)},
			[]Subscription{{Node: enginetest.NewPeer("d0"), Count: 1, Stamp: 10}}, false},
	} {
		var reported []Subscription
		v := newLoneWith(reporting{reported: &reported}, sceneKeys{enginetest.NewPeer("50").ID}, nil, "90")
		v.copy(v.peers[1], append(slices.Clone(c.here), subscriptionOf("d1", 1))...)
		if v.env.RunWork(); len(reported) != len(c.here)+1 {
			t.Errorf("%s: of another owner's copies %d are reported", name, len(reported))
		}
		reported = nil
		v.Receive(v.peers[1], &Entries{Channel: sceneNews.ID, URL: sceneNews.URL, Subscriptions: c.there, Number: 7})
		v.env.RunWork()
		if (len(reported) > 0) != c.reported || c.reported && reported[0].Stamp != 10 {
			t.Errorf("%s: reported are %+v", name, reported)
		}
		reported = nil
		v.copy(v.peers[1], subscriptionOf("d0", 8))
		if v.env.RunWork(); len(c.here)+len(c.there) > 1 && len(reported) > 0 {
			t.Errorf("%s: a stale copy is reported", name)
		}
	}
}

// A subscription to a channel of another primary is passed on, and each time counted, until it was passed on maxPassed
// times. Nodes that differ about the ring do not pass it to and fro for ever.
func TestASubscriptionIsPassedOnAFewTimes(t *testing.T) {
	for _, far := range []bool{false, true} {
		v := newLone(nil, nil, "51")
		v.far = far
		v.peers = v.peers[1:] // another node is the primary
		passed := 0
		m := &Subscribe{Node: enginetest.NewPeer("d0"),
			Wanted: []Wanted{{Channel: sceneNews.ID, URL: sceneNews.URL, Count: 1,
				Stamp: 1}}}
		for m != nil && passed <= 2*maxPassed {
			v.Deliver(sceneNews.ID, m.Node, m)
			on := sent[*Subscribe](v)
			m = nil
			if len(on) > 0 {
				m = on[0]
				passed++
			}
		}
		if passed != maxPassed {
			t.Errorf("beyond the neighbours: %v: it is passed on %d times; want %d", far, passed, maxPassed)
		}
	}
}

// Subscriptions that are due together go in messages of at most maxWanted, be it over the ring or straight to the owner
// that has acknowledged them. Each goes once.
func TestMessagesOfManySubscriptions(t *testing.T) {
	const all = 2*maxWanted + 2
	v := newLone(nil, func(c *Config) { c.MaxUnacked = 2 * all }, "90")
	for i := range all {
		v.Subscribe(channel(i), "", 1)
	}
	for _, way := range []string{"over the ring", "to the owner"} {
		var lengths []int
		seen := make(map[engine.ID]bool)
		messages := sent[*Subscribe](v)
		for end := v.env.Now() + testConfig().Renew*9/8; len(messages) == 0 && v.env.Now() < end; {
			v.env.Advance(time.Second)
			messages = sent[*Subscribe](v)
		}
		for _, m := range messages {
			lengths = append(lengths, len(m.Wanted))
			for _, w := range m.Wanted {
				seen[w.Channel] = true
			}
			for _, w := range m.Wanted {
				v.acknowledgeTo(v.peers[1], w)
			}
		}
		if !slices.Equal(lengths, []int{maxWanted, maxWanted, 2}) || len(seen) != all {
			t.Errorf("%s: %d subscriptions go in messages of %v", way, len(seen), lengths)
		}
	}
}

// ending is a host that counts the channels of which the last subscription has ended.
type ending struct {
	testHost
	ended *int
}

func (h ending) Unsubscribed(engine.ID) { *h.ended++ }

// A channel is subscribed to until the last of its subscriptions has ended, whatever the order. The host is notified of
// that once.
func TestTheLastOfSeveralSubscriptions(t *testing.T) {
	addresses := []string{"", "xmpp:a@example", "xmpp:b@example"}
	for first := range addresses {
		ended := 0
		v := newLoneWith(ending{ended: &ended}, nil, nil, "90")
		for _, outside := range addresses {
			v.Subscribe(sceneNews, outside, 2)
		}
		for i := range addresses {
			if readers := v.Readers(sceneNews.ID); !v.Subscribed(sceneNews.ID) || readers != 2*(3-i) || ended != 0 {
				t.Errorf("after the end of %d of 3: %d readers, and %d ends are reported", i, readers, ended)
			}
			v.Unsubscribe(sceneNews.ID, addresses[(first+i)%3])
		}
		v.Unsubscribe(sceneNews.ID, "")
		if v.Subscribed(sceneNews.ID) || ended != 1 {
			t.Errorf("all have ended: subscribed is %v, and %d ends are reported", v.Subscribed(sceneNews.ID), ended)
		}
	}
}

// The home of a channel is the owner that has acknowledged any of its subscriptions, as long as that answers.
func TestHome(t *testing.T) {
	v := newLone(nil, nil, "90", "a0")
	home := func(want engine.Peer) {
		t.Helper()
		if p, ok := v.Home(sceneNews.ID); p != want || ok == want.IsZero() {
			t.Errorf("the home is %v, %v; want %v", p, ok, want)
		}
	}
	home(engine.Peer{})
	v.Subscribe(sceneNews, "", 1)
	v.Subscribe(sceneNews, "xmpp:a@example", 1)
	v.env.Advance(time.Second)
	wanted := sent[*Subscribe](v)[0].Wanted
	home(engine.Peer{})
	v.acknowledgeTo(v.peers[1], wanted[1])
	home(v.peers[1])
	v.acknowledgeTo(v.peers[2], wanted[0])
	home(v.peers[2])
	v.PeerDown(v.peers[2])
	home(v.peers[1])
	v.PeerDown(v.peers[1])
	home(engine.Peer{})
}

// A count below one ends a subscription, and begins none.
func TestACountBelowOneEndsASubscription(t *testing.T) {
	v := newLone(nil, nil, "90")
	for _, count := range []int{0, -1} {
		v.Subscribe(sceneNews, "", count)
		v.env.Advance(time.Minute)
		if all := sent[*Subscribe](v); len(all) > 0 {
			t.Errorf("count %d: %+v is sent for a channel without subscription", count, all[0])
		}
		v.Subscribe(sceneNews, "", 1)
		v.acknowledgeTo(v.peers[1], v.next(t, time.Second))
		v.Subscribe(sceneNews, "", count)
		w := v.next(t, time.Second)
		if w.Count != 0 || v.Subscribed(sceneNews.ID) {
			t.Errorf("count %d: %+v is sent for the end of a subscription", count, w)
		}
		v.acknowledgeTo(v.peers[1], w)
	}
}

// Only a node whose subscription has readers subscribes. A sample has each signed subscription with readers as its node
// has signed it.
func TestEndedSubscriptionsProveNothing(t *testing.T) {
	v := newLone(sceneKeys{enginetest.NewPeer("50").ID}, nil, "90")
	ended := subscriptionOf("d1", 20)
	ended.Count = 0
	ended.Signature = sceneKeys{ended.Node.ID}.Sign(ended.Words(sceneNews.ID))
	many := subscriptionOf("d2", 30)
	many.Count = uint32(testConfig().MaxCount) + 1
	many.Signature = sceneKeys{many.Node.ID}.Sign(many.Words(sceneNews.ID))
	v.copy(v.peers[1], subscriptionOf("d0", 10), ended, many)
	v.env.RunWork()
	v.env.Advance(time.Hour)
	sample := v.Sample(v.owned(), 7)
	slices.SortFunc(sample, func(a, b Subscription) int { return a.Node.ID.Compare(b.Node.ID) })
	if want := []Subscription{subscriptionOf("d0", 10), many}; !reflect.DeepEqual(sample, want) {
		t.Errorf("the sample is %+v, want %+v", sample, want)
	}
	for digits, subscribes := range map[string]bool{"d0": true, "d1": false, "d2": true, "d3": false} {
		if v.Subscribes(sceneNews.ID, enginetest.NewPeer(digits)) != subscribes {
			t.Errorf("that %s subscribes is not %v", digits, subscribes)
		}
	}
}

// After a change of neighbours a node asks the ring about each of its channels, however many they are, but not about
// all at once.
func TestAllChannelsAreReassessed(t *testing.T) {
	const all = reassessedAtOnce + 10
	v := newLone(nil, nil, "90")
	m := &Copies{}
	for i := range all {
		c := channel(i)
		m.Copies = append(m.Copies, Copy{c.ID, c.URL, []Subscription{subscriptionOf("d0", 1)}})
	}
	v.Receive(v.peers[1], m)
	v.peers = append(v.peers, enginetest.NewPeer("a0"))
	v.RecheckOwners()
	renewed := func() (count int) {
		for _, o := range v.List() {
			if len(o.Others()) == 2 {
				count++
			}
		}
		return count
	}
	v.env.Advance(settle)
	first := renewed()
	v.env.Advance(reassessPause)
	if last := renewed(); first != reassessedAtOnce || last != all {
		t.Errorf("of %d channels %d are reassessed at first, %d in the end", all, first, last)
	}
}
