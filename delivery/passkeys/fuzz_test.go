package passkeys

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// FuzzSignIn has a stranger send anything to sign in: nobody is signed in, and the node answers within its bounds.
func FuzzSignIn(f *testing.F) {
	f.Add(`{"id":"AQ","rawId":"AQ","type":"public-key","response":{"clientDataJSON":"e30","authenticatorData":"AA","signature":"AA","userHandle":"AA"}}`)
	f.Add(`{"id":"AQ","rawId":"AQ","type":"public-key","clientExtensionResults":{"appid":true},"response":{}}`)
	f.Add(`{"response":null}`)
	t := &testing.T{}
	o := options{}
	o.PublicKey.Challenge, o.PublicKey.RPID = strings.Repeat("A", 43), "home.example"
	f.Add(string(newDevice(t, home).sign(o)))
	f.Fuzz(func(t *testing.T, body string) {
		n := newNode(t)
		b := n.browser(home)
		b.options("/login/passkey/options", nil)
		code, text := b.send("POST", "/login/passkey", "application/json", body)
		if code != http.StatusForbidden && code != http.StatusRequestEntityTooLarge || !json.Valid([]byte(text)) ||
			len(n.store.sessions) != 0 {
			t.Errorf("%d %s", code, text)
		}
	})
}

// FuzzAdd has a person send anything as a new passkey: only one of the challenge that was given is kept.
func FuzzAdd(f *testing.F) {
	t := &testing.T{}
	o := options{}
	o.PublicKey.Challenge, o.PublicKey.RP.ID, o.PublicKey.User.ID = strings.Repeat("A", 43), "home.example", "AQ"
	f.Add(`{"name":"x","credential":` + string(newDevice(t, home).make(o)) + `}`)
	f.Add(`{"credential":{"id":"AQ","rawId":"AQ","type":"public-key","response":{"clientDataJSON":"e30","attestationObject":"o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YUA"}}}`)
	f.Add(`{"name":1}`)
	f.Fuzz(func(t *testing.T, body string) {
		n := newNode(t)
		b := n.signedIn("ann")
		b.options("/settings/passkeys/options", map[string]string{"password": password})
		code, text := b.send("POST", "/settings/passkeys", "application/json", body)
		if code < 400 || code == http.StatusInternalServerError || !json.Valid([]byte(text)) || len(n.store.keys) != 0 {
			t.Errorf("%d %s", code, text)
		}
	})
}

// FuzzAttestation has a person send any attestation for the challenge that was given: what is kept is within its
// bounds.
func FuzzAttestation(f *testing.F) {
	t := &testing.T{}
	o := options{}
	o.PublicKey.Challenge, o.PublicKey.RP.ID, o.PublicKey.User.ID = strings.Repeat("A", 43), "home.example", "AQ"
	var made struct {
		Response struct{ AttestationObject string }
	}
	if err := json.Unmarshal(newDevice(t, home).make(o), &made); err != nil {
		f.Fatal(err)
	}
	f.Add(untext(t, made.Response.AttestationObject))
	f.Add([]byte{0xa3})
	f.Add([]byte(strings.Repeat("\x81", 100)))
	f.Fuzz(func(t *testing.T, object []byte) {
		n := newNode(t)
		b, d := n.signedIn("ann"), newDevice(t, home)
		o := b.options("/settings/passkeys/options", map[string]string{"password": password})
		client := d.clientData("webauthn.create", o.PublicKey.Challenge)
		credential := d.credential(map[string]string{"clientDataJSON": text(client), "attestationObject": text(object)})
		code, answer := b.post("/settings/passkeys", map[string]any{"credential": credential})
		if code == http.StatusInternalServerError || !json.Valid([]byte(answer)) ||
			(code == http.StatusOK) != (len(n.store.keys) == 1) {
			t.Errorf("%d %s", code, answer)
		}
	})
}
