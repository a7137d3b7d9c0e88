package budget

import (
	"math"
	"slices"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// polled holds the certificates of channels that are polled here by assignments.
type polled struct {
	*core
	certificates map[engine.ID]*certificate // well signed; about as many as channels polled here
}

// Assigned is an assignment of a channel that is to be polled here.
type Assigned struct {
	Channel machine.Channel // without a URL it is not known here
	Size    machine.Size
	Grants  []machine.Grant // the certificate; none: it was left out
}

// Verdict is whether a host allows an assignment.
type Verdict uint8

// The verdicts.
const (
	Refused  Verdict = iota
	Unproved         // the certificate was left out, and is not here
	Allowed
	Renewed // allowed by a certificate that is new here
)

// Check calls then with a function that returns the verdict on each assignment. Calling it for an assignment that is
// followed keeps the certificate.
func (p *polled) Check(list []Assigned, then func(verdict func(i int) Verdict)) {
	if !p.Hosted() {
		then(func(int) Verdict { return Allowed })
		return
	}
	came, ends := make([]*certificate, len(list)), make([]int, len(list)) // ends: of each assignment's part of proofs
	var proofs []machine.Signed
	for i := range list {
		a := &list[i]
		if len(a.Grants) > 0 && a.Channel.Genuine() {
			key := HostKey(a.Channel.URL)
			if came[i] = p.certify(key, a.Grants); came[i] != nil && !came[i].same(p.certificates[a.Channel.ID]) {
				proofs = append(proofs, came[i].proofs(key, a.Channel.ID)...)
			}
		}
		ends[i] = len(proofs)
	}
	p.CheckSigned(proofs, func(valid []bool) {
		from := 0
		for i, end := range ends {
			if slices.Contains(valid[from:end], false) {
				came[i] = nil
			}
			from = end
		}
		then(func(i int) Verdict { return p.follow(&list[i], came[i]) })
	})
}

// CheckCertificate calls then with how many nodes can be in the set that a host permits for a channel, at the channel's
// own address. With 0 only its primary may poll. The certificate is not kept.
func (p *polled) CheckCertificate(c machine.Channel, grants []machine.Grant, then func(pollers float64)) {
	switch {
	case !c.Genuine():
		then(0)
		return
	case !p.Hosted():
		then(p.nodes())
		return
	}
	key := HostKey(c.URL)
	came := p.certify(key, grants)
	if came == nil || came.alone() || came.Every > 0 {
		then(0)
		return
	}
	p.CheckSigned(came.proofs(key, c.ID), func(valid []bool) {
		if slices.Contains(valid, false) {
			then(0)
		} else {
			then(mostIn(came.Size.Share() * p.nodes()))
		}
	})
}

// crowding is how many standard deviations above the average a set's number of nodes can be. A primary chooses the set
// by the nodes counted there: so where nodes are dense, it is a small part of the ring. Four sets in 1,000 have more
// nodes than that, and another.
const crowding = 3

// mostIn returns how many nodes there can be in a set that has expected on average.
func mostIn(expected float64) float64 { return expected + crowding*math.Sqrt(expected) }

// follow returns whether the certificate that came with an assignment, or the one here, allows it.
func (p *polled) follow(a *Assigned, came *certificate) Verdict {
	had := p.certificates[a.Channel.ID]
	mayCome, mayHad := p.now(came).allows(a.Size), p.now(had).allows(a.Size)
	switch {
	case mayHad && (!mayCome || had.Until >= came.Until || came.same(had)):
		return Allowed
	case mayCome:
		p.certificates[a.Channel.ID] = came
		return Renewed
	case len(a.Grants) == 0:
		return Unproved
	}
	return Refused
}

// now returns a certificate if it holds now, else nil.
func (p *polled) now(c *certificate) *certificate {
	if c == nil || !p.Holds(c.Until) {
		return nil
	}
	return c
}

// sweep drops certificates that have ended.
func (p *polled) sweep() {
	for channel, c := range p.certificates {
		if p.now(c) == nil {
			delete(p.certificates, channel)
		}
	}
}
