package websub

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tidings"
)

// job is a request that is to be verified, or a denial that is to be sent.
type job struct {
	request
	reason string // of a denial
}

// line is the jobs for callbacks of one domain. One is under way at a time.
type line struct{ jobs []job }

// accept has a request verified, if there is room.
func (h *Hub) accept(domain string, q request) *refusal {
	if wait := h.verifications.allow(domain, h.Now()); wait > 0 {
		return tooMany(wait, "too many requests for callbacks of "+domain+" were not confirmed there")
	}
	if !h.enqueue(domain, job{request: q}) {
		no := refuse(http.StatusServiceUnavailable, "the hub has too many requests to verify")
		no.after = queueAfter
		return no
	}
	return nil
}

// End denies a subscription that was accepted, and soon says so at its callback. It reports whether there is room for
// that.
func (h *Hub) End(s tidings.HubSubscription, reason string) bool {
	return h.enqueue(s.Domain, job{request{mode: denied, topic: s.Topic, callback: s.Callback}, reason})
}

// enqueue has a job done, if there is room.
func (h *Hub) enqueue(domain string, j job) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.lines[domain]
	if h.ctx == nil || h.all >= maxQueued || l != nil && len(l.jobs) >= maxLine {
		return false
	}
	h.all++
	if l != nil {
		l.jobs = append(l.jobs, j)
		return true
	}
	h.lines[domain] = &line{jobs: []job{j}}
	ctx := h.ctx
	h.wait.Go(func() { h.work(ctx, domain) })
	return true
}

// work does the jobs of a line, until there are none.
func (h *Hub) work(ctx context.Context, domain string) {
	for {
		h.mu.Lock()
		l := h.lines[domain]
		if len(l.jobs) == 0 || ctx.Err() != nil {
			h.all -= len(l.jobs)
			delete(h.lines, domain)
			h.mu.Unlock()
			return
		}
		j := l.jobs[0]
		l.jobs = l.jobs[1:]
		h.all--
		h.mu.Unlock()
		select {
		case h.slots <- struct{}{}:
			h.handle(ctx, domain, j)
			<-h.slots
		case <-ctx.Done():
		}
	}
}

// handle validates a request with the topics (section 5.2), verifies it at its callback (5.3), and executes it.
func (h *Hub) handle(ctx context.Context, domain string, j job) {
	q := j.request
	switch q.mode {
	case denied: // of a subscription that its callback has confirmed
		h.deny(ctx, q.topic, q.callback, j.reason, accepted)
		return
	case subscribe:
		if err := h.Topics.Admit(ctx, q.topic); err != nil {
			h.deny(ctx, q.topic, q.callback, reasonOf(err), unconfirmed)
			return
		}
	}
	asked := h.Now()
	if err := h.verify(ctx, q); err != nil {
		h.Logger.Debug("a subscription request was not confirmed", "topic", q.topic, "callback", domain, "error", err)
		return
	}
	h.verifications.restore(domain, h.Now())
	err := h.apply(ctx, domain, q, asked.Add(q.lease))
	if err == nil || ctx.Err() != nil {
		return
	}
	if !errors.Is(err, tidings.ErrInvalid) {
		h.Logger.Error("a confirmed subscription request could not be stored", "topic", q.topic, "error", err)
	}
	if q.mode == subscribe {
		h.deny(ctx, q.topic, q.callback, reasonOf(err), unconfirmed)
	}
}

// apply does what a verified request asks for.
func (h *Hub) apply(ctx context.Context, domain string, q request, expires time.Time) error {
	if q.mode == unsubscribe {
		ctx, cancel := context.WithTimeout(ctx, storeWithin)
		defer cancel()
		return h.Store.RemoveHubSubscription(ctx, Key(q.topic), Key(q.callback))
	}
	ctx, cancel := context.WithTimeout(ctx, followWithin+storeWithin)
	defer cancel()
	channel, err := h.Topics.Follow(ctx, q.topic)
	if err != nil {
		return fmt.Errorf("following a topic: %w", err)
	}
	return h.Store.PutHubSubscription(ctx, Key(q.topic), Key(q.callback), tidings.HubSubscription{
		Topic: q.topic, Callback: q.callback, Channel: channel, Domain: domain, Secret: q.secret, Expires: expires,
	}, h.Bounds)
}

// verify asks the callback whether it wants what was requested (section 5.3); nil: it does.
func (h *Hub) verify(ctx context.Context, q request) error {
	challenge := rand.Text()
	ask := url.Values{"hub.mode": {string(q.mode)}, "hub.topic": {q.topic}, "hub.challenge": {challenge}}
	if q.mode == subscribe {
		ask.Set("hub.lease_seconds", strconv.FormatInt(int64(q.lease/time.Second), 10))
	}
	return h.ask(ctx, q.callback, ask, int64(len(challenge))+1, func(status int, body []byte) error {
		switch err := accepted(status, nil); {
		case err != nil:
			return err
		case string(body) != challenge:
			return errors.New("the callback did not repeat the challenge")
		}
		return nil
	})
}

// accepted returns an error for an answer that is no success.
func accepted(status int, _ []byte) error {
	if status < 200 || status > 299 {
		return fmt.Errorf("the callback answered %d", status)
	}
	return nil
}

// unconfirmed returns an error for any answer: none confirms anything.
func unconfirmed(int, []byte) error { return errors.New("the callback has confirmed nothing") }

// deny says at a callback that there is no subscription, or no more (section 5.2). What comes of that does not matter,
// but for the bound of its address: an answer for which confirms returns nil does not count there.
func (h *Hub) deny(ctx context.Context, topic, callback, reason string, confirms func(status int, body []byte) error) {
	ask := url.Values{"hub.mode": {string(denied)}, "hub.topic": {topic}, "hub.reason": {reason}}
	if err := h.ask(ctx, callback, ask, 0, confirms); err != nil {
		h.Logger.Debug("a denial was not confirmed", "topic", topic, "error", err)
	}
}

// ask sends a GET request to a callback with parameters behind those that it has. It returns what confirms says of the
// answer's status and the first bytes of its body. Unless that is nil, the request counts for the callback's address.
func (h *Hub) ask(
	ctx context.Context, callback string, parameters url.Values, read int64,
	confirms func(status int, body []byte) error,
) error {
	separator := "?"
	if strings.Contains(callback, "?") {
		separator = "&"
	}
	req, err := http.NewRequest(http.MethodGet, callback+separator+parameters.Encode(), nil)
	if err != nil {
		return errors.New("the callback is no URL")
	}
	ctx, v := h.machines.begin(ctx)
	status, _, body, err := h.exchange(ctx, h.verifier, req, read)
	if err == nil {
		err = confirms(status, body)
	}
	if err == nil {
		h.proven.add(domainOf(req.URL.Hostname()), v.machine())
	}
	v.end(err == nil)
	return err
}

// reasonOf returns why a subscription is denied, in a line for its subscriber.
func reasonOf(err error) string {
	if errors.Is(err, tidings.ErrInvalid) {
		return tidings.Reason(err)
	}
	return "the hub could not store it: try again later"
}
