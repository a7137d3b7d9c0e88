package node

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"tidings"
	"tidings/delivery/api"
	"tidings/delivery/openid"
	"tidings/delivery/openid/openidtest"
)

// A provider that is dead keeps no node from starting, and passwords work. The page says what is wrong.
func TestDeadProviderKeepsNoNodeFromStarting(t *testing.T) {
	p := openidtest.Start(t) // answers 503
	n, client := startNode(t, func(c *Config) {
		c.OpenID = openid.Settings{Issuer: p.Issuer, ClientID: openidtest.ClientID, Secret: openidtest.Secret,
			Name: "Example"}
	})
	if err := client.SetPassword(t.Context(), personsPassword); err != nil {
		t.Fatal(err)
	}
	visitor := openidtest.NewBrowser(t)
	visitor.Transport = asBrowser{}
	resp, body, err := openidtest.SignIn(visitor, n.URL()+openid.BeginPath, "ann")
	if err != nil || resp.StatusCode != http.StatusBadGateway || !strings.Contains(body, "Example does not answer") {
		t.Errorf("%d, error %v:\n%s", resp.StatusCode, err, body)
	}
	signIn(t, n, "owner")
}

// An independent provider lets in a user with an unused account, and no other.
func TestUsersThatAProviderLetsIn(t *testing.T) {
	n, _ := withProvider(t, nil,
		openidtest.User{Subject: "1", Name: "ann"}, openidtest.User{Subject: "2", Name: "bob"},
		openidtest.User{Subject: "3", Name: "owner"}, openidtest.User{Subject: "4", Name: "eve"})
	client := api.Dial(api.SocketPath(n.config.Data))
	defer client.Close()
	for _, name := range []string{"ann", "bob"} {
		if _, err := client.Users().Add(t.Context(), api.NewPerson{Name: name, Password: personsPassword}); err != nil {
			t.Fatal(err)
		}
	}
	signIn(t, n, "bob") // so the account has been used
	for _, c := range []struct {
		name   string
		status int
		text   string
	}{
		{"ann", 200, `content="0; url=/channels"`},
		{"bob", 403, "Somebody of your name uses this node with a password"},
		{"owner", 403, "Somebody of your name"},
		{"eve", 403, "nobody of your name uses this node"},
	} {
		visitor := openidtest.NewBrowser(t)
		visitor.Transport = asBrowser{}
		resp, body, err := openidtest.SignIn(visitor, n.URL()+openid.BeginPath+"?next=/channels", c.name)
		if err != nil || resp.StatusCode != c.status || !strings.Contains(body, c.text) {
			t.Errorf("%s: %d, error %v:\n%s", c.name, resp.StatusCode, err, body)
			continue
		}
		if resp, err = visitor.Get(n.URL() + "/channels"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); errors.Join(err, resp.Body.Close()) != nil {
			t.Error(err)
		}
		if in := resp.Request.URL.Path == "/channels"; in != (c.status == 200) {
			t.Errorf("%s, signed in or not, comes to %s", c.name, resp.Request.URL)
		}
	}
	if all, err := n.store.Reader.People(t.Context()); err != nil || len(all) != 3 || all[1].Role != tidings.Reader {
		t.Errorf("people: %+v, error %v", all, err)
	}
}

// asBrowser sends requests as a browser does that follows links.
type asBrowser struct{}

func (asBrowser) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Accept", "text/html")
	return http.DefaultTransport.RoundTrip(r)
}
