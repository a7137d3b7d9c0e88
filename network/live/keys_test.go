package live

import (
	"crypto/ed25519"
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
	signature := keys{one}.Sign(said)
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
		if got := (keys{other}).Signed(c.by, []byte(c.said), c.signature); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
