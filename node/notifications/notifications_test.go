package notifications

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tidings"
	"tidings/delivery/notify"
	"tidings/delivery/outbox"
	"tidings/egress"
	"tidings/store"
	"tidings/store/storetest"
)

const feedURL = "https://example.org/feed"

// newTest returns the notifications of a store in which the owner follows a feed in folder news.
func newTest(t *testing.T) *Notifications {
	t.Helper()
	s := storetest.New(t)
	if _, _, err := s.Subscribe(t.Context(), tidings.Owner, store.Subscription{URL: feedURL, Privacy: tidings.Public,
		Folder: "news/local"}); err != nil {
		t.Fatal(err)
	}
	sender := notify.New(notify.Config{Guard: egress.ForMessages(true)})
	return New(s.Outbox, s, ByHTTP(sender), slog.New(slog.DiscardHandler))
}

func target(kind tidings.TargetKind, url, secret string) tidings.Target {
	return tidings.Target{Account: tidings.Owner, Name: "it", Kind: kind, URL: url, Secret: secret}
}

// What cannot be sent to, or selects what is not followed, is refused with a reason. A channel may be spelt in any way.
func TestTargetsAreChecked(t *testing.T) {
	n := newTest(t)
	for want, change := range map[string]func(t *tidings.Target){
		"has a name":    func(t *tidings.Target) { t.Name = " " },
		"URL":           func(t *tidings.Target) { t.URL = "nowhere" },
		"do not follow": func(t *tidings.Target) { t.Selector.Channel = "https://example.org/other" },
		"not both": func(t *tidings.Target) {
			t.Selector = tidings.Selector{Channel: feedURL, Folder: "news"}
		},
		"no channel that you follow":     func(t *tidings.Target) { t.Selector.Folder = "new" },
		"no {tittle}":                    func(t *tidings.Target) { t.Text.Title = "{tittle}" },
		"no channel that you follow is ": func(t *tidings.Target) { t.Selector.Folder = "local" },
	} {
		to := target(tidings.Ntfy, "https://ntfy.sh/topic", "")
		change(&to)
		if _, err := n.AddTarget(t.Context(), to); !errors.Is(err, tidings.ErrInvalid) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	to := target(tidings.Ntfy, "https://ntfy.sh/topic", "")
	to.Selector.Channel = "HTTPS://Example.ORG:443/feed"
	if added, err := n.AddTarget(t.Context(), to); err != nil || added.Selector.Channel != feedURL {
		t.Errorf("added %+v, %v", added, err)
	}
	to.Name, to.Selector = "folder", tidings.Selector{Folder: "news"}
	if _, err := n.AddTarget(t.Context(), to); err != nil {
		t.Error(err)
	}
}

// A token is sent to no other server than the one that it was given for, even if the URL changes. A signing key stays,
// as it is never sent; one is made where a webhook has none.
func TestSecretsStayAtTheirServers(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after tidings.Target
		secret        *string
		want          string // "": one is made
	}{
		{"another topic", target(tidings.Ntfy, "https://ntfy.sh/a", "tk_1"),
			target(tidings.Ntfy, "https://ntfy.sh/b", ""), nil, "tk_1"},
		{"another server", target(tidings.Ntfy, "https://ntfy.sh/a", "tk_1"),
			target(tidings.Ntfy, "https://evil.example/a", ""), nil, "none"},
		{"without TLS", target(tidings.Ntfy, "https://ntfy.sh/a", "tk_1"), target(tidings.Ntfy, "http://ntfy.sh/a", ""),
			nil, "none"},
		{"another port", target(tidings.Ntfy, "https://ntfy.sh/a", "tk_1"),
			target(tidings.Ntfy, "https://ntfy.sh:8443/a", ""), nil, "none"},
		{"removed", target(tidings.Ntfy, "https://ntfy.sh/a", "tk_1"), target(tidings.Ntfy, "https://ntfy.sh/a", ""),
			new(string), "none"},
		{"a webhook moves", target(tidings.Webhook, "https://a.example/", ""),
			target(tidings.Webhook, "https://b.example/", ""), nil, "kept"},
		{"becomes a webhook", target(tidings.Ntfy, "https://ntfy.sh/a", "tk_1"),
			target(tidings.Webhook, "https://ntfy.sh/a", ""), nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newTest(t)
			before, err := n.AddTarget(t.Context(), c.before)
			if err != nil {
				t.Fatal(err)
			}
			c.after.ID = before.ID
			if _, err := n.ChangeTarget(t.Context(), c.after, c.secret); err != nil {
				t.Fatal(err)
			}
			got, err := n.Target(t.Context(), tidings.Owner, before.ID)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{"none": "", "kept": before.Secret, "": got.Secret}
			if w, named := want[c.want]; got.Secret != w && named || !named && got.Secret != c.want ||
				c.want == "" && !strings.HasPrefix(got.Secret, "whsec_") {
				t.Errorf("the secret is %q, and was %q", got.Secret, before.Secret)
			}
		})
	}
}

// A request of its own goes with a generic target that becomes one of another kind.
func TestAFormGoesWithItsKind(t *testing.T) {
	n := newTest(t)
	to := target(tidings.Generic, "https://example.org/", "")
	to.Form = &tidings.Form{Body: "{title}"}
	added, err := n.AddTarget(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	added.Kind, added.URL = tidings.Ntfy, "https://ntfy.sh/topic"
	if changed, err := n.ChangeTarget(t.Context(), added, nil); err != nil || changed.Form != nil {
		t.Errorf("changed to %+v, %v", changed, err)
	}
}

// A test goes past the outbox, and says what went wrong.
func TestATargetIsTested(t *testing.T) {
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
	}))
	defer server.Close()
	n := newTest(t)
	added, err := n.AddTarget(t.Context(), target(tidings.Webhook, server.URL, ""))
	if err != nil {
		t.Fatal(err)
	}
	if err := n.TestTarget(t.Context(), tidings.Owner, added.ID); err != nil {
		t.Error(err)
	}
	status = http.StatusTeapot
	if err := n.TestTarget(t.Context(), tidings.Owner, added.ID); err == nil || !strings.Contains(err.Error(), "418") {
		t.Error(err)
	}
	if err := n.TestTarget(t.Context(), tidings.Owner, 99); !errors.Is(err, tidings.ErrNotFound) {
		t.Error(err)
	}
}

// choices are those of one person.
type choices struct {
	of     tidings.AccountID
	chosen tidings.Preferences
}

func (c choices) Preferences(_ context.Context, account tidings.AccountID) (tidings.Preferences, error) {
	if account != c.of {
		return nil, errors.New("nobody is known by that number")
	}
	return c.chosen, nil
}

// A message is in the language that its reader has chosen, and in English where that is not known.
func TestMessagesAreInTheLanguageOfTheReader(t *testing.T) {
	n := newTest(t)
	n.Choices = choices{tidings.Owner, tidings.Preferences{tidings.EveryView: {tidings.PreferLanguage: "de"}}}
	to := target(tidings.Ntfy, "https://ntfy.sh/topic", "")
	for account, want := range map[tidings.AccountID]string{tidings.Owner: "Test von it",
		tidings.Owner + 1: "Test of it"} {
		to.Account = account
		if sample, err := n.PreviewTarget(t.Context(), to, nil, tidings.Update{}); err != nil || sample.Title != want {
			t.Errorf("account %d is shown %q, %v, want %q", account, sample.Title, err, want)
		}
	}
	seen := &languages{}
	n.protocols = Protocols{tidings.Ntfy: seen}
	to.Account = tidings.Owner
	if err := (inLanguages{n}).Send(t.Context(), to, outbox.Message{}); err != nil || seen.tag != "de" {
		t.Errorf("sent in %q, %v", seen.tag, err)
	}
}

// languages is a protocol that notes the language of what it sends.
type languages struct {
	noter
	tag string
}

func (l *languages) Send(_ context.Context, _ tidings.Target, m outbox.Message) error {
	l.tag = m.Language.Tag()
	return nil
}
