package passkeys

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"tidings"
)

// CookieName is the name of the cookie in which a browser holds the challenge of its ceremony.
const CookieName = "tidings_passkey"

const (
	challengeLife  = 5 * time.Minute
	challengeBytes = 32
	maxUsed        = 4096 // used challenges that could be sent again, about 100 bytes each
)

var (
	errChallenge = errors.New("no challenge of this ceremony, or one that has expired or was used")
	errBusy      = errors.New("too many challenges were used in the last minutes")
)

// purpose is what a ceremony is for.
type purpose byte

const (
	toSignIn  purpose = iota + 1
	toConfirm         // that the person signed in is there, before a passkey is added
	toAdd
)

// binding is what a challenge is good for.
type binding struct {
	purpose purpose
	account tidings.AccountID // 0 to sign in
	session [sha256.Size]byte // the hash of its secret; zero to sign in
	origin  string
}

// challenges issues challenges and accepts each once.
type challenges struct {
	key [sha256.Size]byte // made at start: no ceremony outlives the process

	mu   sync.Mutex
	used map[[challengeBytes]byte]time.Time // until when they are remembered, at most maxUsed
}

func newChallenges() *challenges {
	c := &challenges{used: make(map[[challengeBytes]byte]time.Time)}
	rand.Read(c.key[:]) // never fails
	return c
}

// issued is what the cookie holds: when the challenge expires, in seconds of Unix time, the challenge, and a MAC.
type issued struct {
	expires   int64
	challenge [challengeBytes]byte
	mac       [sha256.Size]byte
}

var cookieText = base64.RawURLEncoding.Strict()

func (i issued) String() string {
	text := binary.BigEndian.AppendUint64(nil, uint64(i.expires))
	text = append(text, i.challenge[:]...)
	return cookieText.EncodeToString(append(text, i.mac[:]...))
}

// parseIssued reads the value of a cookie, which anybody may have made up.
func parseIssued(text string) (i issued, ok bool) {
	const size = 8 + challengeBytes + sha256.Size
	if len(text) != cookieText.EncodedLen(size) {
		return i, false
	}
	b, err := cookieText.DecodeString(text)
	if err != nil || len(b) != size {
		return i, false
	}
	i.expires = int64(binary.BigEndian.Uint64(b))
	copy(i.challenge[:], b[8:])
	copy(i.mac[:], b[8+challengeBytes:])
	return i, true
}

// sign returns the MAC that binds a challenge to b.
func (c *challenges) sign(i issued, b binding) (mac [sha256.Size]byte) {
	h := hmac.New(sha256.New, c.key[:])
	fmt.Fprintf(h, "%d %d %x %x %d %s", b.purpose, b.account, b.session, i.challenge, i.expires, b.origin)
	h.Sum(mac[:0])
	return mac
}

// issue gives the browser a new challenge for b.
func (c *challenges) issue(w http.ResponseWriter, b binding) []byte {
	i := issued{expires: time.Now().Add(challengeLife).Unix()}
	rand.Read(i.challenge[:]) // never fails
	i.mac = c.sign(i, b)
	setCookie(w, b.origin, i.String(), challengeLife)
	return i.challenge[:]
}

// redeem returns the challenge that the request's browser was given for b, this once; errChallenge if it has none.
func (c *challenges) redeem(w http.ResponseWriter, r *http.Request, b binding) ([]byte, error) {
	cookie, err := r.Cookie(CookieName)
	if err != nil {
		return nil, errChallenge
	}
	setCookie(w, b.origin, "", -time.Second)
	i, ok := parseIssued(cookie.Value)
	now := time.Now()
	want := c.sign(i, b)
	if !ok || !hmac.Equal(i.mac[:], want[:]) || now.Unix() >= i.expires {
		return nil, errChallenge
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, again := c.used[i.challenge]; again {
		return nil, errChallenge
	}
	if len(c.used) >= maxUsed {
		for challenge, until := range c.used {
			if now.After(until) {
				delete(c.used, challenge)
			}
		}
		if len(c.used) >= maxUsed {
			return nil, errBusy
		}
	}
	c.used[i.challenge] = time.Unix(i.expires, 0)
	return i.challenge[:], nil
}

func setCookie(w http.ResponseWriter, origin, value string, life time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: CookieName, Value: value, Path: "/", MaxAge: int(life.Seconds()), HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: strings.HasPrefix(origin, "https:"),
	})
}
