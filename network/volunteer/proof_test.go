package volunteer_test

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/volunteer"
)

// shaKeys sign as the simulator's do.
type shaKeys struct{ self engine.ID }

func (k shaKeys) Sign(data []byte) []byte {
	h := sha256.Sum256(append(k.self[:len(k.self):len(k.self)], data...))
	return append(h[:], h[:]...)
}

func (shaKeys) Signed(p engine.Peer, data, signature []byte) bool {
	return bytes.Equal(signature, shaKeys{p.ID}.Sign(data))
}

// hearer is what a volunteer has around it.
type hearer struct{ reports []*volunteer.PollReport }

func (*hearer) Join(engine.ID)  {}
func (*hearer) Leave(engine.ID) {}
func (h *hearer) Publish(_ engine.ID, m engine.Message) {
	h.reports = append(h.reports, m.(*volunteer.PollReport))
}
func (*hearer) Poll(engine.ID)                      {}
func (*hearer) Take(*volunteer.PollReport)          {}
func (*hearer) Opinion(engine.ID) volunteer.Opinion { return volunteer.Neutral }

// What a volunteer reports is passed on for its signature, and each field of it counts.
func TestEachFieldOfAReportCounts(t *testing.T) {
	at := func(name string) (*volunteer.Node, *hearer) {
		h, env := new(hearer), enginetest.NewEnv(enginetest.NewPeer(name))
		n := volunteer.New(env, shaKeys{env.Self().ID}, h, volunteer.Default())
		n.Use(h)
		n.Follow(followed, host)
		return n, h
	}
	report := func(by string, found volunteer.Found) *volunteer.PollReport {
		n, h := at(by)
		n.Polled(followed, found)
		return h.reports[0]
	}
	valid := report("a1", volunteer.Found{Base: hashOf(1), Hash: hashOf(2), Modified: 5,
		Payload: []byte("what is new")})
	other := report("b2", volunteer.Found{Base: hashOf(3), Hash: hashOf(4), Modified: 6,
		Payload: []byte("what is newer")})
	enginetest.CheckProof(t, valid, other, nil, func(m *volunteer.PollReport) bool {
		n, _ := at("c3")
		_, _, ok := n.Admit(volunteer.TopicOf(followed), m, enginetest.NewPeer("d4"))
		return ok
	})
}
