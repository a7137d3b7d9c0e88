package feedtree

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
)

// Rotations and revocations as text, for a feed's document and for people. The text is base64 (RFC 4648, section 4,
// with padding) of a byte for the kind, then the fields in the order of the struct. Each has one text.
const (
	aRotation   = 1
	aRevocation = 2

	rotationBytes   = 1 + 2*ed25519.PublicKeySize + 8 + ed25519.SignatureSize
	revocationBytes = 1 + ed25519.PublicKeySize + 8 + ed25519.SignatureSize
)

// Errors of UnmarshalText.
var (
	ErrRotation   = errors.New("no rotation of a key")
	ErrRevocation = errors.New("no revocation of a key")
)

// MarshalText returns the rotation as one line.
func (r *Rotation) MarshalText() ([]byte, error) {
	if len(r.Signature) != ed25519.SignatureSize {
		return nil, fmt.Errorf("writing a rotation without a signature: %w", ErrRotation)
	}
	b := append(append([]byte{aRotation}, r.Old[:]...), r.New[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(r.Time))
	return base64.StdEncoding.AppendEncode(nil, append(b, r.Signature...)), nil
}

// UnmarshalText reads what MarshalText writes, and fails unless it is signed.
func (r *Rotation) UnmarshalText(text []byte) error {
	b, err := bytesOf(text, aRotation, rotationBytes)
	if err != nil {
		return fmt.Errorf("reading a rotation: %w: %w", ErrRotation, err)
	}
	read := Rotation{Old: Key(b), New: Key(b[32:]), Time: int64(binary.BigEndian.Uint64(b[64:])), Signature: b[72:]}
	if !read.Signed() {
		return fmt.Errorf("reading a rotation: %w: its signature is wrong", ErrRotation)
	}
	*r = read
	return nil
}

// MarshalText returns the revocation as one line.
func (r *Revocation) MarshalText() ([]byte, error) {
	if len(r.Signature) != ed25519.SignatureSize {
		return nil, fmt.Errorf("writing a revocation without a signature: %w", ErrRevocation)
	}
	b := append([]byte{aRevocation}, r.Key[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(r.Time))
	return base64.StdEncoding.AppendEncode(nil, append(b, r.Signature...)), nil
}

// UnmarshalText reads what MarshalText writes, and fails unless it is signed.
func (r *Revocation) UnmarshalText(text []byte) error {
	b, err := bytesOf(text, aRevocation, revocationBytes)
	if err != nil {
		return fmt.Errorf("reading a revocation: %w: %w", ErrRevocation, err)
	}
	read := Revocation{Key: Key(b), Time: int64(binary.BigEndian.Uint64(b[32:])), Signature: b[40:]}
	if !read.Signed() {
		return fmt.Errorf("reading a revocation: %w: its signature is wrong", ErrRevocation)
	}
	*r = read
	return nil
}

// bytesOf returns what a text stands for, without the byte that says what it is.
func bytesOf(text []byte, kind byte, length int) ([]byte, error) {
	if len(text) != base64.StdEncoding.EncodedLen(length) {
		return nil, fmt.Errorf("%d characters, not %d", len(text), base64.StdEncoding.EncodedLen(length))
	}
	b, err := base64.StdEncoding.Strict().AppendDecode(nil, text)
	switch {
	case err != nil:
		return nil, err
	case len(b) != length, b[0] != kind: // line breaks may hide in a text
		return nil, errors.New("it is something else")
	}
	return b[1:], nil
}
