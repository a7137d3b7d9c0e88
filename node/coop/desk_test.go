package coop

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/node/coop/sharing"
	"tidings/store"
	"tidings/view"
)

// signing is a loop without a network, in which nodes sign by their names.
type signing struct{}

func (signing) Do(context.Context, func()) error { return context.Canceled }
func (signing) Keys() engine.Keys                { return byName{} }

// byName signs with the ID of the node 1, which a taker has.
type byName struct{}

func signedBy(id engine.ID, data []byte) []byte { return append(slices.Clone(id[:]), data...) }

func (byName) Sign(data []byte) []byte { return signedBy(engine.PrefixID("1"), data) }
func (byName) Signed(p engine.Peer, data, signature []byte) bool {
	return string(signature) == string(signedBy(p.ID, data))
}

// seenBy has witnesses sign an update.
func seenBy(u *corona.Update, names ...string) *corona.Update {
	for i, name := range names {
		a := corona.Attestation{Place: uint8(i), At: u.FoundAt, By: engine.Peer{ID: engine.PrefixID(name)}}
		a.Signature = signedBy(a.By.ID, corona.AttestationWords(u.Channel, u.Version, u.Hash, &a))
		u.Seal.Seen = append(u.Seal.Seen, a)
	}
	return u
}

func ids(names ...string) (all []string) {
	for _, name := range names {
		all = append(all, engine.PrefixID(name).String())
	}
	return all
}

// An update from others names the witnesses that have signed for its content, and this node once a poll of its own has
// seen it. An update that this node found itself names the nodes that reported it later.
func TestAnUpdateNamesWhoHasConfirmedIt(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	k.coop.library.keys = signing{}.Keys()
	k.follow(rss(item("first", "the first")))
	confirmed := func(update int, names ...string) {
		t.Helper()
		k.await("what was noted is written", func() bool {
			return slices.Equal(k.updates()[update].ConfirmedBy, ids(names...))
		})
	}
	one := seenBy(k.read(rss(item("x", "hello"))), "ab", "c1", "c1", "c2", "bad", "de")
	one.Seal.Seen[4].Signature[0] ^= 1
	one.Seal.Seen[5].At++
	k.mustReceive(one)
	if got := k.updates()[1]; got.FoundBy != one.FoundBy.String() || !slices.Equal(got.ConfirmedBy, ids("c1", "c2")) {
		t.Errorf("found by %s, confirmed by %s", got.FoundBy, got.ConfirmedBy)
	}
	k.poll(rss(item("x", "hello")))
	confirmed(1, "1", "c1", "c2")

	k.poll(rss(item("x", "hello again")))
	confirmed(2)
	later := seenBy(k.read(rss(item("x", "hello again"))), "1", "c3")
	k.mustReceive(later)
	confirmed(2, "ab", "c3")
	if got := k.updates()[2]; got.FoundBy != ids("1")[0] {
		t.Errorf("what was found here first is found by %s", got.FoundBy)
	}
	sooner := *later
	sooner.Version, sooner.FoundAt, sooner.FoundBy = later.Version+1, later.FoundAt-time.Hour.Milliseconds(),
		engine.PrefixID("cd")
	k.last = sooner.Version
	if _, err := k.trust.SetRepublisher(t.Context(), sooner.FoundBy.String(), tidings.Distrusted); err != nil {
		t.Fatal(err)
	}
	k.mustReceive(&sooner)
	confirmed(2, "ab", "c3")
	if _, err := k.trust.SetRepublisher(t.Context(), sooner.FoundBy.String(), tidings.Neutral); err != nil {
		t.Fatal(err)
	}
	k.mustReceive(&sooner)
	confirmed(2, "1", "ab", "c3")
	if got := k.updates()[2]; got.FoundBy != sooner.FoundBy.String() {
		t.Errorf("what was found here later is found by %s", got.FoundBy)
	}
	// After a start the node does not know under which hash it has the content.
	k.coop.Alter(sooner.Channel, func(c *sharing.Channel) {
		c.Holding = sharing.Holding{Version: c.Version, Hash: c.Hash}
	})
	again := seenBy(k.read(rss(item("x", "hello again"))), "c4")
	k.mustReceive(again)
	confirmed(2, "c4", "1", "ab", "c3")
	alone := k.read(rss(item("x", "nobody else")))
	k.mustReceive(alone)
	confirmed(3)
}

// An update that the origin does not show is withdrawn if it was shown, and counts against all that have vouched for
// it. A later poll that finds it removes the mark.
func TestWhatTheOriginDoesNotShowIsWithdrawn(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	before := rss(item("first", "the first"))
	k.follow(before)
	k.mustReceive(k.read(before))
	lie := k.read(rss(item("false", "news") + item("first", "the first")))
	k.mustReceive(lie)
	e := corona.Contradicted{Channel: lie.Channel, Version: lie.Version, Hash: lie.Hash, FoundBy: lie.FoundBy,
		Giver: engine.PrefixID("91"),
		Seen:  []engine.ID{engine.PrefixID("c1"), engine.PrefixID("1"), engine.PrefixID("91"), {}}}
	told := k.coop.desk
	told.Contradicted(e)
	k.poll(before)
	if got := k.updates(); got[1].Withdrawn != nil {
		t.Fatalf("withdrawn, though it was not shown: %+v", got)
	}
	if h := k.coop.Content(lie.Channel); h == lie.Hash || h == (corona.Hash{}) {
		t.Error("a check that has not found it has not shown what is there")
	}
	if c := k.updates()[1].ConfirmedBy; len(c) != 0 {
		t.Errorf("a lie is confirmed by %s", c)
	}
	e.Shown = true
	told.Contradicted(e)
	k.await("it is withdrawn", func() bool { return k.updates()[1].Withdrawn != nil })
	if w := k.updates()[1].Withdrawn; !slices.Equal(w.VouchedBy, ids("91", "ab", "c1")) || w.Reason == "" ||
		time.Since(w.Time).Abs() > patience {
		t.Errorf("withdrawn: %+v", w)
	}
	if k.updates()[0].Withdrawn != nil || len(k.updates()) != 2 {
		t.Errorf("updates %+v", k.updates())
	}
	got := k.coop.Status().Penalties
	for i, reason := range []string{gaveReason, foundReason, sawReason} {
		times := min(2, 3-i) // what was not shown counts not against witnesses
		if len(got) != 3 || got[i].Node != ids("91", "ab", "c1")[i] || got[i].Times != int64(times) ||
			len(got[i].Reasons) != times || got[i].Reasons[0].Reason != reason || got[i].Reasons[0].Channel != k.url {
			t.Fatalf("penalties %+v", got)
		}
	}
	k.poll(rss(item("false", "news") + item("first", "the first")))
	if got := k.updates(); len(got) != 2 || got[1].Withdrawn != nil {
		t.Errorf("after a check that has found it: %+v", got)
	}
}

// Penalties are bounded: the nodes that were penalized longest ago go, and a node has its latest reasons. They outlive
// the node, and not their time.
func TestPenaltiesAreBoundedAndKept(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	p := &k.coop.penalties
	start := time.Now().UTC()
	at := func(i int) time.Time { return start.Add(time.Duration(i) * time.Millisecond) }
	for i := range 3 * view.MaxPenalized {
		p.add(fmt.Sprint("node ", i%(2*view.MaxPenalized)),
			view.PenaltyReason{Time: at(i), Channel: k.url, Reason: gaveReason})
	}
	now := at(3 * view.MaxPenalized)
	all := p.list(now)
	if len(all) != view.MaxPenalized || all[0].Node != fmt.Sprint("node ", view.MaxPenalized-1) ||
		all[len(all)-1].Node != "node 0" {
		t.Fatalf("%d nodes, from %s to %s", len(all), all[0].Node, all[len(all)-1].Node)
	}
	for i := range 2 * view.MaxPenaltyReasons {
		p.add("node 5", view.PenaltyReason{Time: now.Add(time.Duration(i)), Channel: k.url, Reason: foundReason})
	}
	first := p.list(now)[0]
	if first.Node != "node 5" || first.Times != 1+2*view.MaxPenaltyReasons ||
		len(first.Reasons) != view.MaxPenaltyReasons || !first.Reasons[0].Time.After(first.Reasons[1].Time) {
		t.Errorf("%+v", first)
	}
	if err := k.coop.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := New(k.coop.config, nobody{}, k.trust)
	if err := again.Recall(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if kept := again.penalties.list(now); !reflect.DeepEqual(kept, p.list(now)) {
		t.Errorf("after a start there are %d penalties, the first %+v", len(kept), kept[0])
	}
	if left := again.penalties.list(first.Reasons[0].Time.Add(view.PenaltyAge)); len(left) != 1 {
		t.Errorf("%d are left of a week", len(left))
	}
	if left := again.penalties.list(now.Add(2 * view.PenaltyAge)); len(left) != 0 {
		t.Errorf("%d are left after two weeks", len(left))
	}
	for _, broken := range []string{"{", `[{"node":"x","times":1}]`, "[" + strings.Repeat(`{"node":"x"},`, 3) + "{}]"} {
		if err := k.store.DB.SetSetting(t.Context(), penaltiesSetting, broken); err != nil {
			t.Fatal(err)
		}
		again := New(k.coop.config, nobody{}, k.trust)
		if err := again.Recall(t.Context(), nil); err != nil || len(again.Status().Penalties) != 0 {
			t.Errorf("from %s: %v, %v", broken, again.Status().Penalties, err)
		}
	}
}

// A contradiction of a forgotten channel costs the nodes that lied about it, and nothing else.
func TestAContradictionOfAChannelThatIsGone(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	k.coop.desk.Contradicted(corona.Contradicted{Channel: engine.PrefixID("cd"), Version: 3,
		Giver: engine.PrefixID("91"), Shown: true})
	if got := k.coop.Status().Penalties; len(got) != 1 || got[0].Reasons[0].Channel != "" {
		t.Errorf("penalties %+v", got)
	}
	if _, err := k.store.Apply(t.Context(), store.Withdrawal{}); err != nil {
		t.Error(err)
	}
}
