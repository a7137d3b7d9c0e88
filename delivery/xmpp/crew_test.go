package xmpp

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/outbox"
	"tidings/delivery/xmpp/share"
	"tidings/delivery/xmpp/stream"
)

const (
	sharedAccount = "news@example.com"
	otherNode     = sharedAccount + "/tidings-other"
)

// crewScene is a bot of a node that shares its account. The test plays the server and the other nodes.
type crewScene struct {
	*scene
	shared *fakeShared
}

// gather returns the scene once the node has joined others.
func gather(t *testing.T, others ...string) *crewScene {
	t.Helper()
	shared := &fakeShared{}
	s := &crewScene{play(t, func(c *Config) {
		c.Stream.Component, c.Stream.Account, c.Stream.Resource, c.Shared = "", sharedAccount, ResourceOf("me"), shared
	}), shared}
	s.up()
	s.answer(s.next(), "", nil) // carbons
	if e := s.next(); e.Local != "presence" {
		t.Fatalf("not present: %s", e)
	}
	for _, other := range others {
		s.appear(other)
	}
	s.answer(s.next(), "example.com", nil) // ping
	for range others {
		s.answer(s.next(), "", seenElement(nil, 0))
	}
	for range others {
		s.answer(s.next(), "", stream.New(nsAccount, "followings"))
	}
	s.until(func() bool { return s.crew.state.Joined() })
	return s
}

// until waits until something is so.
func (s *crewScene) until(is func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); ; time.Sleep(time.Millisecond) {
		s.crew.mu.Lock()
		done := is()
		s.crew.mu.Unlock()
		if done {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatal("it does not come about")
		}
	}
}

// answer answers an IQ that the bot has sent.
func (s *crewScene) answer(iq *stream.Element, from string, content *stream.Element) {
	s.t.Helper()
	if iq.Local != "iq" {
		s.t.Fatalf("no request: %s", iq)
	}
	if from == "" {
		from = iq.Get("to")
	}
	s.handle(stream.New("", "iq", "type", "result", "id", iq.Get("id"), "from", from, "to", sharedAccount+"/"+
		ResourceOf("me")).With(content))
}

func (s *crewScene) appear(other string) { s.handle(stream.New("", "presence", "from", other)) }
func (s *crewScene) leaves(other string) {
	s.handle(stream.New("", "presence", "type", "unavailable", "from", other))
}

// address returns a bare address that has this node as its primary, or another one.
func (s *crewScene) address(mine bool) string {
	s.crew.mu.Lock()
	defer s.crew.mu.Unlock()
	for i := 0; ; i++ {
		a := fmt.Sprintf("u%d@example.org", i)
		if (s.crew.state.Primary(a) == s.crew.resource) == mine {
			return a
		}
	}
}

func carbon(from, direction string, inner *stream.Element) *stream.Element {
	return stream.New("", "message", "from", from, "to", sharedAccount+"/"+ResourceOf("me")).With(
		stream.New(nsCarbons, direction).With(stream.New(nsForward, "forwarded").With(inner)))
}

// chatTo is a message of another node to an address, with parts.
func chatTo(address string, parts ...string) *stream.Element {
	m := stream.New("", "message", "type", "chat", "from", otherNode, "to", address, "id",
		"x").With(stream.New("", "body").Says("text"))
	if parts != nil {
		m.With(partsElement(parts))
	}
	return m
}

func target(address string) tidings.Target {
	return tidings.Target{ID: 7, Kind: tidings.XMPP, URL: URLOf(address)}
}

// item is a message about an item that entered the outbox that long ago.
func item(name string, ago time.Duration) outbox.Message {
	u := tidings.Update{Channel: "https://example.org/feed",
		Items: []tidings.Item{{ID: name, Title: name, Change: tidings.New}}}
	return outbox.Message{ID: "1-1", Update: u, Item: &u.Items[0], Made: time.Now().Add(-ago), Attempt: 1}
}

// The primary of an address sends at once, with the names of the parts. What it has sent, or another has, is not sent
// again.
func TestThePrimarySends(t *testing.T) {
	s := gather(t, otherNode)
	to := s.address(true)
	m := item("a", 0)
	if err := s.Bot.Send(t.Context(), target(to), m); err != nil {
		t.Fatal(err)
	}
	e := s.next()
	if p := e.Child(nsAccount, "parts"); e.Get("to") != to || p == nil || p.Text != partsOf(m)[0] {
		t.Errorf("sent %s", e)
	}
	id := e.Get("id")
	s.handle(carbon(sharedAccount, "sent", chatTo(to, partsOf(item("b", 0))...)))
	if err := s.Bot.Send(t.Context(), target(to), item("b", 0)); err != nil {
		t.Errorf("what another has sent: %v", err)
	}
	s.quiet()
	// The same comes again later: it is another part, at all nodes.
	if err := s.Bot.Send(t.Context(), target(to), m); err != nil {
		t.Fatal(err)
	}
	if e := s.next(); e.Child(nsAccount, "parts").Text != partsOf(m)[0]+".1" || e.Get("id") == id {
		t.Errorf("the second time: %s", e)
	}
}

// Another node than the primary waits. It is done when the primary has sent, and sends when the primary is gone.
func TestAnotherNodeWaits(t *testing.T) {
	s := gather(t, otherNode)
	to := s.address(false)
	hold := func(name string) chan struct{} {
		t.Helper()
		err := s.Bot.Send(t.Context(), target(to), item(name, 0))
		held, ok := errors.AsType[*outbox.Held](err)
		if !ok || held.After <= 0 || held.After > lead {
			t.Fatalf("%v", err)
		}
		again := make(chan struct{})
		held.Watch(func() { close(again) })
		return again
	}
	again := hold("a")
	s.quiet()
	s.handle(carbon(sharedAccount, "sent", chatTo(to, partsOf(item("a", 0))...)))
	<-again
	if err := s.Bot.Send(t.Context(), target(to), item("a", 0)); err != nil {
		t.Error(err)
	}
	s.quiet()

	again = hold("b")
	s.leaves(otherNode)
	<-again
	if err := s.Bot.Send(t.Context(), target(to), item("b", 0)); err != nil {
		t.Error(err)
	}
	if e := s.next(); e.Get("to") != to {
		t.Errorf("sent %s", e)
	}
}

// A node that has waited asks the primary: it sends what it is granted, and no other part.
func TestAnotherNodeAsks(t *testing.T) {
	for state, want := range map[string]string{stateYours: "sends", stateSent: "is done", stateWait: "waits",
		"nonsense": "waits"} {
		s := gather(t, otherNode)
		to := s.address(false)
		m := item("a", lead)
		ended := make(chan error, 1)
		go func() { ended <- s.Bot.Send(t.Context(), target(to), m) }()
		ask := s.next()
		if c := ask.Child(nsAccount, "claim"); ask.Get("to") != otherNode || c == nil || c.Get("address") != to ||
			c.Text != partsOf(m)[0] {
			t.Fatalf("asks %s", ask)
		}
		s.answer(ask, "", claimElement(to, state, partsOf(m)))
		err := <-ended
		held, _ := errors.AsType[*outbox.Held](err)
		switch {
		case want == "waits" && held == nil, want != "waits" && err != nil:
			t.Errorf("%s: %v", state, err)
		case want == "sends" && s.next().Get("to") != to:
			t.Errorf("%s: it does not send", state)
		}
		s.quiet()
	}
}

// A node joins and requests the list of sent messages, while a grant is under way. The answer waits for the granted
// message.
func TestJoiningWaitsForGrantsUnderWay(t *testing.T) {
	s := gather(t, otherNode)
	to := s.address(false)
	m := item("a", lead)
	ended := make(chan error, 1)
	go func() { ended <- s.Bot.Send(t.Context(), target(to), m) }()
	ask := s.next()
	s.handle(stream.New("", "iq", "type", "get", "id", "1", "from", otherNode, "to",
		sharedAccount+"/me").With(stream.New(nsAccount, "seen", "after", "0")))
	s.quiet()
	s.answer(ask, "", claimElement(to, stateYours, partsOf(m)))
	if e := s.next(); e.Get("to") != to {
		t.Fatalf("before the message comes %s", e)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	e := s.next()
	if keys, _ := readSeen(e.Child(nsAccount, "seen")); len(keys) != 1 || keys[0] != share.KeyOf(to, partsOf(m)[0]) {
		t.Errorf("answered %s", e)
	}
}

// What is granted is void if the nodes change before it is sent.
func TestGrantsOfAnotherCrew(t *testing.T) {
	s := gather(t, otherNode)
	to := s.address(false)
	m := item("a", lead)
	ended := make(chan error, 1)
	go func() { ended <- s.Bot.Send(t.Context(), target(to), m) }()
	ask := s.next()
	s.appear(sharedAccount + "/tidings-third")
	s.answer(ask, "", claimElement(to, stateYours, partsOf(m)))
	if _, ok := errors.AsType[*outbox.Held](<-ended); !ok {
		t.Error("it is not held")
	}
	s.quiet()
}

// A primary grants a part to one node at a time, and says when it is sent.
func TestGrants(t *testing.T) {
	const third = sharedAccount + "/tidings-third"
	s := gather(t, otherNode, third)
	to := s.address(true)
	ask := func(from, address string, parts ...string) string {
		t.Helper()
		s.handle(stream.New("", "iq", "type", "get", "id", "1", "from", from, "to",
			sharedAccount+"/me").With(claimElement(address, "", parts)))
		e := s.next()
		c := e.Child(nsAccount, "claim")
		if e.Get("to") != from || c == nil {
			t.Fatalf("answer %s", e)
		}
		return c.Get("state") + " " + c.Text
	}
	for _, turn := range []struct{ from, address, parts, want string }{
		{otherNode, to, "a b", "yours a b"},
		{third, to, "a", "wait "},
		{otherNode, s.address(false), "a", "wait "},
		{otherNode, "u/x", "a", "wait "},
		{otherNode, to, "", "wait "},
		{otherNode, to, strings.Repeat("x", maxPartName+1), "wait "},
		{sharedAccount + "/tidings-absent", to, "c", "wait "},
	} {
		if got := ask(turn.from, turn.address, strings.Fields(turn.parts)...); got != turn.want {
			t.Errorf("%+v: %q", turn, got)
		}
	}
	s.handle(carbon(sharedAccount, "sent", chatTo(to, "a")))
	if got := ask(third, to, "a"); got != "sent " {
		t.Errorf("what is sent: %q", got)
	}
	s.leaves(otherNode)
	to = s.address(true)
	if got := ask(third, to, "a", "b"); got != "yours a b" && got != "yours b" {
		t.Errorf("after the other left: %q", got)
	}
}

// A command is answered by the primary of its sender, once. Another node answers if the primary ends before it has.
func TestCommandsOfACrew(t *testing.T) {
	command := func(from, id string) *stream.Element {
		return stream.New("", "message", "type", "chat", "from", from+"/phone", "to", sharedAccount, "id",
			id).With(stream.New("", "body").Says("help"))
	}
	s := gather(t, otherNode)
	mine, theirs := s.address(true), s.address(false)
	s.handle(command(mine, "1"))
	s.handle(carbon(sharedAccount, "received", command(mine, "1")))
	if e := s.next(); e.Get("to") != mine+"/phone" {
		t.Errorf("answered %s", e)
	}
	s.quiet()
	s.handle(carbon(sharedAccount, "received", command(mine, "2")))
	if e := s.next(); e.Get("to") != mine+"/phone" {
		t.Errorf("a copy is answered %s", e)
	}
	s.handle(command(theirs, "3"))
	s.handle(command(theirs, "4"))
	s.until(func() bool { return len(s.crew.open.all) == 2 })
	s.handle(carbon(sharedAccount, "sent", chatTo(theirs+"/phone")))
	s.leaves(otherNode)
	if e := s.next(); e.Get("to") != theirs+"/phone" {
		t.Errorf("answered %s", e)
	}
	s.quiet()
}

// quiet checks that nothing else is sent, as silent does.
func (s *crewScene) quiet() {
	s.t.Helper()
	last := s.address(true)
	for i := range s.queues {
		s.queues[i] <- request{from: last + "/last", bare: last, to: sharedAccount, text: "help"}
	}
	for range s.queues {
		if e := s.next(); e.Get("to") != last+"/last" {
			s.t.Errorf("the bot sends %s", e)
		}
	}
}

// What an address changes is sent to the other nodes.
func TestChangesAreSent(t *testing.T) {
	s := gather(t, otherNode)
	row := tidings.Following{Address: "a@b", Channel: "https://example.org/", Changed: time.UnixMilli(5)}
	s.shared.noted = []tidings.Following{row}
	s.handle(stream.New("", "message", "type", "chat", "from", s.address(true)+"/x", "to",
		sharedAccount).With(stream.New("", "body").Says("subscribe example.org/feed")))
	e := s.next()
	if f := e.Child(nsAccount, "followings"); e.Get("to") != otherNode || f == nil ||
		fmt.Sprint(readFollowings(f, time.Now())) != fmt.Sprint([]tidings.Following{row}) {
		t.Errorf("sent %s", e)
	}
}

// Nobody but the account itself is believed: not copies of messages from elsewhere (CVE-2017-5589), nor other nodes.
func TestHostile58ForgedCopiesAndNodes(t *testing.T) {
	s := gather(t, otherNode)
	to := s.address(true)
	parts := partsOf(item("a", 0))
	seen := func() bool {
		s.crew.mu.Lock()
		defer s.crew.mu.Unlock()
		return len(s.crew.state.Unsent(keysOf(to, parts))) == 0
	}
	page := followingsElement(
		[]tidings.Following{{Address: "a@b", Channel: "https://example.org/", Changed: time.UnixMilli(5)}})
	for _, from := range []string{"", alice, "alice@example.org", "news@example.com.evil.example", "example.com",
		otherNode, sharedAccount + "/x", sharedAccount + "/", "news@EXAMPLE.com"} {
		s.rest()
		s.handle(carbon(from, "sent", chatTo(to, parts...)))
		if seen() {
			t.Errorf("a copy from %q counts", from)
		}
		s.handle(carbon(from, "received", stream.New("", "message", "type", "chat", "from", to+"/x", "to",
			sharedAccount).With(stream.New("", "body").Says("help"))))
	}
	s.quiet()
	for name, inner := range map[string]*stream.Element{
		"of another":  stream.New("", "message", "from", alice, "to", to).With(partsElement(parts)),
		"to nobody":   stream.New("", "message", "from", otherNode).With(partsElement(parts)),
		"no message":  stream.New("", "presence", "from", otherNode, "to", to).With(partsElement(parts)),
		"other space": stream.New("x", "message", "from", otherNode, "to", to).With(partsElement(parts)),
	} {
		if s.handle(carbon(sharedAccount, "sent", inner)); seen() {
			t.Errorf("a copy %s counts", name)
		}
	}
	for _, from := range []string{alice, sharedAccount, sharedAccount + "/x",
		"news@example.com.evil.example/tidings-other", "example.com"} {
		s.rest()
		s.handle(stream.New("", "presence", "from", strings.TrimSuffix(from, "/tidings-other")+"/tidings-evil"))
		if from == sharedAccount {
			continue // that is a node
		}
		for _, content := range []*stream.Element{claimElement(to, "", parts),
			stream.New(nsAccount, "seen", "after", "0"), stream.New(nsAccount, "followings")} {
			s.handle(stream.New("", "iq", "type", "get", "id", "1", "from", from, "to",
				sharedAccount+"/me").With(content))
		}
		s.handle(stream.New("", "iq", "type", "set", "id", "1", "from", from, "to", sharedAccount+"/me").With(page))
	}
	for len(s.sent) > 0 {
		if e := s.next(); e.Get("type") != "error" && e.Local == "iq" && e.Get("type") != "set" {
			t.Errorf("answered: %s", e)
		}
	}
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	if len(s.shared.merged) > 0 {
		t.Errorf("stored %v", s.shared.merged)
	}
	if others := s.crew.others(); len(others) > 2 {
		t.Errorf("nodes: %v", others)
	}
	s.handle(carbon(sharedAccount, "sent", chatTo(to, parts...)))
	if !seen() {
		t.Error("a true copy does not count")
	}
}

// An answer counts only if it comes from where it was asked.
func TestHostile58ForgedAnswers(t *testing.T) {
	s := gather(t, otherNode)
	to := s.address(false)
	m := item("a", lead)
	ended := make(chan error, 1)
	go func() { ended <- s.Bot.Send(t.Context(), target(to), m) }()
	ask := s.next()
	for _, from := range []string{alice, sharedAccount, "example.com", otherNode + "x", "x" + otherNode} {
		s.answer(ask, from, claimElement(to, stateSent, nil))
	}
	select {
	case err := <-ended:
		t.Fatalf("a forged answer counts: %v", err)
	default:
	}
	s.answer(ask, otherNode, claimElement(to, stateSent, nil))
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Without carbons nothing is sent, and the reason is named. When the stream has ended, nothing is sent before the node
// has joined again.
func TestWithoutCarbons(t *testing.T) {
	shared := &fakeShared{}
	s := &crewScene{play(t, func(c *Config) {
		c.Stream.Component, c.Stream.Account, c.Stream.Resource, c.Shared = "", sharedAccount, ResourceOf("me"), shared
	}), shared}
	s.up()
	iq := s.next()
	s.handle(stream.New("", "iq", "type", "error", "id",
		iq.Get("id")).With(stream.New("", "error", "type",
		"cancel").With(stream.New(stream.Stanzas, "feature-not-implemented"))))
	s.until(func() bool { return s.crew.problem != nil })
	if err := s.Bot.Send(t.Context(), target("a@example.org"), item("a", time.Hour)); !errors.Is(err, errNoCarbons) {
		t.Error(err)
	}
	if err := s.Bot.Problem(); !errors.Is(err, errNoCarbons) {
		t.Error(err)
	}

	s = gather(t)
	s.Bot.down()
	if _, ok := errors.AsType[*outbox.Held](s.Bot.Send(t.Context(), target("a@example.org"),
		item("a", time.Hour))); !ok {
		t.Error("a message is not held after the end of the stream")
	}
}

// What another node knows to be sent is learned in pages before anything is sent.
func TestJoiningLearns(t *testing.T) {
	shared := &fakeShared{}
	s := &crewScene{play(t, func(c *Config) {
		c.Stream.Component, c.Stream.Account, c.Stream.Resource, c.Shared = "", sharedAccount, ResourceOf("me"), shared
	}), shared}
	s.up()
	s.answer(s.next(), "", nil)
	s.next()
	s.appear(otherNode)
	s.answer(s.next(), "example.com", nil)
	keys := []share.Key{share.KeyOf("a", "1"), share.KeyOf("a", "2"), share.KeyOf("a", "3")}
	for i, k := range keys {
		ask := s.next()
		if got := ask.Child(nsAccount, "seen").Get("after"); got != fmt.Sprint(10*i) {
			t.Errorf("page after %s", got)
		}
		if _, ok := errors.AsType[*outbox.Held](s.Bot.Send(t.Context(), target("a@example.org"),
			item("a", time.Hour))); !ok {
			t.Error("sent before it has joined")
		}
		s.answer(ask, "", seenElement([]share.Key{k}, uint64(10*(i+1))))
	}
	s.answer(s.next(), "", seenElement(nil, 0))
	ask := s.next()
	row := tidings.Following{Address: "a@b", Channel: "https://example.org/", Changed: time.UnixMilli(5)}
	page := followingsElement([]tidings.Following{row})
	page.Attributes = cursorOf(row)
	s.answer(ask, "", page)
	ask = s.next()
	if f := ask.Child(nsAccount, "followings"); f.Get("address") != "a@b" || f.Get("channel") != row.Channel {
		t.Errorf("page after %s", f)
	}
	s.answer(ask, "", stream.New(nsAccount, "followings"))
	s.until(func() bool { return s.crew.state.Joined() && len(s.crew.state.Unsent(keys)) == 0 })
	if len(shared.merged) != 1 {
		t.Errorf("stored %v", shared.merged)
	}
}

// A node that never answers counts as gone after a bounded number of requests. One that refuses does not.
func TestDeafNodes(t *testing.T) {
	s := gather(t, otherNode)
	resource := strings.TrimPrefix(otherNode, sharedAccount+"/")
	for range maxStrikes {
		if got := len(s.crew.others()); got != 1 {
			t.Fatalf("%d others", got)
		}
		if _, err := s.crew.askNode(t.Context(), time.Millisecond, "get", resource, claimElement("a@b", "", nil),
			"claim"); err == nil {
			t.Fatal("an answer")
		}
	}
	if got := len(s.crew.others()); got != 0 {
		t.Errorf("%d others", got)
	}
	s.appear(otherNode)
	if got := len(s.crew.others()); got != 1 {
		t.Errorf("%d others after it is present again", got)
	}
}
