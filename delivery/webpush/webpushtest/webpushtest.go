// Package webpushtest is a subscription for tests. It has the keys of a browser, and reads messages as one does. It
// uses only the text of RFC 8188, 8291 and 8292 and the standard library.
package webpushtest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"time"
)

// Browser has the keys of a subscription.
type Browser struct {
	key  *ecdh.PrivateKey
	auth []byte
}

// New makes a subscription.
func New() (*Browser, error) {
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	b := &Browser{key, make([]byte, 16)}
	_, err = rand.Read(b.auth)
	return b, err
}

// Secret returns the keys that a sender needs, as JSON.
func (b *Browser) Secret() string {
	encode := base64.RawURLEncoding.EncodeToString
	return fmt.Sprintf(`{"p256dh":%q,"auth":%q}`, encode(b.key.PublicKey().Bytes()), encode(b.auth))
}

// Read checks what a push service and a browser check of a request, and returns the message.
func (b *Browser) Read(r *http.Request, body []byte) ([]byte, error) {
	if r.Method != http.MethodPost || r.Header.Get("Content-Encoding") != "aes128gcm" || r.Header.Get("TTL") == "" ||
		len(r.Header.Get("Topic")) > 32 || r.Header.Get("Urgency") != "normal" {
		return nil, fmt.Errorf("%s with %v", r.Method, r.Header)
	}
	if len(body) > 4096 {
		return nil, fmt.Errorf("a body of %d bytes", len(body))
	}
	if err := checkVAPID(r); err != nil {
		return nil, err
	}
	return b.decrypt(body)
}

// checkVAPID follows RFC 8292, sections 2 and 3.
func checkVAPID(r *http.Request) error {
	var token, public string
	parameters, found := strings.CutPrefix(r.Header.Get("Authorization"), "vapid ")
	for p := range strings.SplitSeq(parameters, ",") {
		switch name, value, _ := strings.Cut(strings.TrimSpace(p), "="); name {
		case "t":
			token = value
		case "k":
			public = value
		}
	}
	parts := strings.Split(token, ".")
	if !found || len(parts) != 3 {
		return fmt.Errorf("authorization %q", r.Header.Get("Authorization"))
	}
	decode := base64.RawURLEncoding.DecodeString
	point, err := decode(public)
	if err != nil {
		return err
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return err
	}
	signature, err := decode(parts[2])
	if err != nil || len(signature) != 64 {
		return fmt.Errorf("a signature of %d bytes: %w", len(signature), err)
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if !ecdsa.Verify(key, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		return errors.New("the signature is not that of the key")
	}
	text, err := decode(parts[1])
	if err != nil {
		return err
	}
	var claims struct {
		Audience string `json:"aud"`
		Expires  int64  `json:"exp"`
		Subject  string `json:"sub"`
	}
	if err := json.Unmarshal(text, &claims); err != nil {
		return err
	}
	ahead := time.Until(time.Unix(claims.Expires, 0))
	if !strings.HasSuffix(claims.Audience, "://"+r.Host) || ahead <= 0 || ahead > 24*time.Hour ||
		!strings.HasPrefix(claims.Subject, "https:") && !strings.HasPrefix(claims.Subject, "mailto:") {
		return fmt.Errorf("claims %s", text)
	}
	return nil
}

// decrypt follows RFC 8188, section 2, and RFC 8291, section 3.4.
func (b *Browser) decrypt(body []byte) ([]byte, error) {
	if len(body) < 86 || body[20] != 65 {
		return nil, fmt.Errorf("a header of %d bytes", len(body))
	}
	salt, size, sender, record := body[:16], binary.BigEndian.Uint32(body[16:20]), body[21:86], body[86:]
	if uint32(len(record)) > size {
		return nil, errors.New("more than one record")
	}
	public, err := ecdh.P256().NewPublicKey(sender)
	if err != nil {
		return nil, err
	}
	shared, err := b.key.ECDH(public)
	if err != nil {
		return nil, err
	}
	info := "WebPush: info\x00" + string(b.key.PublicKey().Bytes()) + string(sender)
	ikm, err := hkdf.Key(sha256.New, shared, b.auth, info, 32)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	text, err := gcm.Open(nil, nonce, record, nil)
	if err != nil {
		return nil, err
	}
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case 0:
		case 2:
			return text[:i], nil
		default:
			return nil, errors.New("padding that is none")
		}
	}
	return nil, errors.New("no delimiter")
}
