package mail

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"tidings"
)

// The secret of a target says whether its recipient has confirmed the address, and holds a key that the node made. No
// person sees the key. A recipient at the address gets a code and signed links that are made with it.
const (
	unconfirmed = "unconfirmed."
	confirmed   = "confirmed."
	keyLength   = 26 // of rand.Text: 130 bits
	codeLength  = 12 // 60 bits of it
)

// NewKey returns the secret of a target with an address to confirm.
func NewKey() string { return unconfirmed + rand.Text() }

// Confirmed reports whether the recipient has confirmed the address of a target with that secret.
func Confirmed(secret string) bool {
	key, ok := strings.CutPrefix(secret, confirmed)
	return ok && len(key) == keyLength
}

func keyOf(secret string) string { return secret[strings.IndexByte(secret, '.')+1:] }

// code is what a recipient types to confirm an address.
func code(secret string) string {
	key := keyOf(secret)
	if len(key) < codeLength {
		return ""
	}
	return key[:4] + "-" + key[4:8] + "-" + key[8:codeLength]
}

// Confirm returns the secret of a target after its recipient has typed the code of the mail that asks for confirmation.
// It returns false for another code. Blanks, hyphens and case do not count.
func Confirm(secret, typed string) (string, bool) {
	bare := func(s string) string {
		return strings.Map(func(c rune) rune {
			if c == '-' || c == ' ' || c == '\t' {
				return -1
			}
			return c
		}, strings.ToUpper(s))
	}
	want := bare(code(secret))
	if want == "" || subtle.ConstantTimeCompare([]byte(want), []byte(bare(typed))) != 1 {
		return secret, false
	}
	return ConfirmedBy(secret), true
}

// ConfirmedBy returns the secret that a target has once its recipient has confirmed it by the link.
func ConfirmedBy(secret string) string { return confirmed + keyOf(secret) }

// Revoked returns the secret that a target has once its recipient has stopped the mails. The key stays, so that the
// links of all mails say that it is done.
func Revoked(secret string) string { return unconfirmed + keyOf(secret) }

// Renewed returns a secret with another key, and with what another target of the same recipient says of the address.
func Renewed(secret string) string {
	if Confirmed(secret) {
		return confirmed + rand.Text()
	}
	return NewKey()
}

// Purpose is what a signed link in a mail does.
type Purpose byte

const (
	ToConfirm Purpose = 'c' // the address
	ToStop    Purpose = 's' // all mails to it
)

// Paths of the links below the node's public URL. They are open to anybody: what they may do stands in their signature.
const (
	ConfirmPath = "/mail/confirm"
	StopPath    = "/mail/stop"
)

func (p Purpose) path() string {
	if p == ToConfirm {
		return ConfirmPath
	}
	return StopPath
}

// signatureLength is how many bytes of an HMAC-SHA-256 a link has.
const signatureLength = 16

// Token names a target, and proves that its bearer got it by mail to its address: it is signed with the target's key. A
// target that got another address has another key, so that links of before are void.
func Token(p Purpose, t tidings.Target) string {
	b := binary.AppendUvarint(nil, uint64(t.Account))
	b = binary.AppendUvarint(b, uint64(t.ID))
	return base64.RawURLEncoding.EncodeToString(append(b, signature(p, b, t.Secret)...))
}

func signature(p Purpose, named []byte, secret string) []byte {
	mac := hmac.New(sha256.New, []byte(keyOf(secret)))
	mac.Write(append([]byte{byte(p)}, named...))
	return mac.Sum(nil)[:signatureLength]
}

// maxToken bounds a token: two numbers and a signature, in base64.
const maxToken = 64

// Named returns the target that a token claims to name; false if it is no token.
func Named(token string) (account tidings.AccountID, id int64, ok bool) {
	if len(token) > maxToken {
		return 0, 0, false
	}
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(b) <= signatureLength {
		return 0, 0, false
	}
	named := b[:len(b)-signatureLength]
	one, n := binary.Uvarint(named)
	if n <= 0 {
		return 0, 0, false
	}
	two, m := binary.Uvarint(named[n:])
	if m <= 0 || n+m != len(named) || one > 1<<62 || two > 1<<62 {
		return 0, 0, false
	}
	return tidings.AccountID(one), int64(two), true
}

// Proves reports whether a token was made for a purpose and a target.
func Proves(token string, p Purpose, t tidings.Target) bool {
	if len(keyOf(t.Secret)) != keyLength || t.Kind != kind {
		return false
	}
	return subtle.ConstantTimeCompare([]byte(token), []byte(Token(p, t))) == 1
}
