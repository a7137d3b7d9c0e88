package live

import (
	"crypto/ed25519"
	"strconv"
	"testing"

	"tidings/network/engine"
)

func TestSignaturesHoldForTheirNodeAlone(t *testing.T) {
	_, one, _ := ed25519.GenerateKey(nil)
	_, other, _ := ed25519.GenerateKey(nil)
	peer := func(k ed25519.PrivateKey) engine.Peer {
		public := k.Public().(ed25519.PublicKey)
		return engine.Peer{ID: NodeID(public), Address: contact{key: public}.address()}
	}
	said := []byte("test: something")
	signature := keys{config: &Config{Key: one}}.Sign(said)
	judge := keys{&Config{Key: other}, new(verified)}
	if len(signature) != engine.SignatureLength {
		t.Errorf("a signature of %d bytes, want %d", len(signature), engine.SignatureLength)
	}
	wrongKey := peer(one)
	wrongKey.Address = peer(other).Address
	for _, c := range []struct {
		name      string
		by        engine.Peer
		said      string
		signature []byte
		want      bool
	}{
		{"as it was signed", peer(one), string(said), signature, true},
		{"something else", peer(one), "test: anything", signature, false},
		{"another node", peer(other), string(said), signature, false},
		{"a key that is not the ID's", wrongKey, string(said), signature, false},
		{"no address", engine.Peer{ID: peer(one).ID}, string(said), signature, false},
		{"no signature", peer(one), string(said), nil, false},
		{"half a signature", peer(one), string(said), signature[:32], false},
	} {
		for range 2 { // what was found good is remembered
			if got := judge.Signed(c.by, []byte(c.said), c.signature); got != c.want {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		}
	}
}

// Of the signatures that were found good the latest are remembered, and never more than two generations.
func TestGoodSignaturesAreRemembered(t *testing.T) {
	var v verified
	key := func(i int) [32]byte { return signatureKey(engine.Peer{}, []byte(strconv.Itoa(i)), nil) }
	for i := range 5 * mostVerified {
		v.add(key(i))
		if len(v.now)+len(v.before) > 2*mostVerified {
			t.Fatalf("%d are remembered", len(v.now)+len(v.before))
		}
		if i >= mostVerified && !v.has(key(i-mostVerified+1)) {
			t.Fatalf("number %d is forgotten after %d", i-mostVerified+1, i)
		}
	}
	if v.has(key(0)) {
		t.Error("the first is not forgotten")
	}
}
