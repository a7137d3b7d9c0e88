package stream

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"strings"
	"testing"

	"golang.org/x/crypto/pbkdf2"

	"tidings/delivery/xmpp/xmpptest"
)

// An account signs in by the best way that the server has. It is bound to TLS if both can do that (RFC 5802, RFC 9266).
func TestProsodyMechanisms(t *testing.T) {
	p := xmpptest.Start(t, "alice")
	for version, want := range map[uint16]string{tls.VersionTLS12: "SCRAM-SHA-256-PLUS",
		tls.VersionTLS13: "SCRAM-SHA-256"} {
		c := account(p, "alice", p.Clients)
		c.TLS = c.TLS.Clone()
		c.TLS.MaxVersion = version
		c.Handle = func(*Element) {}
		n, err := c.withDefaults().connect(t.Context(), "", 0)
		if err != nil {
			t.Fatal(err)
		}
		n.conn.Close()
		if n.mechanism != want {
			t.Errorf("%s: signed in by %s, want %s", tls.VersionName(version), n.mechanism, want)
		}
	}
}

// With TLS 1.3 the way in is bound to it by its exporter: one that stands between cannot use it.
func TestChannelBinding(t *testing.T) {
	key := xmpptest.SelfSigned(t)
	for _, between := range []bool{false, true} {
		f := serve(t, func(p *peer) {
			p.open("<stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:features>")
			p.until("<starttls xmlns='" + nsTLS + "'/>")
			p.say("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
			conn := tls.Server(p.Conn, key.Server)
			s := &peer{Conn: conn, from: bufio.NewReader(conn), t: p.t}
			s.open(mechanismsOf("SCRAM-SHA-256", "SCRAM-SHA-256-PLUS"))
			state := conn.ConnectionState()
			if between {
				state = otherState(t, key)
			}
			server := &scramServer{state: state}
			for _, last := range []string{"</auth>", "</response>"} {
				text := s.until(last)
				text = strings.TrimSuffix(text[strings.LastIndexByte(strings.TrimSuffix(text, last), '>')+1:], last)
				message, err := base64.StdEncoding.DecodeString(text)
				if err != nil {
					t.Error(err)
					return
				}
				answer, ok := server.step(string(message))
				switch {
				case !ok:
					s.say("<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure>")
					return
				case last == "</auth>":
					s.say("<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>" + b64(answer) + "</challenge>")
				default:
					s.say("<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>" + b64(answer) + "</success>")
				}
			}
			s.open("<stream:features/>")
			s.until("</iq>")
			s.say("<iq type='result' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>alice@localhost/x</jid></bind></iq>")
			s.until("never")
		})
		c := Config{Account: "alice@localhost", Secret: "pencil", Server: f, TLS: key.Client,
			Patience: long}.withDefaults()
		n, err := c.connect(t.Context(), "", 0)
		switch {
		case between && (err == nil || !strings.Contains(err.Error(), "not accept")):
			t.Errorf("one that stands between: %v", err)
		case !between && err != nil:
			t.Error(err)
		case !between && n.mechanism != "SCRAM-SHA-256-PLUS":
			t.Errorf("signed in by %s", n.mechanism)
		}
	}
}

// scramServer is the server's part of SCRAM-SHA-256-PLUS (RFC 5802, section 3), with the password pencil.
type scramServer struct {
	state tls.ConnectionState
	said  string // client-first-message-bare and server-first-message
}

func (s *scramServer) step(message string) (answer string, ok bool) {
	const header = "p=tls-exporter,,"
	if s.said == "" {
		bare, ok := strings.CutPrefix(message, header)
		_, nonce, _ := strings.Cut(bare, ",r=")
		first := "r=" + nonce + "server,s=" + b64("salt") + ",i=4096"
		s.said = bare + "," + first
		return first, ok
	}
	without, proof, _ := strings.Cut(message, ",p=")
	sum := func(key, text string) string {
		h := hmac.New(sha256.New, []byte(key))
		h.Write([]byte(text))
		return string(h.Sum(nil))
	}
	salted := string(pbkdf2.Key([]byte("pencil"), []byte("salt"), 4096, sha256.Size, sha256.New))
	all, client := s.said+","+without, sum(salted, "Client Key")
	stored := sha256.Sum256([]byte(client))
	signature, want := sum(string(stored[:]), all), make([]byte, sha256.Size)
	for i := range want {
		want[i] = client[i] ^ signature[i]
	}
	binding, err := s.state.ExportKeyingMaterial("EXPORTER-Channel-Binding", nil, 32)
	bound := strings.HasPrefix(without, "c="+b64(header+string(binding))+",")
	return "v=" + b64(sum(sum(salted, "Server Key"), all)), err == nil && bound && proof == b64(string(want))
}

// otherState is the state of another connection.
func otherState(t *testing.T, key xmpptest.Certificates) tls.ConnectionState {
	f := serve(t, func(p *peer) { _ = tls.Server(p.Conn, key.Server).Handshake(); p.until("never") })
	c := key.Client.Clone()
	c.ServerName = xmpptest.Host
	conn, err := tls.Dial("tcp", f, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn.ConnectionState()
}
