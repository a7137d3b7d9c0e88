package auth

import (
	"context"
	"crypto/md5" //nolint:gosec // what the Fever API is made of
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/delivery/sync"
)

// apps are tokens by their hashes.
type apps struct {
	passwords, fever map[[32]byte]tidings.AccountID
	feeds            map[[32]byte]tidings.AccountID
	fail             error
	asked            int
}

func (a *apps) FeedAddress(_ context.Context, hash [32]byte) (tidings.AccountID, tidings.FeedAddress, error) {
	account, _, err := a.find(a.feeds, hash)
	return account, tidings.FeedAddress{ID: int64(account), Selection: tidings.SelectRiver}, err
}

func (a *apps) AppPassword(_ context.Context, hash [32]byte) (tidings.AccountID, string, error) {
	return a.find(a.passwords, hash)
}

func (a *apps) FeverKey(_ context.Context, hash [32]byte) (tidings.AccountID, string, error) {
	return a.find(a.fever, hash)
}

func (a *apps) find(in map[[32]byte]tidings.AccountID, hash [32]byte) (tidings.AccountID, string, error) {
	a.asked++
	account, ok := in[hash]
	switch {
	case a.fail != nil:
		return 0, "", a.fail
	case !ok:
		return 0, "", tidings.ErrNotFound
	case account == tidings.Owner:
		return account, OwnerName, nil
	}
	return account, "second", nil
}

// second is the other person of the node, besides the owner.
var second = []tidings.Person{{ID: 2, Name: "second", Role: tidings.Reader}}

func newGate(t *testing.T) (*Gate, *apps) {
	t.Helper()
	a := &apps{passwords: map[[32]byte]tidings.AccountID{}, fever: map[[32]byte]tidings.AccountID{}}
	store := newMemory()
	store.others = second
	return newGuard(t, Config{Store: store}).Gate(a), a
}

func feverKey(user, secret string) string {
	sum := md5.Sum([]byte(user + ":" + secret)) //nolint:gosec // as above
	return hex.EncodeToString(sum[:])
}

// from returns a context of a request from an address.
func from(t *testing.T, addr string) context.Context {
	return withClient(t.Context(), netip.MustParseAddr(addr))
}

// A token opens under any user name, and is what clients send from then on. Once it is removed it opens nothing.
func TestGateKnowsTokens(t *testing.T) {
	gate, apps := newGate(t)
	first, firstHash := NewToken()
	second, secondHash := NewToken()
	apps.passwords[firstHash], apps.passwords[secondHash] = tidings.Owner, 2
	for _, user := range []string{"owner", "ann", "somebody@example.org", ""} {
		p, token, err := gate.Enter(t.Context(), user, first)
		if err != nil || token != first || p != (sync.Person{ID: tidings.Owner, Name: "owner", Admin: true}) {
			t.Errorf("as %q enters %+v with %q, %v", user, p, token, err)
		}
	}
	if p, err := gate.Token(t.Context(), second); err != nil || p != (sync.Person{ID: 2, Name: "second"}) {
		t.Errorf("the token is that of %+v, %v", p, err)
	}
	for _, wrong := range []string{"", "x", first[:len(first)-1], first + "A", strings.ToUpper(first), first + " ",
		tokenPrefix + newSecret()} {
		if p, token, err := gate.Enter(t.Context(), "owner", wrong); !errors.Is(err, sync.ErrWrong) ||
			p != (sync.Person{}) {
			t.Errorf("with %q enters %+v (%q), %v", wrong, p, token, err)
		}
	}
	delete(apps.passwords, firstHash)
	if _, err := gate.Token(t.Context(), first); !errors.Is(err, sync.ErrWrong) {
		t.Errorf("a removed token: %v", err)
	}
	apps.fail = errors.New("the disk fails")
	if _, err := gate.Token(t.Context(), second); !errors.Is(err, apps.fail) {
		t.Errorf("without a store: %v", err)
	}
}

// The secret of a feed address opens its feed, and neither that nor a token opens the other.
func TestGateKnowsFeedAddresses(t *testing.T) {
	gate, apps := newGate(t)
	secret, hash := newFeedSecret()
	token, tokenHash := NewToken()
	apps.feeds, apps.passwords[tokenHash] = map[[32]byte]tidings.AccountID{hash: 2}, tidings.Owner
	if account, f, err := gate.Feed(t.Context(), secret); err != nil || account != 2 || f.ID != 2 {
		t.Errorf("account %d, %+v, %v", account, f, err)
	}
	for _, wrong := range []string{"", "x", token, secret[1:], secret + "A", strings.ToLower(secret), newSecret()} {
		if account, _, err := gate.Feed(t.Context(), wrong); !errors.Is(err, sync.ErrWrong) || account != 0 {
			t.Errorf("%q opens a feed of %d: %v", wrong, account, err)
		}
	}
	if _, err := gate.Token(t.Context(), secret); !errors.Is(err, sync.ErrWrong) {
		t.Errorf("as a token: %v", err)
	}
	delete(apps.feeds, hash)
	if _, _, err := gate.Feed(t.Context(), secret); !errors.Is(err, sync.ErrWrong) {
		t.Errorf("a removed address: %v", err)
	}
	apps.feeds[hash] = 99 // of a person that was removed meanwhile
	if _, _, err := gate.Feed(t.Context(), secret); !errors.Is(err, sync.ErrWrong) {
		t.Errorf("nobody's: %v", err)
	}
	apps.feeds[hash], apps.fail = 2, errors.New("the disk fails")
	if _, _, err := gate.Feed(t.Context(), secret); !errors.Is(err, apps.fail) {
		t.Errorf("without a store: %v", err)
	}
}

// Wrong secrets of feeds from an address are refused after 60, without asking the store. A right one is answered all
// the same.
func TestGateLimitsGuessesOfFeedAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, apps := newGate(t)
		secret, hash := newFeedSecret()
		apps.feeds = map[[32]byte]tidings.AccountID{hash: 2}
		ctx := from(t, "192.0.2.7")
		if _, _, err := gate.Feed(ctx, secret); err != nil {
			t.Fatal(err)
		}
		before := apps.asked
		for range 1000 {
			_, _, _ = gate.Feed(ctx, newSecret())
		}
		var many *sync.TooManyTries
		if _, _, err := gate.Feed(ctx, newSecret()); !errors.As(err, &many) || apps.asked-before > tokensBurst {
			t.Errorf("after 1,000 guesses: %v, and the store was asked %d times", err, apps.asked-before)
		}
		if _, _, err := gate.Feed(ctx, secret); err != nil {
			t.Errorf("the right one: %v", err)
		}
		if _, _, err := gate.Feed(from(t, "192.0.2.8"), newSecret()); !errors.Is(err, sync.ErrWrong) {
			t.Errorf("from elsewhere: %v", err)
		}
	})
}

// The Fever API is closed to tokens that are not made for it, and those that are open nothing else.
func TestGateKnowsFeverTokens(t *testing.T) {
	gate, apps := newGate(t)
	usual, hash := NewToken()
	apps.passwords[hash] = tidings.Owner
	if _, err := gate.Fever(t.Context(), feverKey("ann", usual)); !errors.Is(err, sync.ErrWrong) {
		t.Errorf("with a usual token: %v", err)
	}
	secret, hash := NewFeverToken("ann")
	apps.fever[hash] = tidings.Owner
	if p, err := gate.Fever(t.Context(), feverKey("ann", secret)); err != nil || p.ID != tidings.Owner {
		t.Errorf("with its own: %+v, %v", p, err)
	}
	for _, key := range []string{feverKey("Ann", secret), feverKey("", secret), "", secret, feverKey("ann", usual)} {
		if _, err := gate.Fever(t.Context(), key); !errors.Is(err, sync.ErrWrong) {
			t.Errorf("with %q: %v", key, err)
		}
	}
	if _, err := gate.Token(t.Context(), secret); !errors.Is(err, sync.ErrWrong) {
		t.Errorf("as a usual token: %v", err)
	}
	delete(apps.fever, hash)
	if _, err := gate.Fever(t.Context(), feverKey("ann", secret)); !errors.Is(err, sync.ErrWrong) {
		t.Errorf("a removed one: %v", err)
	}
}

func TestFeverUsers(t *testing.T) {
	for user, ok := range map[string]bool{"ann": true, "ann@example.org": true, strings.Repeat("a", MaxFeverUser): true,
		"": false, "an n": false, "ann:": false, "änn": false, "a\tb": false,
		strings.Repeat("a", MaxFeverUser+1): false} {
		if err := CheckFeverUser(user); (err == nil) != ok || err != nil && !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%q: %v", user, err)
		}
	}
}

// Wrong tokens are counted by address, together with those of the API, in whatever way they come. Meanwhile, tokens
// that were right before are let in, and so are other addresses. Afterwards the store is asked again.
func TestGateLimitsGuesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, apps := newGate(t)
		known, hash := NewToken()
		apps.passwords[hash] = tidings.Owner
		unknown, unknownHash := NewToken()
		apps.passwords[unknownHash] = tidings.Owner
		here, there := from(t, "192.0.2.7"), from(t, "198.51.100.1")
		if _, err := gate.Token(here, known); err != nil {
			t.Fatal(err)
		}
		for n := range tokensBurst {
			var err error
			switch n % 4 {
			case 0:
				_, _, err = gate.Enter(here, "ann", "a password")
			case 1:
				_, err = gate.Token(here, tokenPrefix+newSecret())
			case 2:
				_, err = gate.Fever(here, feverKey("ann", newSecret()))
			case 3:
				r := httptest.NewRequest("GET", "/api/v1/channels", nil)
				r.RemoteAddr = "192.0.2.7:50000"
				if _, err = gate.guard.byToken(r, tokenPrefix+newSecret()); errors.Is(err, tidings.ErrUnauthorized) {
					err = sync.ErrWrong
				}
			}
			if !errors.Is(err, sync.ErrWrong) {
				t.Fatalf("guess %d: %v", n, err)
			}
		}
		apps.asked = 0
		for _, guess := range []func() error{
			func() error { _, _, err := gate.Enter(here, "ann", unknown); return err },
			func() error { _, err := gate.Token(here, unknown); return err },
			func() error { _, err := gate.Token(here, "x"); return err },
			func() error { _, err := gate.Fever(here, feverKey("ann", newSecret())); return err },
		} {
			var tries *sync.TooManyTries
			if err := guess(); !errors.As(err, &tries) || tries.RetryAfter < time.Second {
				t.Errorf("one more: %v", err)
			}
		}
		if apps.asked != 0 {
			t.Errorf("the store was asked %d times", apps.asked)
		}
		if _, _, err := gate.Enter(here, "ann", known); err != nil {
			t.Errorf("somebody known: %v", err)
		}
		if _, err := gate.Token(there, unknown); err != nil {
			t.Errorf("from another address: %v", err)
		}
		time.Sleep(tokensEvery)
		if _, err := gate.Token(here, unknown); err != nil {
			t.Errorf("later: %v", err)
		}
		// Attempts to sign in are counted apart.
		if !gate.guard.attempts.allow(netip.MustParseAddr("192.0.2.7")) {
			t.Error("nobody can sign in from there")
		}
	})
}

// Requests of feed readers pass without session and origin, and carry no account, whatever cookies they have. The
// host's name is looked at first. From other machines they need TLS by the word of a proxy that is named, or consent.
func TestReadersPass(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.1/32"), netip.MustParsePrefix("127.0.0.2/32")}
	readers := func(path string) bool { return strings.HasPrefix(path, "/v1/") }
	for name, c := range map[string]struct {
		remote, head string // head: Name: value
		host         string
		plain        bool
		want         int
		client       string
	}{
		"this machine":                  {remote: "127.0.0.1:5", want: 200, client: "127.0.0.1"},
		"this machine, IPv6":            {remote: "[::1]:5", want: 200, client: "::1"},
		"another machine":               {remote: "192.0.2.7:5", want: 403},
		"another machine, with consent": {remote: "192.0.2.7:5", plain: true, want: 200, client: "192.0.2.7"},
		"another machine claims TLS":    {remote: "192.0.2.7:5", head: "X-Forwarded-Proto: https", want: 403},
		"a named proxy, TLS": {remote: "10.0.0.1:5",
			head: "X-Forwarded-For: 203.0.113.9\nX-Forwarded-Proto: https", want: 200, client: "203.0.113.9"},
		"a named proxy, no TLS": {remote: "10.0.0.1:5",
			head: "X-Forwarded-For: 203.0.113.9\nX-Forwarded-Proto: http", want: 403},
		"a named proxy here, no TLS": {remote: "127.0.0.2:5", head: "X-Forwarded-For: 203.0.113.9",
			want: 403},
		"a named proxy here, for this machine": {remote: "127.0.0.2:5",
			head: "X-Forwarded-For: 127.0.0.1\nX-Forwarded-Proto: http", want: 200, client: "127.0.0.1"},
		"a proxy here that nobody named": {remote: "127.0.0.1:5", head: "X-Forwarded-For: 127.0.0.1", want: 403},
		"the same, claims TLS":           {remote: "127.0.0.1:5", head: "X-Forwarded-Proto: https", want: 403},
		"another name":                   {remote: "127.0.0.1:5", host: "evil.example", want: 421},
		"another name, with consent":     {remote: "192.0.2.7:5", host: "evil.example", plain: true, want: 421},
		"another site's form": {remote: "127.0.0.1:5",
			head: "Origin: https://evil.example\nSec-Fetch-Site: cross-site", want: 200, client: "127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGuard(t, Config{Store: newMemory(), Proxies: proxies, Hosts: []string{"node.example"},
				Readers: readers, PlainReaders: c.plain})
			w := send(g, "POST", "/login", nil)
			if err := g.open(w, httptest.NewRequest("POST", "/login", nil), tidings.Owner, fastHash); err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest("POST", "/v1/feeds", strings.NewReader("a=b"))
			r.Host, r.RemoteAddr = "node.example", c.remote
			if c.host != "" {
				r.Host = c.host
			}
			for line := range strings.SplitSeq(c.head, "\n") {
				if key, value, ok := strings.Cut(line, ": "); ok {
					r.Header.Set(key, value)
				}
			}
			for _, cookie := range w.Result().Cookies() {
				r.AddCookie(cookie)
			}
			answer, passed := httptest.NewRecorder(), ""
			g.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				passed = clientOf(r.Context()).String()
				if _, ok := Account(r.Context()); ok {
					t.Error("the request has an account")
				}
			})).ServeHTTP(answer, r)
			if answer.Code != c.want || c.want == 200 && passed != c.client || c.want != 200 && passed != "" {
				t.Errorf("%d %s, passed on as of %q", answer.Code, answer.Body, passed)
			}
			if c.want == 403 && !strings.Contains(answer.Body.String(), "--trusted-proxy") {
				t.Errorf("the refusal says %q", answer.Body)
			}
		})
	}
}

// A person's role counts at the gate too, and so do the requests that a reader may send.
func TestGateKnowsWhatAPersonMay(t *testing.T) {
	a, store := &apps{passwords: map[[32]byte]tidings.AccountID{}}, newMemory()
	store.others = second
	gate := newGuard(t, Config{Store: store, ReaderRequests: 2}).Gate(a)
	first, firstHash := NewToken()
	other, otherHash := NewToken()
	a.passwords[firstHash], a.passwords[otherHash] = tidings.Owner, 2
	var tooMany *sync.TooManyRequests
	for i := range 3 {
		if p, err := gate.Token(t.Context(), first); err != nil || !p.Admin {
			t.Errorf("request %d of an administrator: %+v, %v", i, p, err)
		}
		p, err := gate.Token(t.Context(), other)
		if i < 2 && (err != nil || p.Admin) || i == 2 && (!errors.As(err, &tooMany) || tooMany.RetryAfter <= 0) {
			t.Errorf("request %d of a reader: %+v, %v", i, p, err)
		}
	}
}
