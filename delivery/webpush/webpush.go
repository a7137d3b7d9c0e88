// Package webpush builds the requests that send a message to a browser or a UnifiedPush app through its push service.
// It sends none itself: package delivery/notify does, with its bounds and its guard against private addresses.
//
// A push service reads nothing of a message: that is encrypted with the keys of the subscription (RFC 8291), padded to
// one size, and has at most MaxPayload bytes. The node identifies itself by a key pair of its own (VAPID, RFC 8292),
// which a browser binds its subscription to: a node that loses it reaches no browser any more.
//
// Sources: RFC 8030 (HTTP push), 8188 (aes128gcm), 8291 (encryption), 8292 (VAPID); https://www.w3.org/TR/push-api;
// https://unifiedpush.org/developers/spec/server
package webpush

import (
	"bytes"
	"context"
	"crypto/ecdh"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	push "github.com/SherClockHolmes/webpush-go"

	"tidings"
)

const (
	// MaxPayload is how many bytes a message may have before it is encrypted. Push services have to accept bodies of
	// 4096 bytes (RFC 8030, section 7.2). Of these, 86 are the header of aes128gcm, 16 the authentication tag, and 1
	// ends the text.
	MaxPayload = 4096 - 86 - 16 - 1

	// keep is how long a push service keeps a message for a browser that is not running.
	keep = 72 * time.Hour
)

// Keys are the key pair by which push services know a node (RFC 8292). They are base64url of an uncompressed point and
// of a scalar of P-256.
type Keys struct {
	Public  string `json:"public"`
	Private string `json:"private"`
}

// NewKeys makes a key pair.
func NewKeys() (k Keys, err error) {
	if k.Private, k.Public, err = push.GenerateVAPIDKeys(); err != nil {
		return k, fmt.Errorf("making keys for push services: %w", err)
	}
	return k, nil
}

// Parse reads what Text wrote, and checks that the keys belong together.
func Parse(text string) (k Keys, err error) {
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		return k, fmt.Errorf("reading the keys for push services: %w", err)
	}
	scalar, err := decode(k.Private)
	if err != nil {
		return k, fmt.Errorf("reading the private key for push services: %w", err)
	}
	private, err := ecdh.P256().NewPrivateKey(scalar)
	if err != nil {
		return k, fmt.Errorf("the private key for push services: %w", err)
	}
	if public, err := decode(k.Public); err != nil || !bytes.Equal(public, private.PublicKey().Bytes()) {
		return k, errors.New("the keys for push services do not belong together")
	}
	return k, nil
}

// Text returns the keys for storing.
func (k Keys) Text() (string, error) {
	text, err := json.Marshal(k)
	if err != nil {
		return "", fmt.Errorf("writing the keys for push services: %w", err)
	}
	return string(text), nil
}

// Recipient are the keys of a subscription: a point of P-256 and 16 bytes (RFC 8291, section 3.1), in base64 of either
// kind.
type Recipient struct {
	P256dh string `json:"p256dh"`
	Auth   string `json:"auth"`
}

// ParseRecipient reads the keys as JSON: {"p256dh": "…", "auth": "…"}, or what a browser's PushSubscription says of
// itself, which has them below "keys". The error is tidings.ErrInvalid, and says what to give instead.
func ParseRecipient(text string) (r Recipient, err error) {
	const instead = `give them as JSON: {"p256dh":"…","auth":"…"}`
	var both struct {
		Recipient
		Keys Recipient `json:"keys"`
	}
	if err := json.Unmarshal([]byte(text), &both); err != nil {
		return r, tidings.Invalidf("the keys of the subscription cannot be read: %s", instead)
	}
	if r = both.Recipient; r == (Recipient{}) {
		r = both.Keys
	}
	point, err := decode(r.P256dh)
	if err == nil {
		_, err = ecdh.P256().NewPublicKey(point)
	}
	if err != nil {
		return Recipient{}, tidings.Invalidf("p256dh of the subscription is no key: %s", instead)
	}
	if auth, err := decode(r.Auth); err != nil || len(auth) != 16 {
		return Recipient{}, tidings.Invalidf("auth of the subscription is not 16 bytes in base64: %s", instead)
	}
	return r, nil
}

// decode reads base64 of either alphabet, with padding or without.
func decode(text string) ([]byte, error) {
	text = strings.NewReplacer("+", "-", "/", "_").Replace(strings.TrimRight(text, "="))
	return base64.RawURLEncoding.DecodeString(text)
}

// Message is what is sent.
type Message struct {
	ID      string // the same at each attempt
	Payload []byte // at most MaxPayload bytes
}

// Request returns the request that sends a message to a subscription: its endpoint and its keys. contact is an https or
// mailto URL by which the push service's operator can reach the node's.
func Request(endpoint string, to Recipient, k Keys, contact string, m Message) (*http.Request, []byte, error) {
	if len(m.Payload) > MaxPayload {
		return nil, nil, fmt.Errorf("a push message has %d bytes, and %d at most", len(m.Payload), MaxPayload)
	}
	var c capture
	answer, err := push.SendNotificationWithContext(context.Background(), m.Payload,
		&push.Subscription{Endpoint: endpoint, Keys: push.Keys{P256dh: to.P256dh, Auth: to.Auth}},
		&push.Options{
			HTTPClient: &c, Subscriber: strings.TrimPrefix(contact, "mailto:"), TTL: int(keep / time.Second),
			Urgency: push.UrgencyNormal, Topic: topic(m.ID), VAPIDPublicKey: k.Public, VAPIDPrivateKey: k.Private,
		})
	if err != nil {
		return nil, nil, fmt.Errorf("encrypting a push message: %w", err)
	}
	answer.Body.Close()
	return c.request, c.body, nil
}

// topic makes a message replace an earlier attempt of itself that still waits at the push service (RFC 8030, section
// 5.4).
func topic(id string) string {
	sum := sha256.Sum256([]byte(id))
	return base64.RawURLEncoding.EncodeToString(sum[:24]) // 32 characters, the most
}

// capture keeps the request that the library would send.
type capture struct {
	request *http.Request
	body    []byte
}

func (c *capture) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	c.request, c.body = r, body
	return &http.Response{StatusCode: http.StatusCreated, Body: http.NoBody}, nil
}
