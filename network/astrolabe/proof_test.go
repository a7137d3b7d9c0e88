package astrolabe_test

import (
	"reflect"
	"testing"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine/enginetest"
)

// rows returns how many rows a node has in the tables of its zones.
func (o *one) rows() (n int) {
	p, _ := o.Path()
	for depth := range p.Depth() + 1 {
		n += o.Table(p.At(depth)).Size()
	}
	return n
}

// In a closed network a row is accepted for its issuer's signature and certificates, each field of which counts. That
// holds at a node that knows nothing, at one that has the certificates already, and at one that has an older stamp of
// the row (hostile 48).
func TestEachFieldOfARowCounts(t *testing.T) {
	content := func(name string) *table.Content {
		peer := enginetest.NewPeer(name)
		c := memberRow(peer, "/eu/de", attr.Attribute{Name: "load", Value: attr.Float(0.5)}, blob(5))
		c.Proof = delegated(peer.ID, "/eu", "/eu/de", soon)
		return c
	}
	at := closed(t).now()
	valid, other := update(content("bb02"), at, 60), update(content("dd04"), at+1, 90)

	hearsay := map[string]string{"Age": "each sender says it as far as it knows"}
	enginetest.CheckProof(t, &valid, &other, hearsay, func(u *astrolabe.Update) bool {
		o := closed(t)
		before := o.rows()
		o.give("/eu/de", *u)
		return o.rows() != before
	})
	enginetest.CheckProof(t, &valid, &other, hearsay, func(u *astrolabe.Update) bool {
		o := closed(t)
		o.Receive(puppet, &astrolabe.Gossip{Zone: "/eu/de", Sums: []uint64{1, 2, 3}, Labels: []uint32{1, 2, 3},
			Proof: content("bb02").Proof})
		before := o.rows()
		o.give("/eu/de", *u)
		return o.rows() != before
	})
	held := map[string]string{"Age": hearsay["Age"], "Content": "the node goes by the content that it has"}
	enginetest.CheckProof(t, &valid, &other, held, func(u *astrolabe.Update) bool {
		o := closed(t)
		o.give("/eu/de", update(content("bb02"), at-10, 60))
		before := o.rows()
		o.give("/eu/de", *u)
		r, ok := o.Table("/eu/de").Get(valid.Label)
		if !ok || !reflect.DeepEqual(r.Content, valid.Content) {
			t.Errorf("the row of before is gone, or says something else: %+v", r)
		}
		return o.rows() != before || r.Time != at-10
	})
}

// A function is accepted for the signature of an authority, and the certificate that makes it one.
func TestEachFieldOfAFunctionCounts(t *testing.T) {
	install := func(name, text string, time uint32) *astrolabe.Update {
		chain := delegated(puppet.ID, "/eu", "/eu/de", soon)[:1]
		r, err := astrolabe.Install("/eu", name, text, authority(2), chain, time)
		if err != nil {
			t.Fatal(err)
		}
		return &astrolabe.Update{Depth: 1, Label: r.Label, Content: r.Content, Stamp: r.Stamp}
	}
	at := closed(t).now()
	outside := map[string]string{"Age": "a function holds until another replaces it"}
	enginetest.CheckProof(t, install("f", "SELECT 1 AS one", at), install("g", "SELECT 2 AS two", at+1), outside,
		func(u *astrolabe.Update) bool {
			o := closed(t)
			before := o.rows()
			o.give("/eu", *u)
			return o.rows() != before
		})
}

// A request for tables is answered for a certificate, each field of which counts, and which is the asker's own.
func TestEachFieldOfAnAskersCertificateCounts(t *testing.T) {
	show := func(z zone.Path) *astrolabe.Locate {
		return &astrolabe.Locate{Home: z, Proof: delegated(puppet.ID, "/eu", z, soon)}
	}
	outside := map[string]string{"Home": "a node that may learn of one of the zones around may ask for any"}
	for _, known := range []bool{false, true} {
		enginetest.CheckProof(t, show("/eu/de"), show("/eu/fr"), outside, func(m *astrolabe.Locate) bool {
			o := closed(t)
			if known {
				o.Receive(puppet, show("/eu/de"))
			}
			o.Env.Sent()
			o.Receive(puppet, m)
			return o.answers(puppet, &astrolabe.Located{}) > 0
		})
	}
}
