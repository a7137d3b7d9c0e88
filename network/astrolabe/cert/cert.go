// Package cert is how a network says which nodes may be in which zone. The holder of a trusted key signs keys of zones,
// and those sign keys of zones below and members (Astrolabe, section 6; NewsWire, section 3: "secure, through pervasive
// use of certificates").
//
// A chain begins with what a trusted key has signed. Each certificate is signed with the key that the one before it
// names, and is about the same zone or one below.
package cert

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// Certificate is one link of a chain. It names either a key or a member.
type Certificate struct {
	Zone zone.Path `cbor:"1,keyasint" max:"200"`
	// of the zone's authority; zero: the certificate is a member's
	Key [ed25519.PublicKeySize]byte `cbor:"2,keyasint"`
	// the member that may be in the zone, or in one below; zero: the certificate is an authority's
	Member    engine.ID `cbor:"3,keyasint"`
	Rights    Rights    `cbor:"4,keyasint"` // of a member
	NotAfter  uint64    `cbor:"5,keyasint"` // seconds since 1970
	Signature []byte    `cbor:"6,keyasint" max:"64"`
}

// Rights is what a member may do besides being one.
type Rights uint8

// The rights.
const (
	MayPublish Rights = 1 << iota // news items, under its own name
)

// MaxChain is the length of the longest chain: a key for each level, and a member.
const MaxChain = zone.MaxDepth

// Chain is certificates from a trusted key's down.
type Chain []Certificate

// Errors of chains.
var (
	ErrUntrusted = errors.New("not signed by a trusted key")
	ErrExpired   = errors.New("expired")
	ErrScope     = errors.New("about a zone that its signer has no authority over")
	ErrForm      = errors.New("malformed")
	ErrRights    = errors.New("without the right to publish")
)

// grace is how far clocks may be wrong.
const grace = 5 * time.Minute

// words returns what a certificate's signature is of.
func (c *Certificate) words() []byte {
	w := append(make([]byte, 0, 320), "tidings zone certificate\n"...)
	w = append(binary.AppendUvarint(w, uint64(len(c.Zone))), c.Zone...)
	w = append(w, c.Key[:]...)
	w = append(w, c.Member[:]...)
	w = append(w, byte(c.Rights))
	return binary.BigEndian.AppendUint64(w, c.NotAfter)
}

// Equal reports whether two certificates are the same.
func (c *Certificate) Equal(d *Certificate) bool {
	return bytes.Equal(c.Signature, d.Signature) && bytes.Equal(c.words(), d.words())
}

// Equal reports whether two chains are the same, in all of their certificates.
func (chain Chain) Equal(other Chain) bool {
	return slices.EqualFunc(chain, other, func(c, d Certificate) bool { return c.Equal(&d) })
}

// IsMember reports whether c is a member's certificate.
func (c *Certificate) IsMember() bool { return c.Member != engine.ID{} }

// Sign signs c with the key of an authority.
func (c *Certificate) Sign(key ed25519.PrivateKey) {
	c.Signature = ed25519.Sign(key, c.words())
}

// Authority is a trusted key: over all zones from one down.
type Authority struct {
	Zone zone.Path
	Key  ed25519.PublicKey
}

// Verify returns the last certificate of a chain, all of which hold at a time, and which begins with a trusted key.
func (chain Chain) Verify(trusted []Authority, now time.Time) (last Certificate, err error) {
	if len(chain) == 0 || len(chain) > MaxChain {
		return Certificate{}, fmt.Errorf("a chain of %d certificates: %w", len(chain), ErrForm)
	}
	var by Authority
	for i, c := range chain {
		if i > 0 {
			if chain[i-1].IsMember() {
				return Certificate{}, fmt.Errorf("the certificate of a member before another: %w", ErrForm)
			}
			by = Authority{chain[i-1].Zone, chain[i-1].Key[:]}
		} else if by, err = c.signer(trusted); err != nil {
			return Certificate{}, err
		}
		if err := c.check(by, now); err != nil {
			return Certificate{}, fmt.Errorf("the certificate for %s: %w", c.Zone, err)
		}
	}
	return chain[len(chain)-1], nil
}

// signer returns which trusted key has signed c.
func (c *Certificate) signer(trusted []Authority) (Authority, error) {
	at := slices.IndexFunc(trusted, func(a Authority) bool { return ed25519.Verify(a.Key, c.words(), c.Signature) })
	if at < 0 {
		return Authority{}, fmt.Errorf("the certificate for %s: %w", c.Zone, ErrUntrusted)
	}
	return trusted[at], nil
}

// check returns what is wrong with a certificate that somebody is said to have signed.
func (c *Certificate) check(by Authority, now time.Time) error {
	if err := c.Zone.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrForm, err)
	}
	if c.IsMember() == (c.Key != [ed25519.PublicKeySize]byte{}) || len(by.Key) != ed25519.PublicKeySize {
		return ErrForm
	}
	if !by.Zone.Contains(c.Zone) {
		return ErrScope
	}
	if now.Add(-grace).Unix() > int64(min(c.NotAfter, 1<<62)) {
		return ErrExpired
	}
	if !ed25519.Verify(by.Key, c.words(), c.Signature) {
		return ErrUntrusted
	}
	return nil
}

// Until returns when the first certificate of a chain expires, and with it the chain, with the grace for clocks that
// are wrong.
func (chain Chain) Until() time.Time {
	until := uint64(1 << 40) // in 34,000 years
	for _, c := range chain {
		until = min(until, c.NotAfter)
	}
	return time.Unix(int64(until), 0).Add(grace)
}

// MayBe returns an error unless a certificate is that of a member that may be in a zone.
func (c *Certificate) MayBe(p zone.Path) error {
	if !c.IsMember() || !c.Zone.Contains(p) {
		return ErrScope
	}
	return nil
}

// MayPublish returns an error unless a certificate allows its member to publish to all of a zone.
func (c *Certificate) MayPublish(to zone.Path) error {
	if c.Rights&MayPublish == 0 {
		return ErrRights
	}
	return c.MayBe(to)
}
