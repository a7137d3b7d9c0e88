package version

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// hostile 85: a malicious owner cannot make a witness poll more often than a channel's readers would find changes.
func TestWitnessesPollAsTheHostAllows(t *testing.T) {
	t.Parallel()
	for looks, most := range map[int]int{0: 0, 2: 2, 6: 6, 401: 20} {
		m := newManyWith(4)
		for _, a := range m.nodes {
			a.looks = looks
		}
		owner := m.at("51")
		place := Place(news.ID, owner.env.Wall(), 0)
		witness := m.ground.at(0, owner.env.Wall())
		env := witness.env.(*enginetest.Env)
		for interval := 1; interval <= 2; interval++ {
			for i := range 20 {
				witness.machine.Deliver(place, owner.env.Self(), &Verify{Channel: news.ID, URL: news.URL,
					Version: uint64(i), Place: 0})
				env.Advance(time.Minute)
			}
			if got := len(witness.asked); got != interval*most {
				t.Errorf("with %d looks a witness polls %d times in %d intervals, not %d", looks, got,
					interval, interval*most)
			}
			env.Advance(witness.machine.config.Interval)
		}
	}
}

// hostile 85: a witness that also reads the channel, and was sent a version without signatures, still owes its own: one
// poll serves both.
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
	env.Advance(2 * firstPollWithin)
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

// hostile 85: a poll that never ends does not block the next: after a minute a request begins another.
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
		t.Errorf("%d polls, and %d answers to the last requests", len(witness.asked), len(signed))
	}
}

// A node that polls for others answers as many as may wait, each once, by one poll. Those beyond receive an empty
// answer at once.
func TestThoseThatWaitForAPollAreBounded(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env := m.at("91"), m.envs["91"]
	m.pollers = []engine.ID{env.Self().ID}
	a.content = "text"
	for round := range 2 {
		askers := peers(maxPendingVerify + 2)
		for _, p := range askers {
			a.Receive(p, &Verify{Channel: news.ID})
		}
		if to, _ := sentBy[*Verified](m, "91"); !slices.Equal(to, askers[maxPendingVerify:]) {
			t.Errorf("round %d: answered at once are %v", round, to)
		}
		env.Advance(time.Second)
		to, answers := sentBy[*Verified](m, "91")
		if !slices.Equal(to, askers[:maxPendingVerify]) || a.polls() != 1 {
			t.Errorf("round %d: answered are %v", round, to)
		}
		for _, m := range answers {
			if m.Hash != hashOf("text") {
				t.Errorf("round %d: an answer is %x", round, m.Hash)
			}
		}
	}
}

// A node polls as a witness only at its place of the day, for a channel with readers. A refusal is
// traced with its reason, and costs no poll.
func TestPlacesThatAWitnessDoesNotStandAt(t *testing.T) {
	t.Parallel()
	m := newManyWith(4)
	a, env, owner := m.at("91"), m.envs["91"], m.envs["51"].Self()
	now := env.Wall()
	for what, c := range map[string]struct {
		key   engine.ID
		place uint8
		looks int
		why   Why
	}{
		"its place":             {Place(news.ID, now, 1), 1, 6, ""},
		"another place":         {Place(news.ID, now, 2), 1, 6, Stranger},
		"of the day after next": {Place(news.ID, now.Add(48*time.Hour), 1), 1, 6, Stranger},
		"of two days before":    {Place(news.ID, now.Add(-48*time.Hour), 1), 1, 6, Stranger},
		"one that is not":       {Place(news.ID, now, 4+Spare), 4 + Spare, 6, Stranger},
		"the last that is":      {Place(news.ID, now, 3+Spare), 3 + Spare, 6, ""},
		"without readers":       {Place(news.ID, now, 1), 1, 0, Unproved},
	} {
		a.looks, a.content = c.looks, "text"
		a.machine.Deliver(c.key, owner, &Verify{Channel: news.ID, URL: news.URL, Place: c.place, Version: 7})
		var want []Refused
		if c.why != "" {
			want = []Refused{{Channel: news.ID, From: owner.ID, Why: c.why}}
		}
		if got := events[Refused](env); !slices.Equal(got, want) || a.polls() != count(c.why == "") {
			t.Errorf("%s: refused is %v, want %v", what, got, want)
		}
		env.Advance(time.Second)
		to, answers := sentBy[*Verified](m, "91")
		if len(to) != count(c.why == "") || c.why == "" && (to[0] != owner || answers[0].Seen.Place != c.place ||
			answers[0].Seen.By != env.Self()) {
			t.Errorf("%s: answered to %v", what, to)
		}
	}
}

// A node that is asked as a witness, and has no proof of the channel's readers so far, polls once the proof has come.
// It refuses where none comes, and keeps few requests.
func TestWitnessesWaitForProof(t *testing.T) {
	t.Parallel()
	for _, proved := range []bool{true, false} {
		m := newManyWith(4)
		a, env, owner := m.at("91"), m.envs["91"], m.envs["51"].Self()
		place := Place(news.ID, env.Wall(), 1)
		a.looks, a.asking, a.content = 0, true, "text"
		for version := range uint64(6) {
			a.machine.Deliver(place, owner, &Verify{Channel: news.ID, URL: news.URL, Place: 1, Version: version})
		}
		if refused := events[Refused](env); len(refused) != 2 || a.polls() > 0 {
			t.Errorf("%d requests are refused, and %d polls made, before the proof", len(refused), a.polls())
		}
		a.asking = false
		if proved {
			a.looks = 8
		}
		a.machine.Proved(news.ID)
		a.machine.Proved(news.ID)
		if refused := events[Refused](env); len(refused) != 4*count(!proved) {
			t.Errorf("proved %v: %d requests are refused", proved, len(refused))
		}
		if polls := a.polls(); polls != count(proved) {
			t.Errorf("proved %v: it polls %d times", proved, polls)
		}
	}
}

// A primary that is its own witness polls once: while it checks a report, the poll under way serves both.
func TestAPrimaryIsItsOwnWitness(t *testing.T) {
	t.Parallel()
	m := newManyWith(4)
	a := m.at("51")
	env := a.env.(*enginetest.Env)
	a.content, a.slow = "text", time.Second
	m.reports("91", "text")
	place := Place(news.ID, env.Wall(), 0)
	a.machine.Deliver(place, env.Self(), &Verify{Channel: news.ID, URL: news.URL, Version: 1 << tagBits})
	env.Advance(2 * time.Second)
	if got := a.polls(); got != 1 {
		t.Errorf("it polls %d times", got)
	}
	signed := 0
	for _, sent := range env.Sent() {
		if v, ok := sent.Message.(*Verified); ok && v.Hash == hashOf("text") && len(v.Seen.Signature) > 0 {
			signed++
		}
	}
	if signed != 1 {
		t.Errorf("it signs what it sees %d times", signed)
	}
}
