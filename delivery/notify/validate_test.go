package notify

import (
	"errors"
	"strings"
	"testing"

	"tidings"
)

func TestValidate(t *testing.T) {
	for _, kind := range Kinds() {
		if err := Validate(testTarget(kind, "https://server.example")); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	long := strings.Repeat("x", 10_000)
	type target = tidings.Target
	for _, c := range []struct {
		kind   tidings.TargetKind
		change func(*target)
		want   string // "": it is valid
	}{
		{tidings.Webhook, func(t *target) { t.Kind = "fax" },
			"there is no kind of target fax: the kinds are ntfy, "},
		{tidings.Webhook, func(t *target) { t.Name = long }, "the name has more than 80 bytes"},
		{tidings.Webhook, func(t *target) { t.URL = "" },
			"the URL is missing: give the address that receives the messages, such as https://"},
		{tidings.Webhook, func(t *target) { t.URL = "https://x.example/" + long },
			"the URL has more than 2048 bytes"},
		{tidings.Webhook, func(t *target) { t.URL = "x.example/hook" },
			"the URL does not begin with https:// or http://"},
		{tidings.Webhook, func(t *target) { t.URL = "ftp://x.example/" },
			"the URL does not begin with https:// or http://"},
		{tidings.Webhook, func(t *target) { t.URL = "https:///hook" }, "the URL names no host"},
		{tidings.Webhook, func(t *target) { t.URL = "https://x.example/a b" }, "the URL has blanks or line breaks"},
		{tidings.Webhook, func(t *target) { t.URL = "https://x.example/\r\nX: y" },
			"the URL has blanks or line breaks"},
		{tidings.Webhook, func(t *target) { t.URL = "https://x.example/%zz" }, "the URL cannot be read"},
		{tidings.Webhook, func(t *target) { t.URL = "https://me:pw@x.example/" },
			"the URL has a user name or password in it: leave them out, and give the signing secret"},
		{tidings.Webhook, func(t *target) { t.URL = "https://x.example/#x" }, "the URL has a part behind #"},
		{tidings.Webhook, func(t *target) { t.URL = "http://x.example:8000/?a=b" }, ""},
		{tidings.Webhook, func(t *target) { t.Secret = "" }, "the secret is missing: give the signing secret"},
		{tidings.Webhook, func(t *target) { t.Secret = "secret" }, "the signing secret is not whsec_"},
		{tidings.Webhook, func(t *target) { t.Secret = "whsec_c2hvcnQ=" }, "the signing secret is not whsec_"},
		{tidings.Webhook, func(t *target) { t.Secret = NewSecret() }, ""},
		{tidings.Webhook, func(t *target) { t.Form = &tidings.Form{} }, "only targets of kind generic have a form"},
		{tidings.Ntfy, func(t *target) { t.Secret = "" }, ""},
		{tidings.Ntfy, func(t *target) { t.Secret = "me:pw" }, ""},
		{tidings.Ntfy, func(t *target) { t.Secret = "a b" }, "the secret has blanks or line breaks"},
		{tidings.Ntfy, func(t *target) { t.Secret = "a\r\nX: y" }, "the secret has blanks or line breaks"},
		{tidings.Ntfy, func(t *target) { t.Secret = long }, "the secret has more than 1024 bytes"},
		{tidings.Ntfy, func(t *target) { t.URL = "https://ntfy.sh" }, "the URL does not end with a topic"},
		{tidings.Ntfy, func(t *target) { t.URL = "https://ntfy.sh/a.b" }, "the URL does not end with a topic"},
		{tidings.Ntfy, func(t *target) { t.URL = "https://ntfy.sh/" + long[:65] },
			"the URL does not end with a topic"},
		{tidings.Ntfy, func(t *target) { t.URL = "https://ntfy.sh/topic?auth=x" }, "the URL has a part behind ?"},
		{tidings.Ntfy, func(t *target) { t.URL = "https://example.org/ntfy/topic/" }, ""},
		{tidings.Gotify, func(t *target) { t.Secret = "" },
			"the secret is missing: give the token of an application"},
		{tidings.Gotify, func(t *target) { t.URL = "https://x.example/?token=A" }, "the URL has a part behind ?"},
		{tidings.Matrix, func(t *target) { t.URL = "https://x.example" }, "the URL does not end with a room"},
		{tidings.Matrix, func(t *target) { t.URL = "https://x.example/room" }, "the URL does not end with a room"},
		{tidings.Matrix, func(t *target) { t.URL = "https://x.example/!" }, "the URL does not end with a room"},
		{tidings.Matrix, func(t *target) { t.URL = "https://x.example/#room" },
			"the alias of the room has no server"},
		{tidings.Matrix, func(t *target) { t.URL = "https://matrix.to/#/#room:x.example" },
			"matrix.to is no homeserver"},
		{tidings.Matrix, func(t *target) { t.URL = "https://x.example/%23room:x.example" }, ""},
		{tidings.Matrix, func(t *target) { t.URL = "https://x.example/#room:x.example" }, ""},
		{tidings.Telegram, func(t *target) { t.Secret = "token" }, "the secret is no bot's token"},
		{tidings.Telegram, func(t *target) { t.Secret = "123456:ABCDEFGHIJ/../x" }, "the secret is no bot's token"},
		{tidings.Telegram, func(t *target) { t.URL = "https://api.telegram.org/" },
			"the URL does not end with a chat"},
		{tidings.Telegram, func(t *target) { t.URL = "https://api.telegram.org/name" },
			"the URL does not end with a chat"},
		{tidings.Telegram, func(t *target) { t.URL = "https://api.telegram.org/@name" }, ""},
		{tidings.Discord, func(t *target) { t.Secret = "x" },
			"targets of kind Discord have no secret: their URL is the secret"},
		{tidings.Discord, func(t *target) { t.URL = "https://discord.com/channels/1/2" },
			"this is no URL of a Discord webhook"},
		{tidings.Discord, func(t *target) { t.URL = "https://discord.com/api/v9/webhooks/1/x_y-z?thread_id=5" }, ""},
		{tidings.Slack, func(t *target) { t.URL = "https://hooks.slack.com/" }, "this is no URL of a Slack webhook"},
		{tidings.Slack, func(t *target) { t.Secret = "x" }, "targets of kind Slack have no secret"},
		{tidings.Pushover, func(t *target) { t.URL = "https://api.pushover.net/" },
			"the URL does not end with a user key"},
		{tidings.Pushover, func(t *target) { t.Secret = "" }, "the secret is missing"},

		{tidings.Ntfy, func(t *target) { t.Text.Title = "{titel}" },
			"the title: there is no {titel}: use {title}, {link}"},
		{tidings.Ntfy, func(t *target) { t.Text.Body = "{secret}" }, "the text: there is no {secret}"},
		{tidings.Ntfy, func(t *target) { t.Text.Body = long }, "title and text have more than 8192 bytes"},
		{tidings.Ntfy, func(t *target) { t.Text.Body = "\xff" }, "title or text is not UTF-8"},
		{tidings.Ntfy, func(t *target) {
			t.Text = tidings.Text{Title: "{channel}: {title}",
				Body: "{Not} {} {{text}} {1}"}
		}, ""},

		{tidings.Generic, func(t *target) { t.Form = nil }, ""},
		{tidings.Generic, func(t *target) { t.Secret = "x" },
			"targets of kind Other have no secret: write it into a header"},
		{tidings.Generic, func(t *target) { t.URL = "https://me:pw@x.example/" },
			"the URL has a user name or password in it: write it into a header"},
		{tidings.Generic, func(t *target) { t.URL = "https://{title}.example/" },
			"the URL has a name in braces in its host"},
		{tidings.Generic, func(t *target) { t.URL = "{link}" }, "the URL has a name in braces in its host"},
		{tidings.Generic, func(t *target) { t.URL = "https://x.example{title}" },
			"the URL has a name in braces in its host"},
		{tidings.Generic, func(t *target) { t.URL = "https://x.example/?a={titel}" }, "the URL: there is no {titel}"},
		{tidings.Generic, func(t *target) { t.URL = "https://x.example?a={title}" }, ""},
		{tidings.Generic, func(t *target) { t.Form.Method = "DELETE" }, "DELETE is no method of a form"},
		{tidings.Generic, func(t *target) { t.Form.Method = "get" }, "a GET request has no body"},
		{tidings.Generic, func(t *target) { t.Form.Method, t.Form.Body = "GET", "" }, ""},
		{tidings.Generic, func(t *target) { t.Form.Headers["Host"] = "x" }, "the header Host is set by the node"},
		{tidings.Generic, func(t *target) { t.Form.Headers["content-length"] = "1" },
			"the header Content-Length is set by the node"},
		{tidings.Generic, func(t *target) { t.Form.Headers["transfer-Encoding"] = "chunked" },
			"the header Transfer-Encoding is set by the node"},
		{tidings.Generic, func(t *target) { t.Form.Headers["Connection"] = "close" },
			"the header Connection is set by the node"},
		{tidings.Generic, func(t *target) { t.Form.Headers["X:Y"] = "x" }, `"X:Y" is no name of a header`},
		{tidings.Generic, func(t *target) { t.Form.Headers["{title}"] = "x" }, `"{title}" is no name of a header`},
		{tidings.Generic, func(t *target) { t.Form.Headers[""] = "x" }, `"" is no name of a header`},
		{tidings.Generic, func(t *target) { t.Form.Headers["X-Y"] = "a\r\nX: b" }, "the header X-Y has line breaks"},
		{tidings.Generic, func(t *target) { t.Form.Headers["X-Y"] = "{titel}" },
			"the header X-Y: there is no {titel}"},
		{tidings.Generic, func(t *target) { t.Form.Headers["x-title"] = "x" }, "the header X-Title is there twice"},
		{tidings.Generic, func(t *target) { t.Form.Body = long }, "the form has more than 8192 bytes"},
		{tidings.Generic, func(t *target) { t.Form.Body = "{titel}" }, "the body: there is no {titel}"},
		{tidings.Generic, func(t *target) { t.Form.Body = `{"a": {title}}` },
			"the body is not JSON: put quotes around names"},
		{tidings.Generic, func(t *target) { t.Form.Body = `[{title}]` }, "the body is not JSON"},
		{tidings.Generic, func(t *target) { t.Form.Body = `{{title}}` }, "the body is not JSON"},
		{tidings.Generic, func(t *target) { t.Form.Body = `{"a": "\{title}n"}` }, "the body is not JSON"},
		{tidings.Generic, func(t *target) { t.Form.Body = `{"a": "\u123{title}4"}` }, "the body is not JSON"},
		{tidings.Generic, func(t *target) { t.Form.Headers, t.Form.Body = nil, `{"a": {title}}` },
			"the body is not JSON"},
		{tidings.Generic, func(t *target) {
			t.Form.Headers["Content-Type"], t.Form.Body = "text/plain",
				"{title}"
		}, ""},
		{tidings.Generic, func(t *target) {
			for i := range tidings.MaxFormHeaders {
				t.Form.Headers["X-"+strings.Repeat("a", i+1)] = "x"
			}
		}, "the form has more than 20 headers"},
	} {
		target := testTarget(c.kind, "https://server.example")
		c.change(&target)
		err := Validate(target)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s %+v: %v", c.kind, target, err)
		case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want) || !errors.Is(err,
			tidings.ErrInvalid)):
			t.Errorf("%s: %v, not %q", c.kind, err, c.want)
		}
		if err != nil {
			for _, secret := range []string{target.Secret, ":pw@x.example"} {
				if len(secret) > 10 && strings.Contains(err.Error(), secret) {
					t.Errorf("%v has the secret %q", err, secret)
				}
			}
		}
	}
}

// TestBoundsOfTemplates: what has just the size that is allowed is valid, and one byte more is not.
func TestBoundsOfTemplates(t *testing.T) {
	for _, c := range []struct {
		most int
		set  func(*tidings.Target, int)
	}{
		{tidings.MaxTemplate, func(t *tidings.Target, n int) {
			t.Text.Title, t.Text.Body = "{title}",
				strings.Repeat("x", n-7)
		}},
		{tidings.MaxTemplate, func(t *tidings.Target, n int) {
			t.Form = &tidings.Form{Method: "POST", Headers: map[string]string{"Ab": "cd"},
				Body: strings.Repeat("x", n-8)}
		}},
		{tidings.MaxTargetURL, func(t *tidings.Target, n int) {
			t.URL = "https://x.example/" +
				strings.Repeat("x", n-18)
		}},
		{tidings.MaxTargetName, func(t *tidings.Target, n int) { t.Name = strings.Repeat("x", n) }},
	} {
		target := testTarget(tidings.Generic, "https://server.example")
		if c.set(&target, c.most); Validate(target) != nil {
			t.Errorf("%d bytes: %v", c.most, Validate(target))
		}
		if c.set(&target, c.most+1); Validate(target) == nil {
			t.Errorf("%d bytes are valid", c.most+1)
		}
	}
}

func TestDescriptions(t *testing.T) {
	for _, kind := range Kinds() {
		d := Describe(kind)
		target := testTarget(kind, "https://server.example")
		target.URL = d.Example
		if err := Validate(target); err != nil || d.Label == "" || d.URL == "" {
			t.Errorf("%s: %+v: %v", kind, d, err)
		}
		if target.Secret = ""; (Validate(target) != nil) != d.SecretNeeded {
			t.Errorf("%s without a secret: %v", kind, Validate(target))
		}
	}
	if Describe("fax") != (Description{}) {
		t.Error("a description of what is not there")
	}
}
