package keyring

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"slices"
	"time"

	"tidings/network/feedtree"
)

// A publisher's key file is PEM, so that other programs can read the parts that they may know. The parts are: the
// public key; the private one in PKCS #8 or encrypted; the signed words on rotations and revocations, oldest first.
const (
	pemPublic     = "PUBLIC KEY"
	pemPrivate    = "PRIVATE KEY"
	pemEncrypted  = "TIDINGS ENCRYPTED PRIVATE KEY"
	pemRotation   = "TIDINGS KEY ROTATION"
	pemRevocation = "TIDINGS KEY REVOCATION"

	headerMade = "Made"
)

const (
	maxKeyFile    = 64 << 10
	maxKeyChanges = 16 // as many as an announcement has: feed.MaxStatements
)

// keyContent is what is in a publisher's key file.
type keyContent struct {
	made        time.Time
	key         feedtree.Key
	private     ed25519.PrivateKey // nil: it is encrypted
	sealed      sealedKey
	rotations   []feedtree.Rotation
	revocations []feedtree.Revocation
}

// set puts a private key in, encrypted if there is a passphrase.
func (f *keyContent) set(private ed25519.PrivateKey, passphrase string) (err error) {
	f.key, f.private, f.sealed = feedtree.KeyOf(private), private, sealedKey{}
	if passphrase == "" {
		return nil
	}
	f.private = nil
	f.sealed, err = seal(private, passphrase)
	return err
}

func (f *keyContent) encrypted() bool { return f.private == nil }

func (f *keyContent) unlock(passphrase string) (ed25519.PrivateKey, error) {
	if f.private != nil {
		return f.private, nil
	}
	if passphrase == "" {
		return nil, ErrLocked
	}
	return f.sealed.open(f.key, passphrase)
}

func (f *keyContent) revoked() bool {
	return slices.ContainsFunc(f.revocations, func(r feedtree.Revocation) bool { return r.Key == f.key })
}

func (f *keyContent) public(name string) Key {
	p := Key{Name: name, Fingerprint: f.key.Fingerprint(), Made: f.made, Encrypted: f.encrypted(), Revoked: f.revoked(),
		key: f.key}
	for i := range f.rotations {
		p.Rotations = append(p.Rotations, text(f.rotations[i].MarshalText()))
	}
	for i := range f.revocations {
		p.Revocations = append(p.Revocations, text(f.revocations[i].MarshalText()))
	}
	return p
}

// text is that of a signed word, which always has one.
func text(b []byte, err error) string {
	if err != nil {
		panic("keyring: " + err.Error())
	}
	return string(b)
}

// PublicText returns a key as its owner gives it to others: the public key in PEM.
func (p Key) PublicText() string {
	return string(pem.EncodeToMemory(publicBlock(p.key, p.Made)))
}

func publicBlock(key feedtree.Key, made time.Time) *pem.Block {
	der, err := x509.MarshalPKIXPublicKey(ed25519.PublicKey(key[:]))
	if err != nil {
		panic("keyring: " + err.Error()) // it is an Ed25519 key
	}
	return &pem.Block{Type: pemPublic, Headers: map[string]string{headerMade: made.Format(time.RFC3339)}, Bytes: der}
}

func (f *keyContent) encode() []byte {
	out := pem.EncodeToMemory(publicBlock(f.key, f.made))
	if f.private != nil {
		der, err := x509.MarshalPKCS8PrivateKey(f.private)
		if err != nil {
			panic("keyring: " + err.Error())
		}
		out = append(out, pem.EncodeToMemory(&pem.Block{Type: pemPrivate, Bytes: der})...)
	} else {
		out = append(out, pem.EncodeToMemory(f.sealed.block())...)
	}
	p := f.public("")
	return appendWords(appendWords(out, pemRotation, p.Rotations), pemRevocation, p.Revocations)
}

func appendWords(out []byte, kind string, words []string) []byte {
	for _, word := range words {
		b, err := base64.StdEncoding.DecodeString(word)
		if err != nil {
			panic("keyring: " + err.Error()) // it was made by MarshalText
		}
		out = append(out, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b})...)
	}
	return out
}

// decodeKey reads a key file, and checks that its parts belong together. Otherwise an attacker that can write it could
// have another key's word announced as this one's.
func decodeKey(b []byte) (f keyContent, err error) {
	var hasPublic, hasPrivate bool
	for len(b) > 0 {
		var block *pem.Block
		if block, b = pem.Decode(b); block == nil {
			break
		}
		switch block.Type {
		case pemPublic:
			hasPublic = true
			err = f.readPublic(block)
		case pemPrivate:
			hasPrivate = true
			err = f.readPrivate(block)
		case pemEncrypted:
			hasPrivate = true
			f.sealed, err = unsealedBlock(block)
		case pemRotation:
			err = readWord(&f.rotations, block)
		case pemRevocation:
			err = readWord(&f.revocations, block)
		default:
			err = fmt.Errorf("a block %q", block.Type)
		}
		if err != nil {
			return keyContent{}, fmt.Errorf("%w: %w", ErrFile, err)
		}
	}
	switch {
	case !hasPublic || !hasPrivate:
		return keyContent{}, fmt.Errorf("%w: it lacks the public or the private key", ErrFile)
	case f.private != nil && feedtree.KeyOf(f.private) != f.key:
		return keyContent{}, fmt.Errorf("%w: the public and the private key are not a pair", ErrFile)
	case !f.rotationsLeadHere():
		return keyContent{}, fmt.Errorf("%w: the rotations do not lead to its key", ErrFile)
	}
	return f, nil
}

func (f *keyContent) readPublic(block *pem.Block) error {
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return err
	}
	public, ok := parsed.(ed25519.PublicKey)
	if !ok {
		return fmt.Errorf("the public key is no Ed25519 key")
	}
	f.key = feedtree.Key(public)
	f.made, err = time.Parse(time.RFC3339, block.Headers[headerMade])
	return err
}

func (f *keyContent) readPrivate(block *pem.Block) error {
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return err
	}
	private, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return fmt.Errorf("the private key is no Ed25519 key")
	}
	f.private = private
	return nil
}

// readWord reads a signed word; UnmarshalText checks the signature.
func readWord[T any, P interface {
	*T
	UnmarshalText([]byte) error
}](list *[]T, block *pem.Block) error {
	var word T
	if err := P(&word).UnmarshalText([]byte(base64.StdEncoding.EncodeToString(block.Bytes))); err != nil {
		return err
	}
	*list = append(*list, word)
	return nil
}

// rotationsLeadHere reports whether each rotation goes on from the one before, and the last ends at the key.
func (f *keyContent) rotationsLeadHere() bool {
	for i, r := range f.rotations {
		next := f.key
		if i+1 < len(f.rotations) {
			next = f.rotations[i+1].Old
		}
		if r.New != next {
			return false
		}
	}
	return true
}
