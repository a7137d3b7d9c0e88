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

// maxProven is of how many members it is remembered that they have shown a certificate. Beyond that they show it again.
const maxProven = 1024

// errUncertified is of a node that shows no certificate of its own where the network asks for one.
var errUncertified = errors.New("no certificate of that member")

// prove returns the certificate of a member that shows a chain.
func (n *Node) prove(id engine.ID, chain cert.Chain) (cert.Certificate, error) {
	if len(chain) == 0 {
		return cert.Certificate{}, errUncertified
	}
	if p, ok := n.proven[id]; ok && p.chain.Equal(chain) && n.holds(p) {
		return p.Certificate, nil
	}
	c, err := chain.Verify(n.seams.Trusted, n.env.Wall())
	if err == nil && c.Member != id {
		err = errUncertified
	}
	if err != nil {
		return cert.Certificate{}, err
	}
	if n.proven == nil || len(n.proven) >= maxProven {
		n.proven = make(map[engine.ID]proven)
	}
	n.proven[id] = proven{c, chain, chain.Until()}
	return c, nil
}

// proven is the certificate that a member has shown, the chain that leads to it, and when the first of that expires.
type proven struct {
	cert.Certificate
	chain cert.Chain // never changed
	until time.Time
}

func (n *Node) holds(p proven) bool { return !n.env.Wall().After(p.until) }

// uncertified reports whether a row is of another member with an expired certificate.
func uncertified(n *Node, r table.Row) bool {
	return zone.IsMember(r.Label) && r.Issuer.ID != n.env.Self().ID && n.env.Wall().After(r.Proof.Until())
}

// Admits returns an error unless a node may learn of a zone. In a closed network it shows a certificate for that, or
// for one above or below, as their members share its table.
func (n *Node) Admits(p engine.Peer, of zone.Path, chain cert.Chain) error {
	if !n.seams.Closed {
		return nil
	}
	c, err := n.prove(p.ID, chain)
	if err == nil && !related(c, of) {
		err = cert.ErrScope
	}
	if err != nil {
		n.env.Trace(Refused{p, of, fmt.Errorf("asking for tables: %w", err)})
	}
	return err
}

func related(c cert.Certificate, to zone.Path) bool {
	return c.Zone.Contains(to) || to.Contains(c.Zone)
}

// MayPublish returns an error unless a node may publish to all of a zone. In a closed network it needs a certificate
// with that right for it, or for one above.
func (n *Node) MayPublish(p engine.Peer, to zone.Path, chain cert.Chain) error {
	if !n.seams.Closed {
		return nil
	}
	c, err := n.prove(p.ID, chain)
	if err != nil {
		return err
	}
	return c.MayPublish(to)
}

// Proof returns the node's own certificate, for those that ask for one.
func (n *Node) Proof() cert.Chain { return n.seams.Proof }

// serves reports whether a node has shown that it may learn of a zone.
func (n *Node) serves(p engine.Peer, of zone.Path) bool {
	if !n.seams.Closed {
		return true
	}
	c, ok := n.proven[p.ID]
	return ok && n.holds(c) && related(c.Certificate, of)
}

// mayWrite returns an error unless the issuer of a row has a certificate for it: a member for a zone that it is in, a
// representative for one that its own lies in.
func (n *Node) mayWrite(r table.Row) error {
	c, err := n.prove(r.Issuer.ID, r.Proof)
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

// authority returns the key of a zone's authority, or of one above it, that a chain leads to; of an empty one, those of
// the trusted ones that apply.
func (n *Node) authority(p zone.Path, chain cert.Chain) (keys []ed25519.PublicKey, err error) {
	if len(chain) == 0 {
		for _, a := range n.seams.Trusted {
			if a.Zone.Contains(p) {
				keys = append(keys, a.Key)
			}
		}
		return keys, nil
	}
	c, err := chain.Verify(n.seams.Trusted, n.env.Wall())
	if err != nil {
		return nil, err
	}
	if c.IsMember() || !c.Zone.Contains(p) {
		return nil, cert.ErrScope
	}
	return []ed25519.PublicKey{c.Key[:]}, nil
}
