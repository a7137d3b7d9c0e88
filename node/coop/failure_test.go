package coop

import (
	"strings"
	"testing"
	"time"

	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/node/coop/sharing"
	"tidings/store/db"
)

// refuse has the store refuse changes of a table, until end is called.
func (k *taker) refuse(table string) (end func()) {
	k.t.Helper()
	change := func(statements ...string) {
		k.t.Helper()
		if err := k.store.DB.Write(k.t.Context(), func(t *db.Tx) error {
			for _, s := range statements {
				if err := db.Exec(t.Conn, s); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			k.t.Fatal(err)
		}
	}
	const refusal = " BEGIN SELECT RAISE(ABORT, 'refused'); END"
	change("CREATE TRIGGER refuse_insert BEFORE INSERT ON "+table+refusal,
		"CREATE TRIGGER refuse_update BEFORE UPDATE ON "+table+refusal)
	return func() { change("DROP TRIGGER refuse_insert", "DROP TRIGGER refuse_update") }
}

// Penalties that could not be stored are stored with the next, and with the next stop. Each further one is stored too.
func TestPenaltiesAreStoredAfterAFailure(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	stored := func() int {
		text, err := k.store.DB.Setting(t.Context(), penaltiesSetting)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(text, `"reason"`)
	}
	contradict := func(node string) {
		k.coop.desk.Contradicted(corona.Contradicted{Channel: engine.PrefixID("cd"), Version: 3,
			Giver: engine.PrefixID(node)})
	}
	for i, node := range []string{"91", "92"} {
		contradict(node)
		k.await("it is stored", func() bool { return stored() == i+1 })
	}
	end := k.refuse("setting")
	contradict("93")
	k.await("a worker has tried to store it", func() bool {
		k.coop.penalties.mu.Lock()
		defer k.coop.penalties.mu.Unlock()
		return !k.coop.penalties.saving
	})
	if err := k.coop.Save(t.Context()); err == nil || stored() != 2 {
		t.Fatalf("%d are stored, %v: the test says nothing", stored(), err)
	}
	end()
	if err := k.coop.Save(t.Context()); err != nil || stored() != 3 {
		t.Errorf("with the next stop %d are stored, %v", stored(), err)
	}
	end = k.refuse("setting")
	contradict("94")
	k.await("a worker has tried to store it", func() bool {
		k.coop.penalties.mu.Lock()
		defer k.coop.penalties.mu.Unlock()
		return !k.coop.penalties.saving
	})
	end()
	contradict("95")
	k.await("both are stored", func() bool { return stored() == 5 })
}

// A channel that the store could not begin to keep, or could not release, is kept or released when it is reconciled
// next.
func TestAChannelIsKeptAndReleasedAfterAFailure(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	u := k.read(rss(item("x", "hello")))
	c := corona.Channel{ID: u.Channel, URL: k.url}
	kept := func() bool {
		ch, ok := k.coop.Get(c.ID)
		return ok && ch.Kept
	}
	idle := func() bool {
		ch, ok := k.coop.Get(c.ID)
		return !ok || !ch.Queued
	}
	end := k.refuse("channel")
	k.coop.desk.Relay(c)
	k.await("a worker has tried to keep it", idle)
	k.coop.reconcile(t.Context(), c.ID)
	if kept() {
		t.Error("what could not be kept counts as kept")
	}
	end()
	k.mustReceive(u)
	if !kept() || !k.coop.config.Scheduler.Has(k.url) {
		t.Error("it is not kept when the store works again")
	}
	end = k.refuse("channel")
	k.coop.desk.Release(c.ID)
	k.await("a worker has tried to release it", idle)
	k.coop.reconcile(t.Context(), c.ID)
	if !kept() {
		t.Error("what could not be released counts as released")
	}
	end()
	k.coop.reconcile(t.Context(), c.ID)
	if !k.isGone() {
		t.Error("it is not released when the store works again")
	}
}

// What other nodes and readers would have polled is counted once for each time.
func TestPollsOfOthersAreCountedOnce(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	if k.coop.reckon(time.Now()) {
		t.Error("it is reckoned since no time")
	}
	if err := k.coop.Recall(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	k.coop.Add(k.url, func(c *sharing.Channel) {
		c.Readers, c.Acked = 2, true
		c.Answer(corona.Fact{Pollers: 5, Interval: uint32(time.Minute.Milliseconds())}, time.Now())
	})
	now := time.Now().Add(20 * time.Minute)
	for range 3 {
		if !k.coop.reckon(now) {
			t.Fatal("nothing is reckoned")
		}
	}
	if all := k.coop.polls.summary(now).All; all.ByOthers < 95 || all.ByOthers > 101 || all.Readers < 38 ||
		all.Readers > 41 {
		t.Errorf("in about 20 minutes of five polls each, with two readers: %+v", all)
	}
}
