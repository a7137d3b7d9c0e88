package notify

import (
	"net/url"
	"regexp"
	"strings"

	"tidings"
	"tidings/delivery/outbox"
)

// discordText is how many characters a message may have.
const discordText = 2000

var (
	discordPath = regexp.MustCompile(`^((?:/[^/]+)*/api)(?:/v[0-9]+)?(/webhooks/[0-9]+/[A-Za-z0-9_.-]+)/?$`)

	// discordMarkup are the characters that format, link or mention.
	discordMarkup = "\\`*_~|<>[]()#:@"
)

var discord = protocol{
	label:   "Discord",
	url:     "the URL of the channel's webhook",
	example: "https://discord.com/api/webhooks/1234/abcd",
	instead: "their URL is the secret",
	check: func(u *url.URL) error {
		if !discordPath.MatchString(u.EscapedPath()) {
			return tidings.Invalidf(
				"this is no URL of a Discord webhook: copy it from the channel's settings, under Integrations")
		}
		return nil
	},
	build: func(j job) (*request, error) {
		title, link := "**"+escapeDiscord(j.note.title)+"**\n", ""
		if j.note.link != "" && len(j.note.link) <= discordText/4 {
			link = "\n" + j.note.link
		}
		text := cut(j.note.text, discordText-length(title+link, utf16Units), discordCost)
		return postJSON(discordURL(j.url), struct {
			Content  string              `json:"content"`
			Mentions map[string][]string `json:"allowed_mentions"`
		}{title + escapeDiscord(text) + link, map[string][]string{"parse": {}}})
	},
	judge: func(a *answer, r *outbox.Refusal) {
		var body struct {
			Code  int     `json:"code"`
			After float64 `json:"retry_after"` // seconds, since version 8 of the API
		}
		a.object(&body)
		switch {
		case a.status == 404 && body.Code == 10015: // Unknown Webhook: it was deleted
			r.Gone = true
		case a.status == 400 && (body.Code == 50006 || body.Code == 50035): // empty message, invalid form body
			r.Final = true
		}
		r.After = max(r.After, seconds(body.After))
	},
}

// discordURL pins the version of the API, and asks for an answer only after the message was stored.
func discordURL(u *url.URL) string {
	m := discordPath.FindStringSubmatch(u.EscapedPath())
	query := u.Query()
	query.Set("wait", "true")
	return u.Scheme + "://" + u.Host + m[1] + "/v10" + m[2] + "?" + query.Encode()
}

func escapeDiscord(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(discordMarkup, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// discordCost is what a character costs when it is escaped.
func discordCost(r rune) int { return utf16Units(r) + b2i(strings.ContainsRune(discordMarkup, r)) }
