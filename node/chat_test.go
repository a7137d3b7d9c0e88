package node

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/xmpp"
	"tidings/delivery/xmpp/stream"
	"tidings/delivery/xmpp/xmpptest"
)

// newsroom is an origin with a feed, and a site that names it.
type newsroom struct {
	site, feed string
	mu         sync.Mutex
	items      []string
}

func startNewsroom(t testing.TB) *newsroom {
	n := &newsroom{items: []string{"old"}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<html><head><title>Site</title><link rel="alternate" type="application/rss+xml" href="/feed"></head><body>hello</body></html>`)
		case "/feed":
			n.mu.Lock()
			defer n.mu.Unlock()
			w.Header().Set("Content-Type", "application/rss+xml")
			text := ""
			for _, name := range slices.Backward(n.items) {
				text += "<item><guid>" + name + "</guid><title>Title " + name + "</title><link>http://example.org/" +
					name + "</link><description>Text of " + name + "</description></item>"
			}
			fmt.Fprint(w, rss("<link>http://"+r.Host+"/</link>"+text))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	n.site, n.feed = server.URL+"/", server.URL+"/feed"
	return n
}

// publish adds items, and has the node poll the feed.
func (r *newsroom) publish(t testing.TB, n *Node, names ...string) {
	t.Helper()
	r.mu.Lock()
	r.items = append(r.items, names...)
	r.items = r.items[max(0, len(r.items)-50):]
	r.mu.Unlock()
	before, err := n.store.Content.Watch(t.Context(), r.feed)
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ; {
		if _, err := n.watcher.Now(t.Context(), r.feed, "a test asks"); err != nil {
			t.Fatal(err)
		}
		after, err := n.store.Content.Watch(t.Context(), r.feed)
		if err != nil {
			t.Fatal(err)
		}
		if after.Version > before.Version {
			return
		}
		// A poll that began before the first one was stored counts for nothing.
		if time.Now().After(deadline) {
			t.Fatalf("%v are not found", names)
		}
	}
}

// chatTarget waits until the target of an address is as it should be.
func chatTarget(t testing.TB, n *Node, address string, is func(tidings.Target) bool) tidings.Target {
	t.Helper()
	var last any
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		account, err := n.store.Subscribers.Find(t.Context(), "xmpp:"+address)
		if err != nil {
			last = err
			continue
		}
		all, err := n.store.Outbox.Targets(t.Context(), account)
		if err == nil && len(all) == 1 && is(all[0]) {
			return all[0]
		}
		last = fmt.Sprint(all, err)
	}
	t.Fatalf("the target of %s: %v", address, last)
	return tidings.Target{}
}

// awaitChannel waits until an address follows a channel that has been read.
func awaitChannel(t testing.TB, n *Node, address, url string) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		account, err := n.store.Subscribers.Find(t.Context(), "xmpp:"+address)
		if err != nil {
			continue
		}
		if f, err := n.store.Channel(t.Context(), account, url); err == nil && f.Version > 0 {
			return
		}
	}
	t.Fatalf("%s does not follow %s", address, url)
}

func delivered(t tidings.Target) bool { return t.Standing.Pending == 0 }

// expect waits for a message about each item, once and in order, and for nothing else.
func expect(t testing.TB, u *xmpptest.User, names ...string) {
	t.Helper()
	for _, name := range names {
		want := "*Title " + name + "*\nT\nText of " + name + "\nhttp://example.org/" + name
		if e := u.Await("message"); e.Body != want || e.Type != "chat" {
			t.Fatalf("received %q, want %q", e.Body, want)
		}
	}
}

// A person subscribes by chat to the feed of a site, and receives what is new. The person goes offline and gets it
// later, even if the server is restarted meanwhile. Every message comes once. The node is a component, and an account.
func TestChatWithProsody(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"component", "account"} {
		t.Run(how, func(t *testing.T) {
			p := xmpptest.Start(t, "alice", "bob", "news")
			bot, room := "news@"+xmpptest.Host, startNewsroom(t)
			settings := xmpp.Settings{Account: bot, Server: p.Clients, CAFile: p.Certificate(),
				Secret: xmpptest.Password}
			if how == "component" {
				bot = "bot@" + xmpptest.Component
				settings = xmpp.Settings{Component: p.Components, Domain: xmpptest.Component, Secret: xmpptest.Secret}
			}
			n, _ := startNode(t, func(c *Config) { c.XMPP = settings })
			alice := p.NewUser(t, "alice")
			alice.Online()

			alice.Do("subscribe", "to", bot)
			if e := alice.Await("subscribed"); e.Sender != bot {
				t.Errorf("the presence is that of %s", e.Sender)
			}
			if e := alice.Await("available"); e.Sender != bot {
				t.Errorf("the presence is that of %s", e.Sender)
			}
			if text := alice.Ask(bot, "HELP"); !strings.Contains(text, "subscribe URL") {
				t.Errorf("help: %q", text)
			}
			if text := alice.Ask(bot, "Subscribe <"+strings.TrimPrefix(room.site, "http://")+">"); !strings.Contains(
				text, "You follow https://") {
				t.Errorf("a scheme that is missing: %q", text)
			}
			if text := alice.Ask(bot, "unsubscribe 1"); !strings.Contains(text, "any more") {
				t.Errorf("unsubscribe: %q", text)
			}
			if text := alice.Ask(bot, "subscribe "+room.site); !strings.Contains(text, "You follow "+room.site+" now") {
				t.Errorf("subscribe: %q", text)
			}
			awaitChannel(t, n, alice.Address, room.feed)

			room.publish(t, n, "a", "b")
			expect(t, alice, "a", "b")
			chatTarget(t, n, alice.Address, delivered)

			alice.Offline()
			room.publish(t, n, "c")
			chatTarget(t, n, alice.Address, delivered)
			p.End()
			room.publish(t, n, "d")
			if target := chatTarget(t, n, alice.Address, func(t tidings.Target) bool {
				return t.Standing.Pending == 1
			}); target.Standing.Suspended {
				t.Error("the address is suspended because the server is down")
			}
			p.Begin()
			n.waitForChat(t)
			retry(t, n, alice.Address)
			chatTarget(t, n, alice.Address, delivered)
			alice.Online()
			expect(t, alice, "c", "d")

			var flood []string
			for round := range 6 {
				var names []string
				for i := range 5 {
					names = append(names, fmt.Sprintf("f%d-%d", round, i))
				}
				room.publish(t, n, names...)
				flood = append(flood, names...)
			}
			expect(t, alice, flood...)

			if text := alice.Ask(bot, "pause 8h"); !strings.Contains(text, "Nothing comes until") {
				t.Errorf("pause: %q", text)
			}
			room.publish(t, n, "paused")
			chatTarget(t, n, alice.Address, func(t tidings.Target) bool { return t.Standing.Pending == 1 })
			if text := alice.Ask(bot, "latest 1 1"); text != "Title paused\nhttp://example.org/paused" {
				t.Errorf("latest: %q", text)
			}
			alice.Do("write", "to", bot, "text", "resume")
			texts := []string{alice.Await("message").Body, alice.Await("message").Body}
			slices.Sort(texts) // the answer may come first or last
			if texts[0] != "*Title paused*\nT\nText of paused\nhttp://example.org/paused" ||
				!strings.Contains(texts[1], "comes at once") {
				t.Errorf("resume: %q", texts)
			}

			client := bot // the server answers requests to an account itself
			if how == "account" {
				client += "/" + stream.DefaultResource
			}
			alice.Do("commands", "to", client)
			if e := alice.Await("commands"); !slices.Contains(e.Nodes, "subscribe") ||
				!slices.Contains(e.Nodes, "list") {
				t.Errorf("commands: %v", e.Nodes)
			}
			alice.Do("features", "to", client)
			if e := alice.Await("features"); e.Version != "Tidings" ||
				!slices.Contains(e.Features, "urn:xmpp:receipts") {
				t.Errorf("features: %+v", e)
			}
			alice.Do("run", "to", client, "node", "unsubscribe", "fields", map[string]string{"url": room.feed})
			if e := alice.Await("ran"); e.Status != "completed" || len(e.Notes) != 1 ||
				!strings.Contains(e.Notes[0], "any more") {
				t.Errorf("a command: %+v", e)
			}
			if text := alice.Ask(bot, "forget me"); !strings.Contains(text, "nothing is kept") {
				t.Errorf("forget: %q", text)
			}
			if _, err := n.store.Subscribers.Find(t.Context(), "xmpp:"+alice.Address); !errors.Is(err,
				tidings.ErrNotFound) {
				t.Errorf("after forget me: %v", err)
			}
		})
	}
}

// waitForChat waits until the bot can be reached.
func (n *Node) waitForChat(t testing.TB) {
	t.Helper()
	for deadline := time.Now().Add(patience); n.chat.Problem() != nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(n.chat.Problem())
		}
	}
}

// retry sends what waits for an address at once.
func retry(t testing.TB, n *Node, address string) {
	t.Helper()
	account, err := n.store.Subscribers.Find(t.Context(), "xmpp:"+address)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.store.Outbox.Retry(t.Context(), account, tidings.DeliverySelection{}); err != nil {
		t.Fatal(err)
	}
}

// Strangers that flood the node get a bounded number of answers; others are answered meanwhile. What is private, or
// needs a password, is refused, and nothing of it is kept.
func TestHostile58ChatWithStrangers(t *testing.T) {
	t.Parallel()
	p := xmpptest.Start(t, "alice", "mallory")
	room := startNewsroom(t)
	n, client := startNode(t, func(c *Config) {
		c.XMPP = xmpp.Settings{Component: p.Components, Domain: xmpptest.Component, Secret: xmpptest.Secret}
		c.LabOrigins = false
	})
	const bot = "bot@" + xmpptest.Component
	alice, mallory := p.NewUser(t, "alice"), p.NewUser(t, "mallory")
	alice.Online()
	mallory.Online()
	for range 200 {
		mallory.Do("write", "to", bot, "text", "subscribe "+room.feed)
	}
	mallory.Do("write", "to", bot, "text", strings.Repeat("x", 100_000))
	for _, url := range []string{room.feed, "http://192.168.1.1/", "http://localhost/x",
		"https://user:secret@example.org/", "file:///etc/passwd", "query:x",
		"https://example.org/feed?token=0123456789abcdef0123456789abcdef"} {
		if text := alice.Ask(bot, "subscribe "+url); strings.Contains(text, "You follow") ||
			strings.Contains(text, "wrong at this node") {
			t.Errorf("%s: %q", url, text)
		}
	}
	mallory.Do("write", "to", alice.Address, "text", "the end")
	answers := 0
	for {
		e := mallory.Await("message")
		if answers++; strings.Contains(e.Body, "too much at once") {
			break
		}
	}
	if answers > 25 {
		t.Errorf("%d answers", answers)
	}
	for _, u := range []*xmpptest.User{alice, mallory} {
		if _, err := n.store.Subscribers.Find(t.Context(), "xmpp:"+u.Address); !errors.Is(err, tidings.ErrNotFound) {
			t.Errorf("an account is left of %s: %v", u.Address, err)
		}
	}
	people, err := client.Users().List(t.Context())
	if err != nil || len(people) != 1 {
		t.Errorf("the node has %v, %v", people, err)
	}
}

// An address that is no more is suspended with the reason. It gets what it missed once it writes again.
func TestChatAddressesThatRefuse(t *testing.T) {
	t.Parallel()
	p := xmpptest.Start(t, "alice")
	room := startNewsroom(t)
	n, _ := startNode(t, func(c *Config) {
		c.XMPP = xmpp.Settings{Component: p.Components, Domain: xmpptest.Component, Secret: xmpptest.Secret}
	})
	const bot = "bot@" + xmpptest.Component
	alice := p.NewUser(t, "alice")
	alice.Online()
	alice.Ask(bot, "subscribe "+room.feed)
	awaitChannel(t, n, alice.Address, room.feed)
	target := chatTarget(t, n, alice.Address, delivered)
	if err := n.store.Outbox.Suspend(t.Context(), target.ID, "gone"); err != nil {
		t.Fatal(err)
	}
	room.publish(t, n, "a")
	chatTarget(t, n, alice.Address, func(t tidings.Target) bool {
		return t.Standing.Suspended && t.Standing.Pending == 1
	})
	alice.Do("write", "to", bot, "text", "list")
	texts := []string{alice.Await("message").Body, alice.Await("message").Body}
	slices.Sort(texts) // the answer may come first or last
	if !strings.HasPrefix(texts[0], "*Title a*") || !strings.HasPrefix(texts[1], "1. T") {
		t.Errorf("received %q", texts)
	}
}

// People with an account can have what they follow sent to a chat address. At a node that does not chat they learn why
// not.
func TestChatForPeople(t *testing.T) {
	t.Parallel()
	p := xmpptest.Start(t, "alice")
	room := startNewsroom(t)
	n, client := startNode(t, func(c *Config) {
		c.XMPP = xmpp.Settings{Component: p.Components, Domain: xmpptest.Component, Secret: xmpptest.Secret}
	})
	alice := p.NewUser(t, "alice")
	alice.Online()
	if _, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: room.feed}); err != nil {
		t.Fatal(err)
	}
	settings := targetAt("chat", "xmpp:Alice@localhost")
	kind, err := tidings.ParseTargetKind("XMPP")
	if err != nil {
		t.Fatal(err)
	}
	settings.Kind = &kind
	added, err := client.Notify().Add(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Notify().Test(t.Context(), added.ID); err != nil {
		t.Fatal(err)
	}
	alice.Await("message")
	room.publish(t, n, "a")
	expect(t, alice, "a")

	_, other := startNode(t)
	if _, err := other.Notify().Add(t.Context(), settings); err == nil ||
		!strings.Contains(err.Error(), "does not send to targets of kind xmpp") {
		t.Errorf("a node that does not chat: %v", err)
	}
}

// The configuration of Prosody that the document has lets a node in.
func TestTheDocumentedConfiguration(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/chat.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```lua\n")
	lua, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the document has no configuration")
	}
	p := xmpptest.StartWith(t, lua, "alice")
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("change me\nanother line\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	startNode(t, func(c *Config) {
		c.XMPP, c.XMPPSecretFile = xmpp.Settings{Component: p.Components, Domain: "news.example.org"}, secret
	})
	alice := p.NewUser(t, "alice")
	alice.Online()
	if text := alice.Ask("bot@news.example.org", "help"); !strings.Contains(text, "subscribe URL") {
		t.Error(text)
	}
}

// What cannot be is refused at the start, with a reason and a hint.
func TestChatSettings(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"needs a secret": func(c *Config) { c.XMPP.Account = "news@example.org" },
		"not both": func(c *Config) {
			c.XMPP = xmpp.Settings{Account: "a@b", Domain: "b", Component: "b:1", Secret: "x"}
		},
		"has a domain":        func(c *Config) { c.XMPP = xmpp.Settings{Component: "b:1", Secret: "x"} },
		"HOST:PORT":           func(c *Config) { c.XMPP = xmpp.Settings{Component: "b", Domain: "b", Secret: "x"} },
		"no domain of a":      func(c *Config) { c.XMPP = xmpp.Settings{Component: "b:1", Domain: "a@b", Secret: "x"} },
		"no account":          func(c *Config) { c.XMPP = xmpp.Settings{Account: "example.org", Secret: "x"} },
		"neither a component": func(c *Config) { c.XMPPSecretFile = "x" },
		"no domain of XMPP": func(c *Config) {
			c.XMPP = xmpp.Settings{Account: "a@b", Secret: "x", Domains: []string{"a@b"}}
		},
		"one connection": func(c *Config) {
			c.XMPP = xmpp.Settings{Component: "b:1", Domain: "b", Secret: "x", Shared: true}
		},
		"settings of XMPP": func(c *Config) { c.XMPP.Shared = true },
		"one line":         func(c *Config) { c.XMPP = xmpp.Settings{Account: "a@b", Secret: "x\ny"} },
	} {
		c := Default()
		c.Data = t.TempDir()
		change(&c)
		if _, err := New(c); !errors.Is(err, tidings.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}
