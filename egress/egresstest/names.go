// Package egresstest is for tests of what connects to servers of strangers: name servers that answer as a test says,
// and servers that do harm.
package egresstest

import (
	"context"
	"io"
	"net"
	"net/netip"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
)

// Names is a table of names and their addresses that a test may change at any time. The zero value is empty.
type Names struct {
	mu    sync.Mutex
	table map[string][]netip.Addr
}

// Set changes the addresses of a name.
func (n *Names) Set(name string, addresses ...netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.table == nil {
		n.table = make(map[string][]netip.Addr)
	}
	n.table[name] = addresses
}

func (n *Names) lookup(name string) []netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.table[name]
}

// Resolver returns a resolver that looks each name up in the table, each time anew.
func (n *Names) Resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go n.serve(far)
		return near, nil
	}}
}

// serve speaks the protocol of name servers over a stream: each message after its length (RFC 7766, section 8).
func (n *Names) serve(conn net.Conn) {
	defer conn.Close()
	for {
		head := make([]byte, 2)
		if _, err := io.ReadFull(conn, head); err != nil {
			return
		}
		question := make([]byte, int(head[0])<<8|int(head[1]))
		if _, err := io.ReadFull(conn, question); err != nil {
			return
		}
		answer, err := n.answer(question)
		if err != nil {
			return
		}
		if _, err := conn.Write(append([]byte{byte(len(answer) >> 8), byte(len(answer))}, answer...)); err != nil {
			return
		}
	}
}

// answer returns the response to a question for the addresses of a name.
func (n *Names) answer(question []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil {
		return nil, err
	}
	if len(m.Questions) == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	q := m.Questions[0]
	name := q.Name.String()
	for _, a := range n.lookup(name[:len(name)-1]) {
		head := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
		switch {
		case q.Type == dnsmessage.TypeA && a.Is4():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: a.As4()}})
		case q.Type == dnsmessage.TypeAAAA && a.Is6():
			m.Answers = append(m.Answers,
				dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	return m.Pack()
}
