package node

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tidings"
	"tidings/delivery/webpush/webpushtest"
	"tidings/lab/browser"
	"tidings/lab/origin"
)

// subscribeInstead makes the page's browser subscribe at a push service of this machine, as none on the web can be
// reached. All else is the browser's own: the permission, the service worker, and what it shows.
const subscribeInstead = `(() => {
	const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0)).buffer;
	PushManager.prototype.subscribe = async function (options) {
		if (!options.userVisibleOnly || options.applicationServerKey !== %q) throw new Error("not so: " + JSON.stringify(options));
		return { endpoint: %q, getKey: (name) => bytes({ p256dh: %q, auth: %q }[name]) };
	};
	return true;
})()`

// A person has updates shown in a real browser by pressing one button. A push service that others wrote reads what the
// node sends, and the page's service worker shows it. When the subscription has ended, the page says so.
func TestPushInABrowser(t *testing.T) {
	t.Parallel()
	service := webpushtest.StartService(t, "..")
	ctx := browser.Start(t)
	o, base := startOrigin(t)
	if err := o.AddFeed("news", origin.MakeFeed(1, 5, 4000), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	n, client := startNode(t)
	if _, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: base + "news"}); err != nil {
		t.Fatal(err)
	}
	key, err := client.Notify().PushKey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	made, err := service.Subscribe(t.Context(), key.Key)
	if err != nil {
		t.Fatal(err)
	}
	picture := picturesOf(t, ctx, "push")
	text := func() string { return browser.Eval[string](t, ctx, `document.querySelector("main")?.innerText ?? ""`) }
	messages := func() []string {
		t.Helper()
		all, err := service.Messages(t.Context(), made)
		if err != nil {
			t.Fatal(err)
		}
		return all
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

	// Without the permission the page says why, and adds nothing.
	const button = `[data-push] button`
	browser.Do(t, ctx, browser.Size(1280, "light"), browser.Open(n.URL()+"/notifications"), browser.Visible(button),
		browser.Click(button), browser.Visible(`[data-push] [role=alert]`))
	if seen := text(); !strings.Contains(seen, "does not allow this page to show notifications") ||
		!strings.Contains(seen, "You have no addresses yet") {
		t.Errorf("without permission:\n%s", seen)
	}
	picture("refused")

	browser.Do(t, ctx, browser.Allow(n.URL(), "notifications"), browser.Open(n.URL()+"/notifications"),
		browser.Visible(button))
	browser.Eval[bool](t, ctx, fmt.Sprintf(subscribeInstead, key.Key, made.Endpoint, made.Keys.P256dh, made.Keys.Auth))
	browser.Do(t, ctx, browser.Click(button), browser.Visible(`.targets [action$="/test"] button`))
	if seen := text(); !strings.Contains(seen, "this browser") ||
		!strings.Contains(seen, "Browser or UnifiedPush, all updates") {
		t.Errorf("after the button:\n%s", seen)
	}
	picture("added")
	browser.Do(t, ctx, browser.Click(`.targets [action$="/test"] button`))
	eventually(t, "the test is accepted", func() bool {
		return strings.Contains(text(), "Sent. this browser has accepted the message.")
	})
	change()
	eventually(t, "an update is pushed", func() bool { return len(messages()) == 2 })

	// The service worker shows what was pushed, and each message once.
	type shown struct{ Title, Body, Tag, Link string }
	notifications := func() map[string]shown { // by their tags
		t.Helper()
		var all []shown
		text := browser.Eval[string](t, ctx, `navigator.serviceWorker.getRegistration("/assets/worker.js")
			.then((r) => r.getNotifications())
			.then((all) => JSON.stringify(all.map((n) => ({ title: n.title, body: n.body, tag: n.tag, link: n.data.link }))))`)
		if err := json.Unmarshal([]byte(text), &all); err != nil {
			t.Fatal(err)
		}
		tagged := make(map[string]shown)
		for _, one := range all {
			if _, twice := tagged[one.Tag]; twice && one.Tag != "" {
				t.Errorf("some are shown twice: %+v", all)
			}
			tagged[one.Tag] = one
		}
		return tagged
	}
	var pushed struct{ ID, Title, Text, Link string }
	if err := json.Unmarshal([]byte(messages()[1]), &pushed); err != nil {
		t.Fatal(err)
	}
	// push returns what is shown of a message. Chromium loses notifications if it has no desktop to show them on. So
	// the message is pushed again after a while, and no others are counted.
	push := func(message, tag string) (got shown) {
		t.Helper()
		looks := 0
		eventually(t, fmt.Sprintf("%q is shown", message), func() (found bool) {
			if looks%100 == 0 {
				browser.Do(t, ctx, browser.Push(n.URL(), message))
			}
			looks++
			got, found = notifications()[tag]
			return found
		})
		return got
	}
	if got := push(messages()[1], pushed.ID); got != (shown{pushed.Title, pushed.Text, pushed.ID, pushed.Link}) ||
		got.Title == "" || got.Link == "" {
		t.Errorf("shown is %+v, of %+v", got, pushed)
	}
	push(messages()[1], pushed.ID) // it replaces itself
	if got := push(`{"title":"x","link":"javascript:alert(1)","id":"bad"}`, "bad"); got.Link != n.URL()+"/" ||
		got.Title != "x" {
		t.Errorf("a link that is none: %+v", got)
	}
	if got := push("no JSON at all", ""); got.Link != n.URL()+"/" || got.Title != "Something new" {
		t.Errorf("no message of the node: %+v", got)
	}

	// What is read elsewhere is shown no more. Another notification stays.
	push(messages()[1], pushed.ID)
	push(`{"title":"other","text":"stays","id":"other","link":"https://example.org/other"}`, "other")
	entries, err := client.Entries(t.Context(), tidings.EntryQuery{Limit: 1})
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	if _, err := client.MarkAllRead(t.Context(), tidings.EntryQuery{}, entries[0].ID); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a retraction is pushed", func() bool { return len(messages()) == 3 })
	if got, want := messages()[2], fmt.Sprintf(`{"id":"%s-read","retracts":["%s"]}`, pushed.ID,
		pushed.ID); got != want {
		t.Errorf("the retraction is %s, want %s", got, want)
	}
	browser.Do(t, ctx, browser.Push(n.URL(), messages()[2]))
	eventually(t, "what was read is closed", func() bool { _, shown := notifications()[pushed.ID]; return !shown })
	if got := push(`{"title":"other","text":"stays","id":"other","link":"https://example.org/other"}`,
		"other"); got.Body != "stays" {
		t.Errorf("what stays is %+v", got)
	}
	browser.Do(t, ctx, browser.Push(n.URL(), `{"id":"x","retracts":["other","bad",""]}`))
	eventually(t, "all that has an ID is closed", func() bool {
		all := notifications()
		return all["other"] == (shown{}) && all["bad"] == (shown{})
	})

	// The button adds a browser once.
	browser.Do(t, ctx, browser.Open(n.URL()+"/notifications"), browser.Visible(button))
	browser.Eval[bool](t, ctx, fmt.Sprintf(subscribeInstead, key.Key, made.Endpoint, made.Keys.P256dh, made.Keys.Auth))
	browser.Do(t, ctx, browser.Click(button), browser.Visible(`.target-form .problem[role=alert]`))
	if seen := text(); !strings.Contains(seen, "That browser is notified already, as this browser") {
		t.Errorf("a second time:\n%s", seen)
	}

	if err := service.Expire(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	change()
	eventually(t, "the page says that the subscription has ended", func() bool {
		browser.Do(t, ctx, browser.Open(n.URL()+"/notifications"), browser.Visible(`#targets`))
		// The delivery says that it is stopped as well: only the address says what the push service answered.
		seen := text()
		return strings.Contains(seen, "410") && strings.Contains(seen, "1 pending")
	})
	if seen := text(); !strings.Contains(seen, "Stopped") {
		t.Errorf("after its end:\n%s", seen)
	}
	picture("ended")
}
