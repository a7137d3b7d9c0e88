package scribe

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// The parent's numbering is adopted once: what is missing of it is still asked for if the parent says again that it is
// the parent.
func TestARepeatedJoinedForgetsNoLoss(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("20"))
	up := uplink{env: env, from: enginetest.NewPeer("10"), onGaveUp: func() {}}
	up.start(1, 0)
	up.receive(&Disseminate{Line: 1, Number: 2}) // 1 is missing
	up.start(1, 2)
	env.Advance(late)
	if asked := sentOf[*Resend](env.Sent()); len(asked) != 1 || asked[0].Missing != 1<<1 {
		t.Errorf("after the parent's numbering came again, %d Disseminates are asked for; want one", len(asked))
	}
}

// A request for Disseminates of the numbering before is late: nothing of the present one is sent again for it.
func TestARequestIsOfItsNumbering(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("10"))
	d := downlink{env: env, to: enginetest.NewPeer("20")}
	d.measured(0)
	d.start()
	before := d.line
	d.start()
	for number := range uint64(3) {
		d.send(engine.ID{}, &Event{Number: number + 1})
	}
	env.Sent()
	d.receiveResend(&Resend{Line: before, Last: 3, Missing: 1<<1 | 1})
	if again := sentOf[*Disseminate](env.Sent()); len(again) > 0 {
		t.Errorf("for a request of the numbering before, %d Disseminates are sent again", len(again))
	}
	d.receiveResend(&Resend{Line: d.line, Last: 3, Missing: 1 << 1})
	if again := sentOf[*Disseminate](env.Sent()); len(again) != 1 || again[0].Number != 2 {
		t.Errorf("for one of the present numbering, %d are sent again; want the second", len(again))
	}
}

// Each Disseminate is sent again, and asked about, as often, though the child was silent about those before it.
func TestEachDisseminateIsRepeatedAsOften(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("10"))
	d := downlink{env: env, to: enginetest.NewPeer("20")}
	d.measured(0)
	d.start()
	for number := range uint64(3) {
		d.send(engine.ID{}, &Event{Number: number + 1})
		env.Advance(time.Hour)
		sent := env.Sent()
		if copies, asked := len(sentOf[*Disseminate](sent)), len(sentOf[*Heartbeat](sent)); copies != 2 ||
			asked != unheardTimes-1 {
			t.Errorf("event %d: %d copies are sent, and the child is asked %d times; want 2 and %d", number+1, copies,
				asked, unheardTimes-1)
		}
	}
}

// A child that is none for a while is treated as new when it is one again: what was sent before has no number any more.
func TestAChildAgainHasANewNumbering(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("10"))
	s := links{env: env, ring: &place{}, index: make(map[engine.ID]*link), onMeasured: func(Group) {}}
	s.probe = newProber(env).probe
	child, k := enginetest.NewPeer("20"), kin{Group: Group{Topic: engine.PrefixID("80")}}
	other := kin{Group: Group{Topic: engine.PrefixID("81")}}
	s.setParent(&other, child) // the link stays
	lines := make(map[uint32]bool)
	for round := range 3 {
		c := s.adopt(&k, child)
		if lines[c.link.down.line] || c.link.down.sent != 0 {
			t.Errorf("round %d: a child that is one again has the numbering of before, up to %d", round+1,
				c.link.down.sent)
		}
		lines[c.link.down.line] = true
		c.link.down.send(engine.ID{}, &Event{Number: 1})
		s.disown(c)
	}
}

// Two Heartbeats in a row that do not fit show that the two ends disagree. One that fits in between begins the count
// anew, and so does each time that they are found to disagree.
func TestTwoHeartbeatsInARowDisagree(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("20"))
	up := uplink{env: env, from: enginetest.NewPeer("10"), onGaveUp: func() {}}
	up.start(1, 0)
	up.sum = 7
	for i, c := range []struct {
		sum       uint64
		disagrees bool
	}{{8, false}, {7, false}, {8, false}, {8, true}, {8, false}, {8, true}, {8, false}, {7, false}, {8, false}} {
		if _, disagrees := up.receiveHeartbeat(&Heartbeat{Line: 1, Sum: c.sum}); disagrees != c.disagrees {
			t.Errorf("Heartbeat %d: it says that they disagree: %v", i+1, disagrees)
		}
	}
}

// The answer of a root that is not asked, or is not asked any more, takes the place of none: the one that is asked is
// waited for, and the round goes on.
func TestAnAnswerUnaskedEndsNoComparison(t *testing.T) {
	env, c, s := newComparer(peers("80", "81", "7f"))
	c.compare(s)
	asked := s.with
	s.next.Stop()
	for _, p := range peers("80", "81", "7f", "90") {
		if p != asked {
			c.receiveCompared(s, p, &Compared{Group: s.of})
		}
	}
	if s.with != asked || len(s.answered) > 0 {
		t.Errorf("after the answers of others %v have answered, and %v is waited for", s.answered, s.with)
	}
	env.Sent()
	env.Advance(gapWait)
	if again := sentOf[*Compare](env.Sent()); len(again) != 1 {
		t.Errorf("when it has not answered, %d others are asked", len(again))
	}
}

// A comparison tries as many roots each time, whether the one before it had an answer or not.
func TestEachComparisonTriesAsManyRoots(t *testing.T) {
	env, c, s := newComparer(peers("80", "81", "7f", "82", "7e"))
	for round := range 6 {
		c.compare(s)
		s.next.Stop()
		tries := 0
		for tries < 10 {
			n := len(sentOf[*Compare](env.Sent()))
			tries += n
			if round%2 == 0 && tries == compareTries-1 {
				c.receiveCompared(s, s.with, &Compared{Group: s.of})
			}
			if n == 0 {
				break
			}
			env.Advance(gapWait)
			s.next.Stop()
		}
		if want := compareTries - 1 + round%2; tries != want {
			t.Errorf("round %d: %d roots are asked; want %d", round+1, tries, want)
		}
	}
}

// What came for the comparison before does not count for the next one.
func TestWhatCameBeforeAComparisonDoesNotCount(t *testing.T) {
	env, c, s := newComparer(peers("80"))
	for range 3 {
		s.countMissed()
	}
	c.compare(s)
	s.next.Stop()
	env.Sent()
	c.receiveCompared(s, s.with, &Compared{Group: s.of, Missed: 2})
	env.Advance(gapWait * 9 / 8)
	if again := sentOf[*Compare](env.Sent()); len(again) != 1 {
		t.Errorf("two events were kept back, and it asks again %d times", len(again))
	}
}

// Each search for a parent begins with a short wait, though the one before it was long.
func TestEachSearchBeginsQuickly(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("10"))
	c := Default()
	w := searcher{env: env, finder: finder{env, &place{}, c.Roots}, config: c}
	var s search
	for round := range 3 {
		s.begin()
		began := env.Now()
		var waits []time.Duration
		var again func()
		again = func() {
			waits = append(waits, env.Now()-began)
			if began = env.Now(); len(waits) < 5 {
				w.try(&s, Join{}, nil, again)
			}
		}
		w.try(&s, Join{}, nil, again)
		env.Advance(time.Hour)
		if len(waits) == 0 || waits[0] > c.JoinRetry*9/8 {
			t.Errorf("search %d: the waits are %v; want the first to be about %v", round+1, waits, c.JoinRetry)
		}
		s.stop()
	}
}
