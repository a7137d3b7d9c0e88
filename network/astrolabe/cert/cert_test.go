package cert

import (
	"crypto/ed25519"
	"errors"
	"slices"
	"testing"
	"time"

	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

func key(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(slices.Repeat([]byte{seed}, ed25519.SeedSize))
}

func public(seed byte) (k [ed25519.PublicKeySize]byte) {
	copy(k[:], key(seed).Public().(ed25519.PublicKey))
	return k
}

var (
	noon   = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	member = engine.IDOf([]byte("member"))
	root   = []Authority{{zone.Root, key(1).Public().(ed25519.PublicKey)}}
)

// chain is right: the root's key signs that of /eu, this one that of /eu/de, which signs a member.
func chain() Chain {
	later := uint64(noon.Add(time.Hour).Unix())
	c := Chain{{Zone: "/eu", Key: public(2), NotAfter: later}, {Zone: "/eu/de", Key: public(3), NotAfter: later},
		{Zone: "/eu/de", Member: member, NotAfter: later}}
	return c.signed()
}

func (chain Chain) signed() Chain {
	for i := range chain {
		chain[i].Sign(key(byte(i + 1)))
	}
	return chain
}

func TestChain(t *testing.T) {
	last, err := chain().Verify(root, noon)
	if err != nil || last.Member != member {
		t.Fatalf("a good chain: %v, %v", last, err)
	}
	if _, err := chain()[1:].Verify([]Authority{{"/eu", key(2).Public().(ed25519.PublicKey)}}, noon); err != nil {
		t.Errorf("from a trusted key further down: %v", err)
	}
	for _, c := range []struct {
		what  string
		spoil func(Chain) Chain
		at    time.Time
		want  error
	}{
		{"signed by a stranger", func(c Chain) Chain { c[0].Sign(key(9)); return c }, noon, ErrUntrusted},
		{"signed by a stranger further down", func(c Chain) Chain { c[2].Sign(key(9)); return c }, noon, ErrUntrusted},
		{"signed by the one before the last", func(c Chain) Chain { c[2].Sign(key(2)); return c }, noon, ErrUntrusted},
		{"changed afterwards", func(c Chain) Chain { c[2].Rights = MayPublish; return c }, noon, ErrUntrusted},
		{"a zone beside the signer's", func(c Chain) Chain { c[1].Zone = "/us"; c[2].Zone = "/us"; return c.signed() },
			noon, ErrScope},
		{"a zone above the signer's", func(c Chain) Chain { c[2].Zone = "/"; return c.signed() }, noon, ErrScope},
		{"a zone that begins with the signer's name",
			func(c Chain) Chain { c[2].Zone = "/eu/denmark"; return c.signed() }, noon, ErrScope},
		{"no zone", func(c Chain) Chain { c[2].Zone = "eu"; return c.signed() }, noon, ErrForm},
		{"a key and a member", func(c Chain) Chain { c[1].Member = member; return c.signed() }, noon, ErrForm},
		{"neither", func(c Chain) Chain { c[2].Member = engine.ID{}; return c.signed() }, noon, ErrForm},
		{"a member that signs", func(c Chain) Chain { c[1].Key, c[1].Member = [32]byte{}, member; return c.signed() },
			noon, ErrForm},
		{"nothing", func(Chain) Chain { return nil }, noon, ErrForm},
		{"too long", func(c Chain) Chain { return slices.Repeat(c, 3) }, noon, ErrForm},
		{"too late", func(c Chain) Chain { return c }, noon.Add(time.Hour + grace + time.Second), ErrExpired},
		{"one of them too late", func(c Chain) Chain { c[1].NotAfter = 1; return c.signed() }, noon, ErrExpired},
	} {
		if _, err := c.spoil(chain()).Verify(root, c.at); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
	}
	if _, err := chain().Verify(root, noon.Add(time.Hour+grace)); err != nil {
		t.Errorf("clocks may be wrong by %v: %v", grace, err)
	}
	if _, err := chain().Verify(nil, noon); !errors.Is(err, ErrUntrusted) {
		t.Errorf("nobody is trusted: %v", err)
	}
}

// shown is a chain as messages have it.
type shown struct{ Chain Chain }

// Each field of each certificate of a chain counts.
func TestEachFieldOfAChainCounts(t *testing.T) {
	other := chain()
	other[2].Member, other[2].Rights, other[1].NotAfter = engine.IDOf([]byte("another")), MayPublish,
		other[1].NotAfter+1
	enginetest.CheckProof(t, &shown{chain()}, &shown{other.signed()}, nil, func(s *shown) bool {
		last, err := s.Chain.Verify(root, noon)
		if err != nil && last.IsMember() {
			t.Errorf("with an error comes a member: %v", err)
		}
		return err == nil && last.Member == member
	})
}

// Chains are the same if all of their certificates are, in each field.
func TestChainsThatAreTheSame(t *testing.T) {
	if !chain().Equal(chain()) || chain().Equal(chain()[:1]) || chain()[:1].Equal(chain()) || chain().Equal(nil) {
		t.Error("chains are the same by their length")
	}
	for at := range chain() {
		for name, change := range map[string]func(c *Certificate){
			"zone":      func(c *Certificate) { c.Zone = "/other" },
			"key":       func(c *Certificate) { c.Key[31] ^= 1 },
			"member":    func(c *Certificate) { c.Member[0] ^= 1 },
			"rights":    func(c *Certificate) { c.Rights ^= 1 },
			"end":       func(c *Certificate) { c.NotAfter++ },
			"signature": func(c *Certificate) { c.Signature = append([]byte{c.Signature[0] ^ 1}, c.Signature[1:]...) },
		} {
			other := chain()
			if change(&other[at]); chain().Equal(other) || other.Equal(chain()) {
				t.Errorf("certificate %d with another %s is the same", at, name)
			}
		}
	}
}

// What a signature is of is what it has always been: else no certificate that there is would hold.
func TestWordsAreAsEver(t *testing.T) {
	c := Certificate{Zone: "/eu", Rights: 1, NotAfter: 0x0102030405060708}
	c.Key[0], c.Member[19] = 7, 9
	want := append([]byte("tidings zone certificate\n"), 3, '/', 'e', 'u')
	want = append(append(want, c.Key[:]...), c.Member[:]...)
	want = append(want, 1, 1, 2, 3, 4, 5, 6, 7, 8)
	if got := c.words(); string(got) != string(want) {
		t.Errorf("the words are %q, not %q", got, want)
	}
}
