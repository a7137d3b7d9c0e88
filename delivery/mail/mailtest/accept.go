package mailtest

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Acceptor is a server in the test's own process, without encryption. It accepts every message unless it is set to
// refuse.
type Acceptor struct {
	Server
	refuse atomic.Pointer[string]
}

// Refuse has recipients answered with a reply, such as "450 later"; "" ends it.
func (a *Acceptor) Refuse(reply string) { a.refuse.Store(&reply) }

// Accept starts an Acceptor that lives as long as the test.
func Accept(t testing.TB) *Acceptor {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	messages := make(chan Received, 1000)
	a := &Acceptor{Server: Server{Address: l.Addr().String(), Messages: messages}}
	var connections sync.WaitGroup
	t.Cleanup(func() {
		l.Close()
		connections.Wait()
	})
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			connections.Go(func() { a.serve(conn, messages) })
		}
	}()
	return a
}

func (a *Acceptor) serve(conn net.Conn, messages chan<- Received) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	reply := func(text string) { fmt.Fprintf(conn, "%s\r\n", text) }
	reply("220 accepts")
	var m Received
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSpace(line)
		switch command, rest, _ := strings.Cut(line, " "); strings.ToUpper(command) {
		case "MAIL":
			m = Received{Sender: bare(rest)}
			reply("250 ok")
		case "RCPT":
			if refusal := a.refuse.Load(); refusal != nil && *refusal != "" {
				reply(*refusal)
				continue
			}
			m.Recipients = append(m.Recipients, bare(rest))
			reply("250 ok")
		case "DATA":
			reply("354 go on")
			for {
				if line, err = in.ReadString('\n'); err != nil {
					return
				}
				if line == ".\r\n" {
					break
				}
				m.Content = append(m.Content, strings.TrimPrefix(line, ".")...)
			}
			messages <- m
			reply("250 accepted")
		case "QUIT":
			reply("221 bye")
			return
		default:
			reply("250 ok")
		}
	}
}

// bare returns the address of "FROM:<a@example.org> BODY=8BITMIME".
func bare(parameter string) string {
	_, rest, _ := strings.Cut(parameter, "<")
	address, _, _ := strings.Cut(rest, ">")
	return address
}
