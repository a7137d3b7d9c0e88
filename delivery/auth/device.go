package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"time"

	"tidings"
)

// DeviceCookieName is the name of a cookie. It marks a browser in which somebody signed in before. It lets nobody in.
// It has tries of its own for the password, so that strangers cannot use up those of the owner (OWASP, "Slow Down
// Online Guessing Attacks with Device Cookies").
const DeviceCookieName = "tidings_device"

// deviceLife is how long a browser keeps it: browsers keep none for longer (RFC 6265bis, section 5.6.1).
const deviceLife = 400 * 24 * time.Hour

// device is what a device cookie names: 128 random bits.
type device [16]byte

// newDevice returns the value of a new device cookie of account: nonce.proof.
func newDevice(account tidings.AccountID, passwordHash string) string {
	var d device
	rand.Read(d[:]) // never fails
	return secretText.EncodeToString(d[:]) + "." + secretText.EncodeToString(d.proof(account, passwordHash))
}

// proof shows that the node has issued d to account. Its key is the stored password hash, which nobody else has, and
// which has a random salt. So it needs no secret of its own, and a new password makes all devices strangers.
func (d device) proof(account tidings.AccountID, passwordHash string) []byte {
	mac := hmac.New(sha256.New, []byte(passwordHash))
	fmt.Fprintf(mac, "tidings device of %d: %x", account, d)
	return mac.Sum(nil)
}

// deviceOf returns the device of account that the request's cookie proves; nil if there is none.
func deviceOf(r *http.Request, account tidings.AccountID, passwordHash string) *device {
	cookie, err := r.Cookie(DeviceCookieName)
	if err != nil || passwordHash == "" {
		return nil
	}
	nonce, proof, _ := strings.Cut(cookie.Value, ".")
	var d device
	if len(nonce) != secretText.EncodedLen(len(d)) || len(proof) != secretText.EncodedLen(sha256.Size) {
		return nil
	}
	given, err := secretText.DecodeString(proof)
	if err != nil {
		return nil
	}
	if _, err := secretText.Decode(d[:], []byte(nonce)); err != nil ||
		!hmac.Equal(given, d.proof(account, passwordHash)) {
		return nil
	}
	return &d
}
