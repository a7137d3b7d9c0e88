package xmpp

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tidings"
	"tidings/delivery/outbox"
	"tidings/delivery/xmpp/share"
)

const (
	maxParts    = 1000 // of a message that nodes name one by one; the parts of a larger one count as one
	maxPartName = 32   // bytes
)

// partsOf names the parts of a message: alike at all nodes, whatever their numbers are, and in the order of the
// message. A part is an item, or a version of a page.
func partsOf(m outbox.Message) (names []string) {
	if m.Digest == nil {
		names = partsOfUpdate(m.Update, m.Item)
	}
	for _, p := range m.Digest {
		names = append(names, partsOfUpdate(p.Update, p.Item)...)
	}
	if len(names) > maxParts {
		return []string{partName(names...)}
	}
	return names
}

func partsOfUpdate(u tidings.Update, item *tidings.Item) (names []string) {
	withdrawn := ""
	if u.Withdrawn != nil {
		withdrawn = "withdrawn"
	}
	name := func(i *tidings.Item) string {
		if i.Change == tidings.Changed || i.News.Withdrawn() {
			return partName(u.Channel, withdrawn, "changed", i.ID, i.Title, i.URL, i.Summary, i.Content)
		}
		return partName(u.Channel, withdrawn, "item", i.ID)
	}
	switch {
	case item != nil:
		return []string{name(item)}
	case len(u.Items) == 0:
		return []string{partName(u.Channel, withdrawn, "page", u.Hash)}
	}
	for i := range u.Items {
		names = append(names, name(&u.Items[i]))
	}
	return names
}

// partName returns a name that does not reveal what it is made of.
func partName(of ...string) string {
	h := sha256.New()
	for _, text := range of {
		h.Write([]byte(text))
		h.Write([]byte{0})
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:12])
}

// only returns a message with the parts at the indexes in keep, which are those of partsOf and ascend.
func only(m outbox.Message, parts []string, keep []int) outbox.Message {
	if len(keep) == len(parts) {
		return m
	}
	at := 0
	kept := func() bool {
		_, found := slices.BinarySearch(keep, at)
		at++
		return found
	}
	if m.Digest == nil {
		m.Update, _ = onlyItems(m.Update, kept)
		if len(m.Update.Items) == 1 {
			m.Item = &m.Update.Items[0]
		}
		return m
	}
	var digest []tidings.DeliveryPart
	for _, p := range m.Digest {
		some := false
		if p.Item != nil || len(p.Update.Items) == 0 {
			some = kept()
		} else {
			p.Update, some = onlyItems(p.Update, kept)
		}
		if some {
			digest = append(digest, p)
		}
	}
	m.Digest = digest
	return m
}

func onlyItems(u tidings.Update, kept func() bool) (tidings.Update, bool) {
	var items []tidings.Item
	for _, i := range u.Items {
		if kept() {
			items = append(items, i)
		}
	}
	u.Items = items
	return u, len(items) > 0
}

// keysOf returns the keys of parts of a message to a bare address.
func keysOf(address string, parts []string) []share.Key {
	keys := make([]share.Key, len(parts))
	for i, p := range parts {
		keys[i] = share.KeyOf(address, p)
	}
	return keys
}

// readParts reads names of parts from a text; nil if it is none.
func readParts(text string) []string {
	names := strings.Fields(text)
	if len(names) > maxParts {
		return nil
	}
	for _, n := range names {
		if len(n) > maxPartName {
			return nil
		}
	}
	return names
}

// tally counts the parts of messages that a node is done with. The zero value has none. Its methods may be called by
// many goroutines at once.
type tally struct {
	mu   sync.Mutex
	done share.Tally
}

// numbered returns parts of a message with the numbers by which those differ that were there before.
func (t *tally) numbered(address string, parts []string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	names := make([]string, len(parts))
	for i, k := range keysOf(address, parts) {
		names[i] = parts[i]
		if n := t.done.Of(k); n > 0 {
			names[i] += "." + strconv.Itoa(n)
		}
	}
	return names
}

// count notes that this node is done with parts of a message.
func (t *tally) count(address string, parts []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done.Add(keysOf(address, parts))
}
