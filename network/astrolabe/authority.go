package astrolabe

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"time"

	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// admission decides which nodes may learn of zones, and which rows count. In an open network that is all of them.
type admission struct {
	trusted []cert.Authority
	closed  bool
	proven  map[engine.ID]proven // by members that have shown a certificate lately; at most maxProven
}

// maxProven is of how many members it is remembered that they have shown a certificate. Beyond that they show it again.
const maxProven = 1024

// proven is the certificate that a member has shown, the chain that leads to it, and when the first of that expires.
type proven struct {
	cert.Certificate
	chain cert.Chain // never changed
	until time.Time
}

func (p proven) holds(now time.Time) bool { return !now.After(p.until) }

// errUncertified is of a node that shows no certificate of its own where the network asks for one.
var errUncertified = errors.New("no certificate of that member")

// prove returns the certificate of a member that shows a chain.
func (a *admission) prove(id engine.ID, chain cert.Chain, now time.Time) (cert.Certificate, error) {
	if len(chain) == 0 {
		return cert.Certificate{}, errUncertified
	}
	if p, ok := a.proven[id]; ok && p.chain.Equal(chain) && p.holds(now) {
		return p.Certificate, nil
	}
	c, err := chain.Verify(a.trusted, now)
	if err == nil && c.Member != id {
		err = errUncertified
	}
	if err != nil {
		return cert.Certificate{}, err
	}
	if a.proven == nil || len(a.proven) >= maxProven {
		a.proven = make(map[engine.ID]proven)
	}
	a.proven[id] = proven{c, chain, chain.Until()}
	return c, nil
}

// admits returns an error unless a node may learn of a zone. It shows a certificate for that, or for a zone above or
// below, as their members share its table.
func (a *admission) admits(id engine.ID, of zone.Path, chain cert.Chain, now time.Time) error {
	if !a.closed {
		return nil
	}
	c, err := a.prove(id, chain, now)
	if err == nil && !related(c, of) {
		err = cert.ErrScope
	}
	return err
}

func related(c cert.Certificate, to zone.Path) bool {
	return c.Zone.Contains(to) || to.Contains(c.Zone)
}

// serves reports whether a node has shown that it may learn of a zone.
func (a *admission) serves(id engine.ID, of zone.Path, now time.Time) bool {
	if !a.closed {
		return true
	}
	c, ok := a.proven[id]
	return ok && c.holds(now) && related(c.Certificate, of)
}

// mayWrite returns an error unless the issuer of a row has a certificate for it: a member for a zone that it is in, a
// representative for one that its own lies in.
func (a *admission) mayWrite(r table.Row, now time.Time) error {
	if !a.closed {
		return nil
	}
	c, err := a.prove(r.Issuer.ID, r.Proof, now)
	switch {
	case err != nil:
		return err
	case zone.IsMember(r.Label) && c.MayBe(r.Zone) != nil:
		return cert.ErrScope
	case zone.IsZone(r.Label) && !related(c, r.Path()):
		return cert.ErrScope
	}
	return nil
}

// uncertified reports whether a row is of a member with an expired certificate.
func uncertified(r table.Row, now time.Time) bool {
	return zone.IsMember(r.Label) && now.After(r.Proof.Until())
}

// authority returns the key of a zone's authority, or of one above it, that a chain leads to; of an empty one, those of
// the trusted ones that apply.
func (a *admission) authority(p zone.Path, chain cert.Chain, now time.Time) (keys []ed25519.PublicKey, err error) {
	if len(chain) == 0 {
		for _, t := range a.trusted {
			if t.Zone.Contains(p) {
				keys = append(keys, t.Key)
			}
		}
		return keys, nil
	}
	c, err := chain.Verify(a.trusted, now)
	if err != nil {
		return nil, err
	}
	if c.IsMember() || !c.Zone.Contains(p) {
		return nil, cert.ErrScope
	}
	return []ed25519.PublicKey{c.Key[:]}, nil
}

// Admits returns an error unless a node may learn of a zone. In a closed network it shows a certificate for that, or
// for one above or below, as their members share its table.
func (n *Node) Admits(p engine.Peer, of zone.Path, chain cert.Chain) error {
	err := n.admission.admits(p.ID, of, chain, n.env.Wall())
	if err != nil {
		n.env.Trace(Refused{p, of, fmt.Errorf("asking for tables: %w", err)})
	}
	return err
}

// MayPublish returns an error unless a node may publish to all of a zone. In a closed network it needs a certificate
// with that right for it, or for one above.
func (n *Node) MayPublish(p engine.Peer, to zone.Path, chain cert.Chain) error {
	if !n.admission.closed {
		return nil
	}
	c, err := n.admission.prove(p.ID, chain, n.env.Wall())
	if err != nil {
		return err
	}
	return c.MayPublish(to)
}

// Proof returns the node's own certificate, for those that ask for one.
func (n *Node) Proof() cert.Chain { return n.seams.Proof }
