package websub

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tidings"
)

// ServeHTTP answers hubs at a callback, whose name is the end of the request's path. Nothing is known there but names
// that nobody can guess.
func (s *Subscriber) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	token := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	switch r.Method {
	case http.MethodGet:
		s.verify(w, r, token)
	case http.MethodPost:
		s.push(w, r, token)
	default:
		header.Set("Allow", "GET, POST")
		http.Error(w, "a hub sends GET or POST here", http.StatusMethodNotAllowed)
	}
}

// unknown answers where there is no such callback.
func (s *Subscriber) unknown(w http.ResponseWriter, status int) {
	if !s.guests.Allow() {
		w.Header().Set("Retry-After", "10")
		http.Error(w, "too many requests for what is not there", http.StatusTooManyRequests)
		return
	}
	http.Error(w, "there is no such subscription", status)
}

// verify answers a hub that asks whether a request was meant (section 5.3), or that denies it (5.2); and a cloud that
// tries a callback.
func (s *Subscriber) verify(w http.ResponseWriter, r *http.Request, token string) {
	asked := r.URL.Query()
	now := s.Now()
	s.mu.Lock()
	challenge, ok := s.confirm(token, asked, now)
	s.mu.Unlock()
	if !ok {
		s.unknown(w, http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(challenge)))
	_, _ = io.WriteString(w, challenge) // a hub that went away asks again
}

// maxChallenge bounds what is repeated to a hub, in bytes.
const maxChallenge = 2048

// confirm returns what a hub is answered. The caller holds s.mu.
func (s *Subscriber) confirm(token string, asked url.Values, now time.Time) (challenge string, ok bool) {
	mode, topic, challenge := asked.Get("hub.mode"), asked.Get("hub.topic"), asked.Get("hub.challenge")
	if sub := s.leaving[token]; sub != nil {
		return challenge, mode == "unsubscribe" && sameURL(topic, sub.Topic) && len(challenge) <= maxChallenge
	}
	sub := s.tokens[token]
	switch {
	case sub == nil:
		return "", false
	case sub.Protocol == RSSCloud:
		challenge = asked.Get("challenge")
		feed := asked.Get("url")
		return challenge, challenge != "" && len(challenge) <= maxChallenge && (feed == "" || sameURL(feed, sub.Topic))
	case !sameURL(topic, sub.Topic):
		return "", false
	case mode == "denied":
		problem := "the hub denied the subscription"
		if reason := strings.Join(strings.Fields(asked.Get("hub.reason")), " "); reason != "" {
			problem += ": " + tidings.Quote(reason)
		}
		sub.State, sub.Proved, sub.Expires = tidings.HubDenied, false, time.Time{}
		sub.Problem, sub.Due, sub.dirty = problem, now.Add(maxRetry), true
		return "", true
	case mode != "subscribe" || challenge == "" || len(challenge) > maxChallenge:
		return "", false
	case sub.State != tidings.HubAsked && !sub.renewing(now):
		return "", false // nobody here has asked for it
	}
	length := lease
	if seconds, err := strconv.ParseInt(asked.Get("hub.lease_seconds"), 10, 64); err == nil && seconds > 0 {
		length = time.Duration(min(seconds, int64(maxLease/time.Second))) * time.Second
	}
	sub.granted(now, length)
	return challenge, true
}

// renewing reports whether a hub was asked to renew a subscription, and has not confirmed that.
func (s *subscription) renewing(now time.Time) bool {
	return s.State == tidings.HubActive && s.checked && now.Before(s.Due.Add(verifyWithin))
}

// sameURL reports whether two URLs are the same but for how they are escaped: some hubs escape a topic again.
func sameURL(a, b string) bool {
	if a == b {
		return true
	}
	one, err := url.PathUnescape(a)
	other, err2 := url.PathUnescape(b)
	return err == nil && err2 == nil && one == other
}

// push accepts a push (section 7), and has the channel polled. It is answered before that.
func (s *Subscriber) push(w http.ResponseWriter, r *http.Request, token string) {
	s.mu.Lock()
	sub := s.tokens[token]
	secret := ""
	if sub != nil {
		secret = sub.Secret
	}
	s.mu.Unlock()
	if sub == nil {
		s.unknown(w, http.StatusGone) // so that the hub ends its subscription
		return
	}
	right, err := signed(http.MaxBytesReader(w, r.Body, MaxPush), secret, r.Header.Get("X-Hub-Signature"))
	switch {
	case err != nil:
		http.Error(w, "the push could not be read, or has more than "+strconv.Itoa(MaxPush)+" bytes",
			http.StatusRequestEntityTooLarge)
		return
	case !right:
		http.Error(w, "the signature is not right", http.StatusForbidden)
		return
	}
	s.announced(sub)
	w.WriteHeader(http.StatusAccepted)
}

// announced notes a push, and has its channel polled: at once, or a moment after the last poll for that reason. The
// channel is polled again later in case the origin is behind its hub.
func (s *Subscriber) announced(sub *subscription) {
	now := s.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	sub.pushed(now)
	if wait := sub.polled.Add(pollPause); now.Before(wait) {
		sub.again = []time.Time{wait, wait.Add(time.Minute), wait.Add(5 * time.Minute)}
		return
	}
	sub.polled = now
	sub.again = []time.Time{now.Add(time.Minute), now.Add(5 * time.Minute)}
	s.Scheduler.Check(sub.channel, pushWhy)
}

// methods are those by which pushes are signed (section 7.1).
var methods = map[string]func() hash.Hash{
	"sha1": sha1.New, "sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New,
}

// signed reads a push, and reports whether it has the signature of a secret; "": none is needed (section 7.1).
func signed(body io.Reader, secret, signature string) (bool, error) {
	if secret == "" {
		_, err := io.Copy(io.Discard, body)
		return err == nil, err
	}
	method, digits, _ := strings.Cut(signature, "=")
	by := methods[strings.ToLower(method)]
	if by == nil {
		_, err := io.Copy(io.Discard, body)
		return false, err
	}
	mac := hmac.New(by, []byte(secret))
	if _, err := io.Copy(mac, body); err != nil {
		return false, err
	}
	claimed, err := hex.DecodeString(strings.TrimSpace(digits))
	return err == nil && hmac.Equal(claimed, mac.Sum(nil)), nil
}
