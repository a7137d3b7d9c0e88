// Package xmpptest runs an XMPP server that others wrote, Prosody, for tests.
package xmpptest

import (
	"crypto/tls"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// What the server knows.
const (
	Host      = "localhost"            // of the accounts
	Component = "news.localhost"       // domain of the component
	Secret    = "a secret & <another>" // of the component
	Password  = "pencil, \"sharp\""    // of each account
)

// Prosody is a server. It listens on loopback only.
type Prosody struct {
	t    testing.TB
	dir  string
	more string // of its configuration
	run  *exec.Cmd
	over chan struct{}

	Clients, Direct, Components string      // HOST:PORT: STARTTLS, TLS, components
	TLS                         *tls.Config // that trusts its certificate
}

// StartWith is Start with more at the end of the configuration.
func StartWith(t testing.TB, more string, accounts ...string) *Prosody {
	t.Helper()
	return start(t, &Prosody{t: t, more: more}, accounts)
}

// Start starts a server with accounts. The test is skipped where there is no Prosody, or with -short.
func Start(t testing.TB, accounts ...string) *Prosody {
	t.Helper()
	return start(t, &Prosody{t: t}, accounts)
}

func start(t testing.TB, p *Prosody, accounts []string) *Prosody {
	t.Helper()
	if testing.Short() {
		t.Skip("left out with -short: it runs an XMPP server")
	}
	if _, err := exec.LookPath("prosody"); err != nil {
		t.Skip("there is no prosody here: ./test installs it")
	}
	p.dir, p.Clients, p.Direct, p.Components = t.TempDir(), free(t), free(t), free(t)
	p.certify()
	for _, name := range accounts {
		p.write(filepath.Join("data", Host, "accounts", name+".dat"),
			fmt.Sprintf("return { [\"password\"] = %q };\n", Password))
	}
	p.write("prosody.cfg.lua", p.config())
	p.Begin()
	t.Cleanup(p.End)
	return p
}

func (p *Prosody) config() string {
	port := func(address string) string { _, port, _ := net.SplitHostPort(address); return port }
	return fmt.Sprintf(`
daemonize = false
run_as_root = true
pidfile = %[1]q
data_path = %[2]q
log = { { levels = { min = "debug" }, to = "file", filename = %[3]q } }
interfaces = { "127.0.0.1" }
component_interfaces = { "127.0.0.1" }
c2s_ports = { %[4]s }
c2s_direct_tls_ports = { %[5]s }
component_ports = { %[6]s }
s2s_ports = {}
modules_enabled = { "roster", "saslauth", "tls", "disco", "ping", "smacks", "offline", "carbons", "presence", "posix" }
modules_disabled = { "s2s" }
authentication = "internal_plain"
storage = "internal"
c2s_require_encryption = true
smacks_hibernation_time = 60
component_conflict_resolve = "kick_old"
ssl = { certificate = %[7]q; key = %[8]q }
c2s_direct_tls_ssl = { certificate = %[7]q; key = %[8]q }
VirtualHost %[9]q
Component %[10]q
	component_secret = %[11]q
%[12]s
`, p.path("pid"), p.path("data"), p.path("log"), port(p.Clients), port(p.Direct), port(p.Components),
		p.path("cert.pem"), p.path("key.pem"), Host, Component, Secret, p.more)
}

func (p *Prosody) path(name string) string { return filepath.Join(p.dir, name) }

func (p *Prosody) write(name, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.path(name)), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.path(name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// certify makes a certificate for Host.
func (p *Prosody) certify() {
	c := SelfSigned(p.t)
	p.TLS = c.Client
	p.write("cert.pem", c.Certificate)
	p.write("key.pem", c.Key)
}

// Certificate is the file of the server's certificate.
func (p *Prosody) Certificate() string { return p.path("cert.pem") }

// Begin starts the server, and returns when it accepts connections.
func (p *Prosody) Begin() {
	p.t.Helper()
	p.run = exec.Command("prosody", "--config", p.path("prosody.cfg.lua"))
	var output strings.Builder
	p.run.Stdout, p.run.Stderr = &output, &output
	p.run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.run.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.over = make(chan struct{})
	go func(run *exec.Cmd, over chan struct{}) { _ = run.Wait(); close(over) }(p.run, p.over)
	deadline := time.After(10 * time.Minute) // only what never listens exceeds it, on any machine
	for _, address := range []string{p.Clients, p.Direct, p.Components} {
		for {
			conn, err := net.DialTimeout("tcp", address, time.Second)
			if err == nil {
				conn.Close()
				break
			}
			select {
			case <-p.over:
				p.t.Fatalf("prosody ended: %s\n%s", output.String(), p.Log())
			case <-deadline:
				p.t.Fatalf("prosody does not listen at %s\n%s", address, p.Log())
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
}

// End stops the server as an administrator does, and returns when it has ended.
func (p *Prosody) End() { p.stop(syscall.SIGTERM) }

// Kill ends the server at once, as a crash does.
func (p *Prosody) Kill() { p.stop(syscall.SIGKILL) }

func (p *Prosody) stop(how syscall.Signal) {
	select {
	case <-p.over:
		return
	default:
	}
	_ = p.run.Process.Signal(how)
	select {
	case <-p.over:
	case <-time.After(10 * time.Second):
		_ = p.run.Process.Kill()
		<-p.over
	}
}

// Log returns what the server has logged.
func (p *Prosody) Log() string {
	text, _ := os.ReadFile(p.path("log"))
	return string(text)
}

// lastPort is the port that was tried last for a server.
var lastPort atomic.Int32

func init() { lastPort.Store(10_000 + rand.Int32N(20_000)) }

// free returns an address of loopback at which nothing listens. Its port is none of those that systems give to a
// process that asks for any: another would have it while the server is down.
func free(t testing.TB) string {
	t.Helper()
	for range 1000 {
		address := fmt.Sprintf("127.0.0.1:%d", lastPort.Add(1))
		if l, err := net.Listen("tcp", address); err == nil {
			_ = l.Close()
			return address
		}
	}
	t.Fatal("no port of loopback is free")
	return ""
}

// Kept returns how many messages the server keeps for absent accounts. It must have ended.
func (p *Prosody) Kept() (messages int) {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.path("data"), Host, "offline", "*.list"))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			p.t.Fatal(err)
		}
		messages += strings.Count(string(text), "\nitem(") + strings.Count(string(text[:min(5, len(text))]), "item(")
	}
	return messages
}
