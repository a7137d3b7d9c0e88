package notify

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/locale"
	"tidings/delivery/outbox"
)

// testDigest has five parts: two items of one update of a channel, one of a later update of it, a whole update and a
// page.
func testDigest() outbox.Message {
	items := testItems()
	items[1].Change = tidings.Changed
	first, later, whole, page := testUpdate(items[:2]...), testUpdate(items[2]), testUpdate(items...),
		testMessages()[3].Update
	later.ID, later.Time = 43, testTime.Add(time.Hour)
	whole.ID, whole.Channel, whole.Title = 44, "https://other.example/feed", "Other"
	page.ID = 45
	return outbox.Message{ID: "msg_1-4", Made: testTime, Attempt: 1, Digest: []tidings.DeliveryPart{
		{Update: first, Item: &first.Items[0]}, {Update: first, Item: &first.Items[1]},
		{Update: later, Item: &later.Items[0]},
		{Update: whole}, {Update: page},
	}}
}

// A digest is one message that counts and lists what it has, by channels.
func TestDigests(t *testing.T) {
	m := testDigest()
	w := compose(tidings.Target{}, m)
	if w.title != "8 new and 3 changed items in 3 channels" || w.channel != "3 channels" || w.link != "" ||
		!w.time.Equal(testTime.Add(time.Hour)) {
		t.Errorf("%+v", w)
	}
	want := "Example News\n• One & more\n• Two & more\n• Three & more\nOther\n• One & more\n"
	if !strings.HasPrefix(w.text, want) || !strings.HasSuffix(w.text, "About\n• The page changed.") {
		t.Errorf("%s", w.text)
	}
	worded := compose(tidings.Target{Text: tidings.Text{Title: "{channel}: {title}", Body: "{id} {link}"}}, m)
	if worded.title != "3 channels: "+w.title || worded.text != "msg_1-4" {
		t.Errorf("%+v", worded)
	}

	one := m
	one.Digest = m.Digest[:3]
	if w := compose(tidings.Target{}, one); w.title != "2 new and 1 changed item" || w.channel != "Example News" ||
		w.link != "https://news.example/feed" {
		t.Errorf("of one channel: %+v", w)
	}
	var many outbox.Message
	for range tidings.MaxDigest {
		many.Digest = append(many.Digest, m.Digest[3])
	}
	for i := range many.Digest {
		many.Digest[i].Update.ID = int64(i + 1)
	}
	if w := compose(tidings.Target{}, many); !strings.HasSuffix(w.text, "and 1380 more") || len(w.text) > 4*maxText {
		t.Errorf("of many: %s", w.text)
	}
	for _, kind := range Kinds() {
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			bodyOf(t, r)
			io.WriteString(w, accepted(kind))
		})
		for _, d := range []outbox.Message{m, many} {
			if err := testNotifier().Send(t.Context(), testTarget(kind, server.URL), d); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
		}
	}
}

// A digest of a webhook has its updates one by one, in at most MaxBody bytes. It says how many are missing.
func TestDigestsOfWebhooks(t *testing.T) {
	body := func(m outbox.Message) (e struct {
		Type      string
		Timestamp time.Time
		Data      digestData
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
	e := body(testDigest())
	if all := e.Data.Updates; e.Type != "digest" || len(all) != 4 || len(all[0].Items) != 2 || len(all[1].Items) != 1 ||
		len(all[2].Items) != 7 || all[3].Delta == "" || all[0].Update != 42 ||
		all[0].Link != "https://news.example/feed" {
		t.Errorf("%+v", e)
	}
	m := testDigest()
	large := testUpdate(testItems()...)
	for k := range large.Items {
		large.Items[k].Content = strings.Repeat("<p>text</p>", 1000)
		large.Items[k].ID = strings.Repeat("x", 2000)
	}
	for i := range tidings.MaxDigest {
		large.ID = int64(100 + i)
		m.Digest = append(m.Digest, tidings.DeliveryPart{Update: large})
	}
	if e := body(m); e.Data.Left == 0 || e.Data.Left+len(e.Data.Updates) != tidings.MaxDigest+4 ||
		len(e.Data.Updates) == 0 {
		t.Errorf("%d updates, %d left out", len(e.Data.Updates), e.Data.Left)
	}
}

// A message is in the language of its reader; what feeds and pages say stays as it is.
func TestMessagesInOtherLanguages(t *testing.T) {
	german := locale.Tagged("de")
	m := testDigest()
	m.Language = german
	if w := compose(tidings.Target{}, m); w.title != "8 neue und 3 geänderte Beiträge in 3 Kanälen" ||
		w.channel != "3 Kanäle" ||
		!strings.HasSuffix(w.text, "About\n• Die Seite hat sich geändert.") {
		t.Errorf("a digest is %+v", w)
	}
	page := testMessages()[3]
	page.Language = german
	if w := compose(tidings.Target{}, page); !strings.HasPrefix(w.title, "Geändert: ") {
		t.Errorf("a page is %+v", w)
	}
	test := TestMessage(german, tidings.Target{Name: "phone"}, testTime)
	if w := compose(tidings.Target{}, test); w.title != "Test von phone" {
		t.Errorf("a test is %+v", w)
	}
}
