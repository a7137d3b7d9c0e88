package astrolabe

import (
	"errors"

	"tidings/network/astrolabe/cert"
	"tidings/network/engine"
)

// Denial is why a node is not let into a closed network. 0: it is.
type Denial uint8

// The reasons.
const (
	DeniedNone      Denial = 1 + iota // it has shown no certificate of its own
	DeniedExpired                     // a certificate that has expired
	DeniedZone                        // one for another zone
	DeniedUntrusted                   // one that no trusted key leads to
)

// denialOf returns the reason that an error of a certificate stands for.
func denialOf(err error) Denial {
	switch {
	case errors.Is(err, errUncertified):
		return DeniedNone
	case errors.Is(err, cert.ErrExpired):
		return DeniedExpired
	case errors.Is(err, cert.ErrScope):
		return DeniedZone
	}
	return DeniedUntrusted
}

// String returns the reason as people read it, of a node's certificate.
func (d Denial) String() string {
	switch d {
	case DeniedNone:
		return "it has shown no certificate"
	case DeniedExpired:
		return "its certificate has expired"
	case DeniedZone:
		return "its certificate is for another zone"
	case DeniedUntrusted:
		return "nobody whom they trust has signed its certificate"
	}
	return ""
}

// onDenied notes why the node is not let in, if it has asked, and asks another node: one node's word is not the
// network's.
func (n *Node) onDenied(from engine.Peer, m *Denied) {
	s := n.seeking
	if s == nil || s.asked.ID != from.ID || m.Home != s.want || m.Why.String() == "" {
		return
	}
	n.denied = m.Why
	n.env.Trace(NotAdmitted{from, m.Why})
	if n.seams.OnDenied != nil {
		n.seams.OnDenied(from, m.Why)
	}
	n.seekOn()
}

// Denied returns why others have not let the node in, when it last asked for its place; 0: they have.
func (n *Node) Denied() Denial { return n.denied }
