package openid

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	jose "github.com/go-jose/go-jose/v4"
)

const (
	liarIssuer = "https://id.example/tenant"
	liarClient = "this node"
	liarSecret = "a client secret that is as long as one"
)

// liar is a provider in memory that keeps to the protocol unless a test has it lie. It is a http.RoundTripper.
type liar struct {
	key *ecdsa.PrivateKey

	describe func(map[string]any)                                   // changes its description
	claim    func(map[string]any)                                   // changes the claims of the ID token
	inform   func(map[string]any)                                   // changes what the user endpoint says
	sign     func(header, payload map[string]any) string            // nil: as usual
	answer   func(url.Values)                                       // changes what the browser brings back
	token    func(map[string]any)                                   // changes the answer of the token endpoint
	body     map[string]func(*http.Request) io.ReadCloser           // by path, instead of the usual body
	respond  map[string]func(*http.Request) (*http.Response, error) // by path, instead of the usual answer

	mu        sync.Mutex
	asked     map[string]int // by path
	nonce     string
	challenge string
	used      bool // the code
}

func newLiar(t *testing.T) *liar {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &liar{key: key, asked: map[string]int{}, body: map[string]func(*http.Request) io.ReadCloser{},
		respond: map[string]func(*http.Request) (*http.Response, error){}}
}

// times returns how often a path was asked for.
func (l *liar) times(path string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked[path]
}

const (
	discoveryPath = "/tenant/.well-known/openid-configuration"
	tokenPath     = "/token"
	keysPath      = "/keys"
	userPath      = "/user"
)

// RoundTrip answers as the provider.
func (l *liar) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	l.asked[r.URL.Path]++
	l.mu.Unlock()
	if r.URL.Host != "id.example" || r.URL.Scheme != "https" {
		return nil, errors.New("the provider is elsewhere")
	}
	if respond := l.respond[r.URL.Path]; respond != nil {
		return respond(r)
	}
	status, text := http.StatusOK, []byte(nil)
	switch r.URL.Path {
	case discoveryPath:
		text = l.description()
	case keysPath:
		text = marshal(
			jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: l.key.Public(), KeyID: "one", Algorithm: "ES256",
				Use: "sig"}}})
	case tokenPath:
		status, text = l.exchange(r)
	case userPath:
		said := map[string]any{"sub": "ann", "preferred_username": "ann", "groups": []string{"staff"}}
		if l.inform != nil {
			l.inform(said)
		}
		text = marshal(said)
	default:
		status = http.StatusNotFound
	}
	body := io.NopCloser(bytes.NewReader(text))
	if other := l.body[r.URL.Path]; other != nil {
		body = other(r)
	}
	return &http.Response{StatusCode: status, Status: http.StatusText(status),
		Header: http.Header{"Content-Type": {"application/json"}}, Body: body, Request: r}, nil
}

func marshal(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

func (l *liar) description() []byte {
	all := map[string]any{
		"issuer": liarIssuer, "authorization_endpoint": "https://id.example/authorize",
		"token_endpoint": "https://id.example/token",
		"jwks_uri":       "https://id.example/keys", "userinfo_endpoint": "https://id.example/user",
		"end_session_endpoint":                  "https://id.example/end",
		"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"},
	}
	if l.describe != nil {
		l.describe(all)
	}
	return marshal(all)
}

// exchange gives a token for a code, once.
func (l *liar) exchange(r *http.Request) (status int, text []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	id, secret, _ := r.BasicAuth()
	if l.used || r.FormValue("code") != "the code" || base64.RawURLEncoding.EncodeToString(sum[:]) != l.challenge ||
		id != url.QueryEscape(liarClient) || secret != url.QueryEscape(liarSecret) ||
		r.FormValue("redirect_uri") != "https://news.example"+ReturnPath {
		return http.StatusBadRequest, marshal(map[string]string{"error": "invalid_grant"})
	}
	l.used = true
	claims := map[string]any{"iss": liarIssuer, "aud": liarClient, "sub": "ann", "nonce": l.nonce,
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix()}
	if l.claim != nil {
		l.claim(claims)
	}
	header := map[string]any{"alg": "ES256", "kid": "one"}
	sign := l.sign
	if sign == nil {
		sign = func(header, payload map[string]any) string { return signed(l.key, header, payload) }
	}
	all := map[string]any{"access_token": "access", "token_type": "Bearer", "id_token": sign(header, claims)}
	if l.token != nil {
		l.token(all)
	}
	return http.StatusOK, marshal(all)
}

// unsigned is a token without signature.
func unsigned(header, payload map[string]any) string {
	return base64.RawURLEncoding.EncodeToString(marshal(header)) + "." +
		base64.RawURLEncoding.EncodeToString(marshal(payload))
}

// signed is a token by ES256.
func signed(key *ecdsa.PrivateKey, header, payload map[string]any) string {
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key},
		(&jose.SignerOptions{}).WithHeader("kid", header["kid"]))
	if err != nil {
		panic(err)
	}
	jws, err := s.Sign(marshal(payload))
	if err != nil {
		panic(err)
	}
	text, err := jws.CompactSerialize()
	if err != nil {
		panic(err)
	}
	return text
}

// browser is a browser without script that keeps the cookies of one host.
type cookies map[string]string

func (c cookies) send(target string, do func(http.ResponseWriter, *http.Request)) {
	r := httptest.NewRequest("GET", target, nil)
	for name, value := range c {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	w := httptest.NewRecorder()
	do(w, r)
	for _, set := range w.Result().Cookies() {
		if c[set.Name] = set.Value; set.MaxAge < 0 {
			delete(c, set.Name)
		}
	}
}

// begin begins a sign-in, and returns what the browser is to bring back.
func (l *liar) begin(c *Client, kept cookies, next string) (back url.Values, err error) {
	location := ""
	kept.send(BeginPath, func(w http.ResponseWriter, r *http.Request) { location, err = c.Begin(w, r, next) })
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(location)
	if err != nil {
		return nil, err
	}
	q := u.Query()
	l.mu.Lock()
	l.nonce, l.challenge, l.used = q.Get("nonce"), q.Get("code_challenge"), false
	l.mu.Unlock()
	if q.Get("code_challenge_method") != "S256" || q.Get("response_type") != "code" || q.Get("nonce") == "" ||
		q.Get("state") == "" || !strings.Contains(q.Get("scope"), "openid") {
		return nil, errors.New("this begins no sign-in: " + location)
	}
	back = url.Values{"code": {"the code"}, "state": {q.Get("state")}}
	if l.answer != nil {
		l.answer(back)
	}
	return back, nil
}

// finish brings it back.
func finish(c *Client, kept cookies, back url.Values) (next string, err error) {
	kept.send(ReturnPath+"?"+back.Encode(), func(w http.ResponseWriter, r *http.Request) { next, err = c.Finish(w, r) })
	return next, err
}

// signIn does both.
func (l *liar) signIn(c *Client) error {
	kept := cookies{}
	back, err := l.begin(c, kept, "/channels")
	if err != nil {
		return err
	}
	next, err := finish(c, kept, back)
	if err == nil && next != "/channels" {
		err = errors.New("it goes on to " + next)
	}
	return err
}

// client returns a client of the provider, and what stands for its node.
func (l *liar) client(t *testing.T, change func(*Settings)) (*Client, *node) {
	t.Helper()
	n := &node{Server: &httptest.Server{URL: "https://news.example"}}
	s := Settings{Issuer: liarIssuer, ClientID: liarClient, Secret: liarSecret}
	if change != nil {
		change(&s)
	}
	c, err := New(Config{Settings: s, Store: n, Guard: n, Transport: l})
	if err != nil {
		t.Fatal(err)
	}
	return c, n
}

// set returns a change of one value; nil removes it.
func setTo(name string, value any) func(map[string]any) {
	return func(all map[string]any) {
		if all[name] = value; value == nil {
			maps.DeleteFunc(all, func(key string, _ any) bool { return key == name })
		}
	}
}
