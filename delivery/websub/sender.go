package websub

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // WebSub, section 7.1, has it
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/outbox"
)

// Method is how deliveries are signed (section 7.1).
type Method string

const (
	SHA1   Method = "sha1"
	SHA256 Method = "sha256"
	SHA384 Method = "sha384"
	SHA512 Method = "sha512"
)

// ParseMethod returns a method by its name.
func ParseMethod(text string) (Method, error) {
	switch m := Method(strings.ToLower(text)); m {
	case SHA1, SHA256, SHA384, SHA512:
		return m, nil
	}
	return "", tidings.Invalidf("there is no signature method %s: the methods are sha1, sha256, sha384 and sha512",
		tidings.Quote(text))
}

func (m Method) hash() func() hash.Hash {
	return map[Method]func() hash.Hash{SHA1: sha1.New, SHA256: sha256.New, SHA384: sha512.New384, SHA512: sha512.New}[m]
}

// sign returns the value of X-Hub-Signature.
func (m Method) sign(secret string, body []byte) string {
	mac := hmac.New(m.hash(), []byte(secret))
	mac.Write(body)
	return string(m) + "=" + hex.EncodeToString(mac.Sum(nil))
}

var _ outbox.Sender = (*Hub)(nil)

// maxAfter is the longest wait that a callback can ask for.
const maxAfter = 24 * time.Hour

// Send delivers the newest content of a topic (section 7). It does not send a message if the subscription has received
// its update with an earlier delivery.
func (h *Hub) Send(ctx context.Context, t tidings.Target, m outbox.Message) error {
	s, err := h.Store.HubSubscription(ctx, t.ID)
	if err != nil {
		return fmt.Errorf("reading a hub's subscription: %w", err)
	}
	if !s.Expires.After(h.Now()) {
		return &outbox.Refusal{Err: errors.New("the lease has ended"), Gone: true}
	}
	if h.documents.has(t.ID, s.Channel, s.Callback, m.Update.Version) {
		return nil
	}
	read := func(ctx context.Context) (Document, error) { return h.Topics.Document(ctx, s.Topic, s.Channel) }
	doc, err := h.documents.get(ctx, Key(s.Topic)+"\n"+s.Channel, m.Update.Version, read)
	if err != nil {
		return fmt.Errorf("reading a topic's content: %w", err)
	}
	status, header, err := h.deliver(ctx, s, doc)
	if err != nil {
		return err
	}
	if status >= 200 && status <= 299 {
		h.documents.sent(t.ID, s.Channel, s.Callback, doc.Version)
		return nil
	}
	return h.refused(status, header)
}

// deliver sends the content of a topic to a callback. If the machine has accepted nothing for the callback's domain so
// far, the delivery counts as a verification does, until it is accepted.
func (h *Hub) deliver(
	ctx context.Context, s tidings.HubSubscription, doc Document,
) (status int, header http.Header, err error) {
	req, err := http.NewRequest(http.MethodPost, s.Callback, bytes.NewReader(doc.Body))
	if err != nil {
		return 0, nil, &outbox.Refusal{Err: errors.New("the callback is no URL"), Gone: true}
	}
	req.Header.Set("Content-Type", doc.ContentType)
	req.Header.Set("Link", fmt.Sprintf(`<%s>; rel="hub", <%s>; rel="self"`, h.URL, linked(s.Topic)))
	if s.Secret != "" {
		req.Header.Set("X-Hub-Signature", h.Signature.sign(s.Secret, doc.Body))
	}
	a := &attempt{domain: domainOf(req.URL.Hostname())}
	status, header, _, err = h.exchange(context.WithValue(ctx, attemptKey{}, a), h.client, req, 0)
	if !a.isUnproven(err) {
		return status, header, err
	}
	req.Body = io.NopCloser(bytes.NewReader(doc.Body)) // nothing of it was sent
	ctx, v := h.machines.begin(ctx)
	status, header, _, err = h.exchange(ctx, h.verifier, req, 0)
	accepts := err == nil && status >= 200 && status <= 299
	if accepts {
		h.proven.add(a.domain, v.machine())
	}
	v.end(accepts)
	return status, header, err
}

// linked returns a URL as it can stand in a Link header.
func linked(address string) string {
	return strings.NewReplacer("<", "%3C", ">", "%3E", `"`, "%22").Replace(address)
}

// refused returns what an answer means that is no success.
func (h *Hub) refused(status int, header http.Header) error {
	r := &outbox.Refusal{
		Err:  fmt.Errorf("the callback answered %d %s", status, http.StatusText(status)),
		Gone: status == http.StatusGone,
	}
	if status == http.StatusTooManyRequests || status >= 500 {
		after := header.Get("Retry-After")
		if seconds, err := strconv.Atoi(after); err == nil && seconds > 0 {
			r.After = time.Duration(min(seconds, int(maxAfter/time.Second))) * time.Second
		} else if at, err := http.ParseTime(after); err == nil {
			r.After = min(max(at.Sub(h.Now()), 0), maxAfter)
		}
	}
	return r
}
