// Package notifications lets people manage the addresses at which they are notified, and has the outbox delivered to
// them.
//
// It checks what people give: a target can be sent to ([Protocol]), and what it selects is followed. Messages are
// delivered by package delivery/outbox and sent by package delivery/notify.
package notifications

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/locale"
	"tidings/delivery/mail"
	"tidings/delivery/notify"
	"tidings/delivery/outbox"
	"tidings/node/channels"
)

// Store is the part of the store that keeps targets and deliveries.
type Store interface {
	outbox.Store
	Targets(ctx context.Context, account tidings.AccountID) ([]tidings.Target, error)
	Target(ctx context.Context, account tidings.AccountID, id int64) (tidings.Target, error)
	AddTarget(ctx context.Context, t tidings.Target) (tidings.Target, error)
	ChangeTarget(ctx context.Context, t tidings.Target) error // the notifications' own has checks before
	RemoveTarget(ctx context.Context, account tidings.AccountID, id int64) error
	Deliveries(ctx context.Context, account tidings.AccountID, after int64, limit int) ([]tidings.Delivery, error)
	NewestDeliveries(ctx context.Context, account tidings.AccountID, limit int) ([]tidings.Delivery, error)
	Retry(ctx context.Context, account tidings.AccountID, which tidings.DeliverySelection) (int, error)
	Drop(ctx context.Context, account tidings.AccountID, which tidings.DeliverySelection) (int, error)
}

// Followed finds what people follow.
type Followed interface {
	// Channel returns a channel that the account follows; [tidings.ErrNotFollowed] if it does not.
	Channel(ctx context.Context, account tidings.AccountID, url string) (tidings.Subscription, error)
	Channels(ctx context.Context, account tidings.AccountID) ([]tidings.Subscription, error)
}

// People knows what people are called.
type People interface {
	Person(ctx context.Context, account tidings.AccountID) (tidings.Person, error)
}

// Choices are what people have chosen about how they read.
type Choices interface {
	Preferences(ctx context.Context, account tidings.AccountID) (tidings.Preferences, error)
}

// Protocol sends to targets of a kind. Its methods may be called by many goroutines at once.
type Protocol interface {
	outbox.Sender

	// Validate returns a tidings.ErrInvalid if nothing could be sent to a target. It says what to give instead.
	Validate(t tidings.Target) error

	// Preview returns what a target would be sent. It sends nothing. The error is that of Validate.
	Preview(t tidings.Target, m outbox.Message) (notify.Sample, error)
}

// Protocols are those that a node speaks, by kinds. They are an [outbox.Sender].
type Protocols map[tidings.TargetKind]Protocol

// Send sends a message by the protocol of the target's kind. A target of another kind waits: the node may speak it
// after its next start.
func (p Protocols) Send(ctx context.Context, t tidings.Target, m outbox.Message) error {
	by, err := p.of(t)
	if err != nil {
		return err
	}
	if len(m.Retracts) > 0 && t.Kind.Retractable() == 0 {
		return nil // the kind was another as it was sent them
	}
	return by.Send(ctx, t, m)
}

func (p Protocols) of(t tidings.Target) (Protocol, error) {
	if by := p[t.Kind]; by != nil {
		return by, nil
	}
	if _, err := tidings.ParseTargetKind(string(t.Kind)); err != nil {
		return nil, err
	}
	return nil, tidings.WithHint(tidings.Invalidf("this node does not send to targets of kind %s", t.Kind),
		"it can be given what it needs for that when it starts: docs/notifications.md says how")
}

// ByHTTP are the protocols of a Notifier.
func ByHTTP(n *notify.Notifier) Protocols {
	all := make(Protocols)
	for _, kind := range notify.Kinds() {
		all[kind] = n
	}
	return all
}

// Notifications are the targets and deliveries of all people. Its methods may be called by many goroutines at once.
type Notifications struct {
	Store
	People     People  // named in mails that ask for confirmation; nil: none is
	Choices    Choices // by which messages are in people's languages; nil: all are in English
	BrowserKey string  // public key for browsers that subscribe; "": none can

	// Settings keeps which addresses were asked to confirm within the last hour. nil: a restart forgets it.
	Settings Settings

	followed  Followed
	protocols Protocols
	log       *slog.Logger
	asking    asking
}

// New returns the notifications that a store keeps. Nothing is delivered until Run.
func New(s Store, followed Followed, protocols Protocols, log *slog.Logger) *Notifications {
	return &Notifications{Store: s, followed: followed, protocols: protocols, log: log}
}

// PushKey returns the public key that browsers subscribe with (RFC 8292, section 3.2); "" if none can.
func (n *Notifications) PushKey() string { return n.BrowserKey }

// language returns the language that an account has chosen. nil, which stands for English, means that it has chosen
// none, or that the choice cannot be read.
func (n *Notifications) language(ctx context.Context, account tidings.AccountID) *locale.Locale {
	if n.Choices == nil {
		return nil
	}
	chosen, err := n.Choices.Preferences(ctx, account)
	if err != nil {
		n.log.Warn("a message is in English: the language of its reader cannot be read", "account", account, "error",
			err)
		return nil
	}
	return locale.Tagged(chosen.Of(tidings.EveryView, tidings.PreferLanguage))
}

// inLanguages sends each message in the language of its reader.
type inLanguages struct{ n *Notifications }

// Send implements outbox.Sender.
func (s inLanguages) Send(ctx context.Context, t tidings.Target, m outbox.Message) error {
	m.Language = s.n.language(ctx, t.Account)
	return s.n.protocols.Send(ctx, t, m)
}

// startWait is how long to wait where the outbox cannot be read at the start.
const startWait = time.Minute

// Run delivers until ctx is done.
func (n *Notifications) Run(ctx context.Context) {
	for ctx.Err() == nil {
		err := outbox.Run(ctx, outbox.Config{Store: n.Store, Sender: inLanguages{n}, Logger: n.log})
		if err == nil || ctx.Err() != nil {
			return
		}
		n.log.Error("no notifications are sent: the outbox cannot be read; trying again in a minute", "error", err)
		select {
		case <-time.After(startWait):
		case <-ctx.Done():
		}
	}
}

// AddTarget adds a target of t.Account. A webhook without a secret gets one, which is returned. The error is
// [tidings.ErrInvalid] if nothing could be sent to it, or if it selects what is not followed. It is [tidings.ErrExists]
// if the account has a target of that name.
func (n *Notifications) AddTarget(ctx context.Context, t tidings.Target) (added tidings.Target, err error) {
	if t.Kind == tidings.Webhook && t.Secret == "" {
		t.Secret = notify.NewSecret()
	}
	if err := n.checkSecret(t); err != nil {
		return added, err
	}
	if err := n.check(ctx, &t); err != nil {
		return added, err
	}
	if t.Kind == tidings.BrowserPush {
		if err := n.checkBrowser(ctx, t); err != nil {
			return added, err
		}
	}
	ask := false
	if t.Kind == tidings.Mail {
		if ask, err = n.secureMail(ctx, &t); err != nil {
			return added, err
		}
	}
	if added, err = n.Store.AddTarget(ctx, t); err != nil || !ask {
		return shown(added), err
	}
	if err := n.ask(ctx, added); err != nil {
		return shown(added), err
	}
	return n.Target(ctx, t.Account, added.ID)
}

// Targets lists an account's targets, the oldest first.
func (n *Notifications) Targets(ctx context.Context, account tidings.AccountID) ([]tidings.Target, error) {
	all, err := n.Store.Targets(ctx, account)
	for i := range all {
		all[i] = shown(all[i])
	}
	return all, err
}

// Target returns one of an account's targets; [tidings.ErrNotFound] if it has no such target.
func (n *Notifications) Target(ctx context.Context, account tidings.AccountID, id int64) (tidings.Target, error) {
	t, err := n.Store.Target(ctx, account, id)
	return shown(t), err
}

// checkBrowser refuses a browser that the account has among its targets: it would be notified twice.
func (n *Notifications) checkBrowser(ctx context.Context, t tidings.Target) error {
	all, err := n.Store.Targets(ctx, t.Account)
	if err != nil {
		return err
	}
	for _, other := range all {
		if other.Kind == tidings.BrowserPush && other.URL == t.URL {
			return tidings.Invalidf("that browser is notified already, as %s", tidings.Quote(other.Name))
		}
	}
	return nil
}

// checkSecret refuses what only the node may set.
func (*Notifications) checkSecret(t tidings.Target) error {
	if t.Kind == tidings.Mail && t.Secret != "" {
		return tidings.Invalidf("a mail address has no secret: leave it out")
	}
	return nil
}

// ChangeTarget replaces what a person chose of a target, and returns it as it is then. A nil secret keeps the present
// one, if the new URL is at the same server. So a person that may change a target cannot have its token sent elsewhere.
// A webhook keeps its signing key, which is never sent. Errors are those of AddTarget, and [tidings.ErrNotFound] if the
// account has no such target.
func (n *Notifications) ChangeTarget(ctx context.Context, t tidings.Target, secret *string) (tidings.Target, error) {
	before, err := n.Store.Target(ctx, t.Account, t.ID)
	if err != nil {
		return t, err
	}
	if t.Kind == tidings.Mail {
		return n.changeMail(ctx, t, before, secret)
	}
	t.Secret = secretOf(t, before, secret)
	if t.Kind != tidings.Generic && before.Kind == tidings.Generic {
		t.Form = nil
	}
	if err := n.check(ctx, &t); err != nil {
		return t, err
	}
	return t, n.Store.ChangeTarget(ctx, t)
}

// changeMail is ChangeTarget for a mail address: another one has to be confirmed.
func (n *Notifications) changeMail(ctx context.Context, t, before tidings.Target,
	secret *string) (tidings.Target, error) {
	if secret != nil {
		t.Secret = *secret
		if err := n.checkSecret(t); err != nil {
			return t, err
		}
	}
	t.Secret, t.Form = "", nil
	if err := n.check(ctx, &t); err != nil {
		return t, err
	}
	ask := false
	if sameAddress(t, before) {
		t.Secret = before.Secret
	} else {
		var err error
		if ask, err = n.secureMail(ctx, &t); err != nil {
			return t, err
		}
	}
	if err := n.Store.ChangeTarget(ctx, t); err != nil {
		return t, err
	}
	var err error
	switch {
	case ask:
		err = n.ask(ctx, t)
	case !mail.Confirmed(t.Secret):
		err = n.Store.Suspend(ctx, t.ID, mail.Problem())
	}
	if err != nil {
		return t, err
	}
	return n.Target(ctx, t.Account, t.ID)
}

// sameAddress reports whether two targets are of the same mail address.
func sameAddress(a, b tidings.Target) bool {
	if a.Kind != tidings.Mail || b.Kind != tidings.Mail {
		return false
	}
	one, err := mail.Address(a.URL)
	other, err2 := mail.Address(b.URL)
	return err == nil && err2 == nil && one == other
}

// secretOf returns the secret that t gets in the place of before: the given one, if that is not nil.
func secretOf(t, before tidings.Target, given *string) (secret string) {
	switch {
	case given != nil:
		secret = *given
	case t.Kind == before.Kind && (t.Kind == tidings.Webhook || sameServer(t.URL, before.URL)):
		secret = before.Secret
	}
	if t.Kind == tidings.Webhook && secret == "" {
		return notify.NewSecret()
	}
	return secret
}

func sameServer(a, b string) bool {
	one, err := url.Parse(a)
	other, err2 := url.Parse(b)
	return err == nil && err2 == nil && one.Scheme == other.Scheme && strings.EqualFold(one.Host, other.Host)
}

// PreviewTarget returns the message of an update to a target: all of the update in one message, or its only item. Of
// the zero Update it returns the message of TestTarget. The ID of a target that is not stored is 0. A nil secret is
// that of ChangeTarget. Nothing is sent. The error is [tidings.ErrInvalid] if nothing could be sent to the target.
func (n *Notifications) PreviewTarget(
	ctx context.Context, t tidings.Target, secret *string, u tidings.Update,
) (sample notify.Sample, err error) {
	var before tidings.Target
	if t.ID != 0 {
		if before, err = n.Store.Target(ctx, t.Account, t.ID); err != nil {
			return sample, err
		}
	}
	t.Secret = secretOf(t, before, secret)
	m := notify.TestMessage(n.language(ctx, t.Account), t, time.Now())
	if u.ID != 0 {
		m.Update, m.Item = u, nil
		if len(u.Items) == 1 {
			m.Item = &u.Items[0]
		}
	}
	p, err := n.protocols.of(t)
	if err != nil {
		return sample, err
	}
	return p.Preview(t, m)
}

// check reports why t cannot be a target, and gives its channel the address under which it is followed.
func (n *Notifications) check(ctx context.Context, t *tidings.Target) error {
	if t.Name = strings.TrimSpace(t.Name); t.Name == "" {
		return tidings.Invalidf("an address has a name: give it one")
	}
	p, err := n.protocols.of(*t)
	if err != nil {
		return err
	}
	if err := p.Validate(*t); err != nil {
		return err
	}
	if err := t.Schedule.Validate(); err != nil {
		return err
	}
	switch {
	case t.Selector.Channel != "" && t.Selector.Folder != "":
		return tidings.Invalidf("choose a channel or a folder, not both")
	case t.Selector.Folder != "":
		return n.checkFolder(ctx, t)
	case t.Selector.Channel == "":
		return nil
	}
	url, err := channels.Canonical(t.Selector.Channel)
	if err != nil {
		return err
	}
	if _, err := n.followed.Channel(ctx, t.Account, url); err != nil {
		return tidings.Invalidf("you do not follow %s: tidings list shows what you follow", tidings.Quote(url))
	}
	t.Selector.Channel = url
	return nil
}

// checkFolder reports whether a target's folder has no channel.
func (n *Notifications) checkFolder(ctx context.Context, t *tidings.Target) error {
	all, err := n.followed.Channels(ctx, t.Account)
	if err != nil {
		return err
	}
	folder := tidings.CleanFolder(t.Selector.Folder)
	for _, s := range all {
		if in := tidings.CleanFolder(s.Folder); in == folder || strings.HasPrefix(in, folder+"/") {
			return nil
		}
	}
	return tidings.Invalidf("no channel that you follow is in folder %s", tidings.Quote(tidings.FolderLabel(folder)))
}

// TestTarget sends a message to one of an account's targets now, past the outbox. The error says what went wrong;
// [tidings.ErrNotFound] if the account has no such target.
func (n *Notifications) TestTarget(ctx context.Context, account tidings.AccountID, id int64) error {
	t, err := n.Store.Target(ctx, account, id)
	if err != nil {
		return err
	}
	if _, ok := n.mailTo(t); ok && !mail.Confirmed(t.Secret) {
		return &tidings.Failure{Op: "testing " + t.Name, Err: n.askAgain(ctx, t)}
	}
	if err := n.protocols.Send(ctx, t, notify.TestMessage(n.language(ctx, t.Account), t, time.Now())); err != nil {
		return &tidings.Failure{Op: "testing " + t.Name, Err: err}
	}
	return nil
}
