package version

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// hostile 85: an owner that lies, and has a certificate, can have a witness poll no more often than the certificate's pollers would find changes.
func TestWitnessesPollAsTheHostAllows(t *testing.T) {
	t.Parallel()
	for pollers, most := range map[float64]int{0: 0, 1.5: 2, 5: 6, 400: 20} {
		m := newManyWith(4)
		for _, a := range m.nodes {
			a.certified = pollers
		}
		owner := m.at("51")
		place := Place(news.ID, owner.env.Wall(), 0)
		witness := m.ground.at(0, owner.env.Wall())
		env := witness.env.(*enginetest.Env)
		for interval := 1; interval <= 2; interval++ {
			for i := range 20 {
				witness.machine.Deliver(place, owner.env.Self(), &Verify{Channel: news.ID, URL: news.URL, Version: uint64(i), Place: 0})
				env.Advance(time.Minute)
			}
			if got := len(witness.asked); got != interval*most {
				t.Errorf("with %.1f pollers a witness polls %d times in %d intervals, not %d", pollers, got, interval, interval*most)
			}
			env.Advance(witness.machine.config.Interval)
		}
	}
}

// hostile 85: a witness that also reads the channel, and has been given a version without signatures, owes its own all the same:
// one poll serves both.
func TestAWitnessThatReadsAnswers(t *testing.T) {
	t.Parallel()
	m := newManyWith(4)
	owner := m.at("51")
	place := Place(news.ID, owner.env.Wall(), 0)
	witness := m.ground.at(0, owner.env.Wall())
	env := witness.env.(*enginetest.Env)
	m.subscribers = []engine.Peer{env.Self()}
	witness.content = "text"
	u := owner.sealedBy(1<<tagBits, "text", true)
	witness.Receive(owner.env.Self(), u)
	env.Advance(10 * time.Millisecond)
	witness.machine.Deliver(place, owner.env.Self(), &Verify{Channel: news.ID, URL: news.URL, Version: u.Version})
	env.Advance(2 * seeWithin)
	var answers int
	for _, sent := range env.Sent() {
		if v, ok := sent.Message.(*Verified); ok && v.Hash == u.Hash && len(v.Seen.Signature) > 0 {
			answers++
		}
	}
	if answers != 1 || witness.held != "text" {
		t.Errorf("it has answered %d times, and holds %q", answers, witness.held)
	}
}

// hostile 85: a poll that never ends keeps no witness from another one: after a minute what is asked begins anew.
func TestALostPollIsBegunAnew(t *testing.T) {
	t.Parallel()
	m := newManyWith(4)
	owner := m.at("51")
	place := Place(news.ID, owner.env.Wall(), 0)
	witness := m.ground.at(0, owner.env.Wall())
	env := witness.env.(*enginetest.Env)
	witness.content, witness.slow = "text", 24*time.Hour
	ask := func(version uint64) {
		witness.machine.Deliver(place, owner.env.Self(), &Verify{Channel: news.ID, URL: news.URL, Version: version})
	}
	for version := range uint64(2 * maxPendingVerify) {
		ask(version)
	}
	if len(witness.asked) != 1 {
		t.Fatalf("%d polls at once", len(witness.asked))
	}
	env.Advance(verifyPatience)
	witness.slow = 0
	ask(100)
	env.Advance(time.Second)
	var signed []uint64
	for _, sent := range env.Sent() {
		if v, ok := sent.Message.(*Verified); ok && len(v.Seen.Signature) > 0 {
			signed = append(signed, uint64(len(signed)))
		}
	}
	if len(witness.asked) != 2 || len(signed) != 1 {
		t.Errorf("%d polls, and %d answers to what was asked last", len(witness.asked), len(signed))
	}
}
