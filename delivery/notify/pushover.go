package notify

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"

	"tidings/delivery/outbox"
)

// Bounds of a message, in characters.
const (
	pushoverTitle = 250
	pushoverText  = 1024
	pushoverLink  = 512
)

var pushoverUser = regexp.MustCompile(`^[A-Za-z0-9]{1,64}$`)

var pushover = protocol{
	label:       "Pushover",
	url:         "the address of the service with your user key or a group's behind it",
	example:     "https://api.pushover.net/USERKEY",
	secret:      "token of an application",
	needsSecret: true,
	check: lastMatches(pushoverUser,
		"the URL does not end with a user key: give https://api.pushover.net/USER, the key from Pushover's page"),
	build: func(j job) (*request, error) {
		base, user := lastSegment(j.url)
		form := url.Values{"token": {j.target.Secret}, "user": {user}, "title": {cut(j.note.title,
			pushoverTitle, characters)},
			"message": {cut(j.note.text, pushoverText, characters)}}
		if j.note.link != "" && len(j.note.link) <= pushoverLink {
			form.Set("url", j.note.link)
		}
		if at := j.note.time.Unix(); at > 0 {
			form.Set("timestamp", strconv.FormatInt(at, 10))
		}
		h := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
		return &request{method: http.MethodPost, url: base + "/1/messages.json", header: h,
			body: []byte(form.Encode())}, nil
	},
	reads: true,
	judge: func(a *answer, r *outbox.Refusal) {
		var body struct {
			Status int `json:"status"`
		}
		a.object(&body)
		if a.accepts() && body.Status != 1 {
			r.Err = errors.New("the server did not accept the message")
		}
		// "Do not repeat the request": its input is wrong, or the month's quota is used up.
		r.Final = a.status >= 400 && a.status < 500
	},
}
