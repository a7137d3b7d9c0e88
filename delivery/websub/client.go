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
	"time"

	"tidings/egress"
)

const (
	// Timeout bounds an exchange with a callback.
	Timeout = 15 * time.Second

	// MaxAnswer bounds the header of a callback's answer, and what is read of its body, in bytes.
	MaxAnswer = 16 << 10
)

var (
	errPrivate = errors.New("this hub does not connect to private addresses")
	errPort    = errors.New("this hub does not connect to that port: web servers have 80, 443, or one above 1024")
	errSlow    = fmt.Errorf("timed out after %v", Timeout)
)

// newClient returns a client that keeps connections for deliveries that follow each other. It keeps those to machines
// that have accepted something for their domain.
func (h *Hub) newClient(g egress.Guard) *http.Client {
	g.Also = h.proven.connect
	t := g.Transport(MaxAnswer)
	t.DisableKeepAlives, t.MaxIdleConns, t.MaxIdleConnsPerHost, t.IdleConnTimeout = false, 100, 2, 30*time.Second
	return egress.Client(t)
}

// newVerifier returns a client for verifications, denials and the first deliveries to a machine. Each of its requests
// is a visit with a connection of its own.
func (h *Hub) newVerifier(g egress.Guard) *http.Client {
	g.Also = h.machines.connect
	return egress.Client(g.Transport(MaxAnswer))
}

// checkLiteral reports why the hub does not connect to a callback with an address as its host.
func (c Config) checkLiteral(callback string) error {
	u, err := url.Parse(callback)
	if err != nil {
		return errPrivate
	}
	a, err := netip.ParseAddr(u.Hostname())
	if err != nil {
		return nil // a name: checked when it is resolved
	}
	port := 80
	if u.Scheme == "https" {
		port = 443
	}
	if text := u.Port(); text != "" {
		if port, err = strconv.Atoi(text); err != nil || port < 1 || port > 65535 {
			return errPort
		}
	}
	return inWords(c.Guard.Endpoint(netip.AddrPortFrom(a, uint16(port))))
}

// exchange sends a request to a callback by a client. It returns the answer's status, header, and the first bytes of
// the body.
func (h *Hub) exchange(
	ctx context.Context, client *http.Client, req *http.Request, read int64,
) (status int, header http.Header, body []byte, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, h.timeout, errSlow)
	defer cancel()
	req.Header.Set("User-Agent", h.UserAgent)
	resp, err := client.Do(req.WithContext(ctx))
	if err != nil {
		return 0, nil, nil, plain(ctx, err)
	}
	defer resp.Body.Close()
	if read > 0 {
		if body, err = io.ReadAll(io.LimitReader(resp.Body, read)); err != nil {
			return 0, nil, nil, plain(ctx, err)
		}
	}
	return resp.StatusCode, resp.Header, body, nil
}

// plain returns an error without the callback's URL, which is a secret between subscriber and hub.
func plain(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errSlow) {
		return errSlow
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return inWords(err)
}

// inWords returns the hub's own words for a connection that was refused before it was made, else the error itself.
func inWords(err error) error {
	switch {
	case errors.Is(err, egress.ErrAddress):
		return errPrivate
	case errors.Is(err, egress.ErrPort):
		return errPort
	case errors.Is(err, errBusy):
		return errBusy
	case errors.Is(err, errUnproven):
		return errUnproven
	}
	return err
}
