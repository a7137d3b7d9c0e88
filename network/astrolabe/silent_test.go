package astrolabe_test

import (
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
)

// A representative in whose place another would write a zone's row is asked once whether it knows better. If it gives
// no answer, the other writes.
func TestASilentRepresentativeIsAskedOnce(t *testing.T) {
	o := newOne(t, "/eu", nil)
	older := &table.Content{Zone: "/eu", Label: zone.Member(puppet.ID), Issuer: puppet,
		Attributes: astrolabe.MemberAttributes(puppet, nil, 1000*time.Hour)}
	o.give("/eu", update(older, o.now(), 3600))
	o.Advance(30 * time.Second)
	row, ok := o.Table("/").Get("eu")
	if reps := astrolabe.Representatives(row); !ok || len(reps) != 2 || reps[0].ID != puppet.ID {
		t.Fatalf("the representatives are %v; want %v first", reps, puppet)
	}
	written := update(&table.Content{Zone: zone.Root, Label: "eu", Issuer: puppet, Attributes: row.Attributes},
		row.Time+1, 3600)
	o.give("/eu", written)
	if !o.has(written) {
		t.Fatalf("the representative's row is refused: %s", o.refusal())
	}
	o.Env.Sent()
	o.Set(attr.Attribute{Name: "filter", Value: attr.Bytes([]byte{1})})
	o.Advance(time.Minute)
	now, ok := o.Table("/").Get("eu")
	if !ok || now.Issuer.ID != self.ID || len(now.Attributes.Get("filter").Bytes) == 0 {
		t.Errorf("a minute after a change the zone's row is by %v, %v; want it by %v, with the change", now.Issuer,
			now.Attributes, self)
	}
}
