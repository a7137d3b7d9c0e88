package known

import (
	"fmt"
	"testing"

	"tidings"
)

// However many feeds are asked about, what is held stays within its bound, and what was asked for lately is held.
func TestMarksInMemoryAreBounded(t *testing.T) {
	m := NewCache()
	const each = maxMarks/4 - 1
	for id := int64(1); id <= 10; id++ {
		f := &Feed{url: fmt.Sprint(id), id: id}
		for row := range int64(each) {
			f.set(tidings.KnownItem{Row: row + 1, ItemIdentity: tidings.ItemIdentity{ID: 1}})
		}
		m.Hold(f, m.Changes())
	}
	if m.items > maxMarks || len(m.channels) != 4 || len(m.ids) != 4 || m.Held(10) == nil || m.Held(6) != nil {
		t.Errorf("%d items of %d channels are held", m.items, len(m.channels))
	}
	m.View(fmt.Sprint(7), func(*Feed) {})
	m.Apply([]Change{{10, tidings.KnownItem{Row: each + 1, ItemIdentity: tidings.ItemIdentity{ID: 2}}}})
	if m.items > maxMarks || m.Held(7) == nil || m.Held(8) != nil {
		t.Errorf("%d items are held after one more", m.items)
	}
	old := m.Changes()
	m.Apply([]Change{{}})
	m.Hold(&Feed{url: "u", id: 1}, old)
	if m.items != 0 || len(m.channels)+len(m.ids) != 0 {
		t.Errorf("%d items are held, and anything may have changed", m.items)
	}
}

// A feed that was read from the file before a change is not held, as it may lack what has changed: whether the change
// was of that feed, of another one, or of one that is held.
func TestWhatWasReadBeforeAChangeIsNotHeld(t *testing.T) {
	item := tidings.KnownItem{Row: 2, ItemIdentity: tidings.ItemIdentity{ID: 2}}
	for what, channel := range map[string]int64{"that feed": 1, "one that is held": 5, "another": 9} {
		m := NewCache()
		m.Hold(&Feed{url: "five", id: 5}, m.Changes())
		read := m.Changes()
		m.Apply([]Change{{channel, item}})
		m.Hold(&Feed{url: "one", id: 1}, read)
		if m.Held(1) != nil || m.ViewAsOf(read, "five", func(*Feed) {}) {
			t.Errorf("after a change of %s, what was read before it is held", what)
		}
		m.Hold(&Feed{url: "one", id: 1}, m.Changes())
		if m.Held(1) == nil {
			t.Errorf("after a change of %s, what was read after it is not held", what)
		}
	}
}
