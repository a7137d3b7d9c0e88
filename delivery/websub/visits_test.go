package websub

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

// newTestMachines returns a bound of two connections, and then one a minute.
func newTestMachines() *machines { return newMachines(newLimiter(2, time.Minute), time.Now) }

// connects returns whether a visit gets a connection to an address.
func (m *machines) connects(ctx context.Context, address string) bool {
	return m.connect(ctx, netip.MustParseAddrPort(address)) == nil
}

// A connection that waits for others at its machine gets the places that they free. It is refused once none is left.
func TestVisitsWaitForThoseUnderWay(t *testing.T) {
	for _, confirmed := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			m := newTestMachines()
			one, v1 := m.begin(t.Context())
			two, v2 := m.begin(t.Context())
			if !m.connects(one, "192.0.2.1:80") || !m.connects(two, "[64:ff9b::192.0.2.1]:443") {
				t.Fatal("there is no room at first")
			}
			three, v3 := m.begin(t.Context())
			got := make(chan bool, 1)
			go func() { got <- m.connects(three, "192.0.2.1:8080") }()
			synctest.Wait()
			select {
			case ok := <-got:
				t.Fatalf("it does not wait: %v", ok)
			default:
			}
			v1.at, v2.at = machineOf(netip.MustParseAddr("192.0.2.1")), machineOf(netip.MustParseAddr("192.0.2.1"))
			v1.end(confirmed)
			if !confirmed {
				synctest.Wait()
				select {
				case ok := <-got:
					t.Fatalf("it does not wait for the second one: %v", ok)
				default:
				}
				v2.end(false)
			}
			if ok := <-got; ok != confirmed {
				t.Errorf("connected %v", ok)
			}
			v3.end(false)
			if confirmed {
				v2.end(true)
			}
			if len(m.under) != 0 {
				t.Errorf("%d machines have visits", len(m.under))
			}
		})
	}
}

// A wait ends with its context.
func TestWaitsOfVisitsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newTestMachines()
		one, v := m.begin(t.Context())
		for range 2 {
			if !m.connects(one, "192.0.2.1:80") {
				t.Fatal("there is no room")
			}
		}
		if m.connects(one, "192.0.2.1:80") {
			t.Error("a visit waits for itself, and gets a third connection")
		}
		within, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		two, other := m.begin(within)
		if began := time.Now(); m.connects(two, "192.0.2.1:80") || time.Since(began) != time.Second {
			t.Errorf("it ends after %v", time.Since(began))
		}
		if !m.connects(two, "192.0.2.2:80") {
			t.Error("another machine has no room")
		}
		v.end(false)
		other.end(false)
	})
}

// What connects after its visit, or without one, is refused: it would never be given back.
func TestConnectionsWithoutAVisitAreRefused(t *testing.T) {
	m := newTestMachines()
	ctx, v := m.begin(t.Context())
	v.end(true)
	for _, ctx := range []context.Context{ctx, t.Context()} {
		if err := m.connect(ctx, netip.MustParseAddrPort("192.0.2.1:80")); !errors.Is(err, errBusy) {
			t.Error(err)
		}
	}
	if len(m.under) != 0 || len(m.limit.limits) != 0 {
		t.Error("they count")
	}
}

// A confirmation gives back the connection over which it came, and no other.
func TestConfirmationsCountWhereTheyCameFrom(t *testing.T) {
	now := testTime
	m := newMachines(newLimiter(2, time.Minute), func() time.Time { return now })
	for range 10 {
		ctx, v := m.begin(t.Context())
		_ = m.connects(ctx, "192.0.2.1:80") // nobody answers
		if !m.connects(ctx, "192.0.2.2:80") {
			t.Fatal("what confirms has no room")
		}
		v.at = machineOf(netip.MustParseAddr("192.0.2.2"))
		v.end(true)
	}
	ctx, v := m.begin(t.Context())
	defer v.end(false)
	if m.connects(ctx, "192.0.2.1:80") {
		t.Error("connections beside the one that confirmed do not count")
	}
	if now = now.Add(time.Minute); !m.connects(ctx, "192.0.2.1:80") || m.connects(ctx, "192.0.2.1:80") {
		t.Error("after a minute there is not room for one")
	}
}
