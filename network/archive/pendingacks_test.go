package archive

import (
	"testing"
)

// An item's acknowledgements are sent once, for what is kept now and what that replaces. Their number is bounded.
func TestAcksAreDueOnce(t *testing.T) {
	t.Parallel()
	s := newStub()
	a := acks{env: s.env, owed: make(map[Name][]pendingAck)}
	for i := range uint64(2 * maxOwed) {
		a.owe(Name{}, pendingAck{number: i, print: i})
		a.owe(Name{}, pendingAck{number: i, print: i})
	}
	e := newEntry(Held{Print: 3})
	due := a.due(e)
	if len(due) != maxOwed-3 || due[0].print != 3 || len(s.env.Traced()) != 2*maxOwed {
		t.Errorf("due are %v", due)
	}
	if len(a.due(e)) > 0 {
		t.Error("it is due again")
	}
	if a.owe(Name{}, pendingAck{}); len(a.owed) != 1 {
		t.Error("nothing is owed")
	}
	if a.forget(Name{}); len(a.owed) > 0 {
		t.Error("it is not forgotten")
	}
}
