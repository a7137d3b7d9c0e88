package notify

import (
	"context"
	"errors"
	"html"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"tidings"
	"tidings/delivery/outbox"
)

var matrix = protocol{
	label:       "Matrix",
	url:         "the address of your homeserver with the room behind it, by its ID or alias",
	example:     "https://matrix.example.org/#room:example.org",
	secret:      "access token of an account in the room",
	needsSecret: true,
	check: func(u *url.URL) error {
		if err := noQuery(u); err != nil {
			return err
		}
		_, room := roomOf(u)
		switch {
		case strings.EqualFold(u.Hostname(), "matrix.to"):
			return tidings.Invalidf("matrix.to is no homeserver: give the address of yours, and the room behind it")
		case len(room) < 2 || room[0] != '!' && room[0] != '#':
			return tidings.Invalidf("the URL does not end with a room: " +
				"give https://HOMESERVER/!ID or https://HOMESERVER/#ALIAS:SERVER")
		case room[0] == '#' && !strings.Contains(room, ":"):
			return tidings.Invalidf("the alias of the room has no server: give https://HOMESERVER/#ALIAS:SERVER")
		}
		return nil
	},
	build: func(j job) (*request, error) {
		base, room := roomOf(j.url)
		if j.room != "" {
			room = j.room
		}
		plain := j.note.title + "\n" + j.note.text
		title := "<strong>" + html.EscapeString(j.note.title) + "</strong>"
		if j.note.link != "" {
			plain += "\n" + j.note.link
			title = `<a href="` + html.EscapeString(j.note.link) + `">` + title + "</a>"
		}
		formatted := title + "<br>" + strings.ReplaceAll(html.EscapeString(j.note.text), "\n", "<br>")
		room = url.PathEscape(room)
		r, err := postJSON(base+"/_matrix/client/v3/rooms/"+room+"/send/m.room.message/"+url.PathEscape(j.message.ID),
			struct {
				Type      string   `json:"msgtype"`
				Body      string   `json:"body"`
				Format    string   `json:"format"`
				Formatted string   `json:"formatted_body"`
				Mentions  struct{} `json:"m.mentions"` // nobody, whatever names the text holds
			}{"m.text", plain, "org.matrix.custom.html", formatted, struct{}{}})
		if err != nil {
			return nil, err
		}
		r.method = http.MethodPut
		r.header.Set("Authorization", "Bearer "+j.target.Secret)
		return r, nil
	},
	judge: refineMatrix,
}

func refineMatrix(a *answer, r *outbox.Refusal) {
	var body struct {
		Code  string  `json:"errcode"`
		After float64 `json:"retry_after_ms"`
	}
	a.object(&body)
	switch body.Code {
	case "M_TOO_LARGE", "M_BAD_JSON", "M_NOT_JSON":
		r.Final = true
	case "M_LIMIT_EXCEEDED":
		r.After = max(r.After, seconds(body.After/1000))
	}
}

// roomOf splits a target's URL into the homeserver's and the room. The # of an alias may be written as it is: then it
// begins a fragment.
func roomOf(u *url.URL) (base, room string) {
	if u.Fragment != "" {
		return baseOf(u), "#" + u.Fragment
	}
	return lastSegment(u)
}

// maxRooms bounds the aliases that are remembered. Beyond it all are forgotten.
const maxRooms = 1000

// rooms remembers which rooms aliases mean.
type rooms struct {
	mu  sync.Mutex
	ids map[string]string // by homeserver and alias
}

func (r *rooms) get(key string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ids[key]
}

func (r *rooms) put(key, id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ids == nil || len(r.ids) >= maxRooms {
		r.ids = make(map[string]string)
	}
	r.ids[key] = id
}

// forget makes the next message ask again for the room of an alias: it may mean another one now.
func (r *rooms) forget(u *url.URL) {
	base, room := roomOf(u)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.ids, base+" "+room)
}

// room returns the ID of a target's room.
func (n *Notifier) room(ctx context.Context, u *url.URL, hidden []string) (string, error) {
	base, room := roomOf(u)
	if room[0] == '!' {
		return room, nil
	}
	key := base + " " + room
	if id := n.rooms.get(key); id != "" {
		return id, nil
	}
	a, err := n.exchange(ctx, &request{method: http.MethodGet, url: base +
		"/_matrix/client/v3/directory/room/" + url.PathEscape(room)}, true)
	if err != nil {
		return "", err
	}
	if err := n.judge(a, refineMatrix, hidden); err != nil {
		return "", &unresolved{err}
	}
	var body struct {
		ID string `json:"room_id"`
	}
	a.object(&body)
	if len(body.ID) < 2 || len(body.ID) > 255 || body.ID[0] != '!' {
		return "", &unresolved{errors.New("the server did not say which room the alias means")}
	}
	n.rooms.put(key, body.ID)
	return body.ID, nil
}

// unresolved is the server's own reason why an alias means no room.
type unresolved struct{ error }

func (u *unresolved) Unwrap() error { return u.error }
