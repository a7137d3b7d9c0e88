package notifications

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/delivery/mail"
	"tidings/delivery/mail/mailtest"
	"tidings/delivery/outbox"
	"tidings/delivery/webpush/webpushtest"
	"tidings/store/storetest"
)

func pushSecret(t *testing.T) string {
	t.Helper()
	b, err := webpushtest.New()
	if err != nil {
		t.Fatal(err)
	}
	return b.Secret()
}

// newMailTest returns the notifications of newTest, which send mail to a server that accepts it.
func newMailTest(t *testing.T) (*Notifications, *mailtest.Acceptor) {
	t.Helper()
	n, server := newTest(t), mailtest.Accept(t)
	by, err := mail.New(mail.Config{Server: server.Address, From: "news@tidings.example",
		PublicURL: "https://tidings.example"})
	if err != nil {
		t.Fatal(err)
	}
	n.protocols[tidings.Mail] = by
	return n, server
}

var (
	codeIn  = regexp.MustCompile(`\b[A-Z2-7]{4}-[A-Z2-7]{4}-[A-Z2-7]{4}\b`)
	tokenIn = regexp.MustCompile(`/mail/(confirm|stop)\?t=([A-Za-z0-9_-]+)`)
)

// next returns the next message that a server has accepted, with the code and the token in it.
func next(t *testing.T, server *mailtest.Acceptor) (l mailtest.Letter, code, token string) {
	t.Helper()
	m := <-server.Messages
	l, err := mailtest.Read(m.Content)
	if err != nil {
		t.Fatal(err)
	}
	if link := tokenIn.FindStringSubmatch(l.Text); link != nil {
		token = link[2]
	}
	return l, codeIn.FindString(l.Text), token
}

func nothing(t *testing.T, server *mailtest.Acceptor) {
	t.Helper()
	select {
	case m := <-server.Messages:
		t.Errorf("a message was sent: %s", m.Content)
	default:
	}
}

func mailTarget(name, address string) tidings.Target {
	t := target(tidings.Mail, "mailto:"+address, "")
	t.Name = name
	return t
}

// An address gets a code and nothing else. With the code, and no other, it gets what it selects. Its recipient stops
// that by the link in any mail, and only the recipient can begin it again.
func TestAMailAddressIsConfirmedAndStopped(t *testing.T) {
	n, server := newMailTest(t)
	ctx := t.Context()
	added, err := n.AddTarget(ctx, mailTarget("me", "Ada@Example.org"))
	if err != nil || !added.Standing.Unconfirmed || !added.Standing.Suspended || added.Secret != "" ||
		added.Standing.Problem != mail.Problem() {
		t.Fatalf("%+v, %v", added, err)
	}
	l, code, _ := next(t, server)
	if l.Subject != "Confirm your address" || code == "" || l.Header.Get("To") != "<Ada@example.org>" {
		t.Fatalf("%+v", l)
	}

	// The owner gets nothing there by any other way.
	if _, err := n.Retry(ctx, tidings.Owner, tidings.DeliverySelection{Target: added.ID}); err != nil {
		t.Fatal(err)
	}
	stored, err := n.Store.Target(ctx, tidings.Owner, added.ID)
	if err != nil {
		t.Fatal(err)
	}
	err = n.protocols.Send(ctx, stored, outbox.Message{ID: "x", Update: tidings.Update{ID: 1, Channel: feedURL}})
	if r, ok := errors.AsType[*outbox.Refusal](err); !ok || !r.Gone {
		t.Errorf("a message to it: %v", err)
	}
	if err := n.TestTarget(ctx, tidings.Owner, added.ID); err == nil ||
		!strings.Contains(err.Error(), "less than an hour ago") {
		t.Errorf("a test: %v", err)
	}
	for _, wrong := range []string{"", "ABCD-EFGH-IJKL", code[:13]} {
		if err := n.ConfirmTarget(ctx, tidings.Owner, added.ID, wrong); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	secret := "confirmed.ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	forged := mailTarget("forged", "eve@example.org")
	forged.Secret = secret
	if _, err := n.AddTarget(ctx, forged); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("a secret of one's own: %v", err)
	}
	if _, err := n.ChangeTarget(ctx, added, &secret); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("a secret of one's own: %v", err)
	}
	viaWebhook, err := n.AddTarget(ctx, tidings.Target{Account: tidings.Owner, Name: "hook", Kind: tidings.Ntfy,
		URL: "https://ntfy.sh/x", Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	viaWebhook.Kind, viaWebhook.URL = tidings.Mail, "mailto:eve@example.org"
	if changed, err := n.ChangeTarget(ctx, viaWebhook, nil); err != nil || !changed.Standing.Unconfirmed {
		t.Errorf("from another kind: %+v, %v", changed, err)
	}
	next(t, server)
	nothing(t, server)

	if err := n.ConfirmTarget(ctx, tidings.Owner, added.ID, strings.ToLower(code)); err != nil {
		t.Fatal(err)
	}
	if got, err := n.Target(ctx, tidings.Owner, added.ID); err != nil || got.Standing.Unconfirmed ||
		got.Standing.Suspended || got.Secret != "" {
		t.Errorf("%+v, %v", got, err)
	}
	if err := n.TestTarget(ctx, tidings.Owner, added.ID); err != nil {
		t.Fatal(err)
	}
	_, _, stop := next(t, server)
	if stop == "" {
		t.Fatal("the mail has no link that stops it")
	}

	// Stopping needs the link, may be repeated, and outlives what the owner does.
	for _, wrong := range []string{"", "AAAA", strings.Repeat("A", 30), stop[:len(stop)-4] + "AAAA"} {
		if err := n.StopByLink(ctx, wrong); !errors.Is(err, tidings.ErrNotFound) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if err := n.ConfirmByLink(ctx, stop); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("the link that stops confirms: %v", err)
	}
	for range 2 {
		if err := n.StopByLink(ctx, stop); err != nil {
			t.Fatal(err)
		}
	}
	got, err := n.Target(ctx, tidings.Owner, added.ID)
	if err != nil || !got.Standing.Unconfirmed || !got.Standing.Suspended ||
		!strings.Contains(got.Standing.Problem, "has stopped") {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := n.Retry(ctx, tidings.Owner, tidings.DeliverySelection{Target: added.ID}); err != nil {
		t.Fatal(err)
	}
	got.Text.Title = "{title}!"
	if changed, err := n.ChangeTarget(ctx, got, nil); err != nil || !changed.Standing.Unconfirmed ||
		!changed.Standing.Suspended {
		t.Errorf("changed: %+v, %v", changed, err)
	}
	if err := n.TestTarget(ctx, tidings.Owner, added.ID); err == nil {
		t.Error("a test is sent")
	}
	nothing(t, server)

	// A link of an address that was changed since is void.
	got.URL = "mailto:ada@example.net"
	if _, err := n.ChangeTarget(ctx, got, nil); err != nil {
		t.Fatal(err)
	}
	_, _, confirm := next(t, server)
	if err := n.StopByLink(ctx, stop); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("an old link: %v", err)
	}
	if err := n.ConfirmByLink(ctx, confirm); err != nil {
		t.Fatal(err)
	}
	if got, err := n.Target(ctx, tidings.Owner, added.ID); err != nil || got.Standing.Unconfirmed ||
		got.Standing.Suspended {
		t.Errorf("%+v, %v", got, err)
	}

	// The same person's other target of that address needs no code, and has a link of its own.
	again, err := n.AddTarget(ctx, mailTarget("me again", "ada@EXAMPLE.net"))
	if err != nil || again.Standing.Unconfirmed {
		t.Fatalf("%+v, %v", again, err)
	}
	if err := n.TestTarget(ctx, tidings.Owner, again.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, other := next(t, server); other == "" || other == stop {
		t.Errorf("its link is %q", other)
	}
}

// A code that cannot be sent is the target's problem, and a test sends it again after an hour.
func TestACodeThatIsNotSent(t *testing.T) {
	n, server := newMailTest(t)
	server.Refuse("450 4.2.0 later")
	added, err := n.AddTarget(t.Context(), mailTarget("me", "ada@example.org"))
	if err != nil ||
		!strings.Contains(added.Standing.Problem,
			"could not be sent: the mail server does not accept this address: 450") {
		t.Fatalf("%+v, %v", added, err)
	}
	server.Refuse("")
	n.asking = asking{} // an hour later
	err = n.TestTarget(t.Context(), tidings.Owner, added.ID)
	if err == nil || !strings.Contains(err.Error(), "another mail with a code was sent") {
		t.Error(err)
	}
	_, code, _ := next(t, server)
	if err := n.ConfirmTarget(t.Context(), tidings.Owner, added.ID, code); err != nil {
		t.Error(err)
	}
}

// However often people add addresses, the mails that ask for confirmation are bounded.
func TestAskingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a asking
		admit := func(account tidings.AccountID, address string) error {
			return a.admit(t.Context(), nil, account, address, time.Now())
		}
		if err := admit(1, "a@example.org"); err != nil {
			t.Fatal(err)
		}
		if err := admit(2, "a@example.org"); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("the same address again: %v", err)
		}
		for i := range maxAsked - 1 {
			if err := admit(1, fmt.Sprint(i, "@example.org")); err != nil {
				t.Fatal(err)
			}
		}
		if err := admit(1, "x@example.org"); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("more of an account: %v", err)
		}
		if err := admit(2, "x@example.org"); err != nil {
			t.Errorf("of another account: %v", err)
		}
		time.Sleep(askAgain)
		if err := admit(1, "a@example.org"); err != nil || len(a.all) != 1 {
			t.Errorf("an hour later: %v; %d addresses are kept", err, len(a.all))
		}
		refused := 0
		for i := range 2 * maxAskedInAll {
			if admit(tidings.AccountID(i), fmt.Sprint(i, "@example.net")) != nil {
				refused++
			}
		}
		if len(a.all) != maxAskedInAll || refused != maxAskedInAll+1 {
			t.Errorf("%d addresses are kept, %d refused", len(a.all), refused)
		}
	})
}

// A restart does not forget how many addresses were asked: neither each address, nor how many an account may add. A
// mail that cannot be counted is not sent.
func TestAskingOutlivesARestart(t *testing.T) {
	config := storetest.Config(t)
	asked := func(account tidings.AccountID, address string, now time.Time) error {
		s := storetest.Open(t, config)
		defer storetest.Close(t, s, config)
		var a asking
		return a.admit(t.Context(), s.DB, account, address, now)
	}
	now := time.Now()
	for i := range maxAsked {
		if err := asked(1, fmt.Sprint(i, "@example.org"), now); err != nil {
			t.Fatal(err)
		}
	}
	if err := asked(2, "0@example.org", now); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("an address again: %v", err)
	}
	if err := asked(1, "x@example.org", now); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("more of an account: %v", err)
	}
	if err := asked(2, "x@example.org", now); err != nil {
		t.Errorf("of another account: %v", err)
	}
	if err := asked(1, "y@example.org", now.Add(askAgain)); err != nil {
		t.Errorf("an hour later: %v", err)
	}
	s := storetest.Open(t, config)
	storetest.Close(t, s, config)
	var a asking
	if err := a.admit(t.Context(), s.DB, 3, "z@example.org", now); err == nil || errors.Is(err, tidings.ErrInvalid) ||
		len(a.all) != 0 {
		t.Errorf("with a closed store: %v, %d are counted", err, len(a.all))
	}
}

// The pages behind the links do nothing when they are opened. They act when their button is pressed, or on a mail
// program's one click.
func TestPagesOfRecipients(t *testing.T) {
	n, server := newMailTest(t)
	added, err := n.AddTarget(t.Context(), mailTarget("me", "ada@example.org"))
	if err != nil {
		t.Fatal(err)
	}
	_, _, confirm := next(t, server)
	web := httptest.NewServer(mail.Pages(n, slog.New(slog.DiscardHandler)))
	defer web.Close()
	do := func(method, path, body string) (status int, header http.Header) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, web.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode, answer.Header
	}
	unconfirmed := func() bool {
		t.Helper()
		got, err := n.Target(t.Context(), tidings.Owner, added.ID)
		if err != nil {
			t.Fatal(err)
		}
		return got.Standing.Unconfirmed
	}
	for _, method := range []string{"GET", "HEAD"} {
		if status, header := do(method, mail.ConfirmPath+"?t="+confirm, ""); status != 200 || !unconfirmed() ||
			header.Get("Referrer-Policy") != "no-referrer" || !strings.Contains(header.Get("Content-Security-Policy"),
			"default-src 'none'") {
			t.Errorf("%s: %d, %v", method, status, header)
		}
	}
	if status, _ := do("POST", mail.ConfirmPath+"?t="+confirm, ""); status != 200 || unconfirmed() {
		t.Errorf("POST: %d", status)
	}
	if err := n.TestTarget(t.Context(), tidings.Owner, added.ID); err != nil {
		t.Fatal(err)
	}
	_, _, stop := next(t, server)
	if status, _ := do("GET", mail.StopPath+"?t="+stop, ""); status != 200 || unconfirmed() {
		t.Errorf("GET: %d", status)
	}
	if status, _ := do("POST", mail.StopPath+"?t="+stop, "List-Unsubscribe=One-Click"); status != 200 ||
		!unconfirmed() {
		t.Errorf("one click: %d", status)
	}
	for path, want := range map[string]int{mail.StopPath: 404, mail.StopPath + "?t=" + strings.Repeat("A", 40): 404,
		mail.ConfirmPath + "?t=" + stop: 404} {
		if status, _ := do("POST", path, ""); status != want {
			t.Errorf("%s: %d", path, status)
		}
	}
	if status, _ := do("PUT", mail.StopPath+"?t="+stop, ""); status != 405 {
		t.Errorf("PUT: %d", status)
	}
}

// A browser is notified once, and by the key that the node has.
func TestABrowserIsAddedOnce(t *testing.T) {
	n := newTest(t)
	to := target(tidings.BrowserPush, "https://push.example/x", pushSecret(t))
	if _, err := n.AddTarget(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	to.Name = "again"
	if _, err := n.AddTarget(t.Context(), to); !errors.Is(err, tidings.ErrInvalid) ||
		!strings.Contains(err.Error(), "notified already, as it") {
		t.Error(err)
	}
	n.BrowserKey = "key"
	if n.PushKey() != "key" {
		t.Error(n.PushKey())
	}
}
