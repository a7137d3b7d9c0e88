package auth

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// The second recommended option of RFC 9106, section 4: 64 MiB, three passes, four
// lanes. Written into every hash, so that they can be raised without breaking old ones.
const (
	argonMemory = 64 << 10 // KiB
	argonPasses = 3
	argonLanes  = 4
	saltBytes   = 16
	keyBytes    = 32
)

// Bounds on what CheckPassword computes, whatever a stored hash asks for.
const (
	maxArgonMemory = 256 << 10 // KiB
	maxArgonPasses = 16
	maxArgonLanes  = 16
	maxKeyBytes    = 64
)

// Lengths of passwords, in bytes. The minimum is NIST SP 800-63B's.
const (
	MinPassword = 8
	MaxPassword = 1024
)

// ErrPasswordLength says that a password is shorter than MinPassword or longer than MaxPassword.
var ErrPasswordLength = fmt.Errorf("a password has %d to %d bytes", MinPassword, MaxPassword)

var errHashForm = errors.New("not an argon2id hash")

var b64 = base64.RawStdEncoding

// HashPassword returns the hash of password, in the PHC string format:
//
//	$argon2id$v=19$m=65536,t=3,p=4$salt$key
//
// It needs about 0.1 s and 64 MiB.
func HashPassword(password string) (string, error) {
	if len(password) < MinPassword || len(password) > MaxPassword {
		return "", ErrPasswordLength
	}
	salt := make([]byte, saltBytes)
	rand.Read(salt) // never fails
	key := argon2.IDKey([]byte(password), salt, argonPasses, argonMemory, argonLanes, keyBytes)
	return phcText(salt, key), nil
}

// phcText writes a hash with the parameters of HashPassword.
func phcText(salt, key []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
		argonMemory, argonPasses, argonLanes, b64.EncodeToString(salt), b64.EncodeToString(key))
}

// CheckPassword reports whether hash, made by HashPassword, is that of password. An
// error means that hash cannot be used.
func CheckPassword(hash, password string) (bool, error) {
	h, err := parsePHC(hash)
	if err != nil {
		return false, fmt.Errorf("read password hash: %w", err)
	}
	if len(password) > MaxPassword {
		return false, nil
	}
	key := argon2.IDKey([]byte(password), h.salt, h.passes, h.memory, h.lanes, uint32(len(h.key)))
	return subtle.ConstantTimeCompare(key, h.key) == 1, nil
}

// phc is a parsed hash.
type phc struct {
	memory, passes uint32
	lanes          uint8
	salt, key      []byte
}

func parsePHC(s string) (phc, error) {
	var h phc
	parts := strings.Split(s, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" {
		return h, errHashForm
	}
	if parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return h, fmt.Errorf("%w of version %d", errHashForm, argon2.Version)
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memory, &h.passes, &h.lanes); err != nil {
		return h, fmt.Errorf("%w: parameters: %w", errHashForm, err)
	}
	if fmt.Sprintf("m=%d,t=%d,p=%d", h.memory, h.passes, h.lanes) != parts[3] {
		return h, fmt.Errorf("%w: parameters", errHashForm)
	}
	if h.passes < 1 || h.passes > maxArgonPasses || h.lanes < 1 || h.lanes > maxArgonLanes ||
		h.memory < 8*uint32(h.lanes) || h.memory > maxArgonMemory {
		return h, fmt.Errorf("%w: parameters out of bounds", errHashForm)
	}
	var err error
	if h.salt, err = b64.DecodeString(parts[4]); err != nil || len(h.salt) < 8 || len(h.salt) > maxKeyBytes {
		return h, fmt.Errorf("%w: salt", errHashForm)
	}
	if h.key, err = b64.DecodeString(parts[5]); err != nil || len(h.key) < 16 || len(h.key) > maxKeyBytes {
		return h, fmt.Errorf("%w: key", errHashForm)
	}
	return h, nil
}
