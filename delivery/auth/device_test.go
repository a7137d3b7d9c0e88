package auth

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
)

// otherHash is a hash of the same password with another salt.
const otherHash = "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdB$BEy7d5j3gE2sARNZNLy/d+7QhDnC9pvIkAtuQ5nbylk"

// at is a request from an address, with a device cookie unless that is empty.
func at(ip, deviceCookie string) func(*http.Request) {
	return func(r *http.Request) {
		r.RemoteAddr = ip + ":50000"
		if deviceCookie != "" {
			r.AddCookie(&http.Cookie{Name: DeviceCookieName, Value: deviceCookie})
		}
	}
}

// besiege has wrong passwords come from many addresses until no stranger may try.
func besiege(t *testing.T, g *Guard) {
	t.Helper()
	for i := range 10_000 {
		if _, err := signIn(t, g, "wrong word", at(fmt.Sprintf("198.51.%d.%d", i/250, i%250), "")); errors.Is(err,
			ErrTooManyAttempts) {
			return
		}
	}
	t.Fatal("strangers are not limited")
}

// signedInAt signs in from an address and returns the device cookie.
func signedInAt(t *testing.T, g *Guard, ip string) *http.Cookie {
	t.Helper()
	r := httptest.NewRequest("POST", "/login", nil)
	at(ip, "")(r)
	w := httptest.NewRecorder()
	if err := g.SignIn(w, r, OwnerName, fastPassword); err != nil {
		t.Fatal(err)
	}
	for _, c := range w.Result().Cookies() {
		if c.Name == DeviceCookieName {
			return c
		}
	}
	t.Fatal("no device cookie")
	return nil
}

// hostile 65: wrong passwords from many addresses lock out strangers alone. The owner signs in from a known device,
// after a restart too, and from a known address.
func TestHostile65OwnerSignsIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, store := guardWithPassword(t)
		c := signedInAt(t, g, "203.0.113.1")
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" ||
			c.MaxAge != int(deviceLife.Seconds()) {
			t.Errorf("the cookie is %v", c)
		}
		besiege(t, g)
		if _, err := signIn(t, g, fastPassword, at("203.0.113.9", "")); !errors.Is(err, ErrTooManyAttempts) {
			t.Errorf("a stranger: %v", err)
		}
		if _, err := signIn(t, g, fastPassword, at("203.0.113.9", c.Value)); err != nil {
			t.Errorf("a known device at a new address: %v", err)
		}
		if _, err := signIn(t, g, fastPassword, at("203.0.113.1", "")); err != nil {
			t.Errorf("a known address: %v", err)
		}
		again := newGuard(t, Config{Store: store, RequirePassword: true})
		besiege(t, again)
		if _, err := signIn(t, again, fastPassword, at("203.0.113.9", c.Value)); err != nil {
			t.Errorf("a known device after a restart: %v", err)
		}
	})
}

// hostile 65: an address at which a session is used is known, also after a restart.
func TestHostile65AddressOfASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, store := guardWithPassword(t)
		session, err := signIn(t, g, fastPassword, at("203.0.113.1", ""))
		if err != nil {
			t.Fatal(err)
		}
		g = newGuard(t, Config{Store: store, RequirePassword: true})
		use := func(ip, value string) {
			send(g, "GET", "/", func(r *http.Request) { at(ip, "")(r); cookie(value)(r) })
		}
		use("203.0.113.2", session.Value)
		use("203.0.113.3", strings.ToUpper(session.Value))
		besiege(t, g)
		if _, err := signIn(t, g, fastPassword, at("203.0.113.2", "")); err != nil {
			t.Errorf("where a session is used: %v", err)
		}
		if _, err := signIn(t, g, fastPassword, at("203.0.113.3", "")); !errors.Is(err, ErrTooManyAttempts) {
			t.Errorf("where a false session is used: %v", err)
		}
		time.Sleep(sessionLife)
		besiege(t, g)
		if _, err := signIn(t, g, fastPassword, at("203.0.113.2", "")); !errors.Is(err, ErrTooManyAttempts) {
			t.Errorf("where nobody was for as long as a session lasts: %v", err)
		}
	})
}

// Cookies that do not prove a device of the account as it is now.
func TestHostile65FalseDevices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, store := guardWithPassword(t)
		mine := signedInAt(t, g, "203.0.113.1").Value
		nonce, proof, _ := strings.Cut(mine, ".")
		forged := secretText.EncodeToString(make([]byte, len(device{}))) + "." + proof
		for name, value := range map[string]string{
			"another nonce":        forged,
			"another proof":        nonce + "." + secretText.EncodeToString(make([]byte, 32)),
			"no proof":             nonce,
			"an empty proof":       nonce + ".",
			"a short nonce":        nonce[1:] + "." + proof,
			"a long proof":         mine + "A",
			"not base64":           strings.Repeat("!", len(nonce)) + "." + proof,
			"of another account":   newDevice(tidings.Owner+1, fastHash),
			"of another node":      newDevice(tidings.Owner, otherHash),
			"of no password":       newDevice(tidings.Owner, ""),
			"a session's cookie":   "1.x",
			"very long":            strings.Repeat("A", 1<<16),
			"of the name's decoy":  newDevice(0, decoy),
			"proof and nonce swap": proof + "." + nonce,
		} {
			besiege(t, g)
			if _, err := signIn(t, g, fastPassword, at("203.0.113.9", value)); !errors.Is(err, ErrTooManyAttempts) {
				t.Errorf("%s: %v", name, err)
			}
		}
		store.password = otherHash // a new password
		g = newGuard(t, Config{Store: store, RequirePassword: true})
		besiege(t, g)
		if _, err := signIn(t, g, fastPassword, at("203.0.113.9", mine)); !errors.Is(err, ErrTooManyAttempts) {
			t.Errorf("a device of before the password was changed: %v", err)
		}
		if _, err := signIn(t, g, fastPassword, at("203.0.113.9", newDevice(tidings.Owner, otherHash))); err != nil {
			t.Errorf("a device of since then: %v", err)
		}
	})
}

// A device is of one account: its cookie gives no tries for another name.
func TestADeviceIsOfOneAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _ := guardWithPassword(t)
		mine := signedInAt(t, g, "203.0.113.1").Value
		besiege(t, g)
		r := httptest.NewRequest("POST", "/login", nil)
		at("203.0.113.9", mine)(r)
		if err := g.SignIn(httptest.NewRecorder(), r, "mallory", fastPassword); !errors.Is(err, ErrTooManyAttempts) {
			t.Errorf("another name: %v", err)
		}
	})
}

// hostile 65: a thief with a device's cookie is throttled, and uses up the tries of that cookie alone.
func TestHostile65StolenDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _ := guardWithPassword(t)
		stolen, other := signedInAt(t, g, "203.0.113.1").Value, signedInAt(t, g, "203.0.113.1").Value
		besiege(t, g)
		thief := at("192.0.2.66", stolen)
		for i := range attemptsBurst {
			if _, err := signIn(t, g, "wrong word", thief); !errors.Is(err, ErrWrongPassword) {
				t.Fatalf("attempt %d: %v", i+1, err)
			}
		}
		time.Sleep(10 * time.Second) // strangers may try again
		if _, err := signIn(t, g, fastPassword, thief); !errors.Is(err, ErrTooManyAttempts) {
			t.Errorf("the thief's next attempt: %v", err)
		}
		if _, err := signIn(t, g, fastPassword, at("203.0.113.9", other)); err != nil {
			t.Errorf("another device: %v", err)
		}
		if _, err := signIn(t, g, fastPassword, at("203.0.113.1", stolen)); err != nil {
			t.Errorf("the device itself at its address: %v", err)
		}
		if _, err := signIn(t, g, fastPassword, at("203.0.113.200", "")); err != nil {
			t.Errorf("a stranger: %v", err)
		}
		time.Sleep(attemptsEvery)
		if _, err := signIn(t, g, fastPassword, thief); err != nil {
			t.Errorf("the device after a while: %v", err)
		}
	})
}

// hostile 65: strangers keep no signed-in person from changing the password. Nor can they guess it there.
func TestHostile65ChangingThePassword(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _ := guardWithPassword(t)
		besiege(t, g)
		set := func(account tidings.AccountID) error {
			r := httptest.NewRequest("POST", "/settings/password", nil)
			return g.SetPassword(httptest.NewRecorder(), r, account, "wrong word", "another one")
		}
		for range attemptsBurst {
			if err := set(tidings.Owner); !errors.Is(err, ErrWrongPassword) {
				t.Fatal(err)
			}
		}
		if err := set(tidings.Owner); !errors.Is(err, ErrTooManyAttempts) {
			t.Errorf("guessing goes on: %v", err)
		}
		if err := set(tidings.Owner + 1); errors.Is(err, ErrTooManyAttempts) {
			t.Error("another account has to suffer")
		}
	})
}

// The tables of known devices and addresses are bounded too. The address met longest ago goes first.
func TestKnownAddressesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter()
		for i := range maxBuckets + 10 {
			l.meet(addr(fmt.Sprintf("10.0.%d.%d", i/250, i%250)))
			time.Sleep(time.Second)
		}
		if len(l.signedIn) != maxBuckets {
			t.Errorf("%d addresses are known", len(l.signedIn))
		}
		for ip, want := range map[string]bool{"10.0.0.9": false, "10.0.0.10": true} {
			if known, ok := l.allowKnown(addr(ip), nil); known != want || ok != want {
				t.Errorf("%s: known %v, may try %v", ip, known, ok)
			}
		}
	})
}
