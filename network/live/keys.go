package live

import (
	"crypto/ed25519"

	"tidings/network/engine"
)

// Keys returns what signs with the host's key.
func (h *Host) Keys() engine.Keys { return keys{&h.config, &h.verified} }

// keys implements engine.Keys by Ed25519 (RFC 8032).
type keys struct {
	config   *Config
	verified *verified
}

func (k keys) Sign(data []byte) []byte { return ed25519.Sign(k.config.Key, data) }

func (k keys) Signed(p engine.Peer, data, signature []byte) bool {
	if len(signature) != ed25519.SignatureSize || !k.config.admits(p.ID) {
		return false
	}
	key := signatureKey(p, data, signature)
	if k.verified.has(key) {
		return true
	}
	c, err := parseContact(p.Address)
	if err != nil || NodeID(c.key) != p.ID || !ed25519.Verify(c.key, data, signature) {
		return false
	}
	k.verified.add(key)
	return true
}
