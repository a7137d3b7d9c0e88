package notify

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"tidings"
	"tidings/delivery/outbox"
)

func TestWording(t *testing.T) {
	item := func(change func(*tidings.Item)) outbox.Message {
		i := testItems()[0]
		change(&i)
		return itemMessage(i)
	}
	several := func(items ...tidings.Item) outbox.Message {
		return outbox.Message{ID: "m", Update: testUpdate(items...)}
	}
	changed := testItems()
	for k := range changed {
		changed[k].Change = tidings.Changed
	}
	page := testMessages()[3]
	removed := page
	removed.Update.Delta = "1d0\n< We were two.\n"
	withdrawn := item(func(*tidings.Item) {})
	withdrawn.Update.Withdrawn = &tidings.Withdrawal{}
	const summary = "Example News\nWhat happened: One <things>"
	for name, c := range map[string]struct {
		m                 outbox.Message
		title, text, link string
	}{
		"item": {item(func(*tidings.Item) {}), "One & more", summary,
			"https://news.example/One?a=1&b=2"},
		"changed": {item(func(i *tidings.Item) { i.Change = tidings.Changed }),
			"Changed: One & more", summary, "https://news.example/One?a=1&b=2"},
		"canceled news": {item(func(i *tidings.Item) { i.News = &tidings.News{Status: tidings.Canceled} }),
			"Withdrawn: One & more", summary, "https://news.example/One?a=1&b=2"},
		"withdrawn update": {withdrawn, "Withdrawn: One & more", summary, "https://news.example/One?a=1&b=2"},
		"no title": {item(func(i *tidings.Item) { i.Title = " \n" }), "Example News",
			"What happened: One <things>", "https://news.example/One?a=1&b=2"},
		"nothing": {item(func(i *tidings.Item) { *i = tidings.Item{} }), "Example News",
			"Example News", "https://news.example/feed"},
		"content, no summary": {item(func(i *tidings.Item) {
			i.Summary, i.Content = "<p> </p>",
				"<h1>Big</h1>news<script>x</script>"
		}), "One & more", "Example News\nBig news", "https://news.example/One?a=1&b=2"},
		"a link that is none": {item(func(i *tidings.Item) { i.URL = "javascript:alert(1)" }), "One & more",
			summary, "https://news.example/feed"},
		"a link with a user": {item(func(i *tidings.Item) { i.URL = "https://a:b@news.example/ä b\"<>|" }),
			"One & more", summary, "https://news.example/%C3%A4%20b%22%3C%3E%7C"},
		"a link too long": {item(func(i *tidings.Item) {
			i.URL = "https://x.example/" +
				strings.Repeat("a", maxLink)
		}), "One & more", summary, "https://news.example/feed"},
		"one of several": {several(testItems()[:1]...), "1 new item", "Example News\n• One & more",
			"https://news.example/feed"},
		"five": {several(testItems()[:5]...), "5 new items",
			"Example News\n• One & more\n• Two & more\n• Three & more\n• Four & more\n• Five & more",
			"https://news.example/feed"},
		"several changed": {several(changed[:2]...), "2 changed items",
			"Example News\n• One & more\n• Two & more", "https://news.example/feed"},
		"some changed": {several(testItems()[0], changed[1], changed[2]), "1 new and 2 changed items",
			"Example News\n• One & more\n• Two & more\n• Three & more", "https://news.example/feed"},
		"several without title": {several(tidings.Item{Summary: "<p>Short</p>"}, tidings.Item{}),
			"2 new items", "Example News\n• Short\n• (no title)", "https://news.example/feed"},
		"page":           {page, "Changed: About", "We are four.", "https://news.example/about"},
		"page with less": {removed, "Changed: About", "Removed: We were two.", "https://news.example/about"},
	} {
		w := compose(tidings.Target{}, c.m)
		if w.title != c.title || w.text != c.text || w.link != c.link {
			t.Errorf("%s: %q, %q, %q", name, w.title, w.text, w.link)
		}
	}
	alone := compose(tidings.Target{}, several(testItems()...))
	if alone.link != "https://news.example/feed" {
		t.Errorf("a node without a public page links to %q", alone.link)
	}
	nameless := itemMessage(testItems()[0])
	nameless.Update.Title, nameless.Update.Channel = "", "https://news.example/feed"
	if got := compose(tidings.Target{}, nameless); got.channel != "news.example" {
		t.Errorf("a channel without a title is %q", got.channel)
	}
}

// TestOwnWording: an owner's words replace the node's, with names in braces.
func TestOwnWording(t *testing.T) {
	target := tidings.Target{Text: tidings.Text{Title: "{channel}:\n{title}",
		Body: "{text}\n\n{link} {id} {time} {channel_url}"}}
	w := compose(target, testMessages()[0])
	if w.title != "Example News: One & more" {
		t.Error(w.title)
	}
	if w.text != "Example News\nWhat happened: One <things>\nhttps://news.example/One?a=1&b=2 msg_1 2026-05-12T09:30:00Z https://news.example/feed" {
		t.Error(w.text)
	}
	target.Text = tidings.Text{Title: "{link}", Body: "{link}"}
	m := itemMessage(tidings.Item{Title: "x"})
	m.Update.Channel, m.Update.ID = "tidings:zone", 0
	if w := compose(target, m); w.title != "x" || w.text == "" {
		t.Errorf("a wording without any text gives %q, %q", w.title, w.text)
	}
}

func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, limit := rapid.String().Draw(t, "s"), rapid.IntRange(0, 20).Draw(t, "limit")
		for _, cost := range []func(rune) int{characters, inBytes, utf16Units, discordCost, slackCost} {
			got := cut(s, limit, cost)
			switch {
			case length(got, cost) > limit, !utf8.ValidString(got):
				t.Fatalf("cut(%q, %d) = %q", s, limit, got)
			case length(s, cost) <= limit && got != s:
				t.Fatalf("cut(%q, %d) = %q: nothing was to be cut", s, limit, got)
			case got != s && got != "" && (!strings.HasSuffix(got, ellipsis) || !strings.HasPrefix(s,
				strings.TrimSuffix(got, ellipsis))):
				t.Fatalf("cut(%q, %d) = %q", s, limit, got)
			}
		}
	})
}

// TestSignature is the vector of the Standard Webhooks libraries.
func TestSignature(t *testing.T) {
	key, valid := keyOf("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	got := sign(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; !valid || got != want {
		t.Errorf("%s, not %s", got, want)
	}
	one, other := NewSecret(), NewSecret()
	if key, valid := keyOf(one); !valid || len(key) != 32 || one == other {
		t.Errorf("%q, %q", one, other)
	}
}

// TestEventsFit: a body has at most MaxBody bytes, is valid JSON, and says what was cut or left out.
func TestEventsFit(t *testing.T) {
	body := func(m outbox.Message) (e struct {
		Type string
		Data eventData
	}) {
		t.Helper()
		b, err := webhookBody(job{target: testTarget(tidings.Webhook, "https://x.example"), message: m,
			note: compose(tidings.Target{}, m)})
		if err != nil || len(b) > MaxBody {
			t.Fatalf("%d bytes, %v", len(b), err)
		}
		if err := json.Unmarshal(b, &e); err != nil {
			t.Fatal(err)
		}
		return e
	}
	i := testItems()[0]
	i.Content = strings.Repeat("<p class=\"x\">ä</p>", 50_000)
	e := body(itemMessage(i))
	if got := e.Data.Items[0]; !got.Cut || got.Summary != i.Summary || len(got.Content) < MaxBody/8 ||
		!strings.HasSuffix(got.Content, ">…") ||
		!strings.HasPrefix(i.Content, strings.TrimSuffix(got.Content, ellipsis)) {
		t.Errorf("cut: %v; %d bytes of content", got.Cut, len(got.Content))
	}
	i.Content = strings.Repeat("\x01", MaxBody/5) // six bytes each in JSON
	if got := body(itemMessage(i)).Data.Items[0]; !got.Cut || len(got.Content) == 0 {
		t.Errorf("cut: %v; %d bytes of content", got.Cut, len(got.Content))
	}
	i.Content = ""
	small := body(itemMessage(i)).Data
	if small.Items[0].Cut || small.Left > 0 || small.Cut {
		t.Error("a small item was cut")
	}
	var many []tidings.Item
	for range 4000 {
		many = append(many, i)
	}
	e = body(outbox.Message{ID: "m", Update: testUpdate(many...)})
	if e.Data.Left == 0 || e.Data.Left+len(e.Data.Items) != len(many) {
		t.Errorf("%d items and %d left out", len(e.Data.Items), e.Data.Left)
	}
	i.ID, i.URL, i.Author = strings.Repeat("i", MaxBody), "https://x.example/"+strings.Repeat("u", MaxBody),
		strings.Repeat("a", MaxBody)
	if got := body(itemMessage(i)).Data.Items[0]; !got.Cut || got.Title != i.Title {
		t.Errorf("%+v", got)
	}
	page := testMessages()[3]
	page.Update.Delta = strings.Repeat("> line\n", MaxBody)
	if got := body(page); !got.Data.Cut || got.Type != "page.changed" || !strings.HasSuffix(got.Data.Delta,
		ellipsis) {
		t.Errorf("%s, cut: %v", got.Type, got.Data.Cut)
	}
}

func TestTypesOfEvents(t *testing.T) {
	m := testMessages()
	test := TestMessage(nil, tidings.Target{Name: "mine"}, time.Unix(0, 0))
	for want, m := range map[string]outbox.Message{"item.new": m[0], "item.changed": m[1],
		"channel.items": m[2], "page.changed": m[3], "test": test} {
		if got := eventType(m); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
	if strings.Contains(test.ID, ".") || test.ID == TestMessage(nil, tidings.Target{}, time.Time{}).ID {
		t.Errorf("ID %q", test.ID)
	}
}
