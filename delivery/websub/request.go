package websub

import (
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds of requests.
const (
	MaxRequest = 64 << 10 // bytes of a request's body
	MaxURL     = 2048     // bytes of a topic or a callback
	MaxSecret  = 199      // bytes of a secret: less than 200 (section 5.1)
	MaxPings   = 50       // topics of one request to publish

	MinLease     = 5 * time.Minute
	MaxLease     = 30 * 24 * time.Hour
	DefaultLease = 10 * 24 * time.Hour
)

// mode is what a request asks for: hub.mode.
type mode string

const (
	subscribe   mode = "subscribe"
	unsubscribe mode = "unsubscribe"
	publish     mode = "publish"
	denied      mode = "denied" // the hub's own, to callbacks
)

// request is a valid one.
type request struct {
	mode            mode
	topic, callback string // as they were written
	host            string // of the callback
	secret          string
	lease           time.Duration
	topics          []string // of publish
}

// refusal is an answer that is no success.
type refusal struct {
	status int
	text   string
	after  time.Duration // when to try again; 0: it is not said
}

func (r *refusal) Error() string { return r.text }

func refuse(status int, format string, a ...any) *refusal {
	return &refusal{status: status, text: fmt.Sprintf(format, a...)}
}

func badRequest(format string, a ...any) *refusal { return refuse(http.StatusBadRequest, format, a...) }

// readForm reads the body of a request: fields in the order of the form.
func readForm(w http.ResponseWriter, r *http.Request) (url.Values, *refusal) {
	if r.Method != http.MethodPost {
		return nil, refuse(http.StatusMethodNotAllowed, "this is a WebSub hub: send a subscription request by POST")
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, refuse(http.StatusUnsupportedMediaType,
			"the Content-Type must be application/x-www-form-urlencoded")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxRequest))
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		return nil, refuse(http.StatusRequestEntityTooLarge, "the request has more than %d bytes", MaxRequest)
	}
	if err != nil {
		return nil, badRequest("the request could not be read")
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, badRequest("the body is no form: fields are joined by & and escaped with %%")
	}
	return form, nil
}

// parse reads a request (section 5.1). Parameters that it does not know are ignored.
func parse(form url.Values) (q request, wrong *refusal) {
	q.mode = mode(form.Get("hub.mode"))
	switch q.mode {
	case publish:
		return q, q.parsePublish(form)
	case subscribe, unsubscribe:
	case "":
		return q, badRequest("hub.mode is missing: subscribe, unsubscribe or publish")
	default:
		return q, badRequest("hub.mode is none of subscribe, unsubscribe and publish")
	}
	for _, name := range []string{"hub.topic", "hub.callback", "hub.secret", "hub.lease_seconds"} {
		if len(form[name]) > 1 {
			return q, badRequest("%s is there more than once", name)
		}
	}
	var u *url.URL
	if q.topic, _, wrong = urlOf(form, "hub.topic"); wrong != nil {
		return q, wrong
	}
	if q.callback, u, wrong = urlOf(form, "hub.callback"); wrong != nil {
		return q, wrong
	}
	if u.Fragment != "" || u.User != nil {
		return q, badRequest("hub.callback must have no fragment and no user name")
	}
	q.host = u.Hostname()
	if q.mode == unsubscribe {
		return q, nil // secret and lease are ignored
	}
	if q.secret = form.Get("hub.secret"); len(q.secret) > MaxSecret {
		return q, badRequest("hub.secret must have less than %d bytes", MaxSecret+1)
	}
	q.lease, wrong = leaseOf(form.Get("hub.lease_seconds"))
	return q, wrong
}

func urlOf(form url.Values, name string) (text string, u *url.URL, wrong *refusal) {
	text = form.Get(name)
	switch {
	case text == "":
		return "", nil, badRequest("%s is missing", name)
	case len(text) > MaxURL:
		return "", nil, badRequest("%s has more than %d bytes", name, MaxURL)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return "", nil, badRequest("%s is no URL", name)
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", nil, badRequest("%s is no http or https URL", name)
	}
	return text, u, nil
}

// leaseOf reads a number of seconds, and brings it into the hub's bounds.
func leaseOf(text string) (time.Duration, *refusal) {
	if text == "" {
		return DefaultLease, nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if errors.Is(err, strconv.ErrRange) && !strings.HasPrefix(text, "-") {
		seconds, err = math.MaxInt64, nil
	}
	if err != nil || seconds < 0 {
		return 0, badRequest("hub.lease_seconds is no number of seconds")
	}
	seconds = min(max(seconds, int64(MinLease/time.Second)), int64(MaxLease/time.Second))
	return time.Duration(seconds) * time.Second, nil
}

// parsePublish reads the topics of a ping, which are named by hub.topic or hub.url.
func (q *request) parsePublish(form url.Values) *refusal {
	known := make(map[string]bool)
	for _, name := range []string{"hub.topic", "hub.url", "hub.topic[]", "hub.url[]"} {
		for _, text := range form[name] {
			topic, _, wrong := urlOf(url.Values{name: {text}}, name)
			if wrong != nil {
				return wrong
			}
			if !known[topic] {
				known[topic] = true
				q.topics = append(q.topics, topic)
			}
		}
	}
	switch {
	case len(q.topics) == 0:
		return badRequest("hub.topic or hub.url is missing: the URL of what was published")
	case len(q.topics) > MaxPings:
		return badRequest("more than %d topics in one request", MaxPings)
	}
	return nil
}

// Key returns what a URL is compared by: itself, with escapes of unreserved characters decoded and other escapes in
// large letters (RFC 3986, sections 6.2.2.1 and 6.2.2.2).
func Key(address string) string {
	if !strings.Contains(address, "%") {
		return address
	}
	var b strings.Builder
	for i := 0; i < len(address); i++ {
		c, ok := byte(0), false
		if address[i] == '%' && i+2 < len(address) {
			c, ok = unhex(address[i+1 : i+3])
		}
		switch {
		case !ok:
			b.WriteByte(address[i])
			continue
		case isUnreserved(c):
			b.WriteByte(c)
		default:
			b.WriteString(strings.ToUpper(address[i : i+3]))
		}
		i += 2
	}
	return b.String()
}

func unhex(digits string) (byte, bool) {
	n, err := strconv.ParseUint(digits, 16, 8)
	return byte(n), err == nil
}

func isUnreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
