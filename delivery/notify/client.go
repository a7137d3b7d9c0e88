package notify

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
)

var errSlow = errors.New("the attempt was too slow")

// answer is what a server replied.
type answer struct {
	status int
	header http.Header
	body   []byte // as much of it as was read
}

func (a *answer) accepts() bool { return a.status >= 200 && a.status < 300 }

// exchange sends a request and returns the answer. The body of one that accepts is read only if whole says so.
func (n *Notifier) exchange(ctx context.Context, r *request, whole bool) (*answer, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, r.url, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	req.Header = r.header.Clone()
	if req.Header == nil {
		req.Header = make(http.Header)
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", n.c.UserAgent)
	}
	resp, err := n.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	a := &answer{status: resp.StatusCode, header: resp.Header}
	if a.accepts() && !whole {
		return a, nil
	}
	a.body, err = io.ReadAll(io.LimitReader(resp.Body, MaxAnswer))
	if err != nil && a.accepts() {
		return nil, err
	}
	return a, nil // a refusal counts, even if its body was cut off
}

// unwrapURL drops the URL from an error: it may be secret.
func unwrapURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the server"
	}
	return u.Hostname()
}
