package auth

import (
	"errors"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
)

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

func TestAttemptsOfOneAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter()
		for i := range attemptsBurst {
			if !l.allow(addr("192.0.2.1")) {
				t.Fatalf("attempt %d refused", i+1)
			}
		}
		if l.allow(addr("192.0.2.1")) || l.allow(addr("::ffff:192.0.2.1")) {
			t.Error("no limit for one address")
		}
		if !l.allow(addr("192.0.2.2")) {
			t.Error("another address has to suffer")
		}
		time.Sleep(attemptsEvery)
		if !l.allow(addr("192.0.2.1")) || l.allow(addr("192.0.2.1")) {
			t.Error("after a while there is one more attempt, and one only")
		}
	})
}

func TestAttemptsOfOneCustomer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter()
		for i := range attemptsBurst {
			l.allow(netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 15: byte(i)}))
		}
		if l.allow(addr("2001:db8::ffff")) {
			t.Error("addresses of one /64 count apart")
		}
		if !l.allow(addr("2001:db8:0:1::1")) {
			t.Error("another /64 counts too")
		}
	})
}

func TestAttemptsOfAllAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter()
		allowed := 0
		for i := range 10_000 {
			if l.allow(netip.AddrFrom4([4]byte{198, 51, byte(i >> 8), byte(i)})) {
				allowed++
			}
		}
		if allowed != allAttemptsBurst {
			t.Errorf("%d attempts from many addresses at once", allowed)
		}
		if len(l.addresses) > allAttemptsBurst {
			t.Errorf("the table has %d addresses", len(l.addresses))
		}
	})
}

func TestSignInIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _ := guardWithPassword(t)
		for range attemptsBurst {
			if _, err := signIn(t, g, "wrong word", nil); !errors.Is(err, ErrWrongPassword) {
				t.Fatal(err)
			}
		}
		if _, err := signIn(t, g, fastPassword, nil); !errors.Is(err, ErrTooManyAttempts) {
			t.Errorf("even the right password waits: %v", err)
		}
		time.Sleep(attemptsEvery)
		if _, err := signIn(t, g, fastPassword, nil); err != nil {
			t.Errorf("after a while: %v", err)
		}
	})
}

// The table has a bound of its own, whatever the limits are set to.
func TestAddressesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter()
		l.all = rate.NewLimiter(rate.Inf, 1)
		for i := range 3 * maxBuckets {
			l.allow(netip.AddrFrom4([4]byte{198, 51, byte(i >> 8), byte(i)}))
		}
		if len(l.addresses) != maxBuckets || l.allow(addr("203.0.113.1")) {
			t.Errorf("the table has %d addresses", len(l.addresses))
		}
		time.Sleep(attemptsBurst * attemptsEvery) // they are forgotten when room is needed
		if !l.allow(addr("203.0.113.1")) || len(l.addresses) != 1 {
			t.Errorf("the table stays full, with %d addresses", len(l.addresses))
		}
	})
}
