package budget

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// A grant holds if the clocks of granter and reader differ by at most five minutes, either way (hostile 34).
func TestGrantsHoldWithFiveMinutesOfDifference(t *testing.T) {
	d := newDivider(12, 100)
	for _, c := range []struct {
		ahead  time.Duration // the owner's clock, of this node's
		fresh  bool          // a new grant holds
		ending bool          // so does one that ends now, by the owner's clock
	}{
		{0, true, true},
		{5 * time.Minute, true, true},
		{-5*time.Minute + time.Second, true, true},
		{clockError + time.Second, false, true},
		{-clockError - time.Second, true, false},
		{-24 * time.Hour, false, false},
	} {
		theirs := d.env.Wall().Add(c.ahead)
		if got := d.Holds(theirs.Add(grantLasts * d.config.Maintenance).Unix()); got != c.fresh {
			t.Errorf("%v ahead: a fresh grant holds: %v", c.ahead, got)
		}
		if got := d.Holds(theirs.Unix()); got != c.ending {
			t.Errorf("%v ahead: a grant that ends now holds: %v", c.ahead, got)
		}
	}
}

// A certificate allows what each owner of a quorum allows, the quorum that allows most, until the first of its grants
// ends.
func TestCertificatesAllowWhatAQuorumAllows(t *testing.T) {
	d := newDivider(12, 100)
	key := HostKey("https://example.org/")
	until := d.env.Wall().Add(time.Hour).Unix()
	var grants []machine.Grant
	for i, k := range []int{9, 3, 40, 5, 8, 5, 500, 6, 60} { // by nine owners
		id := key
		id[19] ^= byte(i + 1)
		grants = append(grants, machine.Grant{Owner: engine.Peer{ID: id}, Size: machine.Fine(k), Until: until +
			int64(i)})
	}
	c := d.certify(key, grants)
	if c == nil || c.Size != machine.Fine(9) || len(c.grants) != 6 || c.Until != until {
		t.Fatalf("made %+v", c)
	}
	for k, want := range map[int]bool{8: false, 9: true, 10: true, 300: true} {
		if got := c.allows(machine.Fine(k)); got != want {
			t.Errorf("it allows a set of %v: %v", machine.Fine(k), got)
		}
	}
	if c := d.certify(key, grants[:5]); c != nil {
		t.Errorf("five grants make %+v", c)
	}
	grants[1].Size = machine.Size{Bits: 2, Run: 9} // there is none
	if c := d.certify(key, grants); c == nil || c.Size != machine.Fine(40) {
		t.Errorf("made %+v", c)
	}
}

// parts is an Env that knows one letter of addresses as their part of the network.
type parts struct{ engine.Env }

func (parts) Prefix(a engine.Address) string { return string(a) }

// Two owners in one part of the network count for a quorum. 64 IDs from one /24 with any grants make no certificate,
// nor do they keep others from making one (hostile 70).
func TestHostile70GrantsOfOnePartOfTheNetwork(t *testing.T) {
	d := newDivider(12, 100)
	d.Env = parts{d.Env}
	key := HostKey("https://example.org/")
	grant := func(i int, part engine.Address, k int) machine.Grant {
		id := key
		id[19] ^= byte(i + 1)
		return machine.Grant{Owner: engine.Peer{ID: id, Address: part}, Size: machine.Fine(k),
			Until: d.env.Wall().Add(time.Hour).Unix()}
	}
	var grants []machine.Grant
	for i := range 64 {
		grants = append(grants, grant(i, "a", 1))
	}
	if c := d.certify(key, grants); c != nil {
		t.Errorf("64 owners in one part of the network make %+v", c)
	}
	for i, part := range []engine.Address{"b", "b", "c", ""} {
		grants = append(grants, grant(100+i, part, 9))
		if c := d.certify(key, grants); (c != nil) != (i == 3) || c != nil && c.Size != machine.Fine(9) {
			t.Errorf("with %d others they make %+v", i+1, c)
		}
	}
}

// An attacker that makes keys until they lie beside a host makes N/16 of them for each that can grant anything there:
// docs/faults.md has the cost (hostile 69).
func TestHostile69KeysForAPlaceBesideAHost(t *testing.T) {
	d := newLone()
	key, chance := HostKey("https://example.org/"), rand.New(rand.NewPCG(1, 2))
	const drawn = 1 << 17
	found := 0.
	for range drawn {
		if d.mayOwn(engine.DrawID(chance), key) {
			found++
		}
	}
	if want := 16 * drawn / d.nodes(); math.Abs(found-want) > want/10 {
		t.Errorf("%.0f of %d IDs can be owners in a ring of %.0f nodes, want %.0f", found, drawn, d.nodes(), want)
	}
}
