// Package signed makes paths of the node that stand for addresses of others. A path has a signature, which proves that
// a page of this node shows it: nobody can have the node ask for any other address.
//
//	BASE SIGNATURE/ADDRESS
//
// ADDRESS is in base64url. A signature is for one base, so that what may be shown as a picture may not be played, say.
package signed

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

const signatureBytes = 16

// LeastKey is the least length of a key in bytes.
const LeastKey = 16

var encoding = base64.RawURLEncoding

// Paths are those below one base.
type Paths struct {
	base string
	key  []byte
}

// New returns the paths below base, which begins and ends with a slash. key is the node's secret. It panics if that is
// too short.
func New(base string, key []byte) Paths {
	if len(key) < LeastKey {
		panic("signed: the key is too short")
	}
	return Paths{base, key}
}

func (p Paths) signature(address string) []byte {
	mac := hmac.New(sha256.New, p.key)
	mac.Write([]byte(p.base))
	mac.Write([]byte{0})
	mac.Write([]byte(address))
	return mac.Sum(nil)[:signatureBytes]
}

// Path returns the path that stands for an address.
func (p Paths) Path(address string) string {
	return p.base + encoding.EncodeToString(p.signature(address)) + "/" + encoding.EncodeToString([]byte(address))
}

// Address returns the address for which a path stands, if it is signed.
func (p Paths) Address(path string) (string, bool) {
	below, ok := strings.CutPrefix(path, p.base)
	if !ok {
		return "", false
	}
	mark, named, _ := strings.Cut(below, "/")
	signature, err := encoding.DecodeString(mark)
	if err != nil {
		return "", false
	}
	address, err := encoding.DecodeString(named)
	if err != nil {
		return "", false
	}
	return string(address), hmac.Equal(signature, p.signature(string(address)))
}
