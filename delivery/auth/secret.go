package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// tokenPrefix begins every API token, so that people and secret scanners know one when they see it.
const tokenPrefix = "tdg_"

const secretBytes = 32

var secretText = base64.RawURLEncoding

func newSecret() string {
	b := make([]byte, secretBytes)
	rand.Read(b) // never fails
	return secretText.EncodeToString(b)
}

// NewToken makes an API token: the secret, to be shown once, and the hash that the store keeps.
func NewToken() (secret string, hash [32]byte) {
	secret = tokenPrefix + newSecret()
	return secret, sha256.Sum256([]byte(secret))
}

// tokenHash returns the hash under which the store knows an API token, and false for
// what cannot be one.
func tokenHash(secret string) (hash [32]byte, ok bool) {
	text, ok := strings.CutPrefix(secret, tokenPrefix)
	if !ok || len(text) != secretText.EncodedLen(secretBytes) {
		return hash, false
	}
	return sha256.Sum256([]byte(secret)), true
}

// newFeedSecret makes the secret of a feed address, to be shown once, and the hash that the store keeps.
func newFeedSecret() (secret string, hash [32]byte) {
	secret = newSecret()
	return secret, sha256.Sum256([]byte(secret))
}

// feedHash returns the hash under which the store knows a feed address. It returns false for text that cannot be the
// secret of one.
func feedHash(secret string) (hash [32]byte, ok bool) {
	return sha256.Sum256([]byte(secret)), len(secret) == secretText.EncodedLen(secretBytes)
}

// sessionHash returns the hash under which the store knows a session.
func sessionHash(secret string) [32]byte { return sha256.Sum256([]byte(secret)) }
