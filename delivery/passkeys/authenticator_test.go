package passkeys

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/fxamacker/cbor/v2"
)

// device is a browser's half of a ceremony, with an authenticator that has one passkey (WebAuthn, sections 6 and 7). A
// test changes its fields to send something false.
type device struct {
	t      *testing.T
	id     []byte
	key    *ecdsa.PrivateKey
	handle []byte // that it got when the passkey was made

	counter uint32 // of the next signature; it does not rise by itself
	flags   byte
	host    string // whose hash it signs; empty: the requested one
	origin  string
	kind    string // of the ceremony; empty: the right one
	format  string // of its attestation
}

// Flags of authenticator data, WebAuthn, section 6.1.
const (
	present, verified, backupEligible, attested byte = 1 << 0, 1 << 2, 1 << 3, 1 << 6
)

func newDevice(t *testing.T, origin string) *device {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id := make([]byte, 32)
	rand.Read(id)
	return &device{t: t, id: id, key: key, flags: present | verified, origin: origin, format: "none"}
}

// options is what a node asks a browser for.
type options struct {
	PublicKey struct {
		Challenge string
		RPID      string `json:"rpId"`
		RP        struct{ ID string }
		User      struct{ ID, Name string }

		UserVerification       string
		AuthenticatorSelection struct{ ResidentKey, UserVerification string }
		ExcludeCredentials     []struct{ ID string }
		AllowCredentials       []struct{ ID string }
		Timeout                int
	}
}

func text(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func untext(t *testing.T, s string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (d *device) clientData(kind, challenge string) []byte {
	if d.kind != "" {
		kind = d.kind
	}
	b, err := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": d.origin,
		"crossOrigin": false})
	if err != nil {
		d.t.Fatal(err)
	}
	return b
}

func (d *device) authenticatorData(host string, flags byte) []byte {
	if d.host != "" {
		host = d.host
	}
	hash := sha256.Sum256([]byte(host))
	return binary.BigEndian.AppendUint32(append(hash[:], flags), d.counter)
}

// make returns a PublicKeyCredential of a new passkey.
func (d *device) make(o options) json.RawMessage {
	d.handle = untext(d.t, o.PublicKey.User.ID)
	public, err := d.key.PublicKey.Bytes() // 4, X, Y
	if err != nil {
		d.t.Fatal(err)
	}
	cose := d.cbor(map[int]any{1: 2, 3: -7, -1: 1, -2: public[1:33], -3: public[33:65]})
	data := d.authenticatorData(o.PublicKey.RP.ID, d.flags|attested)
	data = append(data, make([]byte, 16)...) // of no known make
	data = binary.BigEndian.AppendUint16(data, uint16(len(d.id)))
	data = append(append(data, d.id...), cose...)
	object := d.cbor(map[string]any{"fmt": d.format, "attStmt": map[string]any{}, "authData": data})
	return d.credential(map[string]string{
		"clientDataJSON":    text(d.clientData("webauthn.create", o.PublicKey.Challenge)),
		"attestationObject": text(object)})
}

// sign returns a PublicKeyCredential of a signature.
func (d *device) sign(o options) json.RawMessage {
	client, data := d.clientData("webauthn.get", o.PublicKey.Challenge), d.authenticatorData(o.PublicKey.RPID, d.flags)
	hash := sha256.Sum256(client)
	message := sha256.Sum256(append(data[:len(data):len(data)], hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, d.key, message[:])
	if err != nil {
		d.t.Fatal(err)
	}
	return d.credential(map[string]string{"clientDataJSON": text(client), "authenticatorData": text(data),
		"signature": text(signature), "userHandle": text(d.handle)})
}

func (d *device) credential(response map[string]string) json.RawMessage {
	b, err := json.Marshal(map[string]any{"id": text(d.id), "rawId": text(d.id), "type": "public-key",
		"clientExtensionResults": map[string]any{}, "response": response})
	if err != nil {
		d.t.Fatal(err)
	}
	return b
}

func (d *device) cbor(v any) []byte {
	mode, err := cbor.CTAP2EncOptions().EncMode()
	if err != nil {
		d.t.Fatal(err)
	}
	b, err := mode.Marshal(v)
	if err != nil {
		d.t.Fatal(err)
	}
	return b
}
