package node

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/lab/browser"
	"tidings/lab/origin"
)

// ntfyServer stands in for an ntfy server. It follows "Publish as JSON" at https://docs.ntfy.sh/publish.
type ntfyServer struct {
	mu     sync.Mutex
	failed bool     // it answers 500
	titles []string // of accepted messages
}

func (s *ntfyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var m struct{ Topic, Title, Message, Click string }
	err := json.NewDecoder(r.Body).Decode(&m)
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/" || err != nil || m.Topic != "ada" || m.Message == "":
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"code":40009,"http":400,"error":"invalid request: topic invalid"}`)
	case r.Header.Get("Authorization") != "Bearer tk_ada":
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"code":40301,"http":403,"error":"forbidden"}`)
	case s.failed:
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, `{"code":50001,"http":500,"error":"internal server error"}`)
	default:
		s.titles = append(s.titles, m.Title)
		fmt.Fprintf(w, `{"id":"sPs71M8A2T%d","time":1643935928,"event":"message","topic":"ada","message":"a"}`,
			len(s.titles))
	}
}

func (s *ntfyServer) fail(yes bool) { s.mu.Lock(); defer s.mu.Unlock(); s.failed = yes }

func (s *ntfyServer) accepted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.titles...)
}

// A person adds a topic of ntfy on the page, in a real browser. A test is accepted, and so is an update. When the
// server fails, the page says why, and Retry delivers once the server is well again.
func TestNotificationsInABrowser(t *testing.T) {
	t.Parallel()
	ctx := browser.Start(t)
	o, base := startOrigin(t)
	if err := o.AddFeed("news", origin.MakeFeed(1, 5, 4000), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	phone := &ntfyServer{}
	server := httptest.NewServer(phone)
	t.Cleanup(server.Close)
	n, client := startNode(t)
	if _, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: base + "news"}); err != nil {
		t.Fatal(err)
	}
	const name, secret, address = `.target-form [name=name]`, `.target-form [name=secret]`, `.target-form [name=url]`
	picture := func(name string) {
		t.Helper()
		for _, width := range []int64{1280, 768, 390} {
			browser.Do(t, ctx, browser.Size(width, map[bool]string{true: "dark", false: "light"}[width == 390]))
			if over := browser.Eval[int](t, ctx, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%s: at %d px the page is %d px too wide", name, width, over)
			}
			browser.SavePicture(
				t,
				ctx,
				filepath.Join("..", "artefacts", "node", fmt.Sprintf("notifications-%s-%d.png", name, width)),
			)
		}
		browser.Do(t, ctx, browser.Size(1280, "light"))
	}
	text := func() string {
		t.Helper()
		return browser.Eval[string](t, ctx, `document.querySelector("main")?.innerText ?? ""`)
	}
	change := func() {
		t.Helper()
		if _, err := o.Step("news"); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Poll(t.Context(), base+"news"); err != nil {
			t.Fatal(err)
		}
	}
	until := func(what string, done func() bool) {
		t.Helper()
		for deadline := time.Now().Add(5 * time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("it never came to this: %s\n%s", what, text())
			}
		}
	}
	shows := func(want string) func() bool {
		return func() bool {
			browser.Do(t, ctx, browser.Open(n.URL()+"/notifications"), browser.Visible(`#targets`))
			return strings.Contains(text(), want)
		}
	}

	// The form describes the kind that is chosen, and previews a message without losing the secret.
	browser.Do(
		t,
		ctx,
		browser.Size(1280, "light"),
		browser.Open(n.URL()+"/settings"),
		browser.Click(`main a[href="/notifications"]`),
		browser.Visible(name),
	)
	described := func() string {
		return browser.Eval[string](t, ctx, `document.querySelector(".kinds-of-targets").innerText`)
	}
	if seen := described(); !strings.Contains(seen, "ntfy.sh/my-topic") || strings.Contains(seen, "Gotify") {
		t.Errorf("of the kinds is shown: %q", seen)
	}
	browser.Eval[bool](t, ctx, `document.querySelector(".target-form [name=kind]").value = "generic", true`)
	if seen := described(); !strings.Contains(seen, "write it into a header") || strings.Contains(seen, "ntfy.") {
		t.Errorf("with another kind is shown: %q", seen)
	}
	browser.Do(t, ctx, browser.Visible(`[name=headers]`))
	picture("other")
	browser.Eval[bool](t, ctx, `document.querySelector(".target-form [name=kind]").value = "ntfy", true`)
	browser.Do(
		t,
		ctx,
		browser.Type(name, "my phone"),
		browser.Type(address, server.URL+"/ada"),
		browser.Type(secret, "tk_ada"),
		browser.Click(`[data-preview]`),
		browser.Visible(`.target-form .card`),
	)
	if kept := browser.Eval[string](t, ctx,
		`document.querySelector(".target-form [name=secret]").value`); kept != "tk_ada" {
		t.Errorf("after the preview the secret is %q", kept)
	}
	picture("preview")

	browser.Do(
		t,
		ctx,
		browser.Click(`.target-form > .buttons button`),
		browser.Visible(`.targets [action$="/test"] button`),
	)
	browser.Do(t, ctx, browser.Click(`.targets [action$="/test"] button`), browser.Visible(`.said`))
	until(
		"the test is accepted",
		func() bool { return strings.Contains(text(), "Sent. my phone has accepted the message.") },
	)
	if got := phone.accepted(); len(got) != 1 || got[0] != "Test of my phone" {
		t.Errorf("the server has accepted %q", got)
	}

	change()
	until("an update arrives", func() bool { return len(phone.accepted()) == 2 })
	until("the page says that", shows("Delivered"))
	picture("delivered")

	phone.fail(true)
	change()
	until("the failure is shown", shows("The last attempt failed"))
	if seen := text(); !strings.Contains(seen, "1 pending") || !strings.Contains(seen, "500") ||
		!strings.Contains(seen, "Not delivered so far") ||
		strings.Contains(seen, "tk_ada") {
		t.Errorf("after an answer of 500:\n%s", seen)
	}
	picture("failed")
	browser.Do(t, ctx, browser.Click(`.targets [action$="/test"] button`), browser.Visible(`.problem[role=alert]`))
	if seen := text(); !strings.Contains(seen, "The test of my phone failed.") || !strings.Contains(seen, "500") {
		t.Errorf("a test that fails:\n%s", seen)
	}

	phone.fail(false)
	browser.Do(t, ctx, browser.Click(`.targets [action$="/retry"] button`), browser.Visible(`.said`))
	until("the update arrives after Retry", func() bool { return len(phone.accepted()) == 3 })
	until("the page says that it is delivered", func() bool {
		return shows("Delivered")() && !strings.Contains(text(), "Not delivered so far")
	})
	if seen := text(); strings.Contains(seen, "500") {
		t.Errorf("after Retry:\n%s", seen)
	}

	browser.Do(
		t,
		ctx,
		browser.Click(`.targets [href$="/remove"]`),
		browser.Visible(`main button.danger`),
		browser.Click(`main button.danger`),
		browser.Visible(`.said`),
	)
	if seen := text(); !strings.Contains(seen, "You have no addresses yet") {
		t.Errorf("after the removal:\n%s", seen)
	}
}
