package cert

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"

	"tidings/network/astrolabe/zone"
)

// File is what people mail to each other: the authority that a node should trust, and maybe a chain that leads from its
// key to a member, or to the key of a zone below. As a text it is PEM: the authority's block, then one for each
// certificate. Text around the blocks is for people.
type File struct {
	Authority Authority
	Chain     Chain
}

// Types of the blocks of a File.
const (
	pemAuthority   = "TIDINGS ZONE AUTHORITY"
	pemCertificate = "TIDINGS ZONE CERTIFICATE"
)

// MaxFile is the length of the longest text of a File.
const MaxFile = 16 << 10

// Errors of texts that are no File.
var (
	ErrNoFile = errors.New(
		"it does not begin with a zone's authority, as `tidings zone authority` and `tidings zone certify` write it")
	ErrTooLarge = fmt.Errorf("it has more than %d bytes", MaxFile)
)

// Text returns f as ParseFile reads it.
func (f File) Text() []byte {
	text := pem.EncodeToMemory(&pem.Block{Type: pemAuthority,
		Bytes: append(zoneBytes(f.Authority.Zone), f.Authority.Key...)})
	for i := range f.Chain {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: pemCertificate, Bytes: f.Chain[i].bytes()})...)
	}
	return text
}

// zoneBytes returns a zone with its length before it.
func zoneBytes(p zone.Path) []byte { return append([]byte{byte(len(p))}, p...) }

// bytes returns a certificate as its block has it: the signed bytes without the words at the start, then the signature.
func (c *Certificate) bytes() []byte {
	b := append(zoneBytes(c.Zone), c.Key[:]...)
	b = append(append(b, c.Member[:]...), byte(c.Rights))
	return append(binary.BigEndian.AppendUint64(b, c.NotAfter), c.Signature...)
}

// ParseFile reads what Text has written. It checks no signature: see Check.
func ParseFile(text []byte) (f File, err error) {
	if len(text) > MaxFile {
		return f, ErrTooLarge
	}
	block, rest := pem.Decode(text)
	if block == nil || block.Type != pemAuthority {
		return f, ErrNoFile
	}
	p, key, err := cutZone(block.Bytes)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return f, fmt.Errorf("the authority: %w", ErrForm)
	}
	f.Authority = Authority{p, ed25519.PublicKey(key)}
	for {
		if block, rest = pem.Decode(rest); block == nil {
			return f, nil
		}
		if len(f.Chain) == MaxChain {
			return f, fmt.Errorf("it has more than %d certificates: %w", MaxChain, ErrForm)
		}
		c, err := parseCertificate(block)
		if err != nil {
			return f, fmt.Errorf("certificate %d: %w", len(f.Chain)+1, err)
		}
		f.Chain = append(f.Chain, c)
	}
}

func parseCertificate(block *pem.Block) (c Certificate, err error) {
	if block.Type != pemCertificate {
		return c, fmt.Errorf("it is a %q: %w", block.Type, ErrForm)
	}
	p, b, err := cutZone(block.Bytes)
	if err != nil {
		return c, err
	}
	c.Zone = p
	if len(b) != len(c.Key)+len(c.Member)+1+8+ed25519.SignatureSize {
		return c, fmt.Errorf("its length is wrong: %w", ErrForm)
	}
	b = b[copy(c.Key[:], b):]
	b = b[copy(c.Member[:], b):]
	c.Rights, b = Rights(b[0]), b[1:]
	c.NotAfter, c.Signature = binary.BigEndian.Uint64(b), bytes.Clone(b[8:])
	return c, nil
}

// cutZone reads what zoneBytes has written, and returns what follows it.
func cutZone(b []byte) (p zone.Path, rest []byte, err error) {
	if len(b) == 0 || len(b) < 1+int(b[0]) {
		return "", nil, ErrForm
	}
	p, rest = zone.Path(b[1:1+b[0]]), b[1+b[0]:]
	if err := p.Validate(); err != nil {
		return "", nil, fmt.Errorf("%w: %w", ErrForm, err)
	}
	return p, rest, nil
}
