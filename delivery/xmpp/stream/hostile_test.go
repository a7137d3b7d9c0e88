package stream

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"tidings/delivery/xmpp/xmpptest"
	"tidings/egress/egresstest"
)

// serve starts a server that does to each connection what a test says, and returns its address.
func serve(t testing.TB, do func(p *peer)) (address string) {
	t.Helper()
	return egresstest.Serve(t, func(conn net.Conn) {
		_ = conn.SetDeadline(time.Now().Add(long)) // for the tests in which nothing more comes
		do(&peer{Conn: conn, from: bufio.NewReader(conn), t: t})
	})
}

// peer is the server's end of a connection.
type peer struct {
	net.Conn
	from *bufio.Reader
	t    testing.TB
}

func (p *peer) say(text string) { _, _ = io.WriteString(p, text) }

// until reads up to a text, and returns all before it.
func (p *peer) until(text string) string {
	var b strings.Builder
	for !strings.HasSuffix(b.String(), text) {
		c, err := p.from.ReadByte()
		if err != nil {
			return b.String()
		}
		b.WriteByte(c)
	}
	return b.String()
}

const componentHeader = "<?xml version='1.0'?><stream:stream xmlns='jabber:component:accept' xmlns:stream='http://etherx.jabber.org/streams' id='1' from='news.localhost'>"

// component lets a component in.
func (p *peer) component() {
	p.until("<stream:stream")
	p.until(">")
	p.say(componentHeader)
	p.until("</handshake>")
	p.say("<handshake/>")
}

func fakeComponent(address string) Config {
	return Config{Component: xmpptest.Component, Secret: xmpptest.Secret, Server: address, Patience: long}
}

// Whatever a server sends, the stream ends with an error that names what is wrong, or goes on; and memory stays
// bounded.
func TestHostile58Streams(t *testing.T) {
	for name, c := range map[string]struct {
		sends     string
		condition string // "": the stream goes on
	}{
		"doctype":             {"<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'>]>", "restricted-xml"},
		"doctype in a stanza": {"<message><!DOCTYPE x></message>", "restricted-xml"},
		"entity":              {"<message><body>&lol;</body></message>", "not-well-formed"},
		"instruction":         {"<?php x?>", "restricted-xml"},
		"comment":             {"<message><!-- x --></message>", "restricted-xml"},
		"comment between":     {"<!-- x -->", "restricted-xml"},
		"text between":        {"text", "restricted-xml"},
		"10 MB of text": {"<message><body>" + strings.Repeat("x", 10<<20) + "</body></message>",
			"policy-violation"},
		"10 MB in an attribute": {"<message to='" + strings.Repeat("x", 10<<20) + "'/>", "policy-violation"},
		"10 MB of a name":       {"<" + strings.Repeat("x", 10<<20) + "/>", "policy-violation"},
		"10 MB between":         {strings.Repeat("x", 10<<20), "restricted-xml"},
		"endless depth":         {strings.Repeat("<a>", 1<<20), "policy-violation"},
		"wrong end":             {"<message></presence>", "not-well-formed"},
		"no UTF-8":              {"<message><body>\xff\xfe</body></message>", "not-well-formed"},
		"control characters":    {"<message><body>\x01</body></message>", "not-well-formed"},
		"10 MB of blanks":       {strings.Repeat(" \n", 5<<20), ""},
		"half a MB of text":     {"<message><body>" + strings.Repeat("x", 1<<19) + "</body></message>", ""},
		"deep":                  {strings.Repeat("<a>", 1000) + strings.Repeat("</a>", 1000), ""},
		"many elements":         {"<message>" + strings.Repeat("<a/>", 10_000) + "</message>", ""},
		"many attributes":       {"<message " + attributes(10_000) + "/>", ""},
		"roster flood": {strings.Repeat(
			"<iq type='set' from='x@example.org' id='1'><query xmlns='jabber:iq:roster'>"+
				strings.Repeat("<item jid='a@b'/>", 1000)+"</query></iq>", 100), ""},
		"presence flood": {strings.Repeat("<presence type='subscribe' from='x@example.org'/>", 10_000), ""},
		"answers not asked for": {strings.Repeat(
			"<a xmlns='urn:xmpp:sm:3' h='9'/><iq type='result' id='tidings-ping-7'/>", 1000), ""},
		"other namespaces": {"<x xmlns='urn:x'/><proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>", ""},
	} {
		t.Run(name, func(t *testing.T) {
			answer := make(chan string, 10)
			var sending sync.WaitGroup // it holds copies of what it sends
			f := serve(t, func(p *peer) {
				p.component()
				sending.Go(func() { p.say(c.sends + "<message id='after'/>") })
				answer <- p.until("</stream:stream>")
			})
			after := make(chan bool, 10)
			largest := 0
			config := fakeComponent(f)
			config.Handle = func(e *Element) {
				largest = max(largest, len(e.String()))
				if e.Get("id") == "after" {
					after <- true
				}
			}
			client, err := Open(config)
			if err != nil {
				t.Fatal(err)
			}
			before := heap()
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() {
				client.Run(ctx)
				close(ended)
			}()
			select {
			case got := <-answer:
				if c.condition == "" || !strings.Contains(got, "<"+c.condition+" ") {
					t.Errorf("the stream ended with %.300q, want %q", got, c.condition)
				}
			case <-after:
				if c.condition != "" {
					t.Errorf("the stream goes on, want %s", c.condition)
				}
			case <-time.After(long):
				t.Fatal("neither does the stream end, nor does it go on")
			}
			stop() // else it comes back, and is sent all again
			<-ended
			sending.Wait()
			if grown := heap() - before; grown > 32<<20 {
				t.Errorf("memory grew by %d MiB", grown>>20)
			}
			if largest > MaxStanza*2 {
				t.Errorf("a stanza of %d bytes was kept", largest)
			}
		})
	}
}

func attributes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a%d='x' ", i)
	}
	return b.String()
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// What is too large reaches the handler without its content, with what is needed to answer it.
func TestLargeStanzasLoseTheirContent(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		large   bool
	}{
		"text":            {"<x>" + strings.Repeat("x", MaxStanza) + "</x>", true},
		"elements":        {strings.Repeat("<x/>", MaxElements), true},
		"fewer elements":  {strings.Repeat("<x/>", MaxElements-1), false},
		"depth":           {strings.Repeat("<x>", MaxDepth) + strings.Repeat("</x>", MaxDepth), true},
		"less depth":      {strings.Repeat("<x>", MaxDepth-1) + strings.Repeat("</x>", MaxDepth-1), false},
		"attributes":      {"<x " + attributes(maxValues+1) + "/>", true},
		"less attributes": {"<x " + attributes(maxValues) + "/>", false},
		"a value":         {"<x a='" + strings.Repeat("x", maxValue+1) + "'/>", true},
		"a shorter value": {"<x a='" + strings.Repeat("x", maxValue) + "'/>", false},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := readAll([]byte(clientHeader + "<iq type='get' id='7' from='a@b'>" + c.content +
				"</iq><r xmlns='urn:xmpp:sm:3'/>"))
			if len(all) != 2 || all[1].Local != "r" {
				t.Fatalf("%d elements, %v", len(all), err)
			}
			e := all[0]
			if e.Large != c.large || c.large == (len(e.Children) > 0) || e.Get("id") != "7" || e.Get("from") != "a@b" {
				t.Errorf("large %t, %d children, %v", e.Large, len(e.Children), e.Attributes)
			}
		})
	}
}

const clientHeader = "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' id='1' from='localhost' version='1.0'>"

func mechanismsOf(names ...string) string {
	return "<stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>" +
		strings.Join(names, "</mechanism><mechanism>") + "</mechanism></mechanisms></stream:features>"
}

func (p *peer) open(features string) {
	p.until("<stream:stream")
	p.until(">")
	p.say(clientHeader + features)
}

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// first answers the first message of SCRAM with a challenge in which NONCE stands for the client's.
func (p *peer) first(challenge string) {
	p.until("<auth")
	p.until(">")
	message, _ := base64.StdEncoding.DecodeString(strings.TrimSuffix(p.until("</auth>"), "</auth>"))
	_, nonce, _ := strings.Cut(string(message), "r=")
	p.say("<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>" + b64(strings.ReplaceAll(challenge, "NONCE", nonce)) +
		"</challenge>")
}

const success = "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"

// An account signs in at no server that does not prove itself. It sends no password without TLS, and computes no longer
// than it should.
func TestHostile58SigningIn(t *testing.T) {
	key := xmpptest.SelfSigned(t)
	starttls := "<stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:features>"
	proceed := "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
	secured := func(do func(p *peer)) func(p *peer) {
		return func(p *peer) {
			p.open(starttls)
			p.until("<starttls xmlns='" + nsTLS + "'/>")
			p.say(proceed)
			conn := tls.Server(p.Conn, key.Server)
			do(&peer{Conn: conn, from: bufio.NewReader(conn), t: p.t})
		}
	}
	scram := mechanismsOf("SCRAM-SHA-256", "PLAIN")
	for name, c := range map[string]struct {
		do   func(p *peer)
		want string
	}{
		"no TLS": {func(p *peer) { p.open(scram) }, "offers no TLS"},
		"TLS refused": {func(p *peer) {
			p.open(starttls)
			p.say("<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
		}, "does not go over to TLS"},
		"injection before TLS": {func(p *peer) {
			p.open(starttls)
			p.say(proceed + clientHeader + scram)
			p.until("never")
		}, "came before TLS"},
		"plain alone": {secured(func(p *peer) { p.open(mechanismsOf("PLAIN", "DIGEST-MD5")) }),
			"keeps the password secret"},
		"no mechanisms": {secured(func(p *peer) { p.open("<stream:features/>") }), "keeps the password secret"},
		"no proof at all": {secured(func(p *peer) { p.open(scram); p.until("</auth>"); p.say(success) }),
			"not trusted"},
		"success without proof": {secured(func(p *peer) {
			p.open(scram)
			p.first("r=NONCEx,s=c2FsdA==,i=4096")
			p.until("</response>")
			p.say(success)
		}), "not trusted"},
		"wrong proof": {secured(func(p *peer) {
			p.open(scram)
			p.first("r=NONCEx,s=c2FsdA==,i=4096")
			p.until("</response>")
			p.say("<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>" + b64("v=c2FsdA==") + "</success>")
		}), "not trusted"},
		"endless iterations": {secured(func(p *peer) {
			p.open(scram)
			p.first("r=NONCEx,s=c2FsdA==,i=2000000000")
			p.until("never")
		}), "iterations"},
		"negative": {secured(func(p *peer) {
			p.open(scram)
			p.first("r=NONCEx,s=c2FsdA==,i=-1")
			p.until("never")
		}), "iterations"},
		"another nonce": {secured(func(p *peer) {
			p.open(scram)
			p.first("r=mine,s=c2FsdA==,i=4096")
			p.until("never")
		}), "nonce"},
		"no SCRAM": {secured(func(p *peer) { p.open(scram); p.first("x"); p.until("never") }),
			"not one of SCRAM"},
		"short field": {secured(func(p *peer) {
			p.open(scram)
			p.first("r=NONCEx,s=c2FsdA==,i=4096,x")
			p.until("never")
		}), "not one of SCRAM"},
		"no base64": {secured(func(p *peer) {
			p.open(scram)
			p.until("</auth>")
			p.say("<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>!</challenge>")
		}), "base64"},
		"endless challenges": {secured(func(p *peer) {
			p.open(scram)
			p.first("r=NONCEx,s=c2FsdA==,i=4096")
			for range 10 {
				p.say("<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>")
			}
			p.until("never")
		}), ""},
		"wrong password": {secured(func(p *peer) {
			p.open(scram)
			p.until("</auth>")
			p.say("<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure>")
		}), "did not accept the account's password"},
		"silence":        {func(p *peer) { p.until("never") }, "in time"},
		"no XMPP":        {func(p *peer) { p.say("HTTP/1.1 400 Bad Request\r\n\r\n"); p.until("never") }, ""},
		"endless header": {func(p *peer) { p.say("<stream:stream a='" + strings.Repeat("x", 1<<20)) }, ""},
		"see other host": {func(p *peer) {
			p.open("<stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>evil.example</see-other-host></stream:error>")
		}, "see-other-host"},
	} {
		t.Run(name, func(t *testing.T) {
			f := serve(t, c.do)
			config := Config{
				Account: "alice@localhost", Secret: "pencil", Server: f, TLS: key.Client, Patience: long,
				Handle: func(*Element) {},
			}
			if c.want == "in time" || c.want == "" { // some of these end by it alone
				config.Patience = time.Second
			}
			client, err := Open(config)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = client.c.connect(t.Context(), "", 0); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want %q: %v", c.want, err)
			}
		})
	}
}

// A server that does not answer ends the stream, whether or not it reads. Waiting messages fail with a reason.
func TestServersThatDoNotAnswer(t *testing.T) {
	for name, do := range map[string]func(p *peer){
		"reads":   func(p *peer) { p.component(); p.until("never") },
		"is deaf": func(p *peer) { p.component(); <-p.t.Context().Done() },
		"is slow": func(p *peer) { p.component(); p.say("<message>"); p.until("never") },
	} {
		t.Run(name, func(t *testing.T) {
			f := serve(t, do)
			c := fakeComponent(f)
			c.Patience, c.Quiet = 200*time.Millisecond, 50*time.Millisecond
			s := keep(t, c)
			s.up()
			s.up() // again
			if err := s.Send(t.Context(),
				chat("news.localhost", "a@localhost", "1", strings.Repeat("x", 60_000))); err == nil {
				t.Error("the message counts as accepted")
			}
		})
	}
}

// A server that floods a stream with requests, and reads no answer, ends the stream, and uses no memory.
func TestRequestsWithoutEnd(t *testing.T) {
	f := serve(t, func(p *peer) {
		p.component()
		for range 100_000 {
			if _, err := io.WriteString(p, "<message id='x' from='a@b'/>"); err != nil {
				return
			}
		}
	})
	c := fakeComponent(f)
	busy := make(chan error, 1)
	var client *Client
	c.Handle = func(e *Element) {
		if err := client.Write(New("", "message", "to",
			"a@b").With(New("", "body").Says(strings.Repeat("x", 4000)))); err != nil {
			select {
			case busy <- err:
			default:
			}
		}
	}
	client, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	before := heap()
	go client.Run(t.Context())
	if err := <-busy; !errors.Is(err, errBusy) {
		t.Error(err)
	}
	if grown := heap() - before; grown > 32<<20 {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
}
