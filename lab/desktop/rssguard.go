package desktop

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

// RSSGuard is an RSS Guard with one account, of its kind "Google Reader API" for FreshRSS. It runs between
// [RSSGuard.Run] and the end of that.
type RSSGuard struct {
	*desktop
	program string
}

// guardSettings make it ask for everything as it begins, and show no question.
const guardSettings = `[feeds]
feeds_update_on_startup=true
feeds_update_on_startup_delay=0.1
feed_update_timeout=60000
[general]
update_on_start=false
`

// guardKey is what its passwords are encrypted with. It is in a file of its own.
const guardKey = 1

// NewRSSGuard returns an RSS Guard that reads a server's items for an account, or skips the test where there is none.
// It has run before, and knows the feeds; no items.
func NewRSSGuard(t *testing.T, server, user, password string) *RSSGuard {
	t.Helper()
	program := need(t, "rssguard")
	g := &RSSGuard{newDesktop(t), program}
	g.env = append(g.env, "QTWEBENGINE_DISABLE_SANDBOX=1") // its browser runs as root by no other way
	g.write("data/config/config.ini", guardSettings)
	g.write("data/config/key.private", fmt.Sprint(guardKey))
	g.runUntil("it has a database", func() bool { return len(g.query(g.database(), "SELECT 1 FROM Information")) > 0 })
	account, err := json.Marshal(map[string]any{"service": 1, "username": user, "password": encrypt(password, guardKey),
		"url":        server,
		"batch_size": 100, "download_only_unread": false, "intelligent_synchronization": true})
	if err != nil {
		t.Fatal(err)
	}
	g.query(g.database(), "INSERT INTO Accounts (id, type, custom_data) VALUES (1, 'greader', '"+
		strings.ReplaceAll(string(account), "'", "''")+"')")
	g.runUntil("it knows the feeds", func() bool { return len(g.query(g.database(), "SELECT 1 FROM Feeds")) > 0 })
	return g
}

func (g *RSSGuard) database() string { return filepath.Join(g.home, "data/database/database.db") }

func (g *RSSGuard) runUntil(what string, is func() bool) {
	g.t.Helper()
	defer g.Run()()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			g.t.Fatalf("RSS Guard: this never came to be: %s\n%s", what, g.log("rssguard"))
		}
	}
}

// Run starts it: it sends what was marked, and then asks for everything. The returned function ends it.
func (g *RSSGuard) Run() (stop func()) {
	g.t.Helper()
	stop = g.start(nil, g.program, "-d", filepath.Join(g.home, "data"))
	g.t.Cleanup(stop)
	return stop
}

// Items returns what its own database has, by title.
func (g *RSSGuard) Items() map[string]Item {
	g.t.Helper()
	return g.items(g.database(), "SELECT title, custom_id, is_read, is_important FROM Messages WHERE is_deleted = 0")
}

// Marks are what somebody has marked in its window while it was offline.
type Marks struct{ Read, Unread, Starred, Unstarred []Item }

// Mark leaves marks in the file in which RSS Guard keeps those that it has not sent. It must not be running.
func (g *RSSGuard) Mark(m Marks) {
	g.t.Helper()
	// The file has four QMaps as QDataStream writes them. They are of lists of messages by importance, of numbers by
	// whether they are read, and of numbers by labels that are added and removed.
	var b bytes.Buffer
	integer := func(n int) { _ = binary.Write(&b, binary.BigEndian, int32(n)) } // into a Buffer
	text := func(s string) {
		units := utf16.Encode([]rune(s))
		integer(2 * len(units))
		_ = binary.Write(&b, binary.BigEndian, units)
	}
	integer(2)
	for important, items := range [][]Item{m.Unstarred, m.Starred} {
		integer(important)
		integer(len(items))
		for n, i := range items {
			integer(1) // account
			text("")
			text(i.ID)
			text("feed")
			integer(n) // in its database, which distinguishes them
			b.Write([]byte{byte(important), 0, 0})
			b.Write(make([]byte, 8)) // score
		}
	}
	integer(2)
	for read, items := range [][]Item{m.Unread, m.Read} {
		integer(read)
		integer(len(items))
		for _, i := range items {
			text(i.ID)
		}
	}
	integer(0)
	integer(0)
	if err := os.WriteFile(filepath.Join(g.home, "data/1-cached-msgs.dat"), b.Bytes(), 0o600); err != nil {
		g.t.Fatal(err)
	}
}

// encrypt writes a password as its class SimpleCrypt does, version 3 without compression and checks. Each byte is
// combined with one of the key and the byte before.
func encrypt(password string, key uint64) string {
	var parts [8]byte
	for i := range parts {
		for range i {
			key >>= 8
		}
		parts[i] = byte(key)
	}
	secret := append([]byte{'x'}, password...) // the first is random, and means nothing
	last := byte(0)
	for i := range secret {
		secret[i] ^= parts[i%8] ^ last
		last = secret[i]
	}
	return base64.StdEncoding.EncodeToString(append([]byte{3, 0}, secret...))
}
