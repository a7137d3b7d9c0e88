package astrolabe

import (
	"slices"

	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/zone"
)

// Membership is in which zone a node should be, and which authority admits it: see Seams.
type Membership struct {
	Home    zone.Path
	Trusted []cert.Authority
	Closed  bool
	Proof   cert.Chain
}

// Rejoin makes the node use another membership from now on. Where the zone or the authorities differ, it leaves and
// looks for its place anew, with empty tables: what it has learned may not be so by the new ones. Else it shows its new
// certificate, and stays.
func (n *Node) Rejoin(m Membership) {
	if m.Home == "" {
		m.Home = zone.Root
	}
	stays := n.branch.placed && m.Home.Contains(n.branch.path) &&
		m.Home == n.seams.Home && m.Closed == n.admission.closed &&
		slices.EqualFunc(m.Trusted, n.admission.trusted, sameAuthority)
	if n.branch.placed && !stays {
		n.farewell(n.branch.path, n.config.Stay)
	}
	n.seams.Home, n.seams.Proof, n.denied = m.Home, m.Proof, 0
	n.admission = admission{trusted: m.Trusted, closed: m.Closed}
	if stays {
		n.issueOwn()
		return
	}
	n.branch.placed, n.branch.path, n.branch.tables, n.news, n.fellows, n.quiet = false, "", nil, nil, nil, 0
	n.duty = duties{}
	n.seek(nil)
	n.maybeSeek()
}

func sameAuthority(a, b cert.Authority) bool { return a.Zone == b.Zone && a.Key.Equal(b.Key) }
