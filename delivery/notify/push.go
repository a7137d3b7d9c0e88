package notify

import (
	"errors"
	"net/http"

	"tidings/delivery/outbox"
	"tidings/delivery/webpush"
)

var push = protocol{
	label:       "Browser or UnifiedPush",
	url:         "the endpoint of the subscription; this page fills it in for a browser",
	example:     "https://push.example.org/send/abcd",
	secret:      `subscription's keys, as {"p256dh":"…","auth":"…"}`,
	needsSecret: true,
	checkKey: func(secret string) error {
		_, err := webpush.ParseRecipient(secret)
		return err
	},
	build:   pushRequest,
	retract: pushRetraction,
	judge: func(a *answer, r *outbox.Refusal) {
		switch a.status {
		case http.StatusNotFound: // RFC 8030, section 7.3: the subscription has expired
			r.Gone = true
		case http.StatusRequestEntityTooLarge:
			r.Final = true
		}
	},
}

// pushMessage is what the page's service worker reads, and apps of UnifiedPush may.
type pushMessage struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Text    string `json:"text"`
	Link    string `json:"link,omitempty"`
	Channel string `json:"channel,omitempty"`
	Time    int64  `json:"time"` // of the update, in ms since 1970
}

var errNoPushKeys = errors.New("this node has no keys for push services")

func pushRequest(j job) (*request, error) {
	payload, err := pushPayload(pushMessage{j.message.ID, j.note.title, j.note.text, j.note.link, j.note.channel,
		j.note.time.UnixMilli()})
	if err != nil {
		return nil, err
	}
	return pushed(j, j.message.ID, payload)
}

// pushRetraction has the page's service worker close notifications. One that waits at the push service still is
// replaced.
func pushRetraction(j job) (*request, error) {
	id, retracts := j.message.ID, j.message.Retracts
	if len(retracts) == 1 {
		id = retracts[0]
	}
	payload, err := marshal(struct {
		ID       string   `json:"id"`
		Retracts []string `json:"retracts"` // IDs of messages: of 50, the most, well below webpush.MaxPayload
	}{j.message.ID, retracts})
	if err != nil {
		return nil, err
	}
	return pushed(j, id, payload)
}

// pushed returns the request that pushes a payload. It replaces one of the same ID that waits at the push service.
func pushed(j job, id string, payload []byte) (*request, error) {
	if j.vapid == (webpush.Keys{}) {
		return nil, errNoPushKeys
	}
	to, err := webpush.ParseRecipient(j.target.Secret)
	if err != nil {
		return nil, err
	}
	r, body, err := webpush.Request(j.target.URL, to, j.vapid, j.contact, webpush.Message{ID: id, Payload: payload})
	if err != nil {
		return nil, err
	}
	return &request{method: r.Method, url: j.target.URL, header: r.Header, body: body,
		shown: "encrypted: " + string(payload)}, nil
}

// leastText is how much room, in bytes, the text of a push message has before its channel is left out: with the longest
// title and link there is more without it.
const leastText = 400

// pushPayload returns a message as JSON in as many bytes as it may have.
func pushPayload(m pushMessage) ([]byte, error) {
	text := m.Text
	m.Text = ""
	b, err := marshal(m)
	if err == nil && len(b) > webpush.MaxPayload-leastText {
		m.Channel = ""
		b, err = marshal(m)
	}
	if err != nil {
		return nil, err
	}
	m.Text = cut(text, webpush.MaxPayload-len(b), inJSONString)
	return marshal(m)
}

// inJSONString is what a character of a text costs in a JSON string, in bytes.
func inJSONString(r rune) int { return inBytes(r) + b2i(r == '"' || r == '\\' || r == '\n') }
