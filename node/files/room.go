package files

import (
	"maps"
	"slices"

	"tidings/network/pieces"
	"tidings/store/large"
)

// victim returns the content that is removed for another one; nil if none is. Content published here replaces the
// oldest of any, fetched ones first. Fetched content replaces the oldest of the channel that has most, so that no
// channel pushes out the others. If that is its own, it replaces only older content.
func (c *catalog) victim(l large.Content) *content {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l.Own {
		return oldest(c.sorted(func(known *content) bool { return known.begun() && known.ref != l.Ref }))
	}
	return c.oldestOfMost(l)
}

// oldest returns the oldest of contents, which begin with the latest. Content published here comes after all fetched
// ones. Nil: there is none.
func oldest(list []*content) (last *content) {
	for _, known := range list {
		if last == nil || last.own || !known.own {
			last = known
		}
	}
	return last
}

// oldestOfMost returns the content that is removed for another one that is fetched; nil if none is. The caller holds
// c.mu.
func (c *catalog) oldestOfMost(l large.Content) *content {
	var most string
	var mostBytes int64
	mine := make(map[string]bool) // the channels that want the content
	for _, channel := range slices.Sorted(maps.Keys(c.carried)) {
		sum := int64(0)
		for ref := range c.refsOf(channel) {
			known := c.contents[ref]
			switch {
			case ref == l.Ref:
				mine[channel] = true
				sum += l.Length
			case known != nil && known.begun() && !known.own:
				sum += known.length
			}
		}
		if sum > mostBytes {
			most, mostBytes = channel, sum
		}
	}
	refs := c.refsOf(most)
	wanted := c.contents[l.Ref]
	return oldest(c.sorted(func(known *content) bool {
		return known.begun() && !known.own && known.ref != l.Ref && refs[known.ref] &&
			(!mine[most] || wanted == nil || known.since.Before(wanted.since))
	}))
}

// refsOf returns the contents of a channel's files. The caller holds c.mu.
func (c *catalog) refsOf(channel string) map[pieces.Ref]bool {
	refs := make(map[pieces.Ref]bool)
	for _, f := range c.carried[channel] {
		refs[f.Ref] = true
	}
	return refs
}

// excess returns the contents to remove: those that no item here carries and that are not published here. Of the others
// it adds the oldest that are beyond the quota. Those of which nothing is here are forgotten at once.
func (c *catalog) excess() (refs []pieces.Ref) {
	c.mu.Lock()
	defer c.mu.Unlock()
	used := make(map[pieces.Ref]bool)
	for _, files := range c.carried {
		for _, f := range files {
			used[f.Ref] = true
		}
	}
	sum := int64(0)
	for _, known := range c.sorted(func(*content) bool { return true }) { // the latest first
		switch {
		case !known.own && !used[known.ref] && !known.begun():
			delete(c.contents, known.ref)
		case !known.own && !used[known.ref]:
			refs = append(refs, known.ref)
		case known.begun():
			if sum += known.length; sum > c.quota {
				refs = append(refs, known.ref)
				sum -= known.length
			}
		}
	}
	return refs
}
