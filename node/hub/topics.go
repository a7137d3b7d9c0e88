package hub

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"tidings"
	"tidings/delivery/proxy"
	"tidings/delivery/websub"
	"tidings/source/feed"
	"tidings/source/fetch"
)

// topic is what the URL of one stands for.
type topic struct {
	channel string // URL
	own     bool   // it is this node's feed of the channel, as Atom or JSON Feed
	json    bool
}

// parse returns what a topic stands for; [tidings.ErrInvalid] if it cannot be one.
func (h *Hub) parse(address string) (t topic, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return t, tidings.Invalidf("the topic is no URL")
	}
	public, err := url.Parse(h.config.PublicURL)
	if err != nil {
		return t, fmt.Errorf("reading the public URL: %w", err)
	}
	if strings.EqualFold(u.Host, public.Host) {
		channel, json, is := proxy.ParseFeedURL(u)
		if !is {
			return t, tidings.Invalidf("of this node's own addresses only its feeds of channels can be topics")
		}
		t, address = topic{own: true, json: json}, channel
	}
	if u.User != nil {
		return t, tidings.Invalidf("a topic has no user name")
	}
	if t.channel, err = feed.Canonical(address); err != nil {
		return t, tidings.Invalidf("the topic cannot be watched: %w", err)
	}
	c, err := url.Parse(t.channel)
	if err != nil || strings.EqualFold(c.Host, public.Host) || !tidings.KindOf(t.channel).HasOrigin() {
		return t, tidings.Invalidf("the topic cannot be watched: it is at this node")
	}
	return t, nil
}

// admit returns what a topic stands for, or why it cannot be subscribed to.
func (h *Hub) admit(ctx context.Context, address string) (topic, error) {
	t, err := h.parse(address)
	if err != nil {
		return t, err
	}
	private := fetch.Classify(t.channel, h.config.Lab) != tidings.Public
	w, err := h.config.Content.Watch(ctx, t.channel)
	switch {
	case errors.Is(err, tidings.ErrNotFollowed):
	case err != nil:
		return t, err
	default:
		private = w.Privacy != tidings.Public || !w.Access.IsZero()
		if w.Ended {
			return t, tidings.Invalidf("the topic has ended: its server says that it is gone")
		}
	}
	if private {
		return t, tidings.Invalidf(
			"the topic is not public: its address looks like a secret, is in a private network, or needs a password")
	}
	if h.config.Mode == Open {
		return t, nil
	}
	_, others, err := h.config.Store.HubFollowers(ctx, t.channel)
	if err == nil && others == 0 {
		err = tidings.Invalidf("nobody at this node follows the topic, and its hub is for what is followed here")
	}
	return t, err
}

// Admit implements [websub.Topics].
func (h *Hub) Admit(ctx context.Context, address string) error {
	_, err := h.admit(ctx, address)
	return err
}

// Follow implements [websub.Topics].
func (h *Hub) Follow(ctx context.Context, address string) (channel string, err error) {
	t, err := h.admit(ctx, address)
	if err != nil {
		return "", err
	}
	return t.channel, h.follow(ctx, t.channel)
}

// follow has the hub's account follow a channel, and waits for its first poll.
func (h *Hub) follow(ctx context.Context, channel string) error {
	follows, _, err := h.config.Store.HubFollowers(ctx, channel)
	if err != nil {
		return err
	}
	if !follows {
		all, err := h.config.Store.HubChannels(ctx)
		if err != nil {
			return err
		}
		if len(all) >= MaxTopics {
			return tidings.Invalidf("the hub has %d topics, and more are not possible", len(all))
		}
		each, err := h.config.Channels.SubscribeLater(ctx, h.config.Account, []tidings.SubscribeRequest{{URL: channel}})
		if err := errors.Join(append(each, err)...); err != nil {
			return fmt.Errorf("following %s: %w", channel, err)
		}
	}
	w, err := h.config.Content.Watch(ctx, channel)
	if err != nil || w.Version > 0 {
		return err
	}
	// What the topic has now is not news to the subscriber. What follows is, so the first poll must come before.
	ctx, cancel := context.WithTimeout(ctx, firstPoll)
	defer cancel()
	if _, err := h.config.Scheduler.Now(ctx, channel, "a subscriber of this node's hub asked for it"); err != nil {
		h.config.Log.Debug("a topic of the hub was not polled at once", "channel", channel, "error", err)
	}
	return nil
}

// Published implements [websub.Topics].
func (h *Hub) Published(address string) {
	if t, err := h.parse(address); err == nil {
		h.config.Scheduler.Check(t.channel, "this node's hub got a notice that it has changed")
	}
}

// Document implements [websub.Topics].
func (h *Hub) Document(ctx context.Context, address, channel string) (doc websub.Document, err error) {
	t, err := h.parse(address)
	if err != nil {
		return doc, err
	}
	w, err := h.config.Content.Watch(ctx, channel)
	if err != nil {
		return doc, err
	}
	doc.Version = w.Version
	if !t.own {
		if doc.Body, doc.ContentType, err = h.config.Content.Document(ctx, channel); err != nil || len(doc.Body) > 0 {
			return doc, err
		}
	}
	doc.Body, doc.ContentType, err = proxy.Feed(ctx, h.config.Feeds, h.config.Account, channel,
		proxy.Address{Base: h.config.PublicURL, Hub: h.config.PublicURL + Path, JSON: t.json})
	return doc, err
}
