package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"html"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/api"
)

// faultyOrigin is a site with one path for each fault.
func faultyOrigin(w http.ResponseWriter, r *http.Request) {
	answer := func(contentType, body string) {
		w.Header().Set("Content-Type", contentType)
		io.WriteString(w, body) //nolint:errcheck // the node has gone
	}
	switch path := r.URL.Path; path {
	case "/401", "/402", "/403", "/404", "/410", "/500":
		w.WriteHeader(map[string]int{"/401": 401, "/402": 402, "/403": 403, "/404": 404, "/410": 410,
			"/500": 500}[path])
	case "/loop":
		http.Redirect(w, r, "/loop", http.StatusFound)
	case "/empty":
		w.Header().Set("Content-Type", "text/html")
	case "/script":
		answer("text/html", "<html><body><script>draw()</script></body></html>")
	case "/picture":
		answer("image/png", "\x89PNG\r\n\x1a\n\x00\x00")
	case "/gone-silent":
		panic(http.ErrAbortHandler)
	}
}

// certificateOf makes a self-signed certificate of a name or address that is valid until a time.
func certificateOf(t *testing.T, name string, until time.Time) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: until.Add(-48 * time.Hour), NotAfter: until}
	if ip := net.ParseIP(name); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// Whatever is wrong with an address, the command line, the API and the page report the same problem and the same
// remedy.
func TestErrorsOfAddressesSayWhatToDo(t *testing.T) {
	t.Parallel()
	data, err := os.MkdirTemp("", "td") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(data) })
	env := func(string) string { return "" }
	pageAt, stop, err := launch(data, env, []string{"--no-network"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if log := stop(); log != "" {
			t.Error(log)
		}
	})
	plain := httptest.NewServer(http.HandlerFunc(faultyOrigin))
	t.Cleanup(plain.Close)
	secure := func(name string, until time.Time) string {
		s := httptest.NewUnstartedServer(http.NotFoundHandler())
		s.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that the node ends
		s.TLS = &tls.Config{Certificates: []tls.Certificate{certificateOf(t, name, until)}}
		s.StartTLS()
		t.Cleanup(s.Close)
		return s.URL + "/"
	}
	closed := httptest.NewServer(nil)
	closed.Close()
	tomorrow, yesterday := time.Now().Add(24*time.Hour), time.Now().Add(-24*time.Hour)

	client := api.Dial(api.SocketPath(data))
	t.Cleanup(client.Close)
	for _, c := range []struct{ name, address, error, hint string }{
		{"no such host", "https://no-such-host.invalid/feed", "no-such-host.invalid: no such host",
			"check the spelling of the address"},
		{"refused", closed.URL, "the connection was refused",
			"no server listens there: check the address and its port"},
		{"plain http", strings.Replace(plain.URL, "http:", "https:", 1),
			"it speaks plain http where https was asked for", "write http:// instead of https://"},
		{"no scheme", strings.TrimPrefix(plain.URL, "http://"), "it speaks plain http where https was asked for",
			"put http:// before it"},
		{"self-signed", secure("127.0.0.1", tomorrow), "its certificate is not signed by a known authority",
			"if the server is yours, add its certificate"},
		{"expired", secure("127.0.0.1", yesterday), "its certificate expired on ",
			"the site's operator has to renew it"},
		{"another host", secure("other.example", tomorrow), "its certificate is for another name",
			"check the host in the address"},
		{"401", plain.URL + "/401", "answered 401 (Unauthorized)", "https://USER:PASSWORD@"},
		{"402", plain.URL + "/402", "answered 402 (Payment Required)", "open the address in a browser"},
		{"403", plain.URL + "/403", "answered 403 (Forbidden)", "the site refuses the node's requests"},
		{"404", plain.URL + "/404", "answered 404 (Not Found)", "check the path of the address"},
		{"410", plain.URL + "/410", "answered 410 (Gone)", "it was removed for good"},
		{"500", plain.URL + "/500", "answered 500 (Internal Server Error)", "the fault is at the site"},
		{"redirect loop", plain.URL + "/loop", "redirect by 127.0.0.1", "open the address in a browser"},
		{"empty", plain.URL + "/empty", "empty document", "the site sent nothing"},
		{"drawn by a script", plain.URL + "/script", "no text in it", "look for a feed of the site"},
		{"a picture", plain.URL + "/picture", "neither a feed nor a page of text",
			"give the address of a feed or of an HTML page"},
		{"cut off", plain.URL + "/gone-silent", "the connection was closed without an answer",
			"the fault is at the site or on the way"},
		{"another scheme", "ftp://example.org/feed", "it is neither http nor https",
			"an address begins with https:// or http://"},
		{"no address", "https://::::", "it is not written like one", "an address begins with https:// or http://"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := client.Preview(t.Context(), tidings.SubscribeRequest{URL: c.address})
			var refused *api.Error
			if !errors.As(err, &refused) || !strings.Contains(tidings.Reason(err), c.error) ||
				!strings.Contains(refused.Hint, c.hint) {
				t.Fatalf("the API says %+v (%v); want %q and %q", refused, err, c.error, c.hint)
			}
			for _, command := range []string{"preview", "subscribe"} {
				var out, errOut bytes.Buffer
				status := run(t.Context(), []string{command, "--data", data, c.address}, strings.NewReader(""), &out,
					&errOut, env)
				if want := "tidings: " + tidings.Explain(err) + "\n"; status != 1 || errOut.String() != want ||
					out.Len() > 0 {
					t.Errorf("%s: status %d, %q and %q; want %q", command, status, out.String(), errOut.String(), want)
				}
			}
			form := url.Values{"url": {c.address}}
			r, err2 := http.NewRequestWithContext(t.Context(), http.MethodPost, strings.TrimSuffix(pageAt, "/")+
				"/add/preview", strings.NewReader(form.Encode()))
			if err2 != nil {
				t.Fatal(err2)
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Origin", strings.TrimSuffix(pageAt, "/"))
			response, err2 := http.DefaultClient.Do(r)
			if err2 != nil {
				t.Fatal(err2)
			}
			defer response.Body.Close()
			body, err2 := io.ReadAll(response.Body)
			if err2 != nil {
				t.Fatal(err2)
			}
			shown := html.UnescapeString(string(body))
			for _, want := range []string{"<b>" + tidings.Reason(err) + "</b>", "<p>" +
				strings.ToUpper(refused.Hint[:1]) + refused.Hint[1:] + ".</p>"} {
				if !strings.Contains(shown, want) {
					t.Errorf("the page (status %d) lacks %q", response.StatusCode, want)
				}
			}
		})
	}
}
