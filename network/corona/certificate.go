package corona

import (
	"encoding/binary"
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/plan"
	"tidings/network/engine"
)

// certificate proves that a host's owners let a channel be polled at a level. Whoever polls has one,
// and passes it on with the assignment.
type certificate struct {
	bits   uint8         // the least level
	every  time.Duration // the least time between polls, where the primary polls alone; 0: the interval
	until  int64         // in seconds since 1970
	grants []Grant       // as many as it takes
}

// How long grants hold. A grant that is used is replaced each maintenance interval, a certificate when
// half its time has passed. Clocks may differ by clockError. Those who poll renew their certificates
// once a maintenance interval: owners count a grant so much longer.
const (
	grantLasts = 4 // maintenance intervals
	clockError = 5 * time.Minute
)

const (
	// maxHostOwners bounds Config.HostOwners.
	maxHostOwners = 9

	// ownersReach is how far from a host's key an owner may be, in mean numbers of nodes for each
	// owner that there is: as much as leaves room for chance, and for errors of Ring.Nodes. See
	// doc.go for what that means for nodes that lie.
	ownersReach = 16. / maxHostOwners

	// primaryReach is how far from a channel its primary may be, in mean numbers of nodes.
	primaryReach = 8
)

// hosted reports whether the load of hosts is bounded.
func (n *budgeter) Hosted() bool { return n.Keys != nil && n.config.HostCeiling > 0 }

// hostOwners returns how many owners a host has.
func (n *budgeter) hostOwners() int { return max(1, min(n.config.HostOwners, n.Ring.Nodes())) }

// quorum is how many owners of a host have to grant something: two thirds.
func (n *budgeter) quorum() int { return max(1, n.hostOwners()*2/3) }

// mayOwnHost reports whether a node can be an owner of a host.
func (n *budgeter) mayOwnHost(id, host engine.ID) bool {
	return n.IsAmong(id, host, ownersReach*float64(n.config.HostOwners))
}

// mayLead reports whether a node can be a channel's primary, or can have been one a moment ago.
func (n *budgeter) MayLead(id, channel engine.ID) bool { return n.IsAmong(id, channel, primaryReach) }

// grantWords begin what an owner of a host signs.
const grantWords = "tidings corona grant\n"

// words returns what an owner signs of a grant.
func (g *Grant) words(host, channel engine.ID) []byte {
	b := make([]byte, 0, len(grantWords)+len(host)+len(channel)+13)
	b = append(append(append(b, grantWords...), host[:]...), channel[:]...)
	b = append(b, g.Bits)
	b = binary.BigEndian.AppendUint32(b, g.Every)
	return binary.BigEndian.AppendUint64(b, uint64(g.Until))
}

// holds reports whether a grant is neither over nor for longer than grants are.
func (n *budgeter) Holds(until int64) bool {
	now, slack := n.Env.Wall().Unix(), int64(clockError/time.Second)
	return until > now-slack && until <= now+slack+int64(grantLasts*n.config.Maintenance/time.Second)
}

// certify makes a certificate of grants, whose signatures it does not check: of those that hold and can
// be by owners of the host, the quorum that allows most. It returns nil if there are too few.
func (n *budgeter) certify(host engine.ID, grants []Grant) *certificate {
	var good []Grant
	for _, g := range grants {
		twice := slices.ContainsFunc(good, func(h Grant) bool { return h.Owner.ID == g.Owner.ID })
		if !twice && n.Holds(g.Until) && n.mayOwnHost(g.Owner.ID, host) {
			good = append(good, g)
		}
	}
	quorum := n.quorum()
	if len(good) < quorum {
		return nil
	}
	slices.SortFunc(good, func(a, b Grant) int {
		switch {
		case a.Bits != b.Bits:
			return int(a.Bits) - int(b.Bits)
		case a.Every != b.Every:
			return int(int64(a.Every) - int64(b.Every))
		case engine.Closer(host, a.Owner.ID, b.Owner.ID):
			return -1
		}
		return 1
	})
	c := &certificate{grants: slices.Clip(good[:quorum])}
	for i, g := range c.grants {
		c.bits = max(c.bits, g.Bits)
		c.every = max(c.every, time.Duration(g.Every)*time.Second)
		if i == 0 || g.Until < c.until {
			c.until = g.Until
		}
	}
	return c
}

// proofs returns what is to be checked of a certificate.
func (c *certificate) proofs(host, channel engine.ID) (list []machine.Signed) {
	for _, g := range c.grants {
		list = append(list, machine.Signed{By: g.Owner, Words: g.words(host, channel), Signature: g.Signature})
	}
	return list
}

// same reports whether a certificate is made of the same grants as another.
func (c *certificate) same(d *certificate) bool {
	return c == d || c != nil && d != nil && slices.EqualFunc(c.grants, d.grants, func(a, b Grant) bool {
		return a.Owner.ID == b.Owner.ID && a.Bits == b.Bits && a.Every == b.Every && a.Until == b.Until
	})
}

// allows reports whether a certificate lets a set of nodes poll now.
func (n *budgeter) allows(c *certificate, size machine.Size) bool {
	return c != nil && c.every == 0 && size.Within(sizeOf(c.bits)) && c.bits < alone && n.Holds(c.until)
}

// certificateFor returns the certificate that permits an assignment: the one that came with it, c, or the one that is here; false if neither does.
func (n *budgeter) certificateFor(o *plan.Assignment, c *certificate) (*certificate, bool) {
	if !n.Hosted() {
		return nil, true
	}
	had := n.polled[o.Channel]
	if n.allows(had, o.Size) && (!n.allows(c, o.Size) || had.until >= c.until) {
		return had, true
	}
	return c, n.allows(c, o.Size)
}

// keepCertificate keeps the certificate by which a channel is polled here, and reports whether it is new.
func (n *budgeter) keepCertificate(channel engine.ID, c *certificate) bool {
	if c == nil || c.same(n.polled[channel]) {
		return false
	}
	n.polled[channel] = c
	return true
}

// check tells then which assignments hosts allow.
func (n *budgeter) check(list []plan.Assignment, then func(func(int) plan.Verdict)) {
	if !n.Hosted() {
		then(func(int) plan.Verdict { return plan.Allowed })
		return
	}
	certificates := make([]*certificate, len(list))
	var proofs []machine.Signed
	ends := make([]int, len(list)) // of each assignment's part of proofs
	for i := range list {
		o := &list[i]
		if certificates[i] = n.certificateIn(o); certificates[i] != nil {
			if had := n.polled[o.Channel]; certificates[i].same(had) {
				certificates[i] = had
			} else {
				proofs = append(proofs, certificates[i].proofs(hostKey(n.urlOf(o)), o.Channel)...)
			}
		}
		ends[i] = len(proofs)
	}
	n.CheckSigned(proofs, func(valid []bool) {
		from := 0
		for i, end := range ends {
			if slices.Contains(valid[from:end], false) {
				certificates[i] = nil
			}
			from = end
		}
		then(func(i int) plan.Verdict {
			c, ok := n.certificateFor(&list[i], certificates[i])
			switch {
			case !ok && list[i].URL == "":
				return plan.Unproved
			case !ok:
				return plan.Refused
			case n.keepCertificate(list[i].Channel, c):
				return plan.Renewed
			}
			return plan.Allowed
		})
	})
}

// certificateIn returns the certificate that came with an assignment, if this node has use for it.
func (n *budgeter) certificateIn(o *plan.Assignment) *certificate {
	url := n.urlOf(o)
	if len(o.Certificate) == 0 || !(Channel{ID: o.Channel, URL: url}).Genuine() {
		return nil
	}
	return n.certify(hostKey(url), fromGrants(o.Certificate))
}

// urlOf returns the URL of an assignment's channel; empty if it is not known.
func (n *budgeter) urlOf(o *plan.Assignment) string {
	if c, _ := n.node.plan.Polled(o.Channel); c.URL != "" {
		return c.URL
	}
	return o.URL
}
