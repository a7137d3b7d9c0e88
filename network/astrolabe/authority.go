package astrolabe

import (
	"crypto/ed25519"
	"errors"
	"fmt"

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
	if c, ok := n.proven[id]; ok && c.Equal(&chain[len(chain)-1]) && n.valid(c) {
		return c, nil
	}
	c, err := chain.Verify(n.seams.Trusted, n.env.Wall())
	if err == nil && c.Member != id {
		err = errUncertified
	}
	if err != nil {
		return cert.Certificate{}, err
	}
	if n.proven == nil || len(n.proven) >= maxProven {
		n.proven = make(map[engine.ID]cert.Certificate)
	}
	n.proven[id] = c
	return c, nil
}

func (n *Node) valid(c cert.Certificate) bool {
	return n.env.Wall().Unix() <= int64(min(c.NotAfter, 1<<62))
}

// certify reports whether a node may be told of the network: in a closed one it shows a certificate.
func (n *Node) certify(p engine.Peer, chain cert.Chain) bool {
	if !n.seams.Closed {
		return true
	}
	_, err := n.prove(p.ID, chain)
	if err != nil {
		n.env.Trace(Refused{p, zone.Root, fmt.Errorf("asking for tables: %w", err)})
	}
	return err == nil
}

// serves reports whether a node has shown that it may be told of the network.
func (n *Node) serves(p engine.Peer) bool {
	if !n.seams.Closed {
		return true
	}
	c, ok := n.proven[p.ID]
	return ok && n.valid(c)
}

// mayWrite returns an error unless the issuer of a row has a certificate for it: a member for a zone that it is in, a representative for one that its
// own lies in.
func (n *Node) mayWrite(r table.Row) error {
	c, err := n.prove(r.Issuer.ID, r.Proof)
	switch {
	case err != nil:
		return err
	case zone.IsMember(r.Label) && !c.Zone.Contains(r.Zone):
		return cert.ErrScope
	case zone.IsZone(r.Label) && !c.Zone.Contains(r.Path()) && !r.Path().Contains(c.Zone):
		return cert.ErrScope
	}
	return nil
}

// authority returns the key of a zone's authority, or of one above it, that a chain leads to; of an empty one, those of the trusted ones that apply.
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
