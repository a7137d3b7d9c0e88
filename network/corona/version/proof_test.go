package version

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
)

// attested returns a version with the signatures of enough witnesses.
func (m *many) attested(giver string, text string) *Update {
	owner := m.at(giver)
	u := owner.sealedBy(1<<tagBits, text, true)
	for number := range uint8(3) { // as many as a ring of twenty needs
		u.Seal.Seen = append(u.Seal.Seen, m.ground.at(number, owner.env.Wall()).attest(u.Version, u.Hash, number))
	}
	return u
}

// resign signs an attestation anew as the node that it names.
func resign(u *Update, a *Attestation) {
	a.Signature = testKeys{a.By.ID}.Sign(AttestationWords(u.Channel, u.Version, u.Hash, a))
}

// damages are ways in which one attestation of a version that is fine otherwise proves nothing.
var damages = map[string]func(m *many, u *Update, a *Attestation){
	"no signature": func(_ *many, _ *Update, a *Attestation) { a.Signature = nil },
	"a signature cut short": func(_ *many, _ *Update,
		a *Attestation) {
		a.Signature = a.Signature[:len(a.Signature)-1]
	},
	"one bit of the signature": func(_ *many, _ *Update, a *Attestation) { a.Signature[7] ^= 1 },
	"a signature of zeros": func(_ *many, _ *Update, a *Attestation) {
		a.Signature = make([]byte,
			engine.SignatureLength)
	},
	"zeros": func(_ *many, _ *Update, a *Attestation) { *a = Attestation{Place: a.Place} },
	"in another node's name": func(m *many, _ *Update, a *Attestation) {
		a.By = m.ground.at(5,
			m.at("51").env.Wall()).env.Self()
	},
	"signed for another content": func(_ *many, u *Update,
		a *Attestation) {
		other := *u
		other.Hash[9]++
		resign(&other, a)
	},
	"signed for another version": func(_ *many, u *Update,
		a *Attestation) {
		other := *u
		other.Version++
		resign(&other, a)
	},
	"signed for another channel": func(_ *many, u *Update, a *Attestation) {
		other := *u
		other.Channel[9]++
		resign(&other, a)
	},
	"moved to another place, unsigned": func(_ *many, _ *Update, a *Attestation) { a.Place = 5 },
	"at a place that there is not": func(m *many, u *Update, a *Attestation) {
		a.Place = uint8(m.witnesses + Spare)
		resign(u, a)
	},
	"by a node that stands elsewhere": func(m *many, u *Update, a *Attestation) {
		place := Place(u.Channel, time.UnixMilli(a.At), a.Place)
		far := slices.MaxFunc(m.nodes, func(p, q *actor) int {
			if engine.Closer(place, p.env.Self().ID, q.env.Self().ID) {
				return -1
			}
			return 1
		})
		a.By = far.env.Self()
		resign(u, a)
	},
	"of the day before yesterday": func(_ *many, u *Update, a *Attestation) {
		a.At -= (attestAge + time.Hour).Milliseconds()
		resign(u, a)
	},
	"of the future": func(_ *many, u *Update, a *Attestation) {
		a.At += (2 * clockSkew).Milliseconds()
		resign(u, a)
	},
	"by a witness that has signed already": func(_ *many, u *Update, a *Attestation) {
		for i := range u.Seal.Seen {
			if b := &u.Seal.Seen[i]; b != a {
				*a = *b
				return
			}
		}
	},
}

// A reader shows a version without polling if each needed witness has signed what it saw, at its place, today. With one
// fault in one of them the reader polls, and does not show what nobody has published.
func TestEachAttestationIsProved(t *testing.T) {
	t.Parallel()
	const me = "61"
	for name, damage := range damages {
		for which := range 3 {
			t.Run(fmt.Sprint(name, " ", which), func(t *testing.T) {
				m := newManyWith(4)
				reader, env := m.at(me), m.envs[me]
				m.subscribers = []engine.Peer{env.Self()}
				reader.content = "true"
				good := m.attested("51", "invented")
				if u := *good; true {
					u.Seal.Seen = slices.Clone(good.Seal.Seen)
					for i := range u.Seal.Seen {
						u.Seal.Seen[i].Signature = slices.Clone(u.Seal.Seen[i].Signature)
					}
					damage(m, &u, &u.Seal.Seen[which])
					reader.Receive(m.envs["51"].Self(), &u)
				}
				env.Advance(time.Minute)
				if reader.held == "invented" {
					t.Fatal("it is shown")
				}
				if !slices.Contains(reader.asked, "origin") {
					t.Error("the reader does not look for itself")
				}
			})
		}
	}

	m := newManyWith(4)
	reader, env := m.at(me), m.envs[me]
	m.subscribers = []engine.Peer{env.Self()}
	reader.Receive(m.envs["51"].Self(), m.attested("51", "true"))
	if env.Advance(time.Second); reader.held != "true" || len(reader.asked) > 0 {
		t.Errorf("with nothing wrong it holds %q, and has asked %q", reader.held, reader.asked)
	}
}

// An owner that numbers a version counts a witness once, and only if a reader would.
func TestAnOwnerCountsOnlyWitnesses(t *testing.T) {
	t.Parallel()
	for name, damage := range damages {
		m := newManyWith(4)
		owner, env := m.at("51"), m.envs["51"]
		m.pollers = []engine.ID{env.Self().ID, m.envs["91"].Self().ID}
		for _, name := range []string{"61", "71", "81", "91", "a1", "b1"} {
			m.subscribers = append(m.subscribers, m.envs[name].Self())
		}
		owner.content = "true"
		owner.poll(false)
		env.Advance(200 * time.Millisecond)
		_, commits := sentBy[*Commit](m, "51")
		if len(commits) == 0 {
			t.Fatalf("%s: no number is assigned", name)
		}
		if _, _, awaited := owner.machine.believe.Seen(news.ID, commits[0].Header.Version); !awaited {
			t.Fatalf("%s: the owner asks no witnesses", name)
		}
		number, hash := commits[0].Header.Version, commits[0].Header.Hash
		word := func(place uint8) Attestation {
			return m.ground.at(place, env.Wall()).attest(number, hash, place)
		}
		seen := func() int {
			seen, _, _ := owner.machine.believe.Seen(news.ID, number)
			return len(seen)
		}
		say := func(a Attestation) int {
			owner.machine.Receive(a.By, &Verified{Channel: news.ID, Hash: hash, Seen: a})
			return seen()
		}
		if n := say(word(0)); n != 1 {
			t.Fatalf("%s: a good word makes %d", name, n)
		}
		u := Update{Channel: news.ID, Version: number, Hash: hash}
		u.Seal.Seen = []Attestation{word(0), word(1)}
		damage(m, &u, &u.Seal.Seen[1])
		if n := say(u.Seal.Seen[1]); n != 1 {
			t.Errorf("%s: it is counted", name)
		}
		owner.machine.Receive(word(1).By, &Verified{Channel: news.ID, Hash: hashOf("another"), Seen: word(1)})
		if n := seen(); n != 1 {
			t.Errorf("%s: what a witness says of another content is counted", name)
		}
		if n := say(word(1)); n != 2 {
			t.Errorf("%s: after it a good word makes %d", name, n)
		}
	}
}

// The giver of a version is at one of its places. If one witness suffices, the giver's own signature as a witness does
// not count; another node's does.
func TestAGiverIsNoWitness(t *testing.T) {
	t.Parallel()
	for number, shown := range []bool{false, true} {
		m := newManyWith(1)
		reader, env, now := m.at("61"), m.envs["61"], m.envs["61"].Wall()
		m.subscribers = []engine.Peer{env.Self()}
		giver := m.ground.at(0, now)
		u := giver.sealedBy(1<<tagBits, "given", true)
		u.Seal.Seen = []Attestation{m.ground.at(uint8(number), now).attest(u.Version, u.Hash, uint8(number))}
		reader.Receive(giver.env.Self(), u)
		if env.Advance(time.Minute); (reader.held == "given") != shown {
			t.Errorf("witness at place %d, numbered by the node at place 0: it is shown: %v", number, !shown)
		}
	}
}
