package known

import "tidings"

// Parts are parts of what items are known by: guids, links, titles and texts.
type Parts struct {
	bits [1 << 6]uint64 // the low bits of those that there are: they exclude most others
	all  map[uint64]struct{}
}

// PartsOf returns the parts of some identities.
func PartsOf(marks []tidings.ItemIdentity) *Parts {
	p := &Parts{all: make(map[uint64]struct{}, 4*len(marks))}
	for _, m := range marks {
		for _, part := range partsIn(m) {
			if part != 0 {
				p.bits[part>>6%(1<<6)] |= 1 << (part % 64)
				p.all[part] = struct{}{}
			}
		}
	}
	return p
}

// partsIn returns the parts of a mark that distinguish items; a date alone does not.
func partsIn(m tidings.ItemIdentity) [4]uint64 { return [...]uint64{m.ID, m.Link, m.Title, m.Print} }

func (p *Parts) have(part uint64) bool {
	if p.bits[part>>6%(1<<6)]&(1<<(part%64)) == 0 {
		return false
	}
	_, ok := p.all[part]
	return ok
}

// Meet reports whether an identity has one of the parts.
func (p *Parts) Meet(m tidings.ItemIdentity) bool {
	return p.have(m.ID) || p.have(m.Link) || p.have(m.Title) || p.have(m.Print)
}

// Having returns the items that have one of some parts.
func (f *Feed) Having(p *Parts) (items []tidings.KnownItem) {
	for i := range f.items {
		if p.Meet(f.items[i].ItemIdentity) {
			items = append(items, f.items[i])
		}
	}
	return items
}

// Ambiguous reports whether two of the items have a part in common.
func Ambiguous(items []tidings.KnownItem) bool {
	type place struct {
		part  uint64
		which int
	}
	if len(items) < 2 {
		return false
	}
	seen := make(map[place]struct{}, 4*len(items))
	for i := range items {
		for which, part := range partsIn(items[i].ItemIdentity) {
			if part == 0 {
				continue
			}
			at := place{part, which}
			if _, twice := seen[at]; twice {
				return true
			}
			seen[at] = struct{}{}
		}
	}
	return false
}
