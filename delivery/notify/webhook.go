package notify

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/locale"
	"tidings/delivery/outbox"
)

// Standard Webhooks, "Signature scheme".
const (
	secretPrefix = "whsec_"
	minKey       = 24 // bytes
	maxKey       = 64
)

var webhook = protocol{
	label:       "Webhook",
	url:         "the address that receives the messages",
	example:     "https://example.org/hooks/tidings",
	secret:      "signing secret: whsec_ and 24 to 64 bytes in base64",
	needsSecret: true,
	checkKey: func(secret string) error {
		if _, ok := keyOf(secret); !ok {
			return tidings.Invalidf(
				"the signing secret is not whsec_ and 24 to 64 bytes in base64: let the node make one")
		}
		return nil
	},
	build: func(j job) (*request, error) {
		body, err := webhookBody(j)
		if err != nil {
			return nil, err
		}
		key, _ := keyOf(j.target.Secret) // validated
		at := strconv.FormatInt(j.now.Unix(), 10)
		h := make(http.Header)
		h.Set("Content-Type", "application/json")
		h.Set("Webhook-Id", j.message.ID)
		h.Set("Webhook-Timestamp", at)
		h.Set("Webhook-Signature", sign(key, j.message.ID, at, body))
		h.Set("Idempotency-Key", strconv.Quote(j.message.ID))
		return &request{method: http.MethodPost, url: j.target.URL, header: h, body: body}, nil
	},
}

// NewSecret makes a signing secret for a webhook.
func NewSecret() string {
	var key [32]byte
	_, _ = rand.Read(key[:]) // it never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key[:])
}

func keyOf(secret string) ([]byte, bool) {
	text, ok := strings.CutPrefix(secret, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	return key, ok && err == nil && len(key) >= minKey && len(key) <= maxKey
}

func sign(key []byte, id, timestamp string, body []byte) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(id + "." + timestamp + "."))
	h.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// event is the body of a webhook. Type is one of:
//
//	item.new       an item that was not there before
//	item.changed   a revision of one
//	channel.items  several items
//	page.changed   a page, with its delta instead of items
//	digest         several updates
//	test           no update, but the test of a target
type event struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"` // of the update; of a digest, of the latest
	Data      any       `json:"data"`      // *eventData, or of a digest *digestData
}

type digestData struct {
	Updates []eventData `json:"updates"`
	Left    int         `json:"updates_left_out,omitempty"` // for which the body has no room
}

type eventData struct {
	Channel string          `json:"channel"` // URL
	Title   string          `json:"channel_title"`
	Link    string          `json:"link,omitempty"` // where people read it
	Update  int64           `json:"update"`         // its ID at the node
	Version tidings.Version `json:"version"`        // of the channel at the node
	Kind    tidings.Kind    `json:"kind"`
	Items   []eventItem     `json:"items,omitempty"`
	Left    int             `json:"items_left_out,omitempty"` // items that the body has no room for
	Delta   string          `json:"delta,omitempty"`
	Cut     bool            `json:"cut,omitempty"` // the delta was cut
}

type eventItem struct {
	tidings.Item
	Cut bool `json:"cut,omitempty"` // texts of the item were cut
}

func webhookBody(j job) ([]byte, error) {
	e := event{Type: eventType(j.message), Timestamp: j.note.time.UTC()}
	if j.message.Digest != nil {
		var d digestData
		for _, u := range j.message.Updates() {
			d.Updates = append(d.Updates, dataOf(u, linkOf(u.Channel)))
		}
		return fittedDigest(e, &d)
	}
	u := j.message.Update
	if j.message.Item != nil {
		u.Items = []tidings.Item{*j.message.Item}
	}
	data := dataOf(u, j.note.link)
	return fitted(e, &data)
}

func dataOf(u tidings.Update, link string) eventData {
	d := eventData{Channel: u.Channel, Title: u.Title, Link: link, Update: u.ID, Version: u.Version, Kind: u.Kind,
		Delta: u.Delta}
	for _, i := range u.Items {
		d.Items = append(d.Items, eventItem{Item: i})
	}
	return d
}

func eventType(m outbox.Message) string {
	switch {
	case m.Digest != nil:
		return "digest"
	case m.Update.ID == 0:
		return "test"
	case m.Item != nil && m.Item.Change == tidings.Changed:
		return "item.changed"
	case m.Item != nil:
		return "item.new"
	case m.Update.Kind == tidings.KindPage:
		return "page.changed"
	}
	return "channel.items"
}

// fitted returns an event in at most MaxBody bytes. It cuts the longest texts first, then others, then leaves out
// items.
func fitted(e event, d *eventData) ([]byte, error) {
	e.Data = d
	body, err := marshal(e)
	for limit := MaxBody / 4; err == nil && len(body) > MaxBody && limit >= 256; limit /= 4 {
		d.cutTexts(limit)
		body, err = marshal(e)
	}
	for err == nil && len(body) > MaxBody && len(d.Items) > 1 {
		keep := len(d.Items) / 2
		d.Left += len(d.Items) - keep
		d.Items = d.Items[:keep]
		body, err = marshal(e)
	}
	if err == nil && len(body) > MaxBody {
		for k, i := range d.Items {
			d.Items[k] = eventItem{tidings.Item{ID: cut(i.ID, maxLink, inBytes), Title: cut(i.Title,
				maxTitle, characters),
				URL: linkOf(i.URL), Published: i.Published, Updated: i.Updated, Change: i.Change}, true}
		}
		body, err = marshal(e)
	}
	return body, err
}

// fittedDigest is fitted for a digest: then it leaves out updates.
func fittedDigest(e event, d *digestData) ([]byte, error) {
	e.Data = d
	body, err := marshal(e)
	for limit := MaxBody / 4; err == nil && len(body) > MaxBody && limit >= 256; limit /= 4 {
		for k := range d.Updates {
			d.Updates[k].cutTexts(limit)
		}
		body, err = marshal(e)
	}
	for err == nil && len(body) > MaxBody && len(d.Updates) > 0 {
		keep := len(d.Updates) / 2
		d.Left += len(d.Updates) - keep
		d.Updates = d.Updates[:keep]
		body, err = marshal(e)
	}
	return body, err
}

// cutTexts cuts each text to at most limit bytes.
func (d *eventData) cutTexts(limit int) {
	if s := cut(d.Delta, limit, inBytes); s != d.Delta {
		d.Delta, d.Cut = s, true
	}
	for k := range d.Items {
		i := &d.Items[k]
		for _, text := range []*string{&i.Summary, &i.Content} {
			if len(*text) > limit {
				*text, i.Cut = cutHTML(*text, limit), true
			}
		}
		if s := cut(i.Title, limit, inBytes); s != i.Title {
			i.Title, i.Cut = s, true
		}
	}
}

// cutHTML cuts HTML to at most limit bytes, and not within a tag. Elements may stay open.
func cutHTML(html string, limit int) string {
	html = strings.TrimSuffix(cut(html, limit, inBytes), ellipsis)
	if open := strings.LastIndexByte(html, '<'); open > strings.LastIndexByte(html, '>') {
		html = html[:open]
	}
	return html + ellipsis
}

// TestMessage returns a message by which a target is tried. Its update has the ID 0, which none that is stored has.
func TestMessage(say *locale.Locale, t tidings.Target, now time.Time) outbox.Message {
	u := tidings.Update{Channel: "https://example.org/feed", Title: "Tidings", Version: 1, Time: now,
		Kind: tidings.KindFeed,
		Items: []tidings.Item{{ID: "test", URL: "https://example.org/", Title: say.Text("Test of %s", t.Name),
			Change:  tidings.New,
			Summary: say.Text("Updates that you select will arrive here."), Published: now}}}
	return outbox.Message{ID: "test-" + strings.ToLower(rand.Text()), Update: u, Item: &u.Items[0], Made: now,
		Attempt: 1, Language: say}
}
