package plan

import (
	"bytes"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// counted are keys that sign by the signer's ID, and count how many signatures are checked.
type counted struct {
	self    engine.ID
	checked *int
}

func (k counted) Sign(words []byte) []byte {
	sum := engine.IDOf(append(bytes.Clone(k.self[:]), words...))
	return append(bytes.Clone(sum[:]), make([]byte, engine.SignatureLength-len(sum))...)
}

func (k counted) Signed(p engine.Peer, words, signature []byte) bool {
	*k.checked++
	return bytes.Equal(counted{self: p.ID}.Sign(words), signature)
}

// A primary's statement of what an origin asks for holds for the assignments of its term: a parent cannot repeat it
// with those of a later one, though it was checked before. One that is repeated with its own term is not checked again.
func TestAStatementIsOfOneTerm(t *testing.T) {
	v, checked, c := newLone(nil, "90", "58"), 0, near(1)[0]
	v.Plan = New(machine.Base{Env: v.env, Ring: v, Keys: counted{v.env.Self().ID, &checked}, Seed: 1}, v, v,
		testConfig())
	v.NeighboursChanged()
	v.env.Advance(time.Hour)
	parent, primary := v.contacts[0], enginetest.NewPeer("5001")
	state := func(term uint32, wait time.Duration) Asked {
		a := Asked{Until: uint32(v.env.Wall().Add(wait).Unix()), By: primary}
		a.Signature = counted{self: primary.ID}.Sign(AskedWords(c.ID, term, &a))
		return a
	}
	assign := func(term uint32, a Asked) (wait time.Duration, checks int) {
		before := checked
		v.assign(parent, func(to *Assignment) { to.Term, to.Wait, to.Asked = term, 20*3600, []Asked{a} }, c)
		v.env.RunWork()
		return max(0, v.tasks[c.ID].NotBefore-v.env.Now()), checked - before
	}
	const wait = 3 * time.Hour
	for term := uint32(5); term < 9; term++ {
		a := state(term, wait)
		for i := range 3 {
			got, checks := assign(term, a)
			if got < wait || got > wait+clockError || checks != count(i == 0) {
				t.Errorf("term %d, time %d: no poll for %v, after %d checks", term, i, got, checks)
			}
		}
		if got, checks := assign(term+1, a); got != 0 || checks != 1 {
			t.Errorf("the statement of term %d, with the next: no poll for %v, after %d checks", term, got, checks)
		}
	}
}

// However often what is below a contact changes, one timer is for all its digests and those of others. None is left
// when they are sent: three after the last change.
func TestDigestsShareATimer(t *testing.T) {
	v, list := newLone(func(c *Config) { c.Maintenance = 1000 * time.Hour }, "90", "58", "54"), near(30)
	v.env.Advance(time.Hour)
	rest, term := 0, uint32(10)
	digests := func() (n int) { return len(sentTo[*MaintenanceDigest](v, v.contacts[1])) }
	for round := range 3 {
		most, few, all := 0, 0, list[round*10:]
		for i := range 10 {
			v.assign(v.contacts[0], nil, all[:i+1]...)
			v.env.Advance(2 * time.Second)
			if i == 1 {
				few = v.env.Timers()
			}
			most = max(most, v.env.Timers())
		}
		if most > few {
			t.Fatalf("round %d: of ten changes there are %d timers, after two %d", round, most, few)
		}
		change := func() {
			term++
			v.assign(v.contacts[0], func(a *Assignment) { a.Term = term }, all[:1]...)
			v.env.Advance(2 * time.Second)
			digests() // those of the changes before
		}
		for sent := range digestTimes + 1 { // a change begins anew, whatever was sent of the one before
			if change(); sent > 0 {
				v.env.Advance(digestAfter + time.Duration(sent-1)*digestAgain + digestTimes*digestAfter)
			}
			if got := digests(); got != sent {
				t.Errorf("round %d: %d digests are sent of a change, want %d so far", round, got, sent)
			}
			change()
			if v.env.Advance(5 * time.Minute); digests() != digestTimes {
				t.Errorf("round %d: there are not %d digests of a change after %d of another", round, digestTimes, sent)
			}
		}
		if got := v.env.Timers(); round == 0 {
			rest = got
		} else if got != rest {
			t.Errorf("round %d: %d timers are left, want %d", round, got, rest)
		}
	}
}
