package node

import (
	"context"
	"fmt"

	"tidings"
	"tidings/delivery/notify"
	"tidings/delivery/outbox"
	"tidings/delivery/xmpp"
	"tidings/node/chat"
	"tidings/node/notifications"
	"tidings/node/owner"
	"tidings/node/servers"
)

// openChat makes what people chat with, if there is anything of the kind.
func (n *Node) openChat() (err error) {
	settings := n.config.XMPP
	if !settings.Enabled() {
		return nil
	}
	if file := n.config.XMPPSecretFile; file != "" {
		secret, err := servers.ReadSecret(file)
		if err != nil {
			return owner.Explain(fmt.Errorf("reading the secret of XMPP: %w", err), file)
		}
		settings.Secret = secret
	}
	stream, err := settings.Stream()
	if err != nil {
		return err
	}
	directory := &chat.Directory{Subscribers: n.store.Subscribers, Follow: n.Channels, Library: n.store,
		Outbox: n.store.Outbox}
	c := xmpp.Config{
		Stream: stream, Version: Version, Contact: n.config.Contact, Logger: n.log, Domains: settings.Domains,
		Word: word, Directory: directory,
	}
	if settings.Shared {
		c.Stream.Resource = xmpp.ResourceOf(n.id)
		c.Shared = &chat.Shared{Directory: directory, Notes: n.store.Followings, Names: n.store.Subscribers,
			Key: []byte(settings.Secret)}
	}
	n.chat, err = xmpp.Open(c)
	return err
}

// withChat adds what is sent by chat to the protocols of a node.
func (n *Node) withChat(all notifications.Protocols) notifications.Protocols {
	if n.chat != nil {
		all[tidings.XMPP] = n.chat
	}
	return all
}

// word words a message for chat.
func word(t tidings.Target, m outbox.Message) xmpp.Wording {
	w := notify.Word(t, m)
	return xmpp.Wording{Title: w.Title, Text: w.Text, Link: w.Link}
}

// deliver sends messages until ctx is done. The bot goes on until those that are under way have ended.
func (n *Node) deliver(ctx context.Context, notifications *notifications.Notifications) {
	if n.chat == nil {
		notifications.Run(ctx)
		return
	}
	chatting, end := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() { n.chat.Run(chatting); close(ended) }()
	notifications.Run(ctx)
	end()
	<-ended
}
