package newswire_test

import (
	"bytes"
	"testing"

	"tidings/network/routers/newswire"
)

// What a publisher signs of an item is all that decides where it goes and which event it brings. Its name is of that,
// and of the publisher (hostile 74).
func TestHostile74SignatureAndNameAreOfTheWholeItem(t *testing.T) {
	w := newTown(newPlan(64, 8))
	m := w.item(honestPublisher, 1)
	for name, change := range map[string]func(m *newswire.Item){
		"event":     func(m *newswire.Item) { m.ID++ },
		"topic":     func(m *newswire.Item) { m.Topic = sub(1) },
		"bits":      func(m *newswire.Item) { m.Bits = []uint16{m.Bits[0] + 1} },
		"zone":      func(m *newswire.Item) { m.Zone = "/~03" },
		"predicate": func(m *newswire.Item) { m.Predicate = "category 2" },
	} {
		other := *m
		change(&other)
		if bytes.Equal(other.Words(), m.Words()) || other.Name() == m.Name() {
			t.Errorf("an item with another %s has the same words or the same name", name)
		}
	}
	other := *m
	other.Publisher = w.Peer(attacker)
	if other.Name() == m.Name() {
		t.Error("the item of another publisher has the same name")
	}
}
