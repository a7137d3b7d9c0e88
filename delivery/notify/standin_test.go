package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"tidings"
)

// A standIn checks that a request meets the demands of a service's documentation. It returns the title and the text
// that people would see there. Parts may be cut.
type standIn func(r *http.Request, body string) (title, text string, err error)

var standIns = map[tidings.TargetKind]standIn{
	tidings.Webhook: webhookStandIn, tidings.Ntfy: ntfyStandIn, tidings.Gotify: gotifyStandIn,
	tidings.Matrix:   matrixStandIn,
	tidings.Telegram: telegramStandIn, tidings.Discord: discordStandIn, tidings.Slack: slackStandIn,
	tidings.Pushover: pushoverStandIn,
	tidings.Generic:  genericStandIn, tidings.BrowserPush: pushStandIn,
}

// decode reads JSON that has the fields of v and no others.
func decode(r *http.Request, body string, v any) error {
	if r.Header.Get("Content-Type") != "application/json" {
		return fmt.Errorf("Content-Type %q", r.Header.Get("Content-Type"))
	}
	d := json.NewDecoder(strings.NewReader(body))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

func route(r *http.Request, method, path string) error {
	if r.Method != method || r.URL.EscapedPath() != path {
		return fmt.Errorf("%s %s, not %s %s", r.Method, r.URL.EscapedPath(), method, path)
	}
	return nil
}

// webhookStandIn follows "Verifying signatures" of Standard Webhooks, by the text of the specification.
func webhookStandIn(r *http.Request, body string) (title, text string, err error) {
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(testSecrets[tidings.Webhook], "whsec_"))
	if err != nil {
		return "", "", err
	}
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "%s.%s.%s", r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp"), body)
	valid := slices.ContainsFunc(strings.Split(r.Header.Get("webhook-signature"), " "), func(s string) bool {
		version, signature, _ := strings.Cut(s, ",")
		given, err := base64.StdEncoding.DecodeString(signature)
		return version == "v1" && err == nil && hmac.Equal(given, mac.Sum(nil))
	})
	if !valid {
		return "", "", errors.New("no signature matches")
	}
	if at, err := strconv.ParseInt(r.Header.Get("webhook-timestamp"), 10, 64); err != nil || at != testTime.Unix() {
		return "", "", fmt.Errorf("timestamp %q", r.Header.Get("webhook-timestamp"))
	}
	var e struct {
		Type string `json:"type"`
		Data struct {
			Items []tidings.Item `json:"items"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		return "", "", err
	}
	if len(body) > MaxBody || r.Method != http.MethodPost ||
		r.Header.Get("Idempotency-Key") != `"`+r.Header.Get("webhook-id")+`"` {
		return "", "", fmt.Errorf("%s, %d bytes, idempotency key %q", r.Method, len(body),
			r.Header.Get("Idempotency-Key"))
	}
	if e.Type != "item.new" || len(e.Data.Items) != 1 {
		return "", "", fmt.Errorf("type %q, %d items", e.Type, len(e.Data.Items))
	}
	return "", "", nil
}

func ntfyStandIn(r *http.Request, body string) (title, text string, err error) {
	var m struct {
		Topic, Title, Message, Click string
		Sequence                     string `json:"sequence_id"`
	}
	if err := errors.Join(route(r, "POST", "/"), decode(r, body, &m)); err != nil {
		return "", "", err
	}
	if m.Topic != "my-topic" || m.Sequence != "msg_1" || len(m.Message) == 0 || len(m.Message) > 4096 ||
		len(body) > 32768 ||
		r.Header.Get("Authorization") != "Bearer "+testSecrets[tidings.Ntfy] {
		return "", "", errors.New(body)
	}
	return m.Title, m.Message, nil
}

func gotifyStandIn(r *http.Request, body string) (title, text string, err error) {
	var m struct {
		Title, Message string
		Priority       int
		Extras         map[string]map[string]any
	}
	if err := errors.Join(route(r, "POST", "/message"), decode(r, body, &m)); err != nil {
		return "", "", err
	}
	if m.Message == "" || r.Header.Get("X-Gotify-Key") != testSecrets[tidings.Gotify] ||
		m.Extras["client::display"]["contentType"] != "text/plain" {
		return "", "", errors.New(body)
	}
	return m.Title, m.Message, nil
}

// shown returns the text of HTML that has no tags but those that are allowed.
func shown(markup string, allowed ...string) (string, error) {
	var b strings.Builder
	for z := html.NewTokenizer(strings.NewReader(markup)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return b.String(), nil
		case html.TextToken:
			b.Write(z.Text())
		case html.StartTagToken, html.EndTagToken:
			token := z.Token()
			if !slices.Contains(allowed, token.Data) {
				return "", fmt.Errorf("<%s> in %q", token.Data, markup)
			}
			for _, a := range token.Attr {
				if token.Data != "a" || a.Key != "href" || !strings.HasPrefix(a.Val, "http") {
					return "", fmt.Errorf("%s=%q in %q", a.Key, a.Val, markup)
				}
			}
			if token.Data == "br" {
				b.WriteByte('\n')
			}
		default:
			return "", fmt.Errorf("%q", markup)
		}
	}
}

func matrixStandIn(r *http.Request, body string) (title, text string, err error) {
	var m struct {
		Type      string         `json:"msgtype"`
		Body      string         `json:"body"`
		Format    string         `json:"format"`
		Formatted string         `json:"formatted_body"`
		Mentions  map[string]any `json:"m.mentions"`
	}
	if err := errors.Join(route(r, "PUT",
		"/_matrix/client/v3/rooms/%21room1:example.org/send/m.room.message/msg_1"), decode(r, body, &m)); err != nil {
		return "", "", err
	}
	if m.Type != "m.text" || m.Body == "" || m.Format != "org.matrix.custom.html" || m.Mentions == nil ||
		len(m.Mentions) > 0 ||
		len(body) > 60_000 || r.Header.Get("Authorization") != "Bearer "+testSecrets[tidings.Matrix] {
		return "", "", errors.New(body)
	}
	all, err := shown(m.Formatted, "a", "strong", "br")
	title, text, _ = strings.Cut(all, "\n")
	return title, text, err
}

func telegramStandIn(r *http.Request, body string) (title, text string, err error) {
	var m struct {
		Chat  string `json:"chat_id"`
		Text  string `json:"text"`
		Parse string `json:"parse_mode"`
	}
	if err := errors.Join(route(r, "POST", "/bot"+testSecrets[tidings.Telegram]+"/sendMessage"), decode(r,
		body, &m)); err != nil {
		return "", "", err
	}
	all, err := shown(m.Text, "a", "b")
	if n := len(utf16.Encode([]rune(all))); n < 1 || n > 4096 || m.Chat != "-100123" || m.Parse != "HTML" {
		return "", "", fmt.Errorf("%d code units: %s", n, body)
	}
	title, text, _ = strings.Cut(all, "\n")
	return title, text, err
}

func discordStandIn(r *http.Request, body string) (title, text string, err error) {
	var m struct {
		Content  string              `json:"content"`
		Mentions map[string][]string `json:"allowed_mentions"`
	}
	if err := errors.Join(route(r, "POST", "/api/v10/webhooks/1234/discord-token_Abc"), decode(r, body,
		&m)); err != nil {
		return "", "", err
	}
	if n := len(utf16.Encode([]rune(m.Content))); n < 1 || n > 2000 || m.Mentions["parse"] == nil ||
		len(m.Mentions) != 1 ||
		len(m.Mentions["parse"]) > 0 || r.URL.Query().Get("wait") != "true" {
		return "", "", fmt.Errorf("%d code units: %s", n, body)
	}
	// What is not escaped is the frame: bold title, and the link in the last line.
	frame := regexp.MustCompile(`(?s)^\*\*(.*?)\*\*\n(.*?)(\nhttps?://[!-~]+)?$`).FindStringSubmatch(m.Content)
	if frame == nil {
		return "", "", errors.New(m.Content)
	}
	escaped := regexp.MustCompile(`\\([^0-9A-Za-z\s])`)
	for _, part := range frame[1:3] {
		if strings.ContainsAny(escaped.ReplaceAllString(part, ""), "\\`*_~|<>[]()#@") {
			return "", "", fmt.Errorf("not escaped: %q", part)
		}
	}
	return escaped.ReplaceAllString(frame[1], "$1"), escaped.ReplaceAllString(frame[2], "$1"), nil
}

func slackStandIn(r *http.Request, body string) (title, text string, err error) {
	var m struct{ Text string }
	if err := errors.Join(route(r, "POST", "/services/T000/B000/slackTokenXyz"), decode(r, body, &m)); err != nil {
		return "", "", err
	}
	if m.Text == "" || utf8.RuneCountInString(m.Text) > 5100 {
		return "", "", fmt.Errorf("%d characters", utf8.RuneCountInString(m.Text))
	}
	frame := regexp.MustCompile(`(?s)^<https?://[!-;=?-{}~]+\|([^<>]*)>\n([^<>]*)$`).FindStringSubmatch(m.Text)
	if frame == nil {
		return "", "", errors.New(m.Text)
	}
	for _, entity := range regexp.MustCompile(`&\S*?;|&`).FindAllString(m.Text, -1) {
		if entity != "&amp;" && entity != "&lt;" && entity != "&gt;" {
			return "", "", fmt.Errorf("%q in %q", entity, m.Text)
		}
	}
	return html.UnescapeString(frame[1]), html.UnescapeString(frame[2]), nil
}

func pushoverStandIn(r *http.Request, body string) (title, text string, err error) {
	form, err := url.ParseQuery(body)
	if err := errors.Join(err, route(r, "POST", "/1/messages.json")); err != nil {
		return "", "", err
	}
	if r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" ||
		form.Get("token") != testSecrets[tidings.Pushover] ||
		!regexp.MustCompile(`^[A-Za-z0-9]{30}$`).MatchString(form.Get("user")) || form.Get("message") == "" ||
		utf8.RuneCountInString(form.Get("message")) > 1024 ||
		utf8.RuneCountInString(form.Get("title")) > 250 || len(form.Get("url")) > 512 {
		return "", "", errors.New(body)
	}
	return form.Get("title"), form.Get("message"), nil
}

func genericStandIn(r *http.Request, body string) (title, text string, err error) {
	var m struct{ Title, Link, All string }
	if err := errors.Join(route(r, "PUT", "/in/msg_1"), decode(r, body, &m)); err != nil {
		return "", "", err
	}
	if len(r.Header["X-Title"]) != 1 || r.URL.Query().Get("about") != m.Title {
		return "", "", fmt.Errorf("%q, %q", r.Header["X-Title"], r.URL.RawQuery)
	}
	return m.Title, "", nil
}

// hostileTexts are what feeds might try.
var hostileTexts = []string{"@everyone", "@here", "<@123>", "<!channel>", "<!here|x>",
	"<script>alert(1)</script>", "</b></a>", "<b>", "&lt;b&gt;",
	"&amp;", "[bank](https://evil.example)", "**", "`", "```", "||", "\\", "\"", "\",\"admin\":true,\"x\":\"",
	"\r\nX-Injected: 1", "\u202e", "\x00",
	"{title}", "{text}", "{id}", "https://evil.example/|bank>", "@room", "😀", "é", "\u2028", "%0a",
	"../../admin", "a|b", "#", "~", "\xff"}

// TestServicesAcceptEverything sends whatever feeds hold to stand-ins of all services. They accept it, and people see
// the text as it was.
func TestServicesAcceptEverything(t *testing.T) {
	for _, kind := range Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			var title, text string
			var complaint error
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				title, text, complaint = standIns[kind](r, bodyOf(t, r))
				io.WriteString(w, accepted(kind))
			})
			n, target := testNotifier(), testTarget(kind, server.URL)
			rapid.Check(t, func(t *rapid.T) {
				words := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(hostileTexts), rapid.String()), 0, 6)
				i := testItems()[0]
				i.Title = strings.Join(words.Draw(t, "title"), rapid.SampledFrom([]string{"", " ",
					"\n"}).Draw(t, "between"))
				i.Title = strings.Repeat(i.Title, rapid.SampledFrom([]int{1, 1, 100}).Draw(t, "times"))
				i.Summary = "<p>" + html.EscapeString(strings.Join(words.Draw(t, "summary"), " ")) + "</p>"
				target.Text.Body = rapid.SampledFrom([]string{"", "{title}",
					strings.Repeat("{text}\n{link} &<*", 40)}).Draw(t, "wording")
				m := itemMessage(i)
				if err := errors.Join(n.Send(t.Context(), target, m), complaint); err != nil {
					t.Fatalf("%v\nfrom %q", err, i.Title)
				}
				want := compose(target, m)
				if !shows(title, want.title) || !shows(text, want.text) {
					t.Fatalf("shown as %q with %q, not %q with %q", title, text, want.title, want.text)
				}
			})
		})
	}
}

// TestLongestMessages sends texts as long as they get, of characters that cost most, with the longest links. No service
// gets more than it accepts.
func TestLongestMessages(t *testing.T) {
	for _, kind := range Kinds() {
		for _, character := range []string{"x", "&", "<", "*", "\\", "é", "😀"} {
			for _, link := range []int{20, 512, 513, maxLink, maxLink + 1} {
				var complaint error
				server := serve(t, func(w http.ResponseWriter, r *http.Request) {
					_, _, complaint = standIns[kind](r, bodyOf(t, r))
					io.WriteString(w, accepted(kind))
				})
				i := testItems()[0]
				i.Title = strings.Repeat(character, 2*maxTitle)
				i.URL = "https://x.example/" + strings.Repeat("a", link-len("https://x.example/"))
				target := testTarget(kind, server.URL)
				target.Text.Body = strings.Repeat("{title}", 20)
				if err := testNotifier().Send(t.Context(), target, itemMessage(i)); err != nil || complaint != nil {
					t.Errorf("%s, %q, a link of %d bytes: %v, %.300v", kind, character, link, err, complaint)
				}
				server.Close()
			}
		}
	}
}

// shows reports whether people see a text, or its beginning. A stand-in that shows none has "".
func shows(seen, want string) bool {
	return seen == "" || seen == want || strings.HasSuffix(seen, ellipsis) && strings.HasPrefix(want,
		strings.TrimSuffix(seen, ellipsis))
}
