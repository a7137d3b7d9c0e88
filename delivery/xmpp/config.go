package xmpp

import (
	"context"
	"log/slog"
	"time"

	"tidings"
	"tidings/delivery/outbox"
	"tidings/delivery/xmpp/stream"
)

// Directory is what the bot needs of the node. An address is bare and normalized, without a scheme.
type Directory interface {
	// Find returns the account of an address; tidings.ErrNotFound if it has none.
	Find(ctx context.Context, address string) (tidings.AccountID, error)

	// Subscribe has an address follow a public channel, and makes its account if there is none. It returns at once:
	// where the URL leads is found out later. It fails beyond most channels. The error is a tidings.ErrInvalid if the
	// URL cannot be followed by strangers, and says why.
	Subscribe(ctx context.Context, address, url string, most int) (tidings.Subscription, error)

	// Unsubscribe ends that; tidings.ErrNotFollowed if the account does not follow the URL.
	Unsubscribe(ctx context.Context, account tidings.AccountID, url string) error

	// Channels lists what an account follows, always in the same order.
	Channels(ctx context.Context, account tidings.AccountID) ([]tidings.Subscription, error)

	// Latest returns the latest entries of a channel that an account follows, the newest first;
	// tidings.ErrNotFollowed if it does not.
	Latest(ctx context.Context, account tidings.AccountID, url string, most int) ([]tidings.Entry, error)

	// Schedule returns when messages are sent to an account's address.
	Schedule(ctx context.Context, account tidings.AccountID) (tidings.Schedule, error)

	// Reschedule changes that.
	Reschedule(ctx context.Context, account tidings.AccountID, s tidings.Schedule) error

	// Resume sends messages again to an address that refused one.
	Resume(ctx context.Context, account tidings.AccountID) error

	// Forget removes the account with all that it follows.
	Forget(ctx context.Context, account tidings.AccountID) error
}

// Wording is a message as people read it.
type Wording struct {
	Title string // one line, never empty
	Text  string // lines
	Link  string // http or https; "": there is none
}

// Config says what the bot is.
type Config struct {
	Stream stream.Config // its Handle and Up are the bot's

	Directory Directory
	Word      func(t tidings.Target, m outbox.Message) Wording // words a message that is no digest
	Version   string                                           // of the program
	// URL by which the node's operator can be reached; "": none
	Contact string
	Logger  *slog.Logger

	// Shared is set if other nodes are signed in to the same account, which then has one bot of several nodes. The
	// stream is that of an account, with a resource of ResourceOf that no other node has. nil: the bot is alone.
	Shared Shared

	// Domains are the domains that may subscribe; empty: all.
	Domains []string

	Limits Limits // zero fields: those of DefaultLimits
}

// Limits bound what strangers can do.
type Limits struct {
	Subscriptions     int // of an address
	Commands          int // a minute by address, half of them at once
	DomainCommands    int // a minute by all addresses of a domain
	AllCommands       int // a minute by all addresses
	NewAddresses      int // an hour
	Messages          int // a minute that are sent to an address, notifications and answers
	MessagesPerSecond int // that are sent in all
}

// DefaultLimits suit a public bot on a small server.
func DefaultLimits() Limits {
	return Limits{
		Subscriptions: 100, Commands: 20, DomainCommands: 300, AllCommands: 600, NewAddresses: 120, Messages: 60,
		MessagesPerSecond: 50,
	}
}

func (l Limits) withDefaults() Limits {
	usual := DefaultLimits()
	for value, of := range map[*int]int{
		&l.Subscriptions: usual.Subscriptions, &l.Commands: usual.Commands, &l.DomainCommands: usual.DomainCommands,
		&l.AllCommands:  usual.AllCommands,
		&l.NewAddresses: usual.NewAddresses, &l.Messages: usual.Messages, &l.MessagesPerSecond: usual.MessagesPerSecond,
	} {
		if *value == 0 {
			*value = of
		}
	}
	return l
}

// Bounds that no setting changes.
const (
	MaxCommand        = 3000             // bytes of a message that is read as a command
	MaxBody           = 4096             // bytes of a message that is sent
	MaxLatest         = 10               // entries that latest shows
	commandTimeout    = 30 * time.Second // for a command, with its answer
	workers           = 8
	maxWaiting        = 32 // commands that wait for a worker
	stanzasPerCommand = 10 // how many more stanzas of any kind are answered than commands
	maxConfusions     = 4  // messages in a row that an address gets an answer to though they are no command
)

// nodePrefix is what the resources of nodes begin with.
const nodePrefix = stream.DefaultResource + "-"

// ResourceOf is the resource of a node that shares its account, by a name that is the node's own.
func ResourceOf(name string) string { return nodePrefix + name[:min(len(name), 16)] }
