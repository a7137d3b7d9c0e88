package version

import (
	"testing"
	"time"

	"tidings/network/engine/enginetest"
)

// A reader shows a version for the signatures of its finder, its giver and its witnesses. Every field that they are to
// cover counts (hostile 42).
func TestEachFieldOfAVersionCounts(t *testing.T) {
	t.Parallel()
	const me, giver = "61", "51"
	valid, other := newManyWith(4).attested(giver, "true"), newManyWith(4).attested("49", "another")
	for _, u := range []*Update{valid, other} {
		u.URL, u.Modified = news.URL, u.FoundAt-1000
		u.Seal.Found = testKeys{u.FoundBy}.Sign(u.ReportWords())
		h := u.Header()
		u.Seal.Given = testKeys{u.Seal.Giver.ID}.Sign(h.Words())
	}
	enginetest.CheckProof(t, valid, other, map[string]string{
		"URL": "a reader knows the URL", "Payload": "what it makes has the hash, or the library refuses it",
		"Size":                          "it bounds a request, and decides nothing",
		"Seal.Giver.Address":            "the ID names the key",
		"Seal.Seen turned round":        "each witness signs for itself",
		"Seal.Seen longer":              "one more than are needed",
		"Seal.Seen with its last twice": "one more than are needed",
	}, func(u *Update) bool {
		m := newManyWith(4)
		reader, env := m.at(me), m.envs[me]
		m.subscribers, reader.blind = append(m.subscribers, env.Self()), true
		reader.Receive(m.envs[giver].Self(), u)
		env.Advance(time.Second)
		return reader.version != 0
	})
}

// A proof that a node has assigned one number twice is one in all of its fields (hostile 42).
func TestEachFieldOfAProofOfEquivocationCounts(t *testing.T) {
	t.Parallel()
	header := func(giver, text string, number uint64) Header {
		u := newManyWith(4).at(giver).sealedBy(number<<tagBits, text, false)
		return u.Header()
	}
	proof := func(giver string, number uint64) *Equivocation {
		return &Equivocation{First: header(giver, "true", number), Second: header(giver, "invented", number)}
	}
	enginetest.CheckProof(t, proof("51", 1), proof("49", 2), map[string]string{
		"First.Giver.Address": "the ID names the key", "Second.Giver.Address": "the ID names the key",
	}, func(e *Equivocation) bool {
		m := newManyWith(4)
		m.at("59").Receive(m.envs["61"].Self(), e)
		return m.at("59").machine.IsEquivocator(m.envs["51"].Self().ID) ||
			m.at("59").machine.IsEquivocator(m.envs["49"].Self().ID)
	})
}
