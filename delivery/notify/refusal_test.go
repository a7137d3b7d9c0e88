package notify

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/outbox"
)

// outcome is what a status, a Retry-After and a body mean.
type outcome struct {
	kind   tidings.TargetKind
	status int
	after  string
	body   string

	text    string // of the error; "": it is delivered
	refusal outbox.Refusal
}

// TestRefusals goes through what the services' documentation says of their answers.
func TestRefusals(t *testing.T) {
	gone, final := outbox.Refusal{Gone: true}, outbox.Refusal{Final: true}
	wait := func(d time.Duration) outbox.Refusal { return outbox.Refusal{After: d} }
	none := outbox.Refusal{}
	const said = "the server answered "
	for _, c := range []outcome{
		{tidings.Webhook, 204, "", "", "", none},
		{tidings.Webhook, 299, "", "", "", none},
		{tidings.Webhook, 300, "", "", said + "300 Multiple Choices: redirects are not followed", none},
		{tidings.Webhook, 400, "", "no", said + "400 Bad Request: no", none},
		{tidings.Webhook, 403, "60", "<b>no</b>", said + "403 Forbidden: <b>no</b>", none},
		{tidings.Webhook, 410, "", "", said + "410 Gone", gone},
		{tidings.Webhook, 413, "", "", said + "413 Request Entity Too Large", none},
		{tidings.Webhook, 422, "", "", said + "422 Unprocessable Entity", none},
		{tidings.Webhook, 429, "120", "", said + "429 Too Many Requests", wait(2 * time.Minute)},
		{tidings.Webhook, 429, "", "", said + "429 Too Many Requests", none},
		{tidings.Webhook, 503, "Tue, 12 May 2026 09:31:30 GMT", "", said + "503 Service Unavailable",
			wait(90 * time.Second)},
		{tidings.Webhook, 503, "Tue, 12 May 2026 09:29:30 GMT", "", said + "503 Service Unavailable", none},
		{tidings.Webhook, 503, "99999999999999999999999", "", said + "503 Service Unavailable", wait(MaxAfter)},
		{tidings.Webhook, 503, "86399", "", said + "503 Service Unavailable", wait(MaxAfter - time.Second)},
		{tidings.Webhook, 503, "86401", "", said + "503 Service Unavailable", wait(MaxAfter)},
		{tidings.Webhook, 503, "-5", "", said + "503 Service Unavailable", none},
		{tidings.Webhook, 503, "NaN", "", said + "503 Service Unavailable", none},
		{tidings.Webhook, 503, "soon", "", said + "503 Service Unavailable", none},
		{tidings.Webhook, 599, "", "", said + "599", none},
		{tidings.Webhook, 500, "", `{"message":"` + "\u202e" + `bad\n\u0000thing"}`, said +
			"500 Internal Server Error: bad thing", none},

		{tidings.Ntfy, 401, "", `{"code":40101,"http":401,"error":"unauthorized"}`, said +
			"401 Unauthorized: unauthorized", none},
		{tidings.Ntfy, 413, "", `{"code":41303,"http":413,"error":"JSON body too large"}`, said +
			"413 Request Entity Too Large: JSON body too large", final},
		{tidings.Ntfy, 413, "", `{"code":41301,"error":"bandwidth limit reached"}`, said +
			"413 Request Entity Too Large: bandwidth limit reached", none},
		{tidings.Gotify, 401, "",
			`{"error":"Unauthorized","errorCode":401,"errorDescription":"you need to provide a valid access token"}`,
			said + "401 Unauthorized: you need to provide a valid access token", none},
		{tidings.Gotify, 404, "", "", said + "404 Not Found", none},

		{tidings.Matrix, 413, "", `{"errcode":"M_TOO_LARGE","error":"event too large"}`, said +
			"413 Request Entity Too Large: event too large", final},
		{tidings.Matrix, 429, "", `{"errcode":"M_LIMIT_EXCEEDED","error":"Too many requests","retry_after_ms":2500}`,
			said + "429 Too Many Requests: Too many requests", wait(2500 * time.Millisecond)},
		{tidings.Matrix, 429, "7", `{"errcode":"M_LIMIT_EXCEEDED","error":"Too many requests"}`, said +
			"429 Too Many Requests: Too many requests", wait(7 * time.Second)},
		{tidings.Matrix, 403, "", `{"errcode":"M_FORBIDDEN","error":"not in room"}`, said +
			"403 Forbidden: not in room", none},

		{tidings.Telegram, 200, "", `{"ok":true}`, "", none},
		{tidings.Telegram, 200, "", `{"ok":false,"description":"no"}`,
			"the server did not accept the message: no", none},
		{tidings.Telegram, 200, "", `<html>sign in to the hotel`, "the server did not accept the message", none},
		{tidings.Telegram, 400, "", `{"ok":false,"error_code":400,"description":"Bad Request: message is too long"}`,
			said + "400 Bad Request: Bad Request: message is too long", final},
		{tidings.Telegram, 400, "", `{"ok":false,"description":"Bad Request: can't parse entities: x"}`,
			said + "400 Bad Request: Bad Request: can't parse entities: x", final},
		{tidings.Telegram, 400, "", `{"ok":false,"description":"Bad Request: chat not found"}`, said +
			"400 Bad Request: Bad Request: chat not found", none},
		{tidings.Telegram, 400, "", `{"ok":false,"description":"upgraded","parameters":{"migrate_to_chat_id":-1001}}`,
			said + "400 Bad Request: upgraded; the chat is -1001 now: change the end of the URL", none},
		{tidings.Telegram, 429, "",
			`{"ok":false,"description":"Too Many Requests: retry after 8","parameters":{"retry_after":8}}`,
			said + "429 Too Many Requests: Too Many Requests: retry after 8", wait(8 * time.Second)},
		{tidings.Telegram, 403, "", `{"ok":false,"description":"Forbidden: bot was blocked by the user"}`,
			said + "403 Forbidden: Forbidden: bot was blocked by the user", none},

		{tidings.Discord, 404, "", `{"message":"Unknown Webhook","code":10015}`, said +
			"404 Not Found: Unknown Webhook", gone},
		{tidings.Discord, 404, "", `{"message":"404: Not Found","code":0}`, said +
			"404 Not Found: 404: Not Found", none},
		{tidings.Discord, 400, "", `{"message":"Invalid Form Body","code":50035}`, said +
			"400 Bad Request: Invalid Form Body", final},
		{tidings.Discord, 429, "2", `{"message":"You are being rate limited.","retry_after":2.5,"global":false}`,
			said + "429 Too Many Requests: You are being rate limited.", wait(2500 * time.Millisecond)},
		{tidings.Discord, 429, "", `{"message":"x","retry_after":1e99}`, said + "429 Too Many Requests: x",
			wait(MaxAfter)},

		{tidings.Slack, 400, "", "invalid_payload", said + "400 Bad Request: invalid_payload", final},
		{tidings.Slack, 403, "", "action_prohibited", said + "403 Forbidden: action_prohibited", none},
		{tidings.Slack, 404, "", "channel_not_found", said + "404 Not Found: channel_not_found", none},
		{tidings.Slack, 410, "", "channel_is_archived", said + "410 Gone: channel_is_archived", gone},

		{tidings.Pushover, 200, "", `{"status":1}`, "", none},
		{tidings.Pushover, 200, "", `{"status":0}`, "the server did not accept the message", none},
		{tidings.Pushover, 400, "",
			`{"user":"invalid","errors":["user identifier is invalid","and more"],"status":0}`,
			said + "400 Bad Request: user identifier is invalid; and more", final},
		{tidings.Pushover, 429, "", `{"errors":["over limit"],"status":0}`, said +
			"429 Too Many Requests: over limit", final},
		{tidings.Pushover, 500, "", "", said + "500 Internal Server Error", none},
	} {
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			if c.after != "" {
				w.Header().Set("Retry-After", c.after)
			}
			w.WriteHeader(c.status)
			io.WriteString(w, c.body)
		})
		err := testNotifier().Send(t.Context(), testTarget(c.kind, server.URL), testMessages()[0])
		server.Close()
		var got outbox.Refusal
		if r, is := errors.AsType[*outbox.Refusal](err); is {
			got = *r
		}
		if text := textOf(err); text != c.text {
			t.Errorf("%s %d %s: %q, not %q", c.kind, c.status, c.body, text, c.text)
		}
		if got.Err = nil; got != c.refusal {
			t.Errorf("%s %d %s: %+v, not %+v", c.kind, c.status, c.body, got, c.refusal)
		}
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestReasonsAreCut checks the words of a page in HTML.
func TestReasonsAreCut(t *testing.T) {
	n := testNotifier()
	long := make([]byte, 1000)
	for i := range long {
		long[i] = 'y'
	}
	a := &answer{status: 500, header: http.Header{"Content-Type": {"text/html"}},
		body: []byte("<h1>Oops</h1><script>x</script><p>" + string(long))}
	err := n.judge(a, nil, nil)
	if got, want := err.Error(),
		"the server answered 500 Internal Server Error: Oops "+string(long[:194])+"…"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

func TestMatrixAliases(t *testing.T) {
	asked, sent, status := 0, "", 200
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.EscapedPath() == "/_matrix/client/v3/directory/room/%23news:example.org" && r.Method == "GET":
			asked++
			if r.Header.Get("Authorization") != "" {
				t.Error("the directory got the token, which it does not need")
			}
			io.WriteString(w, `{"room_id":"!room9:example.org","servers":["example.org"]}`)
		case r.URL.EscapedPath() == "/_matrix/client/v3/directory/room/%23none:example.org":
			w.WriteHeader(404)
			io.WriteString(w, `{"errcode":"M_NOT_FOUND","error":"Room alias #none:example.org not found."}`)
		default:
			sent = r.URL.EscapedPath()
			w.WriteHeader(status)
			io.WriteString(w, "{}")
		}
	})
	n := testNotifier()
	send := func(url string) error {
		target := testTarget(tidings.Matrix, server.URL)
		target.URL = server.URL + url
		return n.Send(t.Context(), target, testMessages()[0])
	}
	for _, url := range []string{"/%23news:example.org", "/#news:example.org"} {
		if err := send(url); err != nil {
			t.Fatal(err)
		}
		if sent != "/_matrix/client/v3/rooms/%21room9:example.org/send/m.room.message/msg_1" {
			t.Error(sent)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times for the room", asked)
	}
	status = 403
	if err := send("/#news:example.org"); err == nil {
		t.Error("no error")
	}
	status = 200
	if err := send("/#news:example.org"); err != nil || asked != 2 {
		t.Errorf("%v; asked %d times after a refusal", err, asked)
	}
	if err := send("/#none:example.org"); err == nil ||
		err.Error() != "the server answered 404 Not Found: Room alias #none:example.org not found." {
		t.Error(err)
	}
}
