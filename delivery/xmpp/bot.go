package xmpp

import (
	"context"
	"crypto/rand"
	"errors"
	"hash/fnv"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"tidings"
	"tidings/delivery/xmpp/stream"
)

// Namespaces of messages.
const (
	nsReceipts = "urn:xmpp:receipts"
	nsIDs      = "urn:xmpp:sid:0"
	nsCarbons  = "urn:xmpp:carbons:2"
	nsForward  = "urn:xmpp:forward:0"
)

// botName is the local part of a component's bot.
const botName = "bot"

// Bot answers people and sends to them. Its methods may be called by many goroutines at once.
type Bot struct {
	c      Config
	client link
	self   string // bare address that people write to
	domain string // of a component; "": the bot is an account
	queues [workers]chan request
	desk   *desk
	begun  time.Time
	crew   *crew // nodes that share the account; nil: there are no others

	// What is answered: an address that does too much is held back first, so that it uses up nothing of what others
	// have.
	commands *gate // by address
	domains  *gate // commands, by domain and in all
	stanzas  *gate // of all kinds, by address
	servers  *gate // the same, by domain and in all

	messages  *gate // that are sent, by address
	sending   *rate.Limiter
	lastWords bounces
}

// link is what the bot needs of its stream, a *stream.Client.
type link interface {
	Run(ctx context.Context)
	Problem() error
	Write(stanza *stream.Element) error
	Send(ctx context.Context, message *stream.Element) error
	SendNow(ctx context.Context, message *stream.Element) error
}

// request is a message that waits for its answer.
type request struct {
	from string // full address
	bare string
	to   string
	text string

	iq   *stream.Element // of a client's command; nil: a message
	form *form
}

// Open returns a bot that does nothing until Run. The error says what is wrong with c.
func Open(c Config) (*Bot, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Limits = c.Limits.withDefaults()
	var err error
	if c.Domains, err = domains(c.Domains); err != nil {
		return nil, err
	}
	if c.Shared != nil {
		if c.Stream.Component != "" || !strings.HasPrefix(c.Stream.Resource, nodePrefix) {
			return nil, errors.New("only an account with a resource of its own can be shared")
		}
		c.Stream.Fleeting = true
	}
	b := &Bot{c: c, begun: time.Now()}
	c.Stream.Handle, c.Stream.Up, c.Stream.Down, c.Stream.Logger = b.handle, b.up, b.down, c.Logger
	client, err := stream.Open(c.Stream)
	if err != nil {
		return nil, err
	}
	b.begin(client, client.Address())
	return b, nil
}

// domains returns domains normalized.
func domains(given []string) (all []string, err error) {
	for _, d := range given {
		domain, err := stream.Bare(d)
		if err != nil || strings.Contains(domain, "@") {
			return nil, tidings.Invalidf("%s is no domain of XMPP: write it as example.org", tidings.Quote(d))
		}
		all = append(all, domain)
	}
	return all, nil
}

// begin prepares a bot with a stream of an address.
func (b *Bot) begin(client link, address string) {
	c := b.c
	b.client, b.self = client, address
	if c.Stream.Component != "" {
		b.domain = b.self
		b.self = botName + "@" + b.domain
	}
	if c.Shared != nil {
		b.crew = newCrew(b.self, c.Stream.Resource, client, c)
		b.crew.again = func(r request) { b.enqueue(r) }
	}
	for i := range b.queues {
		b.queues[i] = make(chan request, maxWaiting)
	}
	l := c.Limits
	b.desk = &desk{directory: c.Directory, limits: l, newcomers: newGate(max(l.NewAddresses/2, 1), time.Hour,
		l.NewAddresses/4, rate.NewLimiter(rate.Limit(float64(l.NewAddresses)/3600), max(l.NewAddresses/2, 1)))}
	free := rate.NewLimiter(rate.Inf, 1)
	b.commands = newGate(l.Commands, time.Minute, l.Commands/2, free)
	b.domains = newGate(l.DomainCommands, time.Minute, l.DomainCommands/2, perMinute(l.AllCommands))
	b.stanzas = newGate(stanzasPerCommand*l.Commands, time.Minute, stanzasPerCommand*l.Commands/2, free)
	b.servers = newGate(stanzasPerCommand*l.DomainCommands, time.Minute, stanzasPerCommand*l.DomainCommands/2,
		perMinute(stanzasPerCommand*l.AllCommands))
	b.messages = newGate(l.Messages, time.Minute, l.Messages/2, free)
	b.sending = rate.NewLimiter(rate.Limit(l.MessagesPerSecond), 2*l.MessagesPerSecond)
}

// Address is the address that people write to.
func (b *Bot) Address() string { return b.self }

// Problem returns why the bot cannot be reached; nil if it can.
func (b *Bot) Problem() error {
	if err := b.client.Problem(); err != nil || b.crew == nil {
		return err
	}
	return b.crew.trouble()
}

// Run answers until ctx is done. What is being sent then fails.
func (b *Bot) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, queue := range b.queues {
		all.Go(func() { b.work(ctx, queue) })
	}
	b.client.Run(ctx)
	all.Wait()
}

// up says that the bot is there. The server of an account then passes on what came meanwhile.
func (b *Bot) up() {
	if b.crew != nil {
		b.crew.up()
	} else if b.domain == "" {
		b.write(stream.New("", "presence").With(stream.New("", "priority").Says("1")))
	}
}

// down notes that the stream has ended.
func (b *Bot) down() {
	if b.crew != nil {
		b.crew.down()
	}
}

// write sends a stanza that nobody waits for.
func (b *Bot) write(e *stream.Element) {
	if err := b.client.Write(e); err != nil {
		b.c.Logger.Debug("an XMPP stanza was not sent", "error", err)
	}
}

// handle receives a stanza.
func (b *Bot) handle(e *stream.Element) {
	if b.crew != nil {
		if inner, done := b.crew.handle(e); inner != nil {
			e = inner
		} else if done {
			return
		}
	}
	from, err := stream.Bare(e.Get("from"))
	if err != nil && (b.domain != "" || e.Get("from") != "") {
		return
	}
	own := from == b.self || b.domain != "" && from == b.domain
	if e.Local == "iq" && own || from == "" {
		b.ownRequest(e)
		return
	}
	if own || !b.answers(from) {
		return
	}
	switch e.Local {
	case "message":
		b.onMessage(e, from)
	case "presence":
		b.onPresence(e, from)
	case "iq":
		b.onRequest(e, from)
	}
}

// answers reports whether an address still gets answers.
func (b *Bot) answers(from string) bool {
	now := time.Now()
	if ok, _ := b.stanzas.pass(from, now); !ok {
		return false
	}
	ok, _ := b.servers.pass(domainOf(from), now)
	return ok
}

// admits reports whether a command from an address is executed. tell: the address is sent a refusal.
func (b *Bot) admits(from string) (ok, tell bool) {
	now := time.Now()
	if ok, tell := b.commands.pass(from, now); !ok {
		return false, tell
	}
	ok, _ = b.domains.pass(domainOf(from), now)
	return ok, false
}

// allowed reports whether the addresses of a domain may subscribe.
func (b *Bot) allowed(domain string) bool {
	return len(b.c.Domains) == 0 || slices.Contains(b.c.Domains, domain)
}

// meant reports whether a stanza is for the bot, or for the component that it lives at. Others are for addresses that
// do not exist.
func (b *Bot) meant(e *stream.Element) bool {
	to, err := stream.Bare(e.Get("to"))
	return b.domain == "" || err == nil && (to == b.self || to == b.domain)
}

// onMessage receives a message.
func (b *Bot) onMessage(e *stream.Element, from string) {
	switch kind := e.Get("type"); {
	case kind == "error":
		b.lastWords.note(from, stream.ErrorOf(e), time.Now())
		return
	case kind == "groupchat" || kind == "headline" || e.Child(nsCarbons, "") != nil:
		return
	case !b.meant(e):
		b.refuse(e, "cancel", "item-not-found")
		return
	}
	part := e.Child("", "body")
	if part == nil && !e.Large || !strings.Contains(from, "@") || !b.allowed(domainOf(from)) {
		return
	}
	if b.crew != nil && b.crew.twice(e) {
		return
	}
	mine := b.answersTo(from)
	ok, tell := b.admits(from)
	switch {
	case tell && mine:
		b.reply(e.Get("from"), e.Get("to"), "That was too much at once: wait a minute.")
		return
	case !ok:
		return
	}
	r := request{from: e.Get("from"), bare: from, to: e.Get("to")}
	if part != nil {
		r.text = part.Text
	} else {
		r.text = strings.Repeat("x", MaxCommand+1) // it was longer than that
	}
	if !b.enqueue(r) {
		if mine {
			b.refuse(e, "wait", "resource-constraint")
		}
		return
	}
	if mine && e.Child(nsReceipts, "request") != nil && e.Get("id") != "" {
		b.write(stream.New("", "message", "type", "chat", "to", r.from, "from", b.sender(r.to), "id", newID()).
			With(stream.New(nsReceipts, "received", "id", e.Get("id"))))
	}
}

// answersTo reports whether this node answers an address, and not another with the same account.
func (b *Bot) answersTo(bare string) bool { return b.crew == nil || b.crew.answers(bare) }

// enqueue has a command answered, and reports whether there is room for it.
func (b *Bot) enqueue(r request) bool {
	h := fnv.New32a()
	h.Write([]byte(r.bare))
	select {
	case b.queues[h.Sum32()%workers] <- r:
		return true
	default:
		return false
	}
}

// do does what a command asks for, and has the other nodes of the account know.
func (b *Bot) do(ctx context.Context, address string, c command) (string, error) {
	text, err := b.desk.do(ctx, address, c)
	if b.crew != nil && c.verb != help && c.verb != list && c.verb != latest {
		b.crew.note(ctx, address)
	}
	return text, err
}

// work answers the messages of a queue.
func (b *Bot) work(ctx context.Context, queue chan request) {
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-queue:
			ctx, cancel := context.WithTimeout(ctx, commandTimeout)
			b.answer(ctx, r)
			cancel()
		}
	}
}

// answer does what a message asks for, and says so.
func (b *Bot) answer(ctx context.Context, r request) {
	if r.iq != nil {
		b.complete(ctx, r)
		return
	}
	if b.crew != nil && b.crew.leave(r) {
		return
	}
	if b.domain != "" && bareOf(r.to) == b.domain {
		b.send(ctx, r, "Write to "+b.self+": that is where commands are read.")
		return
	}
	c, err := parse(r.text)
	text := ""
	if err == nil {
		text, err = b.do(ctx, r.bare, c)
	}
	misunderstood := b.commands.understood(r.bare, !errors.Is(err, errConfused), time.Now())
	if misunderstood > maxConfusions {
		return // it may be a program that answers every message
	}
	if err != nil {
		text = b.desk.explain(err)
		if !errors.Is(err, tidings.ErrInvalid) && ctx.Err() == nil {
			b.c.Logger.Warn("a command of chat failed", "command", c.verb, "error", err)
		}
	}
	b.send(ctx, r, text)
}

// send sends an answer, and waits until the server has it.
func (b *Bot) send(ctx context.Context, r request, text string) {
	if b.messages.limiter(r.bare, time.Now()).Wait(ctx) != nil || b.sending.Wait(ctx) != nil {
		return
	}
	send := b.client.Send
	if b.crew != nil {
		send = b.client.SendNow // after the end of the stream another node answers
	}
	if err := send(ctx, b.message(r.from, b.sender(r.to), newID(), body(cut(text, MaxBody)))); err != nil {
		b.c.Logger.Debug("an answer by chat was not sent", "error", err)
	}
}

// reply sends a short answer that nobody waits for.
func (b *Bot) reply(to, from, text string) {
	b.write(b.message(to, b.sender(from), newID(), body(text)))
}

// message returns a message of type chat. Servers keep such messages for people that are away.
func (b *Bot) message(to, from, id string, parts []*stream.Element) *stream.Element {
	return stream.New("", "message", "type", "chat", "to", to, "from", from, "id", id).With(parts...).
		With(stream.New(nsIDs, "origin-id", "id", id))
}

// sender is the address of an answer to what was sent to another; "": the server writes it.
func (b *Bot) sender(to string) string {
	switch {
	case b.domain == "":
		return ""
	case bareOf(to) == b.domain:
		return b.domain
	}
	return b.self
}

func bareOf(address string) string {
	bare, _, _ := strings.Cut(address, "/")
	return bare
}

func newID() string { return rand.Text() }

// onPresence answers addresses that want to see whether the bot is there (RFC 6121, section 3).
func (b *Bot) onPresence(e *stream.Element, from string) {
	if !b.meant(e) {
		return
	}
	sender := b.sender(e.Get("to"))
	switch e.Get("type") {
	case "subscribe":
		if !b.allowed(domainOf(from)) {
			b.write(stream.New("", "presence", "type", "unsubscribed", "to", from, "from", sender))
			return
		}
		b.write(stream.New("", "presence", "type", "subscribed", "to", from, "from", sender))
		b.write(b.presence(from, sender))
	case "probe":
		b.write(b.presence(from, sender))
	case "unsubscribe":
		b.write(stream.New("", "presence", "type", "unsubscribed", "to", from, "from", sender))
	}
}

func (b *Bot) presence(to, from string) *stream.Element {
	return stream.New("", "presence", "to", to, "from", from).
		With(stream.New("", "status").Says("Write help for what you can subscribe to here"))
}

// refuse answers a stanza with an error.
func (b *Bot) refuse(e *stream.Element, kind, condition string) {
	if t := e.Get("type"); t == "error" || t == "result" || e.Local == "presence" {
		return
	}
	answer := stream.New("", e.Local, "type", "error", "to", e.Get("from"), "from", e.Get("to"), "id", e.Get("id")).
		With(stream.New("", "error", "type", kind).With(stream.New(stream.Stanzas, condition)))
	if b.domain == "" {
		delete(answer.Attributes, "from")
	}
	b.write(answer)
}
