package notify

import (
	"errors"
	"fmt"
	"html"
	"regexp"
	"strings"

	"tidings"
	"tidings/delivery/outbox"
)

// telegramText is how many UTF-16 code units a message may have after its markup is parsed.
const telegramText = 4096

var (
	telegramChat  = regexp.MustCompile(`^(-?[0-9]{1,20}|@[A-Za-z][A-Za-z0-9_]{3,31})$`)
	telegramToken = regexp.MustCompile(`^[0-9]{1,20}:[A-Za-z0-9_-]{10,}$`)
	// telegramFinal is what the Bot API says of messages that it never accepts.
	telegramFinal = regexp.MustCompile(`(?i)message is too long|MESSAGE_TOO_LONG|text is empty|can't parse entities`)
)

var telegram = protocol{
	label:       "Telegram",
	url:         "the address of the Bot API with the chat behind it, a number or @name",
	example:     "https://api.telegram.org/@mychannel",
	secret:      "token of the bot, from @BotFather",
	needsSecret: true,
	checkKey: func(secret string) error {
		if !telegramToken.MatchString(secret) {
			return tidings.Invalidf(
				"the secret is no bot's token: give the one from @BotFather, such as 123456:ABC-DEF1234ghIkl")
		}
		return nil
	},
	check: lastMatches(telegramChat,
		"the URL does not end with a chat: give https://api.telegram.org/CHAT, the chat by its number or as @name"),
	build: func(j job) (*request, error) {
		base, chat := lastSegment(j.url)
		title := "<b>" + html.EscapeString(j.note.title) + "</b>"
		if j.note.link != "" {
			title = `<a href="` + html.EscapeString(j.note.link) + `">` + title + "</a>"
		}
		room := telegramText - length(j.note.title, utf16Units) - 1
		return postJSON(base+"/bot"+j.target.Secret+"/sendMessage", struct {
			Chat  string `json:"chat_id"`
			Text  string `json:"text"`
			Parse string `json:"parse_mode"`
		}{chat, title + "\n" + html.EscapeString(cut(j.note.text, room, utf16Units)), "HTML"})
	},
	reads: true,
	judge: func(a *answer, r *outbox.Refusal) {
		var body struct {
			OK          *bool  `json:"ok"`
			Description string `json:"description"`
			Parameters  struct {
				After   float64 `json:"retry_after"`
				Migrate int64   `json:"migrate_to_chat_id"`
			} `json:"parameters"`
		}
		a.object(&body)
		if a.accepts() && (body.OK == nil || !*body.OK) {
			r.Err = errors.New(strings.TrimSuffix("the server did not accept the message: "+body.Description, ": "))
		}
		if a.status == 400 && telegramFinal.MatchString(body.Description) {
			r.Final = true
		}
		r.After = max(r.After, seconds(body.Parameters.After))
		if to := body.Parameters.Migrate; to != 0 && r.Err != nil {
			r.Err = fmt.Errorf("%w; the chat is %d now: change the end of the URL", r.Err, to)
		}
	},
}

// length is what a text costs.
func length(s string, cost func(rune) int) (n int) {
	for _, r := range s {
		n += cost(r)
	}
	return n
}
