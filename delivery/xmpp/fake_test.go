package xmpp

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/outbox"
	"tidings/delivery/xmpp/stream"
)

// fakeDirectory keeps subscribers in memory.
type fakeDirectory struct {
	mu       sync.Mutex
	accounts map[string]*fakeAccount
	resumed  int
}

type fakeAccount struct {
	id       tidings.AccountID
	channels []tidings.Subscription
	schedule tidings.Schedule
}

func (d *fakeDirectory) at(account tidings.AccountID) *fakeAccount {
	for _, a := range d.accounts {
		if a.id == account {
			return a
		}
	}
	return &fakeAccount{}
}

func (d *fakeDirectory) Find(_ context.Context, address string) (tidings.AccountID, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a := d.accounts[address]; a != nil {
		return a.id, nil
	}
	return 0, tidings.ErrNotFound
}

func (d *fakeDirectory) Subscribe(_ context.Context, address, url string, most int) (tidings.Subscription, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if strings.Contains(url, "private") {
		return tidings.Subscription{}, tidings.Invalidf("that is not public")
	}
	if d.accounts == nil {
		d.accounts = make(map[string]*fakeAccount)
	}
	a := d.accounts[address]
	if a == nil {
		a = &fakeAccount{id: tidings.AccountID(len(d.accounts) + 2)}
		d.accounts[address] = a
	}
	if len(a.channels) >= most {
		return tidings.Subscription{}, tidings.Invalidf("you follow %d channels, and more are not possible", most)
	}
	s := tidings.Subscription{Channel: tidings.Channel{URL: url, Title: "News *of* " + url}}
	a.channels = append(a.channels, s)
	return s, nil
}

func (d *fakeDirectory) Unsubscribe(_ context.Context, account tidings.AccountID, url string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.at(account)
	i := slices.IndexFunc(a.channels, func(s tidings.Subscription) bool { return s.URL == url })
	if i < 0 {
		return tidings.ErrNotFollowed
	}
	a.channels = slices.Delete(a.channels, i, i+1)
	return nil
}

func (d *fakeDirectory) Channels(_ context.Context, account tidings.AccountID) ([]tidings.Subscription, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.at(account).channels), nil
}

func (d *fakeDirectory) Latest(_ context.Context, account tidings.AccountID, url string,
	most int) (all []tidings.Entry, err error) {
	for i := range most {
		all = append(all, tidings.Entry{Content: tidings.Item{Title: strings.Repeat("t", i+1), URL: url}})
	}
	return all, nil
}

func (d *fakeDirectory) Schedule(_ context.Context, account tidings.AccountID) (tidings.Schedule, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.at(account).schedule, nil
}

func (d *fakeDirectory) Reschedule(_ context.Context, account tidings.AccountID, s tidings.Schedule) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at(account).schedule = s
	return s.Validate()
}

func (d *fakeDirectory) Resume(context.Context, tidings.AccountID) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.resumed++
	return nil
}

func (d *fakeDirectory) Forget(_ context.Context, account tidings.AccountID) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for address, a := range d.accounts {
		if a.id == account {
			delete(d.accounts, address)
		}
	}
	return nil
}

// fakeLink notes what is sent.
type fakeLink struct {
	sent chan *stream.Element
	mu   sync.Mutex
	err  error // of Send
}

func (l *fakeLink) Run(ctx context.Context) { <-ctx.Done() }
func (l *fakeLink) Problem() error          { return nil }

func (l *fakeLink) Write(e *stream.Element) error {
	l.sent <- e
	return nil
}

func (l *fakeLink) Send(_ context.Context, e *stream.Element) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent <- e
	return l.err
}

func (l *fakeLink) SendNow(ctx context.Context, e *stream.Element) error { return l.Send(ctx, e) }

// scene is a bot with a stream that a test plays.
type scene struct {
	*Bot
	*fakeLink
	t         testing.TB
	directory *fakeDirectory
}

const (
	botAddress = "bot@news.example"
	alice      = "alice@example.org/phone"
)

func play(t testing.TB, change ...func(*Config)) *scene {
	t.Helper()
	d := &fakeDirectory{}
	c := Config{Directory: d, Version: "1", Limits: DefaultLimits().withDefaults(),
		Word: func(t tidings.Target, m outbox.Message) Wording {
			return Wording{Title: m.Update.Title, Text: "text", Link: "https://example.org/1"}
		}}
	c.Stream.Component = "news.example"
	for _, f := range change {
		f(&c)
	}
	s := &scene{fakeLink: &fakeLink{sent: make(chan *stream.Element, 100_000)}, t: t, directory: d}
	b, err := Open(func() Config { c := c; c.Stream.Server, c.Stream.Secret = "127.0.0.1:1", "x"; return c }())
	if err != nil {
		t.Fatal(err)
	}
	address := "news.example"
	if c.Stream.Account != "" {
		address = c.Stream.Account
	}
	b.begin(s.fakeLink, address)
	if b.crew != nil {
		b.crew.settle = 0
	}
	s.Bot = b
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { b.Run(ctx); close(ended) }()
	t.Cleanup(func() { cancel(); <-ended })
	return s
}

// Problem and Write are those of the link.
func (s *scene) Problem() error { return nil }

// next is the next stanza that the bot sends.
func (s *scene) next() *stream.Element {
	s.t.Helper()
	select {
	case e := <-s.sent:
		return e
	case <-time.After(10 * time.Minute): // only what never comes exceeds it, on any machine
		s.t.Fatal("the bot sends nothing")
		return nil
	}
}

// silent checks that nothing else is sent. Each worker answers one more message, after all that it had before.
func (s *scene) silent() {
	s.t.Helper()
	const last = "last@silent.example"
	for _, queue := range s.queues {
		queue <- request{from: last, bare: last, to: botAddress, text: "help"}
	}
	for range s.queues {
		if e := s.next(); e.Get("to") != last {
			s.t.Errorf("the bot sends %s", e)
		}
	}
}

func (s *scene) write(from, text string) {
	s.handle(stream.New("", "message", "type", "chat", "from", from, "to", botAddress, "id",
		"1").With(stream.New("", "body").Says(text)))
}

// ask writes a message and returns the answer.
func (s *scene) ask(text string) string {
	s.t.Helper()
	s.write(alice, text)
	e := s.next()
	if e.Get("to") != alice || e.Get("from") != botAddress || e.Get("type") != "chat" {
		s.t.Errorf("the answer is %s", e)
	}
	return e.Child("", "body").Text
}

// rest lets a while go by in which nobody writes.
func (s *scene) rest() {
	for _, g := range []*gate{s.commands, s.domains, s.stanzas, s.servers, s.messages} {
		g.mu.Lock()
		clear(g.places)
		g.mu.Unlock()
	}
}
