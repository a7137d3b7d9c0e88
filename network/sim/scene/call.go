package scene

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"tidings/network/engine"
)

// Command is what a line of a script does. It runs between two moments of the world, prints
// with [Call.Printf], and ends the test with [Call.Fatalf] where the script makes no sense.
type Command func(c *Call)

// Call is one use of a command: its arguments, the plain ones numbered from 0 and the ones with a value (via=b7,
// kinds=(Ping, Pong)) by their names. An argument that the command never looked at ends the test, so that no misspelt
// one goes unnoticed.
type Call struct {
	*Scene
	t    testing.TB
	pos  string // file:line
	name string

	plain []string
	named []datadriven.CmdArg
	seen  map[string]bool // plain and named ones that were looked at
	whole bool            // all plain ones were
}

func newCall(s *Scene, t testing.TB, pos, name string, args []datadriven.CmdArg) *Call {
	c := &Call{Scene: s, t: t, pos: pos, name: name, seen: make(map[string]bool)}
	for _, a := range args {
		if len(a.Vals) == 0 {
			c.plain = append(c.plain, a.Key)
		} else {
			c.named = append(c.named, a)
		}
	}
	return c
}

// finish complains of arguments that the command did not want.
func (c *Call) finish() {
	c.t.Helper()
	for i, a := range c.plain {
		if !c.whole && !c.seen[strconv.Itoa(i)] {
			c.Fatalf("what is %q?", a)
		}
	}
	for _, a := range c.named {
		if !c.seen[a.Key] {
			c.Fatalf("what is %q?", a.String())
		}
	}
}

// Fatalf ends the test with the script's file and line.
func (c *Call) Fatalf(format string, args ...any) {
	c.t.Helper()
	c.t.Fatalf("%s: %s: %s", c.pos, c.name, fmt.Sprintf(format, args...))
}

// Printf prints to the script's output. A line should end with a newline.
func (c *Call) Printf(format string, args ...any) { fmt.Fprintf(&c.out, format, args...) }

// Plain returns all plain arguments.
func (c *Call) Plain() []string {
	c.whole = true
	return c.plain
}

// Word returns the plain argument i.
func (c *Call) Word(i int) string {
	c.t.Helper()
	if i >= len(c.plain) {
		c.Fatalf("too few arguments")
	}
	c.seen[strconv.Itoa(i)] = true
	return c.plain[i]
}

// Has reports whether there is an argument of that name.
func (c *Call) Has(name string) bool { return c.Values(name) != nil }

// Values returns the values of the named argument; nil without it.
func (c *Call) Values(name string) []string {
	c.seen[name] = true
	for _, a := range c.named {
		if a.Key == name {
			return a.Vals
		}
	}
	return nil
}

// Text returns the named argument's value, or otherwise if there is none.
func (c *Call) Text(name, otherwise string) string {
	c.t.Helper()
	switch v := c.Values(name); len(v) {
	case 0:
		return otherwise
	case 1:
		return v[0]
	}
	c.Fatalf("%s has one value", name)
	return ""
}

// Need returns the value of a named argument that there must be.
func (c *Call) Need(name string) string {
	c.t.Helper()
	if !c.Has(name) {
		c.Fatalf("%s= is missing", name)
	}
	return c.Text(name, "")
}

// Int returns the named argument as a number, or otherwise.
func (c *Call) Int(name string, otherwise int) int {
	c.t.Helper()
	text := c.Text(name, strconv.Itoa(otherwise))
	n, err := strconv.Atoi(text)
	if err != nil {
		c.Fatalf("%s=%s is no number", name, text)
	}
	return n
}

// Duration returns the named argument as a length of time, or otherwise.
func (c *Call) Duration(name string, otherwise time.Duration) time.Duration {
	c.t.Helper()
	return c.duration(c.Text(name, otherwise.String()))
}

func (c *Call) duration(text string) time.Duration {
	c.t.Helper()
	d, err := time.ParseDuration(text)
	if err != nil {
		c.Fatalf("%q is no length of time", text)
	}
	return d
}

// Node returns the node that the plain argument i names.
func (c *Call) Node(i int) *Node {
	c.t.Helper()
	return c.Named(c.Word(i))
}

// NodeOf returns the node that the named argument names.
func (c *Call) NodeOf(name string) *Node {
	c.t.Helper()
	return c.Named(c.Need(name))
}

// Nodes returns the nodes that all plain arguments name, and at least one.
func (c *Call) Nodes() []*Node {
	c.t.Helper()
	if len(c.plain) == 0 {
		c.Fatalf("which node?")
	}
	var nodes []*Node
	for _, name := range c.Plain() {
		nodes = append(nodes, c.Named(name))
	}
	return nodes
}

// Named returns the node of that name.
func (c *Call) Named(name string) *Node {
	c.t.Helper()
	n := c.byName(name)
	if n == nil {
		c.Fatalf("there is no node %q", name)
	}
	return n
}

// ID returns the ID that the named argument gives: a node's name, or an ID's first
// hexadecimal digits, zeros following.
func (c *Call) ID(name string) engine.ID {
	c.t.Helper()
	return c.id(c.Need(name))
}

func (c *Call) id(text string) engine.ID {
	c.t.Helper()
	if n := c.byName(text); n != nil {
		return n.ID()
	}
	if !isDigits(text) {
		c.Fatalf("%q is neither a node nor the start of an ID", text)
	}
	return engine.PrefixID(text)
}

// isDigits reports whether text is the start of an ID in hexadecimal digits.
func isDigits(text string) bool {
	padded := text + strings.Repeat("0", len(text)%2)
	_, err := hex.DecodeString(padded)
	return err == nil && text != "" && len(text) <= engine.Bits/4
}
