// Package mailtest starts an SMTP server that others wrote, aiosmtpd of Debian's python3-aiosmtpd, for tests.
package mailtest

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	_ "embed"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

//go:embed server.py
var script string

const python = "/usr/bin/python3" // Debian's, which has Debian's aiosmtpd

// Options say what a server demands.
type Options struct {
	Cert string `json:"cert,omitempty"` // files in PEM, of Certificate
	Key  string `json:"key,omitempty"`

	StartTLS bool   `json:"starttls,omitempty"` // it demands that
	Implicit bool   `json:"implicit,omitempty"` // TLS begins at once
	User     string `json:"user,omitempty"`     // with Password: it demands that senders sign in
	Password string `json:"password,omitempty"`
}

// Received is a message that a server has accepted.
type Received struct {
	Sender     string   `json:"sender"`
	Recipients []string `json:"recipients"`
	Encrypted  bool     `json:"encrypted"`
	Hello      string   `json:"hello"`
	User       string   `json:"user"` // that signed in
	Content    []byte   `json:"content"`
}

// Server is a server that has been started. It refuses gone@ (550 5.1.1), full@ (552 5.2.2) and later@ (450), and
// messages that have "spam" in them (554).
type Server struct {
	Address  string          // HOST:PORT
	Messages <-chan Received // what it has accepted
}

// Start starts a server that lives as long as the test. It skips the test if there is no such server, and with -short.
func Start(t testing.TB, o Options) Server {
	t.Helper()
	if testing.Short() {
		t.Skip("aiosmtpd takes its time: not with -short")
	}
	if err := exec.Command(python, "-c", "import aiosmtpd").Run(); err != nil {
		t.Skip("needs Debian's python3-aiosmtpd")
	}
	options, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", script, string(options))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Process.Kill(); err != nil {
			t.Log("ending aiosmtpd:", err)
		}
		_ = cmd.Wait()
	})
	lines := bufio.NewReader(out)
	var begun struct{ Port int }
	first, err := lines.ReadBytes('\n')
	if err != nil || json.Unmarshal(first, &begun) != nil || begun.Port == 0 {
		t.Fatalf("aiosmtpd has not started: %q, %v", first, err)
	}
	messages := make(chan Received, 1000)
	go func() {
		defer close(messages)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			var m Received
			if err := json.Unmarshal(line, &m); err == nil {
				messages <- m
			}
		}
	}()
	return Server{net.JoinHostPort("127.0.0.1", fmt.Sprint(begun.Port)), messages}
}

var certificate = sync.OnceValues(makeCertificate)

// Certificate writes a certificate for 127.0.0.1 and its key to files, and returns them with the authority that signed
// it.
func Certificate(t testing.TB) (cert, key string, roots *x509.CertPool) {
	t.Helper()
	both, err := certificate()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, text := range map[string][]byte{cert: both[0], key: both[1]} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM(both[0])
	return cert, key, roots
}

func makeCertificate() (both [2][]byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return both, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mail for tests"}, IsCA: true,
		BasicConstraintsValid: true,
		NotBefore:             now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return both, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return both, err
	}
	both[0] = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	both[1] = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
	return both, nil
}

// Letter is a message as a mail program shows it.
type Letter struct {
	Header     mail.Header
	Subject    string
	Text, HTML string
}

// Read reads a message by the standard library, which checks its form.
func Read(content []byte) (l Letter, err error) {
	m, err := mail.ReadMessage(strings.NewReader(string(content)))
	if err != nil {
		return l, err
	}
	l.Header = m.Header
	if l.Subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil {
		return l, err
	}
	media, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || media != "multipart/alternative" {
		return l, fmt.Errorf("content type %q: %w", m.Header.Get("Content-Type"), err)
	}
	for parts := multipart.NewReader(m.Body, parameters["boundary"]); ; {
		p, err := parts.NextRawPart()
		if err == io.EOF {
			return l, nil
		}
		if err != nil {
			return l, err
		}
		if encoding := p.Header.Get("Content-Transfer-Encoding"); encoding != "quoted-printable" {
			return l, fmt.Errorf("a part is encoded as %q", encoding)
		}
		text, err := io.ReadAll(quotedprintable.NewReader(p))
		if err != nil {
			return l, err
		}
		plain := strings.ReplaceAll(string(text), "\r\n", "\n")
		switch media, _, _ := mime.ParseMediaType(p.Header.Get("Content-Type")); media {
		case "text/plain":
			l.Text = plain
		case "text/html":
			l.HTML = plain
		default:
			return l, fmt.Errorf("a part is %q", media)
		}
	}
}
