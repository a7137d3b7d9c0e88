package node

import (
	"net/http"
	"testing"

	"tidings"
)

// A node shows its metrics only to clients that may read its API.
func TestMetricsAreGuarded(t *testing.T) {
	n, client := startNode(t, func(c *Config) { c.NoNetwork = true })
	get := func(change func(*http.Request)) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "GET", n.URL()+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		change(r)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return resp.StatusCode
	}
	if got := get(func(*http.Request) {}); got != http.StatusOK {
		t.Errorf("on loopback without a password: %d", got)
	}
	if got := get(func(r *http.Request) { r.Host = "rebound.example" }); got != http.StatusMisdirectedRequest {
		t.Errorf("under another name: %d", got)
	}
	if err := client.SetPassword(t.Context(), "correct horse"); err != nil {
		t.Fatal(err)
	}
	secret, err := client.NewToken(t.Context(), tidings.Token{Label: "prometheus"})
	if err != nil {
		t.Fatal(err)
	}
	if got := get(func(*http.Request) {}); got != http.StatusUnauthorized {
		t.Errorf("with a password, to nobody: %d", got)
	}
	if got := get(func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+secret) }); got != http.StatusOK {
		t.Errorf("with a token: %d", got)
	}
}
