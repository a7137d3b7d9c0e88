package notify

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"tidings/delivery/outbox"
	"tidings/egress"
	"tidings/markup"
)

// maxReason is how many characters of an answer an error shows.
const maxReason = 200

// failure returns in plain words why there is no answer. It is the context's own error if the caller ended that.
func (n *Notifier) failure(ctx context.Context, host string, err error, hidden []string) error {
	if _, ok := errors.AsType[*unresolved](err); ok {
		return redactedError(err, hidden)
	}
	if ctx.Err() != nil {
		if errors.Is(context.Cause(ctx), errSlow) {
			return fmt.Errorf("timed out after %v", n.c.Timeout)
		}
		return ctx.Err()
	}
	return redactedError(errors.New(Words(host, err)), hidden)
}

// Words says in plain words why a connection to a host gave no answer.
func Words(host string, err error) string {
	if words := certificateWords(host, err); words != "" {
		return words
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		if e.IsNotFound {
			return "no such host: " + host
		}
		return "the name servers did not say where " + host + " is"
	}
	switch {
	case errors.Is(err, egress.ErrAddress):
		return "this node does not connect to private addresses (" + host + ")"
	case errors.Is(err, egress.ErrPort):
		return "this node does not connect to that port (" + host + "): web servers have 80, 443, or one above 1024"
	case errors.Is(err, syscall.ECONNREFUSED):
		return host + " refused the connection"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return host + " closed the connection without an answer"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return host + " cannot be reached from here"
	case strings.Contains(err.Error(), "server response headers exceeded"):
		return "the header of the answer from " + host + " is too long"
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return host + " could not be reached in time"
	}
	return host + ": " + unwrapURL(err).Error()
}

func certificateWords(host string, err error) string {
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok && e.Reason == x509.Expired {
		return "the certificate of " + host + " has expired or is not valid yet"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "the certificate of " + host + " is for another name"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "the certificate of " + host + " is not signed by a known authority"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the certificate of " + host + " cannot be verified"
	}
	_, ok := errors.AsType[tls.RecordHeaderError](err)
	if ok || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") {
		return host + " does not speak https at that port"
	}
	return ""
}

// judge returns nil if the target accepted the message, else why it did not. refine adds what the protocol says of it.
func (n *Notifier) judge(a *answer, refine func(*answer, *outbox.Refusal), hidden []string) error {
	r := &outbox.Refusal{Gone: a.status == http.StatusGone}
	if !a.accepts() {
		r.Err = errors.New(a.words(hidden))
	}
	if a.status == http.StatusTooManyRequests || a.status >= 500 {
		r.After = n.retryAfter(a.header.Get("Retry-After"))
	}
	if refine != nil {
		refine(a, r)
	}
	switch {
	case r.Err == nil:
		return nil
	case r.Gone || r.Final || r.After > 0:
		return r
	}
	return r.Err
}

// words says what the server answered, with the first maxReason characters of its text.
func (a *answer) words(hidden []string) string {
	text := strconv.Itoa(a.status)
	if name := http.StatusText(a.status); name != "" {
		text += " " + name
	}
	text = "the server answered " + text
	if a.status >= 300 && a.status < 400 {
		if to, err := url.Parse(a.header.Get("Location")); err == nil && to.Host != "" {
			return text + " and points to " + to.Scheme + "://" + to.Host + to.EscapedPath() +
				": redirects are not followed, enter that address if it is the right one"
		}
		return text + ": redirects are not followed"
	}
	if reason := cut(redact(oneLine(a.reason()), hidden), maxReason, characters); reason != "" {
		text += ": " + reason
	}
	return text
}

// reason returns what the body says. It is not cut: half a secret would not be redacted.
func (a *answer) reason() string {
	var object map[string]any
	if json.Unmarshal(a.body, &object) == nil {
		for _, field := range []string{"errorDescription", "description", "error", "message", "reason", "errors"} {
			switch v := object[field].(type) {
			case string:
				if v != "" {
					return v
				}
			case []any:
				var all []string
				for _, e := range v {
					if s, ok := e.(string); ok {
						all = append(all, s)
					}
				}
				if len(all) > 0 {
					return strings.Join(all, "; ")
				}
			}
		}
	}
	text := string(a.body)
	if strings.Contains(a.header.Get("Content-Type"), "html") {
		text = markup.Text(text, MaxAnswer)
	}
	return text
}

// retryAfter reads a Retry-After field (RFC 9110, section 10.2.3): seconds or a date. It is 0 if it says nothing.
func (n *Notifier) retryAfter(field string) time.Duration {
	if at, err := http.ParseTime(field); err == nil {
		return seconds(at.Sub(n.now()).Seconds())
	}
	s, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0
	}
	return seconds(s)
}

// seconds returns a wait that a server asks for, at most MaxAfter.
func seconds(s float64) time.Duration {
	switch {
	case math.IsNaN(s) || s <= 0:
		return 0
	case s >= MaxAfter.Seconds():
		return MaxAfter
	}
	return time.Duration(s * float64(time.Second))
}
