package xmpptest

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"io"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"
)

//go:embed user.py
var script string

// python is that of Debian, which has slixmpp.
const python = "/usr/bin/python3"

// User is somebody with a client that others wrote, slixmpp.
type User struct {
	Address string

	t      testing.TB
	in     io.WriteCloser
	events chan Event
}

// Event is what a client has seen. Which fields it has depends on its Name.
type Event struct {
	Name   string `json:"event"`
	Sender string
	Type   string
	ID     string
	Body   string
	Late   bool // the server kept the message for a while
	Status string
	Error  string

	Nodes, Notes, Features []string
	Identities             [][]string
	Version                string
}

// NewUser starts a client of an account. The test is skipped where there is no slixmpp.
func (p *Prosody) NewUser(t testing.TB, name string) *User {
	t.Helper()
	if exec.Command(python, "-c", "import slixmpp").Run() != nil {
		t.Skip("there is no slixmpp here: ./test installs it")
	}
	_, port, err := net.SplitHostPort(p.Clients)
	if err != nil {
		t.Fatal(err)
	}
	u := &User{Address: name + "@" + Host, t: t, events: make(chan Event, 10_000)}
	run := exec.Command(python, "-c", script, u.Address, Password, port, p.Certificate())
	var stderr strings.Builder
	run.Stderr = &stderr
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if u.in, err = run.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(u.events)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var e Event
			if json.Unmarshal(lines.Bytes(), &e) == nil {
				u.events <- e
			}
		}
	}()
	t.Cleanup(func() {
		u.in.Close()
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			_ = run.Process.Kill()
			<-ended
		}
		_ = run.Wait()
		if t.Failed() {
			t.Logf("%s: %s", name, stderr.String())
		}
	})
	return u
}

// Do has the client do something; values are names and what they stand for, in turn.
func (u *User) Do(what string, values ...any) {
	u.t.Helper()
	order := map[string]any{"do": what}
	for i := 0; i+1 < len(values); i += 2 {
		order[values[i].(string)] = values[i+1]
	}
	line, err := json.Marshal(order)
	if err != nil {
		u.t.Fatal(err)
	}
	if _, err := u.in.Write(append(line, '\n')); err != nil {
		u.t.Fatal(err)
	}
}

// Await waits for the next event of a name, and passes over others.
func (u *User) Await(name string) Event {
	u.t.Helper()
	deadline := time.After(10 * time.Minute)
	for {
		select {
		case e, open := <-u.events:
			if !open {
				u.t.Fatalf("the client of %s ended", u.Address)
			}
			if e.Name == "failed" {
				u.t.Fatalf("%s: %s", u.Address, e.Error)
			}
			if e.Name == name {
				return e
			}
		case <-deadline:
			u.t.Fatalf("%s sees no event %s", u.Address, name)
		}
	}
}

// Online connects, and returns when the server knows.
func (u *User) Online() {
	u.t.Helper()
	u.Do("online")
	u.Await("online")
}

// Offline disconnects.
func (u *User) Offline() {
	u.t.Helper()
	u.Do("offline")
	u.Await("offline")
}

// Ask writes a message and returns the next one that comes.
func (u *User) Ask(to, text string) string {
	u.t.Helper()
	u.Do("write", "to", to, "text", text)
	return u.Await("message").Body
}
