package corona

import (
	"testing"
	"time"

	"tidings/network/engine"
)

// Who has found what nobody else could see, and is proven right, has not lied.
func TestWhoIsProvenRightIsNoLiar(t *testing.T) {
	var l liars
	honest, liar := engine.ID{1}, engine.ID{2}
	for i := range maxLies {
		l.lied(honest, Hash{byte(i)}, time.Hour)
		l.lied(liar, Hash{9, byte(i)}, time.Hour)
	}
	if !l.known(honest, time.Hour) || !l.known(liar, time.Hour) {
		t.Fatal("who has found what nobody sees is looked into for ever")
	}
	l.acquit(Hash{1})
	if l.known(honest, time.Hour) || !l.known(liar, time.Hour) {
		t.Error("the wrong one is known for a liar")
	}
	if !l.repeats(honest, Hash{maxLies - 1}, time.Hour, time.Minute) || l.repeats(honest, Hash{1}, time.Hour, time.Minute) {
		t.Error("what is repeated is not known again")
	}
	for i := range maxLies {
		l.acquit(Hash{byte(i)})
	}
	if len(l.list) != 1 {
		t.Errorf("%+v is left", l.list)
	}
	for i := range 10 * maxLies {
		l.lied(liar, Hash{3, byte(i)}, time.Hour)
	}
	if n := len(l.list[0].found); n != maxLies {
		t.Errorf("%d contents are remembered of one liar", n)
	}
}
