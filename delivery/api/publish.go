package api

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"

	"tidings"
	"tidings/view"
)

// Publisher is what the API asks of a node that publishes.
type Publisher interface {
	// Publish publishes what is new in a conventional feed. It returns when the items are kept and the first other
	// nodes have them. If these do not come, it returns after a bounded wait.
	Publish(ctx context.Context, o view.PublishOrder) (view.Issued, error)

	// PublishEntry publishes one entry on a channel, with the key of a name ("": the only one there
	// is), as Publish does.
	PublishEntry(ctx context.Context, channel, key string, e tidings.PublishedEntry) (view.Issued, error)

	// Publications lists what is published, and what was.
	Publications(ctx context.Context) ([]view.Publication, error)

	// StopPublishing ends the publications of a channel; [tidings.ErrNotFound] if there are none.
	StopPublishing(ctx context.Context, channel string) error

	// ResumePublishing makes this node continue publications of a channel that halted because another node published
	// with the same key; [tidings.ErrNotFound] if there is none.
	ResumePublishing(ctx context.Context, channel string) error
}

// publishing returns the part that publishes, or an error if the node has none.
func (h *handler) publishing() (Publisher, error) {
	if h.Publisher == nil {
		return nil, refuse(http.StatusServiceUnavailable, "this node does not publish", "")
	}
	return h.Publisher, nil
}

func (h *handler) publications(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
	p, err := h.publishing()
	if err != nil {
		return err
	}
	all, err := p.Publications(r.Context())
	if err != nil {
		return err
	}
	return list(w, r, all)
}

// publish is open to the owner of the node alone: it reads files, and accepts passphrases.
func (h *handler) publish(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
	p, err := h.publishing()
	if err != nil {
		return err
	}
	var o view.PublishOrder
	if err := decodeUpTo(w, r, maxOrder, &o); err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(o.Source) == "" && len(o.Document) == 0:
		return refuse(http.StatusBadRequest, `field "source" is missing`,
			"send the absolute path of a feed's file, or its URL; or the document itself, in base64, as \"document\"")
	case o.FullContent != "" && !filepath.IsAbs(o.FullContent):
		return refuse(http.StatusBadRequest, `field "full_content" is no absolute path`, "")
	}
	issued, err := p.Publish(r.Context(), o)
	if err != nil {
		return acted(err)
	}
	return ok(w, r, issued)
}

// entryOrder is what a content system sends.
type entryOrder struct {
	URL   string                 `json:"url"` // of the feed
	Key   string                 `json:"key,omitempty"`
	Entry tidings.PublishedEntry `json:"entry,omitzero"`
	// Document replaces Entry. It is news in NITF, NewsML-G2 or ninjs, or a feed. Its items are published.
	Document []byte `json:"document,omitempty"`
}

// publishEntry answers 201 if the entry was published, 200 if it was published before, as it is.
func (h *handler) publishEntry(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
	p, err := h.publishing()
	if err != nil {
		return err
	}
	var o entryOrder
	if err := decode(w, r, &o); err != nil {
		return err
	}
	if strings.TrimSpace(o.URL) == "" {
		return refuse(http.StatusBadRequest, `field "url" is missing`,
			"send the address of the feed that the entry belongs to")
	}
	var issued view.Issued
	switch {
	case len(o.Document) == 0:
		issued, err = p.PublishEntry(r.Context(), o.URL, o.Key, o.Entry)
	case o.Entry.ID != "":
		return refuse(http.StatusBadRequest, `there are both "entry" and "document"`, "send one of them")
	default:
		issued, err = p.Publish(r.Context(), view.PublishOrder{Channel: o.URL, Key: o.Key, Document: o.Document})
	}
	if err != nil {
		return acted(err)
	}
	status := http.StatusCreated
	if len(issued.Items) == 0 {
		status = http.StatusOK
	}
	writeJSON(w, status, issued)
	return nil
}

func (h *handler) stopPublishing(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
	p, err := h.publishing()
	if err != nil {
		return err
	}
	return decided(w, r, p.StopPublishing, "is not published here")
}

// resumePublishing is open to all that may publish.
func resumePublishing(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
		p, err := h.publishing()
		if err != nil {
			return err
		}
		return decided(w, r, p.ResumePublishing, "has not halted here")
	}
}

// decided does what a person has decided about the publications of a channel; unknown says that there are none of which
// that can be decided.
func decided(w http.ResponseWriter, r *http.Request, do func(ctx context.Context, channel string) error,
	unknown string) error {
	channel := queryOf(r).text("url")
	if strings.TrimSpace(channel) == "" {
		return refuse(http.StatusBadRequest, `parameter "url" is missing`, "name the feed: ?url=…")
	}
	switch err := do(r.Context(), channel); {
	case errors.Is(err, tidings.ErrNotFound):
		return refuse(http.StatusNotFound, channel+" "+unknown, "what is: tidings publish --list")
	case err != nil:
		return acted(err)
	}
	return done(w)
}

// Publish publishes what is new in a conventional feed.
func (c *Client) Publish(ctx context.Context, o view.PublishOrder) (issued view.Issued, err error) {
	return issued, c.do(ctx, http.MethodPost, "publications", nil, o, &issued)
}

// PublishEntry publishes one entry.
func (c *Client) PublishEntry(ctx context.Context, channel, key string,
	e tidings.PublishedEntry) (issued view.Issued, err error) {
	return issued, c.do(ctx, http.MethodPost, "publications/entries", nil, entryOrder{URL: channel, Key: key, Entry: e},
		&issued)
}

// PublishDocument publishes the items of a document.
func (c *Client) PublishDocument(ctx context.Context, channel, key string, doc []byte) (issued view.Issued, err error) {
	return issued, c.do(ctx, http.MethodPost, "publications/entries", nil,
		entryOrder{URL: channel, Key: key, Document: doc}, &issued)
}

// Publications lists what the node publishes, and has published.
func (c *Client) Publications(ctx context.Context) (all []view.Publication, err error) {
	return all, c.get(ctx, "publications", nil, &all)
}

// StopPublishing ends the publications of a channel.
func (c *Client) StopPublishing(ctx context.Context, channel string) error {
	return c.do(ctx, http.MethodDelete, "publications", ofChannel(channel), nil, nil)
}

// ResumePublishing has the node go on with publications of a channel that have halted.
func (c *Client) ResumePublishing(ctx context.Context, channel string) error {
	return c.do(ctx, http.MethodPost, "publications/resume", ofChannel(channel), nil, nil)
}
