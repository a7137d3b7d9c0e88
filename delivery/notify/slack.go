package notify

import (
	"net/url"
	"strings"

	"tidings"
	"tidings/delivery/outbox"
)

// slackText is how many characters a message should have at most.
const slackText = 4000

// slackEscaper escapes the control characters of Slack's texts: nothing else mentions or links.
var slackEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

var slack = protocol{
	label:   "Slack",
	url:     "the URL of the channel's incoming webhook",
	example: "https://hooks.slack.com/services/T0000/B0000/token",
	instead: "their URL is the secret",
	check: func(u *url.URL) error {
		if len(strings.Trim(u.Path, "/")) == 0 {
			return tidings.Invalidf(
				"this is no URL of a Slack webhook: copy it from the app's settings, under Incoming Webhooks")
		}
		return noQuery(u)
	},
	build: func(j job) (*request, error) {
		title := slackEscaper.Replace(j.note.title)
		if j.note.link != "" {
			title = "<" + slackEscaper.Replace(j.note.link) + "|" + title + ">"
		}
		text := cut(j.note.text, max(slackText-length(title, characters)-1, slackText/4), slackCost)
		return postJSON(j.target.URL, map[string]string{"text": title + "\n" + slackEscaper.Replace(text)})
	},
	judge: func(a *answer, r *outbox.Refusal) {
		switch strings.TrimSpace(string(a.body)) {
		case "invalid_payload", "no_text", "msg_too_long", "invalid_blocks":
			r.Final = a.status == 400
		}
	},
}

// slackCost is what a character costs when it is escaped.
func slackCost(r rune) int {
	switch r {
	case '&':
		return len("&amp;")
	case '<', '>':
		return len("&lt;")
	}
	return 1
}
