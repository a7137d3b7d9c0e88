package webpush

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tidings"
	"tidings/delivery/webpush/webpushtest"
)

// What is sent is what a browser reads, whatever it is, and no more than a push service has to accept. Each message
// looks as long as every other.
func TestMessagesAreRead(t *testing.T) {
	browser, err := webpushtest.New()
	if err != nil {
		t.Fatal(err)
	}
	to, err := ParseRecipient(browser.Secret())
	if err != nil {
		t.Fatal(err)
	}
	keys, err := NewKeys()
	if err != nil {
		t.Fatal(err)
	}
	check := func(t interface{ Fatalf(string, ...any) }, payload []byte) {
		r, body, err := Request("https://push.example:8443/send/abc?x=1", to, keys, "mailto:ada@example.org",
			Message{"id-1", payload})
		if err != nil {
			t.Fatalf("%v", err)
		}
		got, err := browser.Read(r, body)
		if err != nil || !bytes.Equal(got, payload) || len(body) != 4096 {
			t.Fatalf("%d bytes became %d, in %d: %v", len(payload), len(got), len(body), err)
		}
	}
	check(t, nil)
	check(t, make([]byte, MaxPayload))
	check(t, bytes.Repeat([]byte{2}, MaxPayload))
	if _, _, err := Request("https://push.example/", to, keys, "",
		Message{"x", make([]byte, MaxPayload+1)}); err == nil {
		t.Error("it is too long")
	}
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.SliceOfN(rapid.Byte(), 0, MaxPayload).Draw(t, "payload")) })

	// Another browser reads nothing of it.
	other, err := webpushtest.New()
	if err != nil {
		t.Fatal(err)
	}
	r, body, err := Request("https://push.example/send/abc", to, keys, "https://example.org",
		Message{"id-1", []byte("secret")})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := other.Read(r, body); err == nil {
		t.Errorf("another browser reads %q", got)
	}
	again, _, err := Request("https://push.example/send/abc", to, keys, "https://example.org",
		Message{"id-1", []byte("secret")})
	if err != nil || again.Header.Get("Topic") != r.Header.Get("Topic") || len(r.Header.Get("Topic")) != 32 {
		t.Errorf("topics %q and %q, %v", r.Header.Get("Topic"), again.Header.Get("Topic"), err)
	}
}

// The keys of a node survive being stored, and others are refused.
func TestKeys(t *testing.T) {
	one, err := NewKeys()
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewKeys()
	if err != nil {
		t.Fatal(err)
	}
	text, err := one.Text()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Parse(text); err != nil || got != one || one == other {
		t.Errorf("%v, %v", got, err)
	}
	mixed, err := Keys{one.Public, other.Private}.Text()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "{}", mixed, strings.Replace(text, one.Private, "AAAA", 1),
		strings.Replace(text, one.Public, "!", 1)} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

// What browsers and distributors give is read, and what is no key is refused with a hint.
func TestRecipients(t *testing.T) {
	browser, err := webpushtest.New()
	if err != nil {
		t.Fatal(err)
	}
	want, err := ParseRecipient(browser.Secret())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		`{"endpoint":"https://push.example/x","expirationTime":null,"keys":` + browser.Secret() + `}`,
		" " + browser.Secret() + "\n",
	} {
		if got, err := ParseRecipient(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	padded := Recipient{strings.NewReplacer("-", "+", "_", "/").Replace(want.P256dh) + "=", want.Auth + "=="}
	if _, err := ParseRecipient(`{"p256dh":"` + padded.P256dh + `","auth":"` + padded.Auth + `"}`); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{
		"", "null", "[]", "{}", `"x"`, `{"p256dh":"","auth":""}`,
		strings.Replace(browser.Secret(), want.Auth, want.Auth[:20], 1),
		strings.Replace(browser.Secret(), want.P256dh, "B"+strings.Repeat("A", 86), 1),
		strings.Replace(browser.Secret(), want.P256dh, "x y", 1),
		`{"keys":{}}`, `{"p256dh":1,"auth":2}`,
	} {
		if _, err := ParseRecipient(bad); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// FuzzRecipient: what is accepted can be encrypted for.
func FuzzRecipient(f *testing.F) {
	browser, err := webpushtest.New()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(browser.Secret())
	f.Add(`{"keys":{"p256dh":"BA","auth":"AA"}}`)
	keys, err := NewKeys()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		to, err := ParseRecipient(text)
		if err != nil {
			return
		}
		if _, _, err := Request("https://push.example/", to, keys, "mailto:a@example.org",
			Message{"x", []byte("x")}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	})
}
