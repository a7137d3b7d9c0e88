package plan

import (
	"encoding/binary"
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// Asked is what a channel's origin has asked for, by the channel's primary. It is signed: no node on an assignment's
// way can make others poll less than the origin allows.
type Asked struct {
	// Interval is the least time between polls of one node, in seconds, if that is more than the polling interval.
	Interval uint32 `cbor:"1,keyasint"`
	// Until is the end of the wait, in seconds since 1970; 0: none.
	Until uint32 `cbor:"2,keyasint"`
	// By is the primary, and Signature its signature; see AskedWords. Both are empty if nothing is signed.
	By        engine.Peer `cbor:"3,keyasint"`
	Signature []byte      `cbor:"4,keyasint" max:"64"`
}

// clockError is by how much clocks of nodes may differ. A node with a clock farther ahead does not wait: the origin
// then asks it itself.
const clockError = 5 * time.Minute

const askedWords = "tidings corona asked\n"

// AskedWords returns what a primary signs of an origin's wishes. It holds for the assignments of one term.
func AskedWords(channel engine.ID, term uint32, a *Asked) []byte {
	b := append([]byte(askedWords), channel[:]...)
	for _, n := range []uint32{term, a.Interval, a.Until} {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}

// asked returns this primary's statement of an origin's wishes.
func (p *Plan) asked(c *channel, l Limits) (a Asked) {
	now := p.Env.Now()
	if l.Interval > p.config.Interval {
		a.Interval = uint32(l.Interval / time.Second)
	}
	if wait := l.NotBefore - now; wait > 0 {
		a.Until = uint32(p.Env.Wall().Add(wait + time.Second - 1).Unix())
	}
	if a.Interval == 0 && a.Until == 0 || p.Keys == nil {
		return a
	}
	d, said := p.duties.find(c.ID()), p.duties.asked[c.ID()]
	if d != nil && d.term == c.Term && p.IsSelf(said.By) && said.Interval == a.Interval && said.Until/2 == a.Until/2 {
		return said
	}
	a.By = p.Env.Self()
	a.Signature = p.Sign(AskedWords(c.ID(), c.Term, &a))
	return a
}

// asked returns the assignment's statement of the origin's wishes.
func (a *Assignment) asked() Asked {
	if len(a.Asked) == 0 {
		return Asked{}
	}
	return a.Asked[0]
}

// limitsOf returns the limits in an assignment.
func (s *duties) limitsOf(a *Assignment) Limits {
	asked, wait := a.asked(), time.Duration(a.Wait)*time.Second
	l := Limits{Interval: time.Duration(asked.Interval) * time.Second}
	if left := time.Unix(int64(asked.Until), 0).Add(clockError).Sub(s.Env.Wall()); wait > 0 && left > 0 {
		l.NotBefore = s.Env.Now() + min(wait, left)
	}
	return l
}

// checkAsked removes invalid statements of origins' wishes from assignments, and then calls then. A statement is
// invalid if the named node has not signed it, or cannot be the channel's primary.
func (p *Plan) checkAsked(list []Assignment, then func()) {
	if p.Keys == nil {
		then()
		return
	}
	proofs := make([]machine.Signed, len(list))
	for i := range list {
		a := &list[i]
		asked := a.asked()
		if len(a.Asked) == 0 || p.knowsAsked(a.Channel, a.Term, &asked) {
			continue
		}
		proofs[i] = machine.Signed{By: asked.By, Words: AskedWords(a.Channel, a.Term, &asked),
			Signature: asked.Signature}
	}
	p.CheckSigned(proofs, func(valid []bool) {
		for i := range list {
			a := &list[i]
			if !valid[i] ||
				proofs[i].Words != nil && !p.MayLead(a.Asked[0].By.ID, a.Channel, p.Nodes()) {
				p.Env.Trace(Unasked{a.Channel, a.Asked[0].By.ID})
				a.Asked = nil
			}
		}
		then()
	})
}

// Unasked reports that an assignment named limits of an origin that the channel's primary has not signed.
type Unasked struct {
	Channel engine.ID
	By      engine.ID // the alleged signer
}

// knowsAsked reports whether the same statement was checked before.
func (p *Plan) knowsAsked(channel engine.ID, term uint32, a *Asked) bool {
	d, known := p.duties.find(channel), p.duties.asked[channel]
	return d != nil && d.term == term && known.Interval == a.Interval && known.Until == a.Until &&
		known.By.ID == a.By.ID && slices.Equal(known.Signature, a.Signature)
}
