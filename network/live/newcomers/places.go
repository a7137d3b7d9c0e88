package newcomers

import (
	"net/netip"
	"time"
)

// places are those of one stage.
type places struct {
	all      int
	patience time.Duration
	used     []*newcomer          // the oldest first; at most all
	by       map[netip.Prefix]int // how many of them are of a part of the network
}

func newPlaces(all int, patience time.Duration) places {
	return places{all: all, patience: patience, by: make(map[netip.Prefix]int)}
}

func (p *places) free() int { return p.all - len(p.used) }

// few reports whether there are so few places that nobody may stay.
func (p *places) few() bool { return p.free() < (p.all+1)/2 }

// admits reports whether there is a place for one more of some parts of the network: none has more than half of what is
// free.
func (p *places) admits(parts []netip.Prefix) bool {
	share := (p.free() + 1) / 2
	for _, part := range parts {
		if p.by[part] >= share {
			return false
		}
	}
	return share > 0
}

func (p *places) add(n *newcomer, now time.Time) {
	n.since, n.in = now, p
	p.used = append(p.used, n)
	for _, part := range n.parts {
		p.by[part]++
	}
}

func (p *places) remove(n *newcomer) {
	for i, other := range p.used {
		if other == n {
			p.used = append(p.used[:i], p.used[i+1:]...)
			break
		}
	}
	for _, part := range n.parts {
		if p.by[part]--; p.by[part] == 0 {
			delete(p.by, part)
		}
	}
	n.in = nil
}

// impatient returns those that have stayed for too long, if places are few.
func (p *places) impatient(now time.Time) (late []*newcomer) {
	if !p.few() {
		return nil
	}
	for _, n := range p.used {
		if now.Sub(n.since) < p.patience {
			break
		}
		late = append(late, n)
	}
	return late
}

// partsOf returns which parts of the network have shares, for an address: the address, or the home if it is of IPv6,
// and the site. Loopback has no sites.
func partsOf(a netip.Addr) []netip.Prefix {
	a = a.Unmap().WithZone("")
	home, site := 32, 24
	if a.Is6() {
		home, site = 56, 48
	}
	if a.IsLoopback() {
		return []netip.Prefix{netip.PrefixFrom(a, a.BitLen())}
	}
	parts := make([]netip.Prefix, 0, 2)
	for _, bits := range []int{home, site} {
		if p, err := a.Prefix(bits); err == nil {
			parts = append(parts, p)
		}
	}
	return parts
}
