package budget

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// certificate proves that a host's owners let a channel be polled. It does not change once it is made.
type certificate struct {
	Permit
	grants []machine.Grant // a quorum
}

// How long grants hold. A grant in use is replaced each maintenance interval, a certificate when half its time has
// passed. Clocks may differ by clockError. Pollers renew their certificates once a maintenance interval: owners count a
// grant so much longer.
const (
	grantLasts = 4 // maintenance intervals
	clockError = 5 * time.Minute
)

const grantWords = "tidings corona grant\n"

// GrantWords returns what an owner signs of a grant.
func GrantWords(g *machine.Grant, host, channel engine.ID) []byte {
	b := make([]byte, 0, len(grantWords)+len(host)+len(channel)+14)
	b = append(append(append(b, grantWords...), host[:]...), channel[:]...)
	b = append(b, g.Size.Bits, g.Size.Run)
	b = binary.BigEndian.AppendUint32(b, g.Every)
	return binary.BigEndian.AppendUint64(b, uint64(g.Until))
}

// Holds reports whether a grant until then is neither over nor longer than grants last.
func (c *core) Holds(until int64) bool {
	now, slack := c.Env.Wall().Unix(), int64(clockError/time.Second)
	return until > now-slack && until <= now+slack+int64(grantLasts*c.config.Maintenance/time.Second)
}

// certify makes a certificate of grants, without checking their signatures. Of the grants that hold and can be by
// owners of the host it uses the quorum that allows most. At most maxOfPrefix of them are of one part of the network.
// It returns nil if there are too few.
func (c *core) certify(host engine.ID, grants []machine.Grant) *certificate {
	var good []machine.Grant
	for _, g := range grants {
		twice := slices.ContainsFunc(good, func(h machine.Grant) bool { return h.Owner.ID == g.Owner.ID })
		if !twice && g.Size.Valid() && c.Holds(g.Until) && c.mayOwn(g.Owner.ID, host) {
			good = append(good, g)
		}
	}
	quorum := c.quorum()
	slices.SortFunc(good, func(a, b machine.Grant) int {
		switch {
		case a.Size.Share() != b.Size.Share():
			return cmp.Compare(b.Size.Share(), a.Size.Share())
		case a.Every != b.Every:
			return cmp.Compare(a.Every, b.Every)
		case engine.Closer(host, a.Owner.ID, b.Owner.ID):
			return -1
		}
		return 1
	})
	if good = slices.Clip(c.apart(good, quorum)); len(good) < quorum {
		return nil
	}
	least := good[quorum-1]
	made := &certificate{Permit{least.Size, 0, least.Until}, good}
	for _, g := range good {
		made.Every, made.Until = max(made.Every, time.Duration(g.Every)*time.Second), min(made.Until, g.Until)
	}
	return made
}

// maxOfPrefix is the most owners of one part of the network in a quorum, as in leaf sets: see engine.Prefixer.
const maxOfPrefix = 2

// apart returns the first most grants, or fewer, with at most maxOfPrefix by owners of one part of the network.
func (c *core) apart(grants []machine.Grant, most int) (list []machine.Grant) {
	beside := make(map[string]int) // by prefix
	for _, g := range grants {
		if len(list) == most {
			break
		}
		prefix := engine.PrefixOf(c.Env, g.Owner.Address)
		if prefix != "" && beside[prefix] >= maxOfPrefix {
			continue
		}
		beside[prefix]++
		list = append(list, g)
	}
	return list
}

// proofs returns the signatures of a certificate that must be checked.
func (c *certificate) proofs(host, channel engine.ID) (list []machine.Signed) {
	for i := range c.grants {
		g := &c.grants[i]
		list = append(list, machine.Signed{By: g.Owner, Words: GrantWords(g, host, channel), Signature: g.Signature})
	}
	return list
}

// same reports whether a certificate is made of the same grants as another.
func (c *certificate) same(d *certificate) bool {
	return c == d || c != nil && d != nil && slices.EqualFunc(c.grants, d.grants, func(a, b machine.Grant) bool {
		return a.Owner.ID == b.Owner.ID && a.Size == b.Size && a.Every == b.Every && a.Until == b.Until
	})
}

// allows reports whether a certificate, which may be nil, lets a set of that size poll.
func (c *certificate) allows(s machine.Size) bool {
	return c != nil && c.Every == 0 && !c.alone() && s.Within(c.Size)
}

// alone reports whether only the primary may poll.
func (p *Permit) alone() bool { return p.Size.Bits == machine.MaxSizeBits }
