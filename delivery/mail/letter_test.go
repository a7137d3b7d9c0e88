package mail

import (
	"flag"
	"fmt"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"tidings"
	"tidings/delivery/locale"
	"tidings/delivery/mail/mailtest"
	"tidings/delivery/outbox"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files")

// written returns a message as it is sent, and as a mail program shows it.
func written(t testing.TB, to tidings.Target, m outbox.Message) (string, mailtest.Letter) {
	t.Helper()
	s := testSender(t, Config{Server: "smtp.example.org:587", PublicURL: "https://tidings.example"})
	text, err := s.write(to, "ada@example.org", letterOf(to, m), m.ID)
	if err != nil {
		t.Fatal(err)
	}
	l, err := mailtest.Read(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return string(text), l
}

func testItems() []tidings.Item {
	changed := testItem()
	changed.Title, changed.Change = "Another", tidings.Changed
	nameless := testItem()
	nameless.Title, nameless.URL = "", ""
	return []tidings.Item{testItem(), changed, nameless}
}

func digestMessage() outbox.Message {
	m, page := testMessage(testItems()...), pageMessage().Update
	later, other := m.Update, testMessage(testItem()).Update
	page.ID, later.ID, other.ID = 43, 44, 45
	later.Items = later.Items[:1]
	other.Channel, other.Title = "https://other.example/feed", "Other <news>"
	return outbox.Message{ID: "5f3c-12-15", Made: testTime, Attempt: 1, Digest: []tidings.DeliveryPart{
		{Update: m.Update, Item: &m.Update.Items[0]}, {Update: other}, {Update: page},
		{Update: later, Item: &later.Items[0]}}}
}

func pageMessage() outbox.Message {
	m := testMessage()
	m.Update.Kind, m.Update.Channel, m.Update.Title = tidings.KindPage, "https://news.example/about", "About"
	m.Update.Delta = "2c2\n< We are three & few.\n---\n> We are <four>.\n"
	return m
}

// What mails look like stands in testdata, for people to read. To write it anew: go test -rewrite.
func TestLetters(t *testing.T) {
	worded := testTarget("ada@example.org")
	worded.Text = tidings.Text{Title: "{channel}: {title}", Body: "Read <this>:\n{link}"}
	for name, c := range map[string]struct {
		t tidings.Target
		m outbox.Message
	}{
		"item":   {testTarget("ada@example.org"), testMessage(testItem())},
		"items":  {testTarget("ada@example.org"), testMessage(testItems()...)},
		"page":   {testTarget("ada@example.org"), pageMessage()},
		"worded": {worded, testMessage(testItem())},
		"digest": {testTarget("ada@example.org"), digestMessage()},
	} {
		t.Run(name, func(t *testing.T) {
			_, l := written(t, c.t, c.m)
			golden(t, name, fmt.Sprintf("Subject: %s\nMessage-Id: %s\nList-Id: %s\n\n%s\n%s\n%s", l.Subject,
				l.Header.Get("Message-Id"), l.Header.Get("List-Id"), l.Text, strings.Repeat("=", 72), l.HTML))
		})
	}
	t.Run("confirmation", func(t *testing.T) {
		s := testSender(t, Config{Server: "smtp.example.org:587", PublicURL: "https://tidings.example"})
		to := testTarget("ada@example.org")
		to.Secret = unconfirmed + keyOf(to.Secret)
		text, err := s.write(to, "ada@example.org", s.request(nil, to, "Bob <b>"), "confirm-1")
		if err != nil {
			t.Fatal(err)
		}
		l, err := mailtest.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "confirmation", l.Subject+"\n\n"+l.Text+"\n"+strings.Repeat("=", 72)+"\n"+l.HTML)
		if l.Header.Get("List-Unsubscribe") != "" {
			t.Error("a mail that asks for confirmation has a link that stops mails")
		}
	})
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "letters", name+".txt")
	if *rewrite {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("%s: %v\n%s", file, err, got)
	}
}

// A mail says that a program sent it, has one click to stop it, and the same Message-ID at each attempt.
func TestHeaders(t *testing.T) {
	to := testTarget("ada@example.org")
	_, l := written(t, to, testMessage(testItem()))
	_, again := written(t, to, testMessage(testItem()))
	link := "https://tidings.example/mail/stop?t=" + Token(ToStop, to)
	for name, want := range map[string]string{
		"List-Unsubscribe": "<" + link + ">", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
		"Auto-Submitted": "auto-generated", "Message-Id": "<5f3c-12@tidings.example>", "To": "<ada@example.org>",
		"From": `"Tidings of Ada" <news@tidings.example>`,
	} {
		if got := l.Header.Get(name); got != want || again.Header.Get(name) != want {
			t.Errorf("%s: %s, not %s", name, got, want)
		}
	}
	if !strings.Contains(l.Text, link) || !strings.Contains(l.HTML, link) {
		t.Error("the text or the HTML has no link to stop")
	}
	s := testSender(t, Config{Server: "smtp.example.org:587"})
	text, err := s.write(to, "ada@example.org", letterOf(to, testMessage(testItem())), "x")
	if err != nil || strings.Contains(string(text), "List-Unsubscribe") ||
		!strings.Contains(string(text), "Settings, Notifications") {
		t.Errorf("without a public URL: %v\n%s", err, text)
	}
}

// allowedTags are those that a mail has beyond what markup.Sanitize allows.
var loading = map[string]bool{"img": true, "audio": true, "video": true, "source": true, "picture": false,
	"script": true,
	"iframe": true, "link": true, "object": true, "embed": true, "form": true, "svg": true, "style": true, "base": true}

// Whatever a feed contains, no line of it becomes a header, and nothing in the HTML loads or runs. Every element is
// closed before the foot, and the mail is bounded.
func TestAnyItemMakesAHarmlessMail(t *testing.T) {
	piece := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"\r\nBcc: eve@evil.example\r\n", "\n.\n", "=?utf-8?q?=0d=0aBcc:_eve?=",
		"<img src=https://evil.example/x.gif alt='a\nb'>",
		"<script>alert(1)</script>", "</div></body>", "<style>*{display:none}</style>",
		"<a href='javascript:alert(1)'>x</a>",
		"<a href=\"https://ok.example/\">ok</a>", "<video src=x poster=https://evil.example/y>", "<b><i><table><tr>",
		"{{.}}",
		"<p style='background:url(https://evil.example/z)'>", "<link rel=stylesheet href=https://evil.example/c.css>",
		"&lt;img src=x&gt;",
		"<details><summary>", "\x00\u202e\u2028", "<!--", "<![CDATA[", "<svg/onload=alert(1)>", "<textarea>",
		"<plaintext>",
	}))
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), "")
	})
	rapid.Check(t, func(r *rapid.T) {
		item := func() tidings.Item {
			return tidings.Item{ID: "x", URL: text.Draw(r, "url"), Title: text.Draw(r, "title"),
				Summary: text.Draw(r, "summary"),
				Content: text.Draw(r, "content"), Change: tidings.New}
		}
		var items []tidings.Item
		for range rapid.IntRange(1, 3).Draw(r, "items") {
			items = append(items, item())
		}
		m := testMessage(items...)
		m.Update.Title = text.Draw(r, "channel")
		if rapid.Bool().Draw(r, "page") {
			m.Item, m.Update.Items, m.Update.Kind, m.Update.Delta = nil, nil, tidings.KindPage, text.Draw(r, "delta")
		}
		m.ID = text.Draw(r, "id")
		to := testTarget("ada@example.org")
		if rapid.Bool().Draw(r, "worded") {
			to.Text = tidings.Text{Title: "{title}{channel}", Body: "{text}\n{title}{link}"}
		}
		raw, l := written(t, to, m)
		checkHarmless(r, raw, l)
	})
}

// fataler is what rapid and the fuzzer have in common.
type fataler interface {
	Fatalf(format string, args ...any)
}

func checkHarmless(t fataler, raw string, l mailtest.Letter) {
	head, _, _ := strings.Cut(raw, "\r\n\r\n")
	for line := range strings.SplitSeq(head, "\r\n") {
		name, _, found := strings.Cut(line, ":")
		if strings.HasPrefix(line, " ") {
			continue
		}
		if !found || !knownHeaders[name] || strings.ContainsAny(line, "\r\n\x00") {
			t.Fatalf("a header %q", line)
		}
	}
	for line := range strings.SplitSeq(raw, "\r\n") {
		if len(line) > 998 || strings.ContainsAny(line, "\r\n\x00") {
			t.Fatalf("a line of %d bytes: %q", len(line), line)
		}
	}
	if strings.ContainsFunc(l.Subject, unicode.IsControl) || l.Subject == "" {
		t.Fatalf("subject %q", l.Subject)
	}
	if len(raw) > MaxMessage {
		t.Fatalf("%d bytes", len(raw))
	}
	if recipients, err := mail.ParseAddressList(l.Header.Get("To")); err != nil || len(recipients) != 1 {
		t.Fatalf("recipients %v, %v", recipients, err)
	}
	var open []string
	for z := html.NewTokenizer(strings.NewReader(l.HTML)); ; {
		switch z.Next() {
		case html.ErrorToken:
			if len(open) != 0 {
				t.Fatalf("open at the end: %q\n%s", open, l.HTML)
			}
			return
		case html.StartTagToken:
			token := z.Token()
			if loading[token.Data] {
				t.Fatalf("<%s> in\n%s", token.Data, l.HTML)
			}
			for _, a := range token.Attr {
				switch {
				case a.Key == "href" && !strings.HasPrefix(a.Val, "http") && !strings.HasPrefix(a.Val, "mailto:"),
					a.Key == "src", a.Key == "srcset", a.Key == "poster", a.Key == "background",
					strings.HasPrefix(a.Key, "on"),
					a.Key == "style" && strings.Contains(a.Val, "url"):
					t.Fatalf("%s=%q in\n%s", a.Key, a.Val, l.HTML)
				}
			}
			if !void[token.Data] {
				open = append(open, token.Data)
			}
		case html.EndTagToken:
			token := z.Token()
			if len(open) == 0 || open[len(open)-1] != token.Data {
				t.Fatalf("</%s> closes %q in\n%s", token.Data, open, l.HTML)
			}
			open = open[:len(open)-1]
		}
	}
}

var void = map[string]bool{"meta": true, "br": true, "hr": true, "wbr": true, "p": false}

var knownHeaders = map[string]bool{"Auto-Submitted": true, "Date": true, "List-Id": true, "List-Unsubscribe": true,
	"List-Unsubscribe-Post": true, "MIME-Version": true, "Message-ID": true, "Subject": true, "User-Agent": true,
	"X-Auto-Response-Suppress": true, "X-Mailer": true, "From": true, "To": true, "Content-Type": true}

// What the property above meets by chance alone: a title that looks like an encoded word, and media that would be
// loaded.
func TestHarmlessMails(t *testing.T) {
	item := testItem()
	item.Title = "=?utf-8?q?=0d=0aBcc:_eve?= " + strings.Repeat("o", 60)
	item.Content =
		"<p>a<video src='https://evil.example/v' poster='https://evil.example/p'></video><audio src='https://evil.example/a'></audio>" +
			"<picture><source srcset='https://evil.example/s'><img src='https://evil.example/i' alt='A lake'></picture>b</p>"
	raw, l := written(t, testTarget("ada@example.org"), testMessage(item))
	checkHarmless(t, raw, l)
	if l.Subject != item.Title || strings.Contains(l.HTML, "evil") || !strings.Contains(l.HTML, "[A lake]") {
		t.Errorf("%q\n%s", l.Subject, l.HTML)
	}
}

// However long and deep the content is, a mail is bounded, and made in bounded work.
func TestLargeContent(t *testing.T) {
	for name, content := range map[string]string{
		"long": strings.Repeat("<p>ä&lt;</p>", 200_000), "one word": strings.Repeat("ü", 2<<20),
		"deep": strings.Repeat("<div><b>", 100_000), "open tag": "<p " + strings.Repeat("x", 1<<20),
		"tables": strings.Repeat("<table><td>", 50_000),
		"lists":  strings.Repeat("<ul><li><a href=https://x.example/><p>", 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			item := testItem()
			item.Content = content
			raw, l := written(t, testTarget("ada@example.org"), testMessage(item))
			checkHarmless(t, raw, l)
		})
	}
	t.Run("many items", func(t *testing.T) {
		var items []tidings.Item
		for range 1000 {
			item := testItem()
			item.Title, item.Summary = strings.Repeat("Ö", 2000), strings.Repeat("Ä ", 5000)
			items = append(items, item)
		}
		raw, l := written(t, testTarget("ada@example.org"), testMessage(items...))
		checkHarmless(t, raw, l)
		if !strings.Contains(l.Text, "and 800 more") {
			t.Error("it does not say how many are missing")
		}
		var digest outbox.Message
		for i := range tidings.MaxDigest {
			u := testMessage(items...).Update
			u.ID, u.Channel = int64(i+1), fmt.Sprint("https://news.example/", i)
			digest.Digest = append(digest.Digest, tidings.DeliveryPart{Update: u})
		}
		raw, l = written(t, testTarget("ada@example.org"), digest)
		checkHarmless(t, raw, l)
		if !strings.Contains(l.Text, "and 199800 more") {
			t.Error("a digest does not say how many are missing")
		}
	})
}

// FuzzContent: what a feed has in an item becomes a harmless mail.
func FuzzContent(f *testing.F) {
	for _, seed := range []string{testItem().Content, "<p>a</p></div><img src=x alt=\"<b>\">", "<table><p><td><a><a>",
		"<b><p></b>\r\n.\r\n"} {
		f.Add("A title", seed)
	}
	f.Fuzz(func(t *testing.T, title, content string) {
		item := testItem()
		item.Title, item.Content = title, content
		raw, l := written(t, testTarget("ada@example.org"), testMessage(item))
		checkHarmless(t, raw, l)
	})
}

// A mail is in the language of its reader, in both of its parts.
func TestLettersInOtherLanguages(t *testing.T) {
	m := digestMessage()
	m.Language = locale.Tagged("de")
	text, l := written(t, testTarget("ada@example.org"), m)
	for _, want := range []string{"Diese Mails beenden", "Ändern, was kommt"} {
		if !strings.Contains(l.Text, want) || !strings.Contains(l.HTML, want) {
			t.Errorf("the mail lacks %q: %s", want, text)
		}
	}
	if !strings.Contains(l.HTML, `<html lang="de">`) || strings.Contains(l.Text, "Stop") {
		t.Errorf("the mail is %s\n%s", l.Text, l.HTML)
	}
}
