package fetch

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"tidings/egress/egresstest"
)

// certificate makes one that is valid for origin.example between two times.
func certificate(t *testing.T, from, until time.Time) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "origin.example"},
		DNSNames:  []string{"origin.example"},
		NotBefore: from, NotAfter: until, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

// hostile 11: a certificate that is not good is refused, in words that say why.
func TestHostile11Certificates(t *testing.T) {
	now := time.Now()
	for _, test := range []struct {
		name        string
		from, until time.Time
		host, want  string
	}{
		{"good", now.Add(-time.Hour), now.Add(time.Hour), "origin.example", ""},
		{"expired", now.Add(-48 * time.Hour), now.Add(-24 * time.Hour), "origin.example",
			"its certificate expired on " + onDay(now.Add(-24*time.Hour))},
		{"not yet", now.Add(24 * time.Hour), now.Add(48 * time.Hour), "origin.example",
			"its certificate is not valid before " + onDay(now.Add(24*time.Hour))},
		{"another name", now.Add(-time.Hour), now.Add(time.Hour), "other.example",
			"its certificate is for another name"},
	} {
		t.Run(test.name, func(t *testing.T) {
			cert, roots := certificate(t, test.from, test.until)
			origin := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = w.Write([]byte("page"))
			}))
			origin.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
			origin.StartTLS()
			defer origin.Close()
			_, port, _ := net.SplitHostPort(origin.Listener.Addr().String())
			var names egresstest.Names
			names.Set(test.host, netip.MustParseAddr("127.0.0.1"))
			client := newClient(t, func(c *Config) { c.Roots, c.Resolver = roots, names.Resolver() })
			_, err := get(t, client, Request{URL: "https://" + test.host + ":" + port + "/"})
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if e, ok := errors.AsType[*NetworkError](err); !ok || !strings.Contains(e.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestInWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                              "0 ms",
		300 * time.Millisecond:         "300 ms",
		45 * time.Second:               "45 s",
		90 * time.Second:               "90 s",
		30 * time.Minute:               "30 min",
		time.Hour:                      "60 min",
		150 * time.Minute:              "2.5 h",
		24 * time.Hour:                 "24 h",
		7 * 24 * time.Hour:             "7 days",
		36*24*time.Hour + 11*time.Hour: "36.5 days",
		-time.Minute:                   "-60 s",
	} {
		if got := inWords(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
