package xmpp

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/outbox"
	"tidings/delivery/xmpp/stream"
)

// A person subscribes, looks, changes when messages come, and leaves, all by chat.
func TestAConversation(t *testing.T) {
	s := play(t)
	for _, turn := range [][2]string{
		{"help", "subscribe URL"},
		{"list", "no subscriptions yet"},
		{"subscribe <example.org/feed>", "You follow https://example.org/feed now"},
		{"subscribe example.org/b", "You follow https://example.org/b now"},
		{"subscribe example.org/private", "That is not public."},
		{"list", "2. News *of* https://example.org/b\n    https://example.org/b"},
		{"latest 1", "t\nhttps://example.org/feed\ntt"},
		{"unsubscribe 3", "Your list has no channel 3."},
		{"unsubscribe example.org/other", "You do not follow that"},
		{"unsubscribe 1", "You do not follow https://example.org/feed any more"},
		{"zone Europe/Berlin", "comes at once"},
		{"digest daily", "once a day, at 08:00 (Europe/Berlin)"},
		{"quiet 22:00-7:00", "quiet from 22:00 to 07:00 (Europe/Berlin)"},
		{"pause", "until you write resume"},
		{"pause 8h", "Nothing comes until"},
		{"resume", "What is new comes once a day"},
		{"digest off", "It is quiet from"},
		{"quiet off", "comes at once"},
		{"nonsense", "no command"},
		{"forget me", "nothing is kept"},
		{"list", "no subscriptions yet"},
	} {
		if got := s.ask(turn[0]); !strings.Contains(got, turn[1]) {
			t.Errorf("%s: %q, want %q", turn[0], got, turn[1])
		}
		s.rest()
	}
	if len(s.directory.accounts) != 0 {
		t.Error("something is kept")
	}
	if s.directory.resumed == 0 {
		t.Error("an address that writes is not resumed")
	}
}

// Nothing is answered that might come from a program, or from nobody.
func TestWhatIsNotAnswered(t *testing.T) {
	s := play(t)
	message := func(attributes ...string) *stream.Element {
		return stream.New("", "message", append([]string{"from", alice, "to", botAddress}, attributes...)...).With(
			stream.New("", "body").Says("help"))
	}
	for name, e := range map[string]*stream.Element{
		"an error":   message("type", "error"),
		"a room":     message("type", "groupchat"),
		"a headline": message("type", "headline"),
		"no text":    stream.New("", "message", "type", "chat", "from", alice, "to", botAddress),
		"a carbon":   message().With(stream.New(nsCarbons, "received")),
		"itself":     message("from", botAddress+"/x"),
		"its domain": message("from", "news.example"),
		"a server":   message("from", "example.org"),
		"nobody": stream.New("", "message", "type", "chat", "to",
			botAddress).With(stream.New("", "body").Says("help")),
		"no address":      message("from", "@@"),
		"a result":        stream.New("", "iq", "type", "result", "id", "1", "from", alice, "to", botAddress),
		"an IQ error":     stream.New("", "iq", "type", "error", "id", "1", "from", alice, "to", botAddress),
		"other presence":  stream.New("", "presence", "from", alice, "to", botAddress),
		"presence errors": stream.New("", "presence", "type", "error", "from", alice, "to", botAddress),
		"somebody else":   stream.New("", "presence", "type", "probe", "from", alice, "to", "other@news.example"),
		"unknown":         stream.New("", "x", "from", alice, "to", botAddress),
	} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			s.rest()
			s.handle(e)
			s.silent()
		})
	}
}

// A program that answers every answer gets no more replies after maxConfusions.
func TestConversationsOfPrograms(t *testing.T) {
	s := play(t)
	for range maxConfusions {
		s.ask("I am a bot, too")
		s.commands.mu.Lock()
		s.commands.places[bareOf(alice)].limiter = perMinute(1000)
		s.commands.mu.Unlock()
	}
	s.write(alice, "I am a bot, too")
	if got := s.ask("help"); !strings.Contains(got, "subscribe URL") {
		t.Errorf("the next command is answered by %q", got)
	}
}

// A stranger, a domain and all together get a bounded number of answers a minute. What is kept of them is bounded.
func TestHostile58Flood(t *testing.T) {
	s := play(t)
	l := s.c.Limits
	for range 1000 {
		s.write(alice, "help")
	}
	count := 0
	for told := false; !told; count++ {
		told = strings.Contains(s.next().String(), "too much")
	}
	if len(s.sent) > l.Commands {
		t.Errorf("%d answers", len(s.sent))
	}
	s.write("bob@example.org/x", "help")
	for e := s.next(); e.Get("to") != "bob@example.org/x"; e = s.next() { // another of the same domain is answered
	}
	for i := range 3 * maxPlaces {
		s.write(fmt.Sprintf("u%d@flood.example/x", i), "help")
		s.handle(stream.New("", "presence", "type", "subscribe", "from", fmt.Sprintf("u%d@p%d.example", i, i), "to",
			botAddress))
	}
	for _, g := range []*gate{s.commands, s.domains, s.stanzas, s.servers, s.messages} {
		g.mu.Lock()
		if len(g.places) > maxPlaces {
			t.Errorf("%d addresses are kept", len(g.places))
		}
		g.mu.Unlock()
	}
	if all := len(s.sent); all > 2*stanzasPerCommand*l.AllCommands {
		t.Errorf("%d answers", all)
	}
}

// An address follows so many channels, and so many new addresses come in an hour; a refused URL counts as none.
func TestSubscriptionsAreBounded(t *testing.T) {
	s := play(t, func(c *Config) { c.Limits.Subscriptions, c.Limits.NewAddresses = 3, 8; c.Limits.Commands = 1000 })
	for i := range 3 {
		s.ask(fmt.Sprintf("subscribe example.org/%d", i))
	}
	if got := s.ask("subscribe example.org/4"); !strings.Contains(got, "more are not possible") {
		t.Errorf("a fourth channel: %q", got)
	}
	answers := make(map[string]int)
	for i := range 20 {
		s.write(fmt.Sprintf("u%d@example.org", i), "subscribe example.org/private")
		s.next()
	}
	for i := range 20 {
		s.write(fmt.Sprintf("u%d@example.org", i), "subscribe example.org/feed")
		text := s.next().Child("", "body").Text
		answers[text[:10]]++
	}
	if n := len(s.directory.accounts); n < 2 || n > 5 || answers["Too many n"] < 15 {
		t.Errorf("%d addresses, answers %v", n, answers)
	}
}

// Only addresses of domains that are named may subscribe.
func TestDomains(t *testing.T) {
	s := play(t, func(c *Config) { c.Domains = []string{"Example.ORG"} })
	if got := s.ask("help"); !strings.Contains(got, "subscribe") {
		t.Error(got)
	}
	s.write("eve@evil.example", "help")
	s.silent()
	s.handle(stream.New("", "presence", "type", "subscribe", "from", "eve@evil.example", "to", botAddress))
	if e := s.next(); e.Get("type") != "unsubscribed" {
		t.Error(e)
	}
}

// An address that wants to see whether the bot is there sees it, and gets no request to show itself.
func TestPresence(t *testing.T) {
	for _, account := range []bool{false, true} {
		s := play(t, func(c *Config) {
			if account {
				c.Stream.Component, c.Stream.Account = "", "news@example.com"
			}
		})
		to := botAddress
		if account {
			to = "news@example.com"
		}
		s.handle(stream.New("", "presence", "type", "subscribe", "from", alice, "to", to))
		one, two := s.next(), s.next()
		if one.Get("type") != "subscribed" || one.Get("to") != "alice@example.org" || two.Get("type") != "" ||
			two.Get("to") != "alice@example.org" {
			t.Errorf("%s %s", one, two)
		}
		if from := one.Get("from"); account && from != "" || !account && from != to {
			t.Errorf("it comes from %q", from)
		}
		s.handle(stream.New("", "presence", "type", "probe", "from", alice, "to", to))
		if e := s.next(); e.Get("type") != "" {
			t.Error(e)
		}
	}
}

// Every IQ is answered, as its specification has it.
func TestRequests(t *testing.T) {
	s := play(t, func(c *Config) { c.Contact = "mailto:admin@example.org" })
	s.begun = time.Now().Add(-1000 * time.Hour) // 3,600,000 s, and what the test lasts
	for _, c := range []struct{ to, kind, content, want string }{
		{botAddress, "get", nsPing + " ping", "type='result'/>"},
		{botAddress, "get", nsInfo + " query", "category='client' name='Tidings' type='bot'"},
		{botAddress, "get", nsInfo + " query", "admin@example.org"},
		{"news.example", "get", nsInfo + " query", "category='headline'"},
		{"news.example", "get", nsItems + " query", "jid='bot@news.example'"},
		{botAddress, "get", nsItems + " query " + nsCommands, "node='subscribe'"},
		{botAddress, "get", nsInfo + " query " + nsCommands, "command-list"},
		{botAddress, "get", nsInfo + " query subscribe", "command-node"},
		{botAddress, "get", nsInfo + " query nowhere", "service-unavailable"},
		{botAddress, "get", nsVersion + " query", "<version>1</version>"},
		{botAddress, "get", nsLast + " query", "seconds='3600"},
		{botAddress, "get", nsTime + " time", "<tzo>+00:00</tzo>"},
		{botAddress, "get", nsVCard + " vCard", "<FN>Tidings</FN>"},
		{botAddress, "get", "urn:unknown x", "service-unavailable"},
		{botAddress, "set", "urn:unknown x", "service-unavailable"},
		{botAddress, "set", nsRoster + " query", "service-unavailable"},
		{"nobody@news.example", "get", nsPing + " ping", "item-not-found"},
		{botAddress, "get", "", "bad-request"},
	} {
		e := stream.New("", "iq", "type", c.kind, "id", "7", "from", alice, "to", c.to)
		if parts := strings.Fields(c.content); len(parts) > 1 {
			child := stream.New(parts[0], parts[1])
			if len(parts) > 2 {
				child.Attributes = map[string]string{"node": parts[2]}
			}
			e.With(child)
		}
		s.handle(e)
		got := s.next()
		if text := got.String(); !strings.Contains(text, c.want) || got.Get("id") != "7" || got.Get("to") != alice ||
			got.Get("from") != c.to {
			t.Errorf("%s %s to %s: %s, want %s", c.kind, c.content, c.to, text, c.want)
		}
	}
}

// Clients that have ad-hoc commands show forms, and do the same with them.
func TestAdHocCommands(t *testing.T) {
	s := play(t, func(c *Config) { c.Limits.Commands = 1000 })
	execute := func(node, action string, values ...string) *stream.Element {
		command := stream.New(nsCommands, "command", "node", node, "action", action, "sessionid", "s1")
		if len(values) > 0 {
			x := stream.New(nsForm, "x", "type", "submit")
			for i := 0; i+1 < len(values); i += 2 {
				x.With(stream.New(nsForm, "field", "var",
					values[i]).With(stream.New(nsForm, "value").Says(values[i+1])))
			}
			command.With(x)
		}
		s.handle(stream.New("", "iq", "type", "set", "id", "c", "from", alice, "to", botAddress).With(command))
		return s.next()
	}
	for _, c := range []struct {
		node, action string
		values       []string
		want         string
	}{
		{"subscribe", "execute", nil, "var='url'"},
		{"subscribe", "complete", []string{"url", "example.org/feed"}, "You follow https://example.org/feed now"},
		{"subscribe", "complete", []string{"url", "nonsense"}, "no URL"},
		{"subscribe", "complete", []string{"other", "x"}, "one URL"},
		{"list", "execute", nil, "1. News"},
		{"unsubscribe", "execute", nil, "<value>https://example.org/feed</value>"},
		{"latest", "complete", []string{"url", "https://example.org/feed"}, "ttt"},
		{"digest", "complete", []string{"at", "7:30", "zone", "Europe/Berlin"}, "07:30 (Europe/Berlin)"},
		{"pause", "execute", nil, "<value>8h</value>"},
		{"pause", "complete", []string{"for", "1d"}, "Nothing comes until"},
		{"resume", "execute", nil, "once a day"},
		{"help", "execute", nil, "subscribe URL"},
		{"subscribe", "cancel", nil, "status='canceled'"},
		{"unsubscribe", "complete", []string{"url", "https://example.org/feed"}, "any more"},
		{"unsubscribe", "execute", nil, "You follow nothing"},
		{"nowhere", "execute", nil, "item-not-found"},
	} {
		got := execute(c.node, c.action, c.values...)
		text := got.String()
		if !strings.Contains(text, c.want) || got.Get("id") != "c" ||
			got.Get("type") == "result" && !strings.Contains(text, "sessionid='s1'") {
			t.Errorf("%s %s %v: %s, want %q", c.action, c.node, c.values, text, c.want)
		}
	}
}

// A message is acknowledged to clients that want to know that it was received.
func TestReceipts(t *testing.T) {
	s := play(t)
	s.handle(stream.New("", "message", "type", "chat", "from", alice, "to", botAddress, "id", "m1").
		With(stream.New("", "body").Says("help"), stream.New(nsReceipts, "request")))
	found := false
	for range 2 {
		if r := s.next().Child(nsReceipts, "received"); r != nil && r.Get("id") == "m1" {
			found = true
		}
	}
	if !found {
		t.Error("there is no receipt")
	}
}

// What is refused says so to the outbox, with what it means for the address.
func TestRefusals(t *testing.T) {
	target := tidings.Target{Kind: tidings.XMPP, URL: "xmpp:alice@example.org"}
	for _, c := range []struct {
		condition, kind string
		waited          time.Duration
		attempt         int
		gone, final     bool
	}{
		{"gone", "cancel", 0, 1, true, false},
		{"item-not-found", "cancel", 0, 1, true, false},
		{"forbidden", "auth", 0, 1, true, false},
		{"service-unavailable", "cancel", time.Hour, 50, false, false},
		{"service-unavailable", "cancel", 25 * time.Hour, 2, false, false},
		{"service-unavailable", "cancel", 25 * time.Hour, 30, true, false},
		{"remote-server-not-found", "cancel", time.Minute, 1, false, false},
		{"resource-constraint", "wait", 90 * time.Hour, 90, false, false},
		{"bad-request", "modify", 0, 1, false, true},
		{"policy-violation", "modify", 0, 1, false, true},
		{"not-acceptable", "cancel", 0, 1, true, false},
		{"undefined-condition", "cancel", 0, 1, false, false},
	} {
		s := play(t)
		s.fakeLink.err = &stream.StanzaError{From: "alice@example.org", Type: c.kind, Condition: c.condition}
		m := outbox.Message{ID: "1", Made: time.Now().Add(-c.waited), Attempt: c.attempt}
		err := s.Bot.Send(t.Context(), target, m)
		r, ok := errors.AsType[*outbox.Refusal](err)
		if !ok || r.Gone != c.gone || r.Final != c.final || !strings.Contains(r.Error(), c.condition) {
			t.Errorf("%s after %v: %+v", c.condition, c.waited, err)
		}
	}
	// An error that comes late holds for the next message.
	s := play(t)
	if err := s.Bot.Send(t.Context(), target, outbox.Message{ID: "1"}); err != nil {
		t.Fatal(err)
	}
	s.handle(stream.New("", "message", "type", "error", "from", "alice@example.org", "to", botAddress, "id", "1").
		With(stream.New("", "error", "type", "cancel").With(stream.New(stream.Stanzas, "gone"))))
	err := s.Bot.Send(t.Context(), target, outbox.Message{ID: "2"})
	if r, ok := errors.AsType[*outbox.Refusal](err); !ok || !r.Gone {
		t.Errorf("after a late error: %v", err)
	}
	if err := s.Bot.Send(t.Context(), target, outbox.Message{ID: "2"}); err != nil {
		t.Errorf("it holds twice: %v", err)
	}
}

// Late errors of strangers fill no memory.
func TestLateErrorsAreBounded(t *testing.T) {
	var b bounces
	now := time.Now()
	for i := range 3 * maxBounces {
		b.note(fmt.Sprint(i, "@example.org"), &stream.StanzaError{}, now)
	}
	if len(b.all) > maxBounces {
		t.Errorf("%d are kept", len(b.all))
	}
	b.note("new@example.org", &stream.StanzaError{}, now.Add(2*bounceAge))
	if len(b.all) != 1 || b.remove("new@example.org", now.Add(4*bounceAge)) != nil {
		t.Errorf("%d are kept after two days", len(b.all))
	}
}

func TestTargets(t *testing.T) {
	s := play(t)
	for url, ok := range map[string]bool{
		"xmpp:alice@example.org": true, "xmpp:Alice@EXAMPLE.org": true, "xmpp:alice": false, "alice@example.org": false,
		"xmpp:":                        false,
		"xmpp:alice@example.org/phone": false, "xmpp:alice@example.org?message": false,
		"mailto:alice@example.org": false,
		"xmpp:" + botAddress:       false, "xmpp:a b@example.org": false, "xmpp:<@example.org": false,
	} {
		if err := s.Validate(tidings.Target{Kind: tidings.XMPP, URL: url}); (err == nil) != ok {
			t.Errorf("%s: %v", url, err)
		}
	}
	if err := s.Validate(tidings.Target{Kind: tidings.XMPP, URL: "xmpp:a@example.org", Secret: "x"}); err == nil {
		t.Error("a secret is accepted")
	}
	sample, err := s.Preview(tidings.Target{Kind: tidings.XMPP, URL: "xmpp:a@example.org"},
		outbox.Message{ID: "1", Update: tidings.Update{Title: "T"}})
	if err != nil || sample.Title != "T" || !strings.Contains(sample.Request, "<body>*T*") {
		t.Errorf("%+v, %v", sample, err)
	}
}

// Texts of feeds are shown as they are: bold is the title alone, and only where nothing else would be.
func TestStyles(t *testing.T) {
	for text, want := range map[string]bool{
		"plain": false, "2 * 3 * 4": false, "a*b*c": false, "snake_case_name": false, "https://e.org/_a_": false,
		"x > y":  false,
		"*bold*": true, "see *bold* there": true, "_i_": true, "~s~": true, "`code`": true, "*_both_*": true,
		"> quoted": true, "a\n> quoted": true, "a\n```\ncode": true, "* item": false, "*": false, "* *x*": true,
	} {
		if got := styled(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
	for _, c := range []struct{ title, text, want string }{
		{"Title", "text", "*Title*\ntext\nhttps://e.org/"},
		{"Ti*tle", "text", "Ti*tle\ntext\nhttps://e.org/ unstyled"},
		{"Title", "> text", "Title\n> text\nhttps://e.org/ unstyled"},
		{"Title", "", "*Title*\nhttps://e.org/"},
	} {
		parts := worded(Wording{c.title, c.text, "https://e.org/"})
		got := parts[0].Text
		if len(parts) > 1 {
			got += " " + parts[1].Local
		}
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	long := worded(Wording{strings.Repeat("ä", 900), strings.Repeat("ö", 5000), "https://e.org/"})[0].Text
	if len(long) > MaxBody || !strings.HasSuffix(long, "\nhttps://e.org/") {
		t.Errorf("%d bytes, ends with %q", len(long), long[len(long)-20:])
	}
}

// A digest is one message, with a link for each part, and says how many have no room.
func TestDigests(t *testing.T) {
	s := play(t)
	target := tidings.Target{Kind: tidings.XMPP, URL: "xmpp:alice@example.org"}
	for _, n := range []int{1, 3, tidings.MaxDigest} {
		m := outbox.Message{ID: "1"}
		for i := range n {
			m.Digest = append(m.Digest,
				tidings.DeliveryPart{Update: tidings.Update{ID: int64(i + 1),
					Title: fmt.Sprintf("Part %d %s", i, strings.Repeat("x", 100))}})
		}
		if err := s.Bot.Send(t.Context(), target, m); err != nil {
			t.Fatal(err)
		}
		body := s.next().Child("", "body").Text
		listed := strings.Count(body, "• Part")
		more := 0
		if at := strings.LastIndex(body, "\nand "); at >= 0 {
			fmt.Sscanf(body[at:], "\nand %d more", &more)
		}
		if len(body) > MaxBody || listed+more != n || strings.Count(body, "https://example.org/1") != listed ||
			!strings.HasPrefix(body, fmt.Sprintf("*%d update", n)) {
			t.Errorf("%d parts: %d listed, %d more, %d bytes: %.300s", n, listed, more, len(body), body)
		}
	}
}
