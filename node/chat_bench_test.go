package node

import (
	"fmt"

	"testing"
	"time"

	"tidings"
	"tidings/delivery/xmpp"
	"tidings/delivery/xmpp/xmpptest"
)

// chatReaders is how many people of one channel BenchmarkChat has.
const chatReaders = 2000

// BenchmarkChat measures an update of a channel that 2,000 people follow by chat. It runs from the poll of the channel
// until Prosody, with its usual limits, has accepted the last message. The people are offline, so that the server keeps
// their messages, which are counted in the end.
func BenchmarkChat(b *testing.B) {
	names := make([]string, chatReaders)
	for i := range names {
		names[i] = fmt.Sprint("reader", i)
	}
	for _, how := range []string{"component", "account"} {
		b.Run(how, func(b *testing.B) {
			p := xmpptest.StartWith(b, `
modules_enabled = { "roster", "saslauth", "tls", "disco", "ping", "smacks", "offline", "carbons", "presence", "posix", "limits" }
limits = { c2s = { rate = "10kb/s" }, s2sin = { rate = "30kb/s" } }
`, append(names, "news")...)
			settings := xmpp.Settings{Component: p.Components, Domain: xmpptest.Component, Secret: xmpptest.Secret}
			if how == "account" {
				settings = xmpp.Settings{Account: "news@" + xmpptest.Host, Server: p.Clients, CAFile: p.Certificate(),
					Secret: xmpptest.Password}
			}
			room := startNewsroom(b)
			n, _ := startNode(b, func(c *Config) { c.XMPP = settings })
			for _, name := range names {
				account, err := n.store.Subscribers.Add(b.Context(), "xmpp:"+name+"@"+xmpptest.Host)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := n.SubscribeOutside(b.Context(), account, room.feed); err != nil {
					b.Fatal(err)
				}
				if _, err := n.store.Outbox.AddTarget(b.Context(), tidings.Target{
					Account: account, Name: "chat", Kind: tidings.XMPP, URL: "xmpp:" + name + "@" + xmpptest.Host,
				}); err != nil {
					b.Fatal(err)
				}
			}
			if _, err := n.watcher.Now(b.Context(), room.feed, "a benchmark asks"); err != nil {
				b.Fatal(err)
			}
			updates := 0
			for b.Loop() {
				updates++
				room.publish(b, n, fmt.Sprint("update", updates))
				for waiting := 1; waiting > 0; time.Sleep(10 * time.Millisecond) {
					all, err := n.store.Outbox.Waiting(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					waiting = len(all)
				}
			}
			b.StopTimer()
			p.End()
			if kept := p.Kept(); kept != chatReaders*updates {
				b.Errorf("the server keeps %d messages, want %d", kept, chatReaders*updates)
			}
		})
	}
}
