package websub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tidings"
	"tidings/egress"
)

// Timeout bounds a request to a hub, with all redirects.
const Timeout = 30 * time.Second

// maxHops bounds the redirects of a request.
const maxHops = 5

// maxReason is how much of a hub's answer is shown, in bytes.
const maxReason = 200

var errAddress = errors.New("this node does not connect to private addresses, nor to ports of other services")

// maxHeader bounds the header of a hub's answer, in bytes.
const maxHeader = 64 << 10

// isOnThisMachine reports whether a URL names an address of this machine: what is sent there nobody else can read.
func isOnThisMachine(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	a, err := netip.ParseAddr(u.Hostname())
	return err == nil && a.IsLoopback()
}

// request sends a request to a hub, if fewer than maxRequests are under way; else the next Tick does. The caller holds
// s.mu.
func (s *Subscriber) request(ctx context.Context, sub *subscription, mode string) {
	select {
	case s.slots <- struct{}{}:
	default:
		return
	}
	now := s.Now()
	sub.asking = true
	if mode == "subscribe" && sub.State != tidings.HubActive {
		sub.State, sub.dirty = tidings.HubAsked, true // the hub may verify before it answers
	}
	sub.Due = now.Add(verifyWithin)
	hub, form := sub.Hub, s.form(sub, mode)
	s.wait.Go(func() {
		err := s.post(ctx, hub, form)
		<-s.slots
		s.answered(sub, mode, err, ctx.Err() != nil)
	})
}

// form returns the body of a request.
func (s *Subscriber) form(sub *subscription, mode string) url.Values {
	callback := s.Callback + sub.Token
	if sub.Protocol == RSSCloud {
		u, err := url.Parse(callback)
		if err != nil {
			return nil
		}
		form := url.Values{"notifyProcedure": {""}, "domain": {u.Hostname()}, "port": {u.Port()}, "path": {u.Path},
			"protocol": {u.Scheme + "-post"}, "url1": {sub.Topic}}
		if u.Port() == "" {
			form.Set("port", map[string]string{"http": "80", "https": "443"}[u.Scheme])
		}
		return form
	}
	form := url.Values{"hub.mode": {mode}, "hub.topic": {sub.Topic}, "hub.callback": {callback}}
	if mode == "subscribe" {
		form.Set("hub.lease_seconds", strconv.Itoa(int(lease/time.Second)))
		if sub.Secret != "" {
			form.Set("hub.secret", sub.Secret)
		}
	}
	return form
}

// answered notes what came of a request. One that was broken off is sent again.
func (s *Subscriber) answered(sub *subscription, mode string, err error, brokenOff bool) {
	now := s.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if mode != "subscribe" {
		return // asking stays: the hub is asked once
	}
	sub.asking = false
	switch {
	case err != nil && brokenOff:
		sub.Due, sub.dirty = now, true
	case err != nil:
		sub.failed(now, err.Error())
	case sub.Protocol == RSSCloud: // it has verified the callback before it answered
		sub.granted(now, cloudTime)
	}
}

// post sends a form, and follows redirects that say so (section 5.1: 307 and 308).
func (s *Subscriber) post(ctx context.Context, to string, form url.Values) error {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	for range maxHops {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, strings.NewReader(form.Encode()))
		if err != nil {
			return errors.New("the hub's address is none")
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("User-Agent", s.UserAgent)
		resp, err := s.client.Do(req)
		if err != nil {
			return plain(ctx, err)
		}
		reason, _ := io.ReadAll(io.LimitReader(resp.Body, maxReason))
		resp.Body.Close()
		switch {
		case resp.StatusCode >= 200 && resp.StatusCode < 300:
			return nil
		case resp.StatusCode != http.StatusTemporaryRedirect && resp.StatusCode != http.StatusPermanentRedirect:
			text := fmt.Sprintf("the hub answered %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
			if said := strings.Join(strings.Fields(strings.ToValidUTF8(string(reason), "")), " "); said != "" {
				text += ": " + said
			}
			return errors.New(text)
		}
		next, err := resp.Location()
		if err != nil || next.Scheme != "http" && next.Scheme != "https" || isTLS(to) && next.Scheme != "https" {
			return errors.New("the hub points to where it cannot be")
		}
		to = next.String()
	}
	return fmt.Errorf("the hub points elsewhere more than %d times", maxHops)
}

// plain returns an error in few words.
func plain(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("the hub did not answer within %v", Timeout)
	}
	if errors.Is(err, egress.ErrAddress) || errors.Is(err, egress.ErrPort) {
		return errAddress
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return fmt.Errorf("the hub cannot be reached: %w", err)
}
