package openid

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Names and paths of cookies.
const (
	pendingCookie = "tidings_openid"      // a sign-in under way
	hintCookie    = "tidings_openid_hint" // the session was opened by the provider

	pendingPath = "/login/openid" // and below
	hintPath    = "/logout"
)

const (
	pendingLife = 10 * time.Minute    // bounds a person's time at the provider
	hintLife    = 30 * 24 * time.Hour // that of a session
	maxNext     = 1024                // bytes of the path to go on to
	// bytes of an ID token that is kept: a cookie has 4096 at most (RFC 6265, section 6.1)
	maxHint = 2800
)

// pending is a sign-in under way. It rests in the browser that began it.
type pending struct {
	State    string
	Nonce    string
	Verifier string // of PKCE
	Redirect string // the URL to come back to
	Next     string // a path of the page to go on to
	Until    int64  // Unix seconds
}

// seal encrypts what rests in browsers, with a key of this run. It is safe for concurrent use.
type seal struct{ cipher.AEAD }

func newSeal() (seal, error) {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	block, err := aes.NewCipher(key)
	if err != nil {
		return seal{}, fmt.Errorf("making a key for cookies: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return seal{}, fmt.Errorf("making a key for cookies: %w", err)
	}
	return seal{aead}, nil
}

// close returns text as the value of the cookie called name. It opens under no other name.
func (s seal) close(name string, text []byte) string {
	return base64.RawURLEncoding.EncodeToString(s.Seal(nil, nil, text, []byte(name)))
}

// open returns the text of a request's cookie, and false if there is none by this run.
func (s seal) open(r *http.Request, name string) ([]byte, bool) {
	cookie, err := r.Cookie(name)
	if err != nil {
		return nil, false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return nil, false
	}
	text, err := s.Open(nil, nil, sealed, []byte(name))
	return text, err == nil
}

// setPending has the browser keep a sign-in. The cookie is Lax: the browser comes back by a link of the provider's.
func (c *Client) setPending(w http.ResponseWriter, p pending) error {
	text, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("beginning a sign-in: %w", err)
	}
	set(w, pendingCookie, pendingPath, c.seal.close(pendingCookie, text), pendingLife, http.SameSiteLaxMode, p.Redirect)
	return nil
}

// pendingOf returns the sign-in that the request's browser has begun.
func (c *Client) pendingOf(r *http.Request) (p pending, ok bool) {
	text, ok := c.seal.open(r, pendingCookie)
	if !ok || json.Unmarshal(text, &p) != nil || time.Now().Unix() >= p.Until {
		return pending{}, false
	}
	return p, true
}

// setHint notes that the provider has opened the browser's session. One that is too long is left out.
func (c *Client) setHint(w http.ResponseWriter, idToken, origin string) {
	if len(idToken) > maxHint {
		idToken = ""
	}
	set(w, hintCookie, hintPath, c.seal.close(hintCookie, []byte(idToken)), hintLife, http.SameSiteStrictMode, origin)
}

// set sets a cookie, or removes it if it has no value. url is one of the node's, as the browser knows it.
func set(w http.ResponseWriter, name, path, value string, life time.Duration, site http.SameSite, url string) {
	if value == "" {
		life = -time.Second
	}
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: path, MaxAge: int(life.Seconds()),
		HttpOnly: true, SameSite: site, Secure: strings.HasPrefix(url, "https:"),
	})
}
