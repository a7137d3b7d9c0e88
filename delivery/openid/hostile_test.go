package openid

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/delivery/auth"
)

// byHMAC signs with a secret that others know, too.
func byHMAC(secret []byte) func(header, payload map[string]any) string {
	return func(header, payload map[string]any) string {
		header["alg"] = "HS256"
		text := unsigned(header, payload)
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(text))
		return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}
}

// One damage at a time to what is right otherwise: nobody is signed in. The first case shows that it is right.
func TestHostileAnswers(t *testing.T) {
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	claim := func(name string, value any) func(*liar) { return func(l *liar) { l.claim = setTo(name, value) } }
	describe := func(name string, value any) func(*liar) { return func(l *liar) { l.describe = setTo(name, value) } }
	answer := func(name, value string) func(*liar) {
		return func(l *liar) {
			l.answer = func(back url.Values) {
				if back.Set(name, value); value == "" {
					back.Del(name)
				}
			}
		}
	}
	for name, c := range map[string]struct {
		damage func(*liar)
		want   error // nil: signed in
	}{
		"none at all": {func(*liar) {}, nil},
		"audience":    {claim("aud", "another client"), ErrInvalid},
		"no audience": {claim("aud", nil), ErrInvalid},
		"several audiences, for us": {func(l *liar) {
			l.claim = func(c map[string]any) { c["aud"], c["azp"] = []string{"x", liarClient}, liarClient }
		}, nil},
		"several audiences, for none":  {claim("aud", []string{"x", liarClient}), ErrInvalid},
		"authorized party":             {claim("azp", "another client"), ErrInvalid},
		"issuer":                       {claim("iss", "https://id.example/other"), ErrInvalid},
		"issuer with a slash":          {claim("iss", liarIssuer+"/"), ErrInvalid},
		"no issuer":                    {claim("iss", nil), ErrInvalid},
		"nonce":                        {claim("nonce", "of another sign-in"), ErrInvalid},
		"no nonce":                     {claim("nonce", nil), ErrInvalid},
		"expired":                      {claim("exp", time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC).Unix()), ErrInvalid},
		"no expiry":                    {claim("exp", nil), ErrInvalid},
		"not yet":                      {claim("nbf", time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).Unix()), ErrInvalid},
		"no subject":                   {claim("sub", nil), ErrInvalid},
		"long subject":                 {claim("sub", strings.Repeat("a", tidings.MaxSubject+1)), ErrInvalid},
		"subject of the wrong kind":    {claim("sub", 7), ErrInvalid},
		"hash of another access token": {claim("at_hash", "AAAAAAAAAAAAAAAAAAAAAA"), ErrInvalid},
		"another key": {func(l *liar) {
			l.sign = func(h, p map[string]any) string { return signed(other, h, p) }
		}, ErrInvalid},
		"a key that nobody knows": {func(l *liar) {
			l.sign = func(h, p map[string]any) string { h["kid"] = "two"; return signed(other, h, p) }
		}, ErrInvalid},
		"no signature": {func(l *liar) {
			l.sign = func(h, p map[string]any) string { h["alg"] = "none"; return unsigned(h, p) + "." }
		}, ErrInvalid},
		"HS256 by the client secret": {func(l *liar) { l.sign = byHMAC([]byte(liarSecret)) }, ErrInvalid},
		"HS256 by the public key": {func(l *liar) {
			public, err := x509.MarshalPKIXPublicKey(l.key.Public())
			if err != nil {
				panic(err)
			}
			l.sign = byHMAC(public)
		}, ErrInvalid},
		"another signature": {func(l *liar) {
			l.sign = func(h, p map[string]any) string {
				text := signed(l.key, h, p)
				return text[:strings.LastIndex(text, ".")+1] + base64.RawURLEncoding.EncodeToString(make([]byte, 64))
			}
		}, ErrInvalid},
		"no ID token":          {func(l *liar) { l.token = setTo("id_token", nil) }, ErrInvalid},
		"ID token of no kind":  {func(l *liar) { l.token = setTo("id_token", 7) }, ErrInvalid},
		"no access token":      {func(l *liar) { l.token = setTo("access_token", nil) }, ErrNoAnswer},
		"another code":         {answer("code", "another"), ErrInvalid},
		"no code":              {answer("code", ""), ErrInvalid},
		"another state":        {answer("state", "another"), ErrNotBegun},
		"no state":             {answer("state", ""), ErrNotBegun},
		"the issuer in answer": {answer("iss", liarIssuer), nil},
		"another issuer":       {answer("iss", "https://attacker.example"), ErrInvalid}, // mix-up
		"issuer promised":      {describe("authorization_response_iss_parameter_supported", true), ErrInvalid},
		"refused":              {answer("error", "access_denied"), ErrDenied},
		"described as another": {describe("issuer", "https://attacker.example"), ErrNoAnswer},
		"token without TLS":    {describe("token_endpoint", "http://id.example/token"), ErrNoAnswer},
		"keys of a file":       {describe("jwks_uri", "file:///etc/passwd"), ErrNoAnswer},
		"users without TLS":    {describe("userinfo_endpoint", "http://id.example/user"), ErrNoAnswer},
		"end without TLS":      {describe("end_session_endpoint", "javascript:alert(1)"), ErrNoAnswer},
		"nowhere to send to":   {describe("authorization_endpoint", nil), ErrNoAnswer},
		"no user endpoint": {func(l *liar) {
			l.describe, l.claim = setTo("userinfo_endpoint", nil), setTo("preferred_username", "ann")
		}, nil},
		"user of somebody else": {func(l *liar) { l.inform = setTo("sub", "eve") }, ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLiar(t)
				c.damage(l)
				client, n := l.client(t, nil)
				err := l.signIn(client)
				if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
					t.Errorf("%v, want %v", err, c.want)
				}
				if (len(n.entered) == 1) != (c.want == nil) || (len(n.users) == 1) != (c.want == nil) {
					t.Errorf("entered %v as %+v", n.entered, n.users)
				}
			})
		})
	}
}

// endpoints are all that the node asks.
var endpoints = []string{discoveryPath, tokenPath, keysPath, userPath}

// body is made of a function.
type body func([]byte) (int, error)

func (b body) Read(p []byte) (int, error) { return b(p) }
func (b body) Close() error               { return nil }

// An endpoint may hang, or its answer may drip or have no end. It holds a request for Patience at most.
func TestHostileEndpoints(t *testing.T) {
	hang := func(l *liar, path string) {
		l.respond[path] = func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
	}
	drip := func(l *liar, path string) {
		l.body[path] = func(r *http.Request) io.ReadCloser {
			return body(func(p []byte) (int, error) {
				select {
				case <-time.After(3 * time.Second):
					p[0] = ' '
					return 1, nil
				case <-r.Context().Done():
					return 0, r.Context().Err()
				}
			})
		}
	}
	for name, damage := range map[string]func(*liar, string){"hangs": hang, "drips": drip} {
		for _, path := range endpoints {
			t.Run(path+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					l := newLiar(t)
					damage(l, path)
					client, n := l.client(t, nil)
					begun := time.Now()
					err := l.signIn(client)
					if took := time.Since(begun); !errors.Is(err, ErrNoAnswer) || took > Patience ||
						l.times(path) == 0 {
						t.Errorf("after %v: %v", took, err)
					}
					if len(n.entered) > 0 {
						t.Error("somebody is signed in")
					}
					time.Sleep(Patience) // what nobody waits for ends, too
				})
			})
		}
	}
}

// No more than maxAnswer bytes of an answer are read.
func TestHugeAnswers(t *testing.T) {
	for _, path := range endpoints {
		t.Run(path, func(t *testing.T) {
			l := newLiar(t)
			read := 0
			l.body[path] = func(*http.Request) io.ReadCloser {
				return body(func(p []byte) (int, error) {
					for i := range p {
						p[i] = ' '
					}
					read += len(p)
					return len(p), nil
				})
			}
			client, n := l.client(t, nil)
			if err := l.signIn(client); err == nil || len(n.entered) > 0 {
				t.Errorf("error %v, entered %v", err, n.entered)
			}
			if read == 0 || read > maxAnswer+1 {
				t.Errorf("%d bytes were read", read)
			}
		})
	}
}

// A redirect of an endpoint is not followed: the client secret and the code stay with the provider.
func TestEndpointsThatRedirect(t *testing.T) {
	for _, path := range endpoints {
		l := newLiar(t)
		l.respond[path] = func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusTemporaryRedirect,
				Header: http.Header{"Location": {"https://id.example/elsewhere"}}, Body: http.NoBody, Request: r}, nil
		}
		client, _ := l.client(t, nil)
		if err := l.signIn(client); err == nil || l.times("/elsewhere") > 0 {
			t.Errorf("%s: error %v, and %d requests elsewhere", path, err, l.times("/elsewhere"))
		}
	}
}

// A sign-in ends in the browser that began it, once, in time, and as it was begun.
func TestReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLiar(t)
		client, n := l.client(t, nil)
		begin := func(next string) (cookies, url.Values) {
			t.Helper()
			kept := cookies{}
			back, err := l.begin(client, kept, next)
			if err != nil {
				t.Fatal(err)
			}
			return kept, back
		}
		refused := func(what string, kept cookies, back url.Values, want error) {
			t.Helper()
			n.entered = nil
			if _, err := finish(client, kept, back); !errors.Is(err, want) || len(n.entered) > 0 {
				t.Errorf("%s: %v, entered %v", what, err, n.entered)
			}
		}

		_, back := begin("/")
		refused("another browser", cookies{}, back, ErrNotBegun)
		victim, _ := begin("/")
		_, attackers := begin("/")
		refused("a browser that began another sign-in", victim, attackers, ErrNotBegun) // login CSRF

		kept, back := begin("/")
		altered := []byte(kept[pendingCookie])
		altered[len(altered)/2] ^= 1
		refused("a cookie that was altered", cookies{pendingCookie: string(altered)}, back, ErrNotBegun)
		refused("no cookie of the node", cookies{pendingCookie: "AAAA"}, back, ErrNotBegun)
		before, _ := l.client(t, nil)
		if _, err := finish(before, kept, back); !errors.Is(err, ErrNotBegun) {
			t.Errorf("a cookie of another run: %v", err)
		}

		kept, back = begin("/")
		time.Sleep(pendingLife)
		refused("too late", kept, back, ErrNotBegun)

		kept, back = begin("/")
		copied := cookies{pendingCookie: kept[pendingCookie]}
		if _, err := finish(client, kept, back); err != nil || len(n.entered) != 1 {
			t.Fatalf("signing in: %v", err)
		}
		if kept[pendingCookie] != "" || kept[hintCookie] == "" {
			t.Errorf("the browser keeps %q", kept)
		}
		refused("twice", kept, back, ErrNotBegun)
		refused("twice, by a thief of the cookie", copied, back, ErrInvalid) // the code is used up

		kept, back = begin("/" + strings.Repeat("x", maxNext))
		if next, err := finish(client, kept, back); err != nil || next != "/" {
			t.Errorf("after a long path it goes on to %q, error %v", next, err)
		}
		for name, value := range kept {
			if len(name)+len(value) > 3900 {
				t.Errorf("the cookie %s has %d bytes", name, len(value))
			}
		}
	})
}

// Attempts are limited before the provider is asked, and at most maxSignIns wait for it at a time.
func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLiar(t)
		client, n := l.client(t, nil)
		n.limited = true
		if err := l.signIn(client); !errors.Is(err, auth.ErrTooManyAttempts) || l.times(tokenPath) > 0 {
			t.Errorf("without attempts left: %v, %d exchanges", err, l.times(tokenPath))
		}
		n.limited = false
		release := make(chan struct{})
		l.respond[tokenPath] = func(r *http.Request) (*http.Response, error) {
			<-release
			return nil, errors.New("gone")
		}
		ended := make(chan error, maxSignIns)
		for range maxSignIns {
			go func() { ended <- l.signIn(client) }()
		}
		synctest.Wait()
		if err := l.signIn(client); !errors.Is(err, ErrBusy) {
			t.Errorf("one too many: %v", err)
		}
		close(release)
		for range maxSignIns {
			if err := <-ended; !errors.Is(err, ErrNoAnswer) {
				t.Errorf("one that waits: %v", err)
			}
		}
		delete(l.respond, tokenPath)
		if err := l.signIn(client); err != nil {
			t.Errorf("after that: %v", err)
		}
	})
}

// Where a proxy names people, there is no provider.
func TestNothingThroughAProxy(t *testing.T) {
	l := newLiar(t)
	client, n := l.client(t, nil)
	kept := cookies{}
	back, err := l.begin(client, kept, "/")
	if err != nil {
		t.Fatal(err)
	}
	n.proxied = true
	if _, err := finish(client, kept, back); !errors.Is(err, auth.ErrProxySignsIn) || len(n.entered) > 0 {
		t.Errorf("coming back: %v", err)
	}
	if _, err := l.begin(client, cookies{}, "/"); !errors.Is(err, auth.ErrProxySignsIn) {
		t.Errorf("beginning: %v", err)
	}
	kept[hintCookie] = "x"
	kept.send("/logout", func(w http.ResponseWriter, r *http.Request) {
		if to := client.End(w, r); to != "" {
			t.Errorf("signing out leads to %s", to)
		}
	})
}

// A provider that is dead at first is asked again later, and not at once. Its last description does while it is dead
// again.
func TestDeadProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLiar(t)
		dead := func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }
		l.respond[discoveryPath] = dead
		client, _ := l.client(t, nil)
		for range 5 {
			if err := l.signIn(client); !errors.Is(err, ErrNoAnswer) {
				t.Errorf("while it is dead: %v", err)
			}
		}
		if n := l.times(discoveryPath); n != 1 {
			t.Errorf("it was asked %d times", n)
		}
		delete(l.respond, discoveryPath)
		time.Sleep(retryAfter)
		for range 5 {
			if err := l.signIn(client); err != nil {
				t.Errorf("while it lives: %v", err)
			}
		}
		if n := l.times(discoveryPath); n != 2 {
			t.Errorf("it was asked %d times", n)
		}
		if n := l.times(keysPath); n != 1 {
			t.Errorf("its keys were fetched %d times", n)
		}
		time.Sleep(refreshAfter)
		l.respond[discoveryPath] = dead
		if err := l.signIn(client); err != nil {
			t.Errorf("while its description alone is dead: %v", err)
		}
	})
}

// What the store does not admit is said in words of its own.
func TestStoreRefuses(t *testing.T) {
	for fails, want := range map[error]error{tidings.ErrNotFound: ErrUnknown, tidings.ErrExists: ErrTaken,
		tidings.ErrInvalid: tidings.ErrInvalid} {
		l := newLiar(t)
		client, n := l.client(t, nil)
		n.fails = fails
		if err := l.signIn(client); !errors.Is(err, want) || len(n.entered) > 0 {
			t.Errorf("%v: %v, want %v", fails, err, want)
		}
	}
}

// Signing out leads to the provider only if it has opened the session. The request names the user, unless the session
// was opened in another run.
func TestEnd(t *testing.T) {
	l := newLiar(t)
	client, _ := l.client(t, nil)
	kept := cookies{}
	out := func(c *Client) (location string) {
		kept.send("/logout", func(w http.ResponseWriter, r *http.Request) { location = c.End(w, r) })
		return location
	}
	if to := out(client); to != "" {
		t.Errorf("of a session by password: %s", to)
	}
	back, err := l.begin(client, kept, "/")
	if err == nil {
		_, err = finish(client, kept, back)
	}
	if err != nil {
		t.Fatal(err)
	}
	hint := kept[hintCookie]
	u, err := url.Parse(out(client))
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	if u.Host != "id.example" || u.Path != "/end" || q.Get("client_id") != liarClient ||
		q.Get("post_logout_redirect_uri") != "https://news.example/login" ||
		strings.Count(q.Get("id_token_hint"), ".") != 2 {
		t.Errorf("signing out leads to %s", u)
	}
	kept[hintCookie] = hint
	after, _ := l.client(t, nil)
	if to := out(after); !strings.HasPrefix(to, "https://id.example/end?") || strings.Contains(to, "id_token_hint") {
		t.Errorf("after a start it leads to %s", to)
	}
	l.describe = setTo("end_session_endpoint", nil)
	kept[hintCookie] = hint
	without, _ := l.client(t, nil)
	if to := out(without); to != "" || kept[hintCookie] != "" {
		t.Errorf("where the provider ends no sessions it leads to %s", to)
	}
}

// Names are those that an account can have, and addresses those that the provider has verified.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		claims map[string]any
		want   string
	}{
		{map[string]any{"preferred_username": "Ann", "email": "ann@x.example", "email_verified": true},
			"Ann ann@x.example"},
		{map[string]any{"preferred_username": "Ann", "email": "ann@x.example"}, "Ann"},
		{map[string]any{"email": "ann@x.example", "email_verified": "true"}, "ann@x.example"},
		{map[string]any{"email": "ann@x.example", "email_verified": "false"}, ""},
		{map[string]any{"email": "ann@x.example", "email_verified": 1}, ""},
		{map[string]any{"preferred_username": "Ann Other", "email": "ann+x@x.example", "email_verified": true}, ""},
		{map[string]any{"preferred_username": []string{"ann"}}, ""},
		{map[string]any{"preferred_username": strings.Repeat("a", tidings.MaxPersonName+1)}, ""},
		{map[string]any{}, ""},
	} {
		said := claims{}
		for name, value := range c.claims {
			said[name] = marshal(value)
		}
		if got := strings.Join(said.names(), " "); got != c.want {
			t.Errorf("%v: %q, want %q", c.claims, got, c.want)
		}
	}
}

// Settings that cannot be are refused at the start.
func TestSettings(t *testing.T) {
	good := Settings{Issuer: "https://id.example/x", ClientID: "id"}
	for name, c := range map[string]struct {
		change func(*Settings)
		ok     bool
	}{
		"good":               {func(*Settings) {}, true},
		"none":               {func(s *Settings) { *s = Settings{} }, true},
		"local":              {func(s *Settings) { s.Issuer = "http://localhost:9000" }, true},
		"local address":      {func(s *Settings) { s.Issuer = "http://127.0.0.1:9000" }, true},
		"without TLS":        {func(s *Settings) { s.Issuer = "http://id.example" }, false},
		"no URL":             {func(s *Settings) { s.Issuer = "id.example" }, false},
		"with a query":       {func(s *Settings) { s.Issuer += "?a=b" }, false},
		"with a password":    {func(s *Settings) { s.Issuer = "https://a:b@id.example" }, false},
		"no client":          {func(s *Settings) { s.ClientID = "" }, false},
		"no issuer":          {func(s *Settings) { s.Issuer = "" }, false},
		"one group for both": {func(s *Settings) { s.AdminGroup, s.ReaderGroup = "a", "a" }, false},
		"long name":          {func(s *Settings) { s.Name = strings.Repeat("x", maxText+1) }, false},
		"two lines":          {func(s *Settings) { s.Secret = "a\nb" }, false},
		"long subject":       {func(s *Settings) { s.Owner = strings.Repeat("x", tidings.MaxSubject+1) }, false},
	} {
		s := good
		c.change(&s)
		if err := s.Validate(); (err == nil) != c.ok || err != nil && !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
