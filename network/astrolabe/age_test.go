package astrolabe_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine/enginetest"
)

// A row that travels from node to node keeps its age, and ages on its way, however short the steps are. Otherwise a row
// that goes round would hold for ever. A row that is older than what counts as news is not sent on.
func TestRowsAgeOnTheirWay(t *testing.T) {
	const home, rows, steps = zone.Path("/eu"), 64, 20
	o := newOne(t, home, nil)
	o.give(home, update(memberRow(puppet, home), o.now(), 600))
	total, passed := 0, 0
	for i := range rows {
		name := fmt.Sprintf("c%03x", i)
		issuer := enginetest.NewPeer(name)
		age := uint16(7)
		for step := range steps {
			u := update(memberRow(issuer, home, attr.Attribute{Name: "step", Value: attr.Int(int64(step))}),
				o.now()+uint32(step), 600)
			u.Age = age
			o.Env.Sent()
			o.give(home, u)
			o.Env.Advance(astrolabe.Default().PushDelay)
			if got, ok := ageOf(o.Env.Sent(), u.Label); ok {
				age, passed = got, passed+1
			}
		}
		total += int(age) - 7
	}
	elapsed := time.Duration(passed) * astrolabe.Default().PushDelay
	if grown := time.Duration(total) * time.Second; passed < rows*steps/2 || grown < elapsed*3/4 ||
		grown > elapsed*5/4 {
		t.Errorf("in %d steps of %v in all, ages have grown by %v", passed, elapsed, grown)
	}

	old := update(memberRow(stranger, home), o.now(), 600)
	old.Age = 30
	o.Env.Sent()
	o.give(home, old)
	o.Env.Advance(astrolabe.Default().PushDelay)
	if age, ok := ageOf(o.Env.Sent(), old.Label); ok {
		t.Errorf("a row is passed on with an age of %d s", age)
	}
}

// ageOf returns the age with which a row was sent.
func ageOf(sent []enginetest.Sent, label string) (age uint16, ok bool) {
	for _, s := range sent {
		if m, is := s.Message.(*astrolabe.Rows); is {
			for _, u := range m.Rows {
				if u.Label == label {
					return u.Age, true
				}
			}
		}
	}
	return 0, false
}
