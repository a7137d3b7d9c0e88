package feedtree

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
)

// Key is a publisher's public key: Ed25519 (RFC 8032).
type Key [ed25519.PublicKeySize]byte

// Fingerprint is what people and feeds name a key by: the SHA-256 of its bytes. The zero
// Fingerprint stands for none.
type Fingerprint [sha256.Size]byte

// KeyOf returns the public half of a private key.
func KeyOf(private ed25519.PrivateKey) Key { return Key(private.Public().(ed25519.PublicKey)) }

// Fingerprint returns the key's.
func (k Key) Fingerprint() Fingerprint { return sha256.Sum256(k[:]) }

// String returns the fingerprint as 64 hexadecimal digits in lower case.
func (f Fingerprint) String() string { return hex.EncodeToString(f[:]) }

// IsZero reports whether f is none.
func (f Fingerprint) IsZero() bool { return f == Fingerprint{} }

// ErrFingerprint says that a text is no fingerprint.
var ErrFingerprint = errors.New("a fingerprint has 64 hexadecimal digits")

// ParseFingerprint reads what String writes. Colons and spaces between the digits, and capitals, are
// allowed: people copy fingerprints by hand.
func ParseFingerprint(s string) (f Fingerprint, err error) {
	digits := strings.Map(func(r rune) rune {
		if r == ':' || r == ' ' {
			return -1
		}
		return r
	}, s)
	b, err := hex.DecodeString(digits)
	if err != nil || len(b) != len(f) {
		return f, ErrFingerprint
	}
	return Fingerprint(b), nil
}

// MarshalText returns what String does.
func (f Fingerprint) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what ParseFingerprint does.
func (f *Fingerprint) UnmarshalText(text []byte) (err error) {
	*f, err = ParseFingerprint(string(text))
	return err
}

// Signed reports whether the holder of k has signed words. It needs about 60 µs.
func (k Key) Signed(words, signature []byte) bool {
	return len(signature) == ed25519.SignatureSize && ed25519.Verify(k[:], words, signature)
}
