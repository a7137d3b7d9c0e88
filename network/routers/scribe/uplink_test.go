package scribe

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// A child and its parent, over a way that loses and doubles messages: the child has each event, or its uplink says that
// it gave up. As soon as nothing is lost any more, both are at rest.
func TestWhatALinkLosesIsSentAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parent, child := enginetest.NewEnv(enginetest.NewPeer("10")), enginetest.NewEnv(enginetest.NewPeer("20"))
		down := downlink{env: parent, to: child.Self()}
		up := uplink{env: child, from: parent.Self()}
		gaveUp, lossy := false, true
		up.onGaveUp = func() { gaveUp = true }
		down.measured(10 * time.Millisecond)
		down.start()
		up.start(down.line, down.sent)
		got := make(map[uint64]bool)
		copies := func() int {
			if lossy {
				return rapid.IntRange(0, 2).Draw(t, "copies")
			}
			return 1
		}
		pass := func() {
			for _, s := range parent.Sent() {
				for range copies() {
					switch m := s.Message.(type) {
					case *Disseminate:
						if got[m.Event.Number] = true; up.receive(m) {
							gaveUp = true
						}
					case *Heartbeat:
						up.receiveHeartbeat(m)
					}
				}
			}
			for _, s := range child.Sent() {
				for range copies() {
					switch m := s.Message.(type) {
					case *Heard:
						down.receiveHeard(m.Line, m.Last)
					case *Resend:
						down.receiveResend(m)
					}
				}
			}
		}
		run := func(d time.Duration) {
			for range d / (100 * time.Millisecond) {
				pass()
				parent.Advance(100 * time.Millisecond)
				child.Advance(100 * time.Millisecond)
			}
		}
		events := uint64(rapid.IntRange(1, 20).Draw(t, "events"))
		for i := range events {
			down.send(engine.ID{}, &Event{Number: i + 1})
			run(time.Duration(rapid.IntRange(0, 3).Draw(t, "pause")) * 100 * time.Millisecond)
		}
		lossy = false
		down.heartbeat(false)
		run(time.Minute)
		for i := range events {
			if !got[i+1] && !gaveUp {
				t.Fatalf("event %d of %d did not come", i+1, events)
			}
		}
		if up.came.missing != 0 || up.came.last != events {
			t.Fatalf("of %d events the child knows %d, and misses %b", events, up.came.last, up.came.missing)
		}
		parent.Sent()
		child.Sent()
		run(time.Minute)
		if n := len(parent.Sent()) + len(child.Sent()); n > 0 {
			t.Fatalf("%d messages at rest", n)
		}
	})
}

// A child that never says that it knows of an event is sent it twice, and asked unheardTimes-1 times.
func TestASilentChildIsAskedAFewTimes(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("10"))
	down := downlink{env: env, to: enginetest.NewPeer("20")}
	down.measured(0)
	down.start()
	down.send(engine.ID{}, &Event{Number: 1})
	env.Advance(time.Hour)
	sent := env.Sent()
	if copies, asked := len(sentOf[*Disseminate](sent)), len(sentOf[*Heartbeat](sent)); copies != 2 ||
		asked != unheardTimes-1 {
		t.Errorf("%d copies are sent, and the child is asked %d times", copies, asked)
	}
}

// A peer that is no longer a parent is asked for nothing. When it is one again, it is treated as new.
func TestAnUplinkThatIsResetIsAsNew(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("20"))
	up := uplink{env: env, from: enginetest.NewPeer("10")}
	up.start(1, 5)
	up.receive(&Disseminate{Line: 1, Number: 9})
	up.reset()
	env.Advance(time.Minute)
	if sent := env.Sent(); len(sent) > 0 || up.line != 0 || up.came != (window{}) || up.troubled != 0 {
		t.Errorf("after a reset %d messages are sent, and the link is %+v", len(sent), up)
	}
}

// A child asks for each loss as often, however often it has given up before: what a parent did not send again once says
// nothing of the next Disseminate.
func TestEachLossIsAskedForAsOften(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("20"))
	up := uplink{env: env, from: enginetest.NewPeer("10")}
	gaveUp := 0
	up.onGaveUp = func() { gaveUp++ }
	up.start(1, 0)
	for loss := range 3 {
		missing := uint64(2*loss + 1)
		up.receive(&Disseminate{Line: 1, Number: missing + 1})
		env.Advance(time.Minute)
		resends := sentOf[*Resend](env.Sent())
		if len(resends) != resendTries || gaveUp != loss+1 {
			t.Errorf("loss %d: Disseminate %d is asked for %d times, and given up %d times in all; want %d, %d", loss+1,
				missing, len(resends), gaveUp, resendTries, loss+1)
		}
		for _, m := range resends {
			if m.Last != missing+1 || m.Missing != 1<<1 {
				t.Errorf("loss %d: asked for %b below %d; want %d alone", loss+1, m.Missing, m.Last, missing)
			}
		}
	}
}
