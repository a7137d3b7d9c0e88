package notify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"tidings"
	"tidings/delivery/outbox"
)

// protocol is how targets of a kind are reached.
type protocol struct {
	label       string
	url         string // what the URL is: "the address of …"
	example     string // of a URL
	secret      string // what the secret is: "the" goes before it; "": there is none
	needsSecret bool
	instead     string // what to do instead of giving a secret, where there is none

	checkKey func(secret string) error // nil: any secret
	check    func(u *url.URL) error    // nil: any URL

	build func(j job) (*request, error)

	// retract is build for a message that retracts others; nil: the protocol knows none. See
	// tidings.TargetKind.Retractable.
	retract func(j job) (*request, error)

	// judge adds to a refusal what the answer's body says. It sets Err if an answer with status 2xx accepts nothing
	// all the same. nil: the body says nothing more.
	judge func(a *answer, r *outbox.Refusal)
	reads bool // judge reads the body of answers that accept
}

var protocols = map[tidings.TargetKind]protocol{
	tidings.Webhook: webhook, tidings.Ntfy: ntfy, tidings.Gotify: gotify, tidings.Matrix: matrix,
	tidings.Telegram: telegram,
	tidings.Discord:  discord, tidings.Slack: slack, tidings.Pushover: pushover, tidings.Generic: generic,
	tidings.BrowserPush: push,
}

// elsewhere describes kinds that a Notifier does not send to.
var elsewhere = map[tidings.TargetKind]Description{
	tidings.Mail: {Label: "Mail", URL: "mailto: and the address", Example: "mailto:you@example.org"},
	tidings.XMPP: {Label: "XMPP (Jabber)", URL: "xmpp: and the address", Example: "xmpp:you@example.org"},
}

// Description says for people what a target of a kind needs.
type Description struct {
	Label        string // name of the service
	URL          string // what its URL is
	Example      string // of a URL
	Secret       string // what its secret is; "": it has none
	SecretNeeded bool
}

// Describe returns what a target of a kind needs; the zero Description if there is no such kind.
func Describe(kind tidings.TargetKind) Description {
	p, known := protocols[kind]
	if !known {
		return elsewhere[kind]
	}
	return Description{Label: p.label, URL: p.url, Example: p.example, Secret: p.secret, SecretNeeded: p.needsSecret}
}

// postJSON returns a POST request with a value as JSON.
func postJSON(address string, v any) (*request, error) {
	body, err := marshal(v)
	if err != nil {
		return nil, err
	}
	return &request{method: http.MethodPost, url: address, header: http.Header{"Content-Type": {"application/json"}},
		body: body}, nil
}

// marshal returns a value as JSON, in which <, > and & stand for themselves.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("writing a message as JSON: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// object reads an answer's body into v. A body that is none leaves v as it is.
func (a *answer) object(v any) { _ = json.Unmarshal(a.body, v) }
