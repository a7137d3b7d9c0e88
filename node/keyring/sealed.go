package keyring

import (
	"crypto/cipher"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/chacha20poly1305"

	"tidings/network/feedtree"
)

// How a passphrase becomes a key: argon2id, the second recommended option of RFC 9106, section 4. The
// parameters are in the file, so that they can be raised without breaking old ones.
const (
	sealMemory = 64 << 10 // KiB
	sealPasses = 3
	sealLanes  = 4
	sealSalt   = 16
)

// Bounds on what a file can have computed.
const (
	maxSealMemory = 1 << 20 // KiB
	maxSealPasses = 16
	maxSealLanes  = 16
)

// Lengths of passphrases, in bytes.
const (
	minPassphrase = 8
	maxPassphrase = 1024
)

// ErrPassphraseLength says that a passphrase is too short or too long.
var ErrPassphraseLength = fmt.Errorf("a passphrase has %d to %d bytes", minPassphrase, maxPassphrase)

// sealedKey is a private key encrypted with ChaCha20-Poly1305 (RFC 8439) in its form with long nonces.
// The public key is authenticated with it.
type sealedKey struct {
	memory, passes uint32
	lanes          uint8
	salt           []byte
	box            []byte // the nonce, then the seed encrypted
}

func seal(private ed25519.PrivateKey, passphrase string) (sealedKey, error) {
	if len(passphrase) < minPassphrase || len(passphrase) > maxPassphrase {
		return sealedKey{}, ErrPassphraseLength
	}
	s := sealedKey{memory: sealMemory, passes: sealPasses, lanes: sealLanes, salt: make([]byte, sealSalt)}
	rand.Read(s.salt) // never fails
	aead, err := s.cipher(passphrase)
	if err != nil {
		return sealedKey{}, err
	}
	nonce := make([]byte, aead.NonceSize())
	rand.Read(nonce)
	public := feedtree.KeyOf(private)
	s.box = aead.Seal(nonce, nonce, private.Seed(), public[:])
	return s, nil
}

func (s sealedKey) cipher(passphrase string) (cipher.AEAD, error) {
	return chacha20poly1305.NewX(argon2.IDKey([]byte(passphrase), s.salt, s.passes, s.memory, s.lanes,
		chacha20poly1305.KeySize))
}

// open returns the private half of a public key.
func (s sealedKey) open(public feedtree.Key, passphrase string) (ed25519.PrivateKey, error) {
	if len(passphrase) > maxPassphrase {
		return nil, ErrPassphrase
	}
	aead, err := s.cipher(passphrase)
	if err != nil {
		return nil, err
	}
	seed, err := aead.Open(nil, s.box[:aead.NonceSize()], s.box[aead.NonceSize():], public[:])
	if err != nil {
		return nil, ErrPassphrase
	}
	private := ed25519.NewKeyFromSeed(seed)
	if feedtree.KeyOf(private) != public {
		return nil, ErrFile
	}
	return private, nil
}

const (
	headerKDF  = "KDF"
	headerSalt = "Salt"
	formKDF    = "argon2id m=%d t=%d p=%d"
)

func (s sealedKey) block() *pem.Block {
	return &pem.Block{Type: pemEncrypted, Bytes: s.box, Headers: map[string]string{
		headerKDF:  fmt.Sprintf(formKDF, s.memory, s.passes, s.lanes),
		headerSalt: base64.StdEncoding.EncodeToString(s.salt),
	}}
}

func unsealedBlock(block *pem.Block) (s sealedKey, err error) {
	if _, err := fmt.Sscanf(block.Headers[headerKDF], formKDF, &s.memory, &s.passes, &s.lanes); err != nil {
		return s, fmt.Errorf("how it is encrypted: %w", err)
	}
	if s.memory < 8*uint32(s.lanes) || s.memory > maxSealMemory || s.passes < 1 || s.passes > maxSealPasses ||
		s.lanes < 1 || s.lanes > maxSealLanes {
		return s, fmt.Errorf("it is encrypted with %s", block.Headers[headerKDF])
	}
	if s.salt, err = base64.StdEncoding.DecodeString(block.Headers[headerSalt]); err != nil {
		return s, err
	}
	s.box = block.Bytes
	if len(s.box) != chacha20poly1305.NonceSizeX+ed25519.SeedSize+chacha20poly1305.Overhead {
		return s, errors.New("the encrypted key has another length")
	}
	return s, nil
}
