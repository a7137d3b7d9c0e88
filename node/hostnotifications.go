package node

import (
	"context"
	"fmt"
	"strings"

	"tidings"
	"tidings/delivery/mail"
	"tidings/delivery/notify"
	"tidings/delivery/webpush"
	"tidings/node/notifications"
	"tidings/node/owner"
	"tidings/node/servers"
)

// newNotifications makes what notifies people of updates.
func (n *Node) newNotifications(ctx context.Context) (*notifications.Notifications, error) {
	keys, err := n.pushKeys(ctx)
	if err != nil {
		return nil, err
	}
	sender := notify.New(notify.Config{
		Guard: n.config.guard(), UserAgent: "Tidings/" + Version, PushKeys: keys, Contact: n.pushContact(),
	})
	protocols := n.withChat(n.withHub(notifications.ByHTTP(sender)))
	if n.config.Mail.Server != "" {
		if protocols[tidings.Mail], err = n.newMail(); err != nil {
			return nil, err
		}
	}
	all := notifications.New(n.store.Outbox, n.store, protocols, n.log)
	all.Choices = n.store.Chosen
	all.People, all.BrowserKey, all.Settings = n.store.Reader, keys.Public, n.store.DB
	return all, nil
}

// newMail makes what sends mail.
func (n *Node) newMail() (*mail.Sender, error) {
	c := n.config.Mail
	c.PublicURL, c.UserAgent = n.config.public(), "Tidings/"+Version
	if file := n.config.MailPasswordFile; file != "" {
		password, err := servers.ReadSecret(file)
		if err != nil {
			return nil, owner.Explain(fmt.Errorf("reading the password of the mail server: %w", err), file)
		}
		c.Password = password
	}
	return mail.New(c)
}

// pushKeysSetting holds the keys by which push services know the node. Browsers bind their subscriptions to them, so
// that they outlive the node's own key, and are part of backups.
const pushKeysSetting = "push keys"

// pushKeys returns the node's keys for push services, which it makes once.
func (n *Node) pushKeys(ctx context.Context) (keys webpush.Keys, err error) {
	text, err := n.store.DB.Setting(ctx, pushKeysSetting)
	if err != nil {
		return keys, err
	}
	if text != "" {
		if keys, err = webpush.Parse(text); err == nil {
			return keys, nil
		}
		n.log.Error("the keys for push services cannot be used, and others are made: "+
			"browsers have to be added to the addresses anew", "error", err)
	}
	if keys, err = webpush.NewKeys(); err != nil {
		return keys, err
	}
	if text, err = keys.Text(); err != nil {
		return keys, err
	}
	return keys, n.store.DB.SetSetting(ctx, pushKeysSetting, text)
}

// pushContact returns an address by which the operator of a push service can reach the node's: https or mailto.
func (n *Node) pushContact() string {
	for _, address := range []string{n.config.Contact, n.config.PublicURL} {
		if strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "mailto:") {
			return address
		}
	}
	return ""
}
