package notifications

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"tidings"
	"tidings/delivery/locale"
	"tidings/delivery/mail"
)

// A mail address gets nothing before its recipient has confirmed it. Its target is suspended until then, and again once
// the recipient has stopped the mails. Resuming it sends nothing, as [mail.Sender] refuses.

// asking bounds the mails that ask for confirmation, as any person can have one sent to any address. What it knows
// outlives a restart.
type asking struct {
	mu    sync.Mutex
	known bool    // all has what was stored
	all   []asked // within askAgain, the oldest first
}

// asked is a mail that asked for confirmation.
type asked struct {
	Account tidings.AccountID `json:"account"`
	Address string            `json:"address"`
	At      time.Time         `json:"at"`
}

const (
	askAgain      = time.Hour // between two such mails to an address
	maxAsked      = 10        // of an account within askAgain
	maxAskedInAll = 1000      // of all accounts

	// askedSetting holds the mails of the last hour as JSON: about 100 KiB at most.
	askedSetting = "confirmation mails"
)

// Settings keeps texts by keys.
type Settings interface {
	Setting(ctx context.Context, key string) (value string, err error) // "": there is none
	SetSetting(ctx context.Context, key, value string) error
}

// admit reports whether an address may be asked now, and counts the request on the disk, before the mail is sent.
// Without settings it is forgotten at the end.
func (a *asking) admit(ctx context.Context, s Settings, account tidings.AccountID, address string,
	now time.Time) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.recall(ctx, s); err != nil {
		return err
	}
	a.all = slices.DeleteFunc(a.all, func(one asked) bool { return now.Sub(one.At) >= askAgain })
	ofAccount := 0
	for _, one := range a.all {
		if one.Address == address {
			return tidings.Invalidf("%s was sent a mail that asks for confirmation less than an hour ago: "+
				"look for it, also among spam, or wait", tidings.Quote(address))
		}
		if one.Account == account {
			ofAccount++
		}
	}
	if ofAccount >= maxAsked || len(a.all) >= maxAskedInAll {
		return tidings.Invalidf("too many mail addresses were added within an hour: wait before you add another")
	}
	all := append(slices.Clip(a.all), asked{account, address, now})
	if s != nil {
		text, err := json.Marshal(all)
		if err != nil {
			return fmt.Errorf("writing which addresses were asked: %w", err)
		}
		if err := s.SetSetting(ctx, askedSetting, string(text)); err != nil {
			return err
		}
	}
	a.all = all
	return nil
}

// recall reads what was stored, once. What cannot be read is as if there were nothing.
func (a *asking) recall(ctx context.Context, s Settings) error {
	if a.known || s == nil {
		return nil
	}
	text, err := s.Setting(ctx, askedSetting)
	if err != nil {
		return err
	}
	var all []asked
	if json.Unmarshal([]byte(text), &all) == nil {
		a.all = all
	}
	a.known = true
	return nil
}

// mailTo returns what sends mail to a target; false if it is no mail address, or mail is not sent.
func (n *Notifications) mailTo(t tidings.Target) (*mail.Sender, bool) {
	if t.Kind != tidings.Mail {
		return nil, false
	}
	by, ok := n.protocols[tidings.Mail].(*mail.Sender)
	return by, ok
}

// known returns the secret of a target with an address that another target of the account has confirmed; false if there
// is none.
func (n *Notifications) known(ctx context.Context, t tidings.Target) (secret string, known bool, err error) {
	address, err := mail.Address(t.URL)
	if err != nil {
		return "", false, err
	}
	all, err := n.Store.Targets(ctx, t.Account)
	if err != nil {
		return "", false, err
	}
	for _, other := range all {
		if other.Kind != tidings.Mail || !mail.Confirmed(other.Secret) {
			continue
		}
		if same, err := mail.Address(other.URL); err == nil && same == address {
			return other.Secret, true, nil
		}
	}
	return "", false, nil
}

// secureMail gives a target of a mail address the key that it needs, unless it has one. ask says whether its address
// has to be confirmed.
func (n *Notifications) secureMail(ctx context.Context, t *tidings.Target) (ask bool, err error) {
	secret, known, err := n.known(ctx, *t)
	if err != nil {
		return false, err
	}
	t.Secret = mail.NewKey()
	if known {
		t.Secret = mail.Renewed(secret)
		return false, nil
	}
	address, err := mail.Address(t.URL)
	if err != nil {
		return false, err
	}
	return true, n.asking.admit(ctx, n.Settings, t.Account, address, time.Now())
}

// ask suspends a target until it is confirmed, and sends the mail by which it is. A mail that cannot be sent is noted
// as the target's problem: a test sends another.
func (n *Notifications) ask(ctx context.Context, t tidings.Target) error {
	by, ok := n.mailTo(t)
	if !ok {
		return nil
	}
	if err := n.Store.Suspend(ctx, t.ID, mail.Problem()); err != nil {
		return err
	}
	name := ""
	if n.People != nil {
		person, err := n.People.Person(ctx, t.Account)
		if err != nil {
			return err
		}
		name = person.Name
	}
	if l := n.language(ctx, t.Account); l != nil { // else it is that of the page
		ctx = locale.With(ctx, l)
	}
	if err := by.Ask(ctx, t, name); err != nil {
		n.log.Warn("a mail that asks for confirmation was not sent", "target", t.ID, "problem", tidings.Reason(err))
		return n.Store.Suspend(ctx, t.ID, "the mail that asks for confirmation could not be sent: "+tidings.Reason(err))
	}
	return nil
}

// askAgain asks an address that is not confirmed once more. The error says so, or why it is not asked.
func (n *Notifications) askAgain(ctx context.Context, t tidings.Target) error {
	address, err := mail.Address(t.URL)
	if err != nil {
		return err
	}
	if err := n.asking.admit(ctx, n.Settings, t.Account, address, time.Now()); err != nil {
		return err
	}
	if err := n.ask(ctx, t); err != nil {
		return err
	}
	now, err := n.Store.Target(ctx, t.Account, t.ID)
	if err != nil {
		return err
	}
	if now.Standing.Problem != mail.Problem() {
		return errors.New(now.Standing.Problem)
	}
	return errors.New("the address is not confirmed, so that no message goes there: " +
		"another mail with a code was sent to it")
}

// errOtherCode is the answer to a code that is not that of a target.
var errOtherCode = tidings.WithHint(tidings.Invalidf("that is not the code of this address"),
	"it is in the latest mail that was sent there, 12 letters and digits; a test sends another mail")

// ConfirmTarget confirms a target's mail address by the code that was sent there. What waits for it is sent from now
// on. [tidings.ErrNotFound] if the account has no such target, [tidings.ErrInvalid] for another code.
func (n *Notifications) ConfirmTarget(ctx context.Context, account tidings.AccountID, id int64, code string) error {
	t, err := n.Store.Target(ctx, account, id)
	if err != nil {
		return err
	}
	if t.Kind != tidings.Mail {
		return tidings.Invalidf("%s is no mail address, and needs no confirmation", tidings.Quote(t.Name))
	}
	if mail.Confirmed(t.Secret) {
		return nil
	}
	secret, ok := mail.Confirm(t.Secret, code)
	if !ok {
		return errOtherCode
	}
	return n.confirm(ctx, t, secret)
}

func (n *Notifications) confirm(ctx context.Context, t tidings.Target, secret string) error {
	t.Secret = secret
	return n.Store.ChangeTarget(ctx, t) // it resumes the target
}

// ConfirmByLink does the same by a signed link; [tidings.ErrNotFound] if the link is not valid, or not any more.
func (n *Notifications) ConfirmByLink(ctx context.Context, token string) error {
	t, err := n.named(ctx, token, mail.ToConfirm)
	if err != nil || mail.Confirmed(t.Secret) {
		return err
	}
	return n.confirm(ctx, t, mail.ConfirmedBy(t.Secret))
}

// StopByLink stops all mails of a target by a signed link, on behalf of its recipient. The address must be confirmed
// before anything is sent there again. [tidings.ErrNotFound] if the link is not valid, or not any more.
func (n *Notifications) StopByLink(ctx context.Context, token string) error {
	t, err := n.named(ctx, token, mail.ToStop)
	if err != nil || !mail.Confirmed(t.Secret) {
		return err
	}
	t.Secret = mail.Revoked(t.Secret)
	if err := n.Store.ChangeTarget(ctx, t); err != nil {
		return err
	}
	return n.Store.Suspend(ctx, t.ID, "whoever reads mail there has stopped these mails: "+
		"a test asks that address to confirm them again")
}

// named returns the target that a signed link is for.
func (n *Notifications) named(ctx context.Context, token string, p mail.Purpose) (t tidings.Target, err error) {
	account, id, ok := mail.Named(token)
	if !ok {
		return t, tidings.ErrNotFound
	}
	t, err = n.Store.Target(ctx, account, id)
	if err != nil {
		return t, err
	}
	if !mail.Proves(token, p, t) {
		return t, tidings.ErrNotFound
	}
	return t, nil
}

// shown returns a target as its owner may see it: whether it waits for confirmation, and no key of a mail address. With
// that key the owner could confirm another person's address.
func shown(t tidings.Target) tidings.Target {
	if t.Kind == tidings.Mail {
		t.Standing.Unconfirmed = !mail.Confirmed(t.Secret)
		t.Secret = ""
	}
	return t
}
