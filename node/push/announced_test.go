package push

import (
	"crypto/ed25519"
	"encoding/base64"
	"testing"
	"time"

	"tidings/network/feedtree"
	"tidings/source/feed"
)

// A key hands over to another by its signature, unless it is void: a thief of the key can sign.
func TestAVoidKeyHandsOverToNobody(t *testing.T) {
	t.Parallel()
	_, old, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	_, next, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	from, to := feedtree.KeyOf(old).Fingerprint(), feedtree.KeyOf(next).Fingerprint()
	rotation := &feedtree.Rotation{New: feedtree.KeyOf(next), Time: time.Now().UnixMilli()}
	rotation.Sign(old)
	revocation := &feedtree.Revocation{Time: time.Now().UnixMilli()}
	revocation.Sign(old)
	signed := func(m interface{ MarshalText() ([]byte, error) }) []byte {
		t.Helper()
		text, err := m.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		statement, err := base64.StdEncoding.DecodeString(string(text))
		if err != nil {
			t.Fatal(err)
		}
		return statement
	}
	a := &feed.Announcement{Fingerprint: to, Rotations: [][]byte{signed(rotation)}}
	if led, ok := succession(from, a); !ok || led != to {
		t.Errorf("a signed rotation leads to %s, %v", led, ok)
	}
	a.Revocations = [][]byte{signed(revocation)}
	if _, ok := succession(from, a); ok {
		t.Error("a void key hands over")
	}
}
