package notify

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"tidings/delivery/outbox"
)

// ntfyText is how many bytes a message may have: longer ones become attachments.
const ntfyText = 4096

var ntfyTopic = regexp.MustCompile(`^[-_A-Za-z0-9]{1,64}$`)

var ntfy = protocol{
	label:   "ntfy",
	url:     "the address of the topic",
	example: "https://ntfy.sh/my-topic",
	secret:  "access token, or user name and password as USER:PASSWORD, if the topic is protected",
	check: lastMatches(ntfyTopic,
		"the URL does not end with a topic: give https://ntfy.sh/TOPIC, the topic of at most 64 letters, digits, - and _"),
	build: func(j job) (*request, error) {
		base, topic := lastSegment(j.url)
		r, err := postJSON(base+"/", struct {
			Topic   string `json:"topic"`
			Title   string `json:"title"`
			Message string `json:"message"`
			Click   string `json:"click,omitempty"`

			Sequence string `json:"sequence_id"` // older servers than 2.16 ignore it
		}{topic, j.note.title, cut(j.note.text, ntfyText, inBytes), j.note.link, j.message.ID})
		if err != nil {
			return nil, err
		}
		ntfyAuthorize(r, j.target.Secret)
		return r, nil
	},
	// A cleared notification is read and dismissed, and stays in the app's list.
	retract: func(j job) (*request, error) {
		base, topic := lastSegment(j.url)
		r := &request{method: http.MethodPut, url: base + "/" + topic + "/" + url.PathEscape(j.message.Retracts[0]) +
			"/clear",
			header: make(http.Header)}
		ntfyAuthorize(r, j.target.Secret)
		return r, nil
	},
	judge: func(a *answer, r *outbox.Refusal) {
		var body struct {
			Code int `json:"code"`
		}
		a.object(&body)
		switch body.Code {
		case 40011, 40017, 41303: // not UTF-8, no JSON, too large
			r.Final = true
		}
	},
}

func ntfyAuthorize(r *request, secret string) {
	switch {
	case strings.Contains(secret, ":"):
		r.header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(secret)))
	case secret != "":
		r.header.Set("Authorization", "Bearer "+secret)
	}
}
