package servers

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/openid"
	"tidings/egress"
)

// The secret is the first line of its file. A file that is missing, or begins with an empty line, keeps the node from
// starting.
func TestSecretOfTheProvider(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if _, err := ReadSecret(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a file: %v", err)
	}
	for text, want := range map[string]string{"abc": "abc", "abc\n": "abc", "abc\r\ndef": "abc", "": "", "\nabc": ""} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadSecret(file)
		if got != want || errors.Is(err, tidings.ErrInvalid) != (want == "") {
			t.Errorf("%q: %q, error %v", text, got, err)
		}
	}
	c := Config{OpenID: openid.Settings{Issuer: "https://id.example", ClientID: "x"},
		OpenIDSecret: filepath.Join(t.TempDir(), "none")}
	if _, err := c.provider(new(auth.Guard)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a node with a secret that is missing: %v", err)
	}
	if p, err := (Config{}).provider(new(auth.Guard)); p != nil || err != nil {
		t.Errorf("a node without a provider has %v, error %v", p, err)
	}
}

// The chosen host may be anywhere except at forbidden addresses. Others may be where origins may.
func TestWhereAProviderMayBe(t *testing.T) {
	for _, c := range []struct {
		issuer, address string
		private         bool
		forbidden       bool
	}{
		{"http://127.0.0.1:9", "127.0.0.1:9", false, false},
		{"https://id.example", "127.0.0.1:9", false, true},
		{"https://id.example", "127.0.0.1:9", true, false},
		{"https://id.example", "10.0.0.1:9", false, true},
		{"https://169.254.169.254", "169.254.169.254:80", true, true},
		{"https://id.example", "169.254.169.254:80", true, true},
		{"https://127.0.0.1.evil.example", "127.0.0.1:9", false, true},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		conn, err := providerTransport(c.issuer, c.private).DialContext(ctx, "tcp", c.address)
		cancel()
		if err == nil {
			err = conn.Close()
		}
		if errors.Is(err, egress.ErrAddress) != c.forbidden {
			t.Errorf("the issuer %s, connecting to %s, private %v: %v", c.issuer, c.address, c.private, err)
		}
	}
}

// No proxy of the environment comes in between, past the guard.
func TestProviderIsAskedDirectly(t *testing.T) {
	if tr := providerTransport("https://id.example", false); tr.Proxy != nil {
		t.Error("a proxy may come in between")
	}
}
