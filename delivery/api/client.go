package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"tidings"
)

// ErrNoNode says that no node listens at the socket.
var ErrNoNode = errors.New("no node is running")

// maxSocketPath is the longest path of a socket that every system takes (macOS: 104 bytes
// with the end mark).
const maxSocketPath = 103

// SocketPath is where the node with its data in dir listens for its owner's commands.
func SocketPath(dir string) string { return filepath.Join(dir, "tidings.sock") }

// Error is what a node answered instead of what was asked. [errors.Is] finds the
// sentinels of package tidings behind its status.
type Error struct {
	Status int
	Text   string // one plain line
	Hint   string // what to do, maybe empty
}

func (e *Error) Error() string { return e.Text }

// Is reports whether the status is that of target, a sentinel of package tidings.
func (e *Error) Is(target error) bool {
	status := statusOf(target)
	return status != 0 && status == e.Status
}

// Client speaks to a node. Its methods do what the routes of the door do. It may be used
// by several goroutines at a time.
type Client struct {
	// Away is called when a stream was cut off and is about to be tried again; nil: nothing is.
	Away func(error)

	socket string
	http   *http.Client
	wait   backOff       // of Follow, as it begins
	silent time.Duration // a stream that says nothing for so long is dead
}

// Dial returns a client of the node that listens at a socket. Nothing is sent until a
// method is called; each of them returns [ErrNoNode] when nobody listens.
func Dial(socket string) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		if len(socket) > maxSocketPath {
			return nil, fmt.Errorf("the socket's path has %d bytes, more than the %d that systems take: %s", len(socket), maxSocketPath, socket)
		}
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
	return &Client{
		socket: socket,
		http:   &http.Client{Transport: &http.Transport{DialContext: dial, DisableCompression: true}},
		wait:   backOff{least: 250 * time.Millisecond, most: 10 * time.Second},
		silent: 45 * time.Second,
	}
}

// Close lets go of idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// request sends a request and returns the answer if it is one of success.
func (c *Client) request(ctx context.Context, method, path string, q url.Values, contentType string, body io.Reader, header http.Header) (*http.Response, error) {
	target := url.URL{Scheme: "http", Host: "localhost", Path: Base + path, RawQuery: q.Encode()}
	req, err := http.NewRequestWithContext(ctx, method, target.String(), body)
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.dialError(err)
	}
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, errorOf(resp)
}

func (c *Client) dialError(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("%w at %s", ErrNoNode, c.socket)
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err // the address is of no use to anyone
	}
	return fmt.Errorf("asking the node: %w", err)
}

func errorOf(resp *http.Response) error {
	var p problem
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxBody)).Decode(&p); err != nil || p.Error == "" {
		p.Error = "the node answered " + resp.Status
	}
	return &Error{Status: resp.StatusCode, Text: p.Error, Hint: p.Hint}
}

// get reads an answer into v.
func (c *Client) get(ctx context.Context, path string, q url.Values, v any) error {
	return c.do(ctx, http.MethodGet, path, q, nil, v)
}

// do sends body as JSON, if there is one or the method needs one, and reads the answer
// into v, if there is one.
func (c *Client) do(ctx context.Context, method, path string, q url.Values, body, v any) error {
	contentType, sent := "", io.Reader(nil)
	if method != http.MethodGet && method != http.MethodDelete {
		contentType = typeJSON
	}
	if body != nil {
		text, err := encode(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	resp, err := c.request(ctx, method, path, q, contentType, sent, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if v == nil {
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(v); err != nil {
		return fmt.Errorf("reading the node's answer: %w", err)
	}
	return nil
}

func ofChannel(channel string) url.Values { return url.Values{"url": {channel}} }

// Channels returns what the account follows, sorted by folder and label.
func (c *Client) Channels(ctx context.Context) (all []tidings.Followed, err error) {
	return all, c.get(ctx, "channels", nil, &all)
}

// Channel returns one followed channel.
func (c *Client) Channel(ctx context.Context, channel string) (f tidings.Followed, err error) {
	return f, c.get(ctx, "channel", ofChannel(channel), &f)
}

// Subscribe follows a channel after a first look at it.
func (c *Client) Subscribe(ctx context.Context, o tidings.Order) (f tidings.Followed, err error) {
	return f, c.do(ctx, http.MethodPost, "channels", nil, o, &f)
}

// Unsubscribe ends that, and returns what was followed.
func (c *Client) Unsubscribe(ctx context.Context, channel string) (f tidings.Followed, err error) {
	return f, c.do(ctx, http.MethodDelete, "channels", ofChannel(channel), nil, &f)
}

// ChannelChange says what of a followed channel is to change; nil leaves it.
type ChannelChange struct {
	Name    *string          `json:"name,omitempty"`
	Folder  *string          `json:"folder,omitempty"`
	Privacy *tidings.Privacy `json:"privacy,omitempty"`
}

// Change changes a followed channel.
func (c *Client) Change(ctx context.Context, channel string, change ChannelChange) (f tidings.Followed, err error) {
	return f, c.do(ctx, http.MethodPatch, "channel", ofChannel(channel), change, &f)
}

// Look looks at a followed channel's origin now.
func (c *Client) Look(ctx context.Context, channel string) (l tidings.Look, err error) {
	return l, c.do(ctx, http.MethodPost, "look", ofChannel(channel), nil, &l)
}

// Probe looks at an address and stores nothing.
func (c *Client) Probe(ctx context.Context, o tidings.Order) (p tidings.Preview, err error) {
	return p, c.do(ctx, http.MethodPost, "probe", nil, o, &p)
}

// Updates returns what q selects, in rising order of IDs.
func (c *Client) Updates(ctx context.Context, q tidings.UpdateQuery) (all []tidings.Update, err error) {
	values := url.Values{"newest": {strconv.FormatBool(q.Newest)}}
	setText(values, "channel", q.Channel)
	setTime(values, "since", q.Since)
	setNumber(values, "after", q.After)
	setNumber(values, "limit", int64(q.Limit))
	return all, c.get(ctx, "updates", values, &all)
}

// Update returns one update.
func (c *Client) Update(ctx context.Context, id int64) (u tidings.Update, err error) {
	return u, c.get(ctx, "updates/"+strconv.FormatInt(id, 10), nil, &u)
}

// Entries returns what q selects, newest first.
func (c *Client) Entries(ctx context.Context, q tidings.EntryQuery) (all []tidings.Entry, err error) {
	values := url.Values{}
	setText(values, "channel", q.Channel)
	setText(values, "folder", q.Folder)
	setText(values, "search", q.Search)
	setFlag(values, "unread", q.Unread)
	setFlag(values, "starred", q.Starred)
	setNumber(values, "before", q.Before)
	setNumber(values, "after", q.After)
	setNumber(values, "limit", int64(q.Limit))
	return all, c.get(ctx, "entries", values, &all)
}

// Entry returns one entry, with what a changed item was before.
func (c *Client) Entry(ctx context.Context, id int64) (e tidings.Entry, err error) {
	return e, c.get(ctx, "entries/"+strconv.FormatInt(id, 10), nil, &e)
}

// MarkRead marks items (Entry.Item) as read or unread.
func (c *Client) MarkRead(ctx context.Context, items []int64, read bool) error {
	return c.do(ctx, http.MethodPost, "entries/read", nil, map[string]any{"items": items, "read": read}, nil)
}

// MarkAllRead marks what q selects, up to and with the entry of ID upTo, and returns how many those were.
func (c *Client) MarkAllRead(ctx context.Context, q tidings.EntryQuery, upTo int64) (int, error) {
	var answer struct {
		Marked int `json:"marked"`
	}
	err := c.do(ctx, http.MethodPost, "entries/read-all", nil, map[string]any{
		"up_to": upTo, "channel": q.Channel, "folder": q.Folder, "search": q.Search, "starred": q.Starred,
	}, &answer)
	return answer.Marked, err
}

// Star stars an item (Entry.Item), or takes its star away.
func (c *Client) Star(ctx context.Context, item int64, starred bool) error {
	return c.do(ctx, http.MethodPost, "entries/star", nil, map[string]any{"item": item, "starred": starred}, nil)
}

// State returns a channel's content as of a version; 0: the latest.
func (c *Client) State(ctx context.Context, channel string, v tidings.Version) (s tidings.State, err error) {
	values := ofChannel(channel)
	setNumber(values, "version", int64(v))
	return s, c.get(ctx, "state", values, &s)
}

// Diff compares two versions of a channel. To 0 is the latest, from 0 the one before to.
func (c *Client) Diff(ctx context.Context, channel string, from, to tidings.Version) (d Difference, err error) {
	values := ofChannel(channel)
	setNumber(values, "from", int64(from))
	setNumber(values, "to", int64(to))
	return d, c.get(ctx, "diff", values, &d)
}

// Status tells how the node is.
func (c *Client) Status(ctx context.Context) (s tidings.Status, err error) {
	return s, c.get(ctx, "status", nil, &s)
}

// Backup has the node write a copy of its store to file, an absolute path.
func (c *Client) Backup(ctx context.Context, file string) error {
	return c.do(ctx, http.MethodPost, "backup", nil, map[string]string{"file": file}, nil)
}

// SetPassword sets the page's password; empty: none.
func (c *Client) SetPassword(ctx context.Context, password string) error {
	return c.do(ctx, http.MethodPut, "password", nil, map[string]string{"password": password}, nil)
}

// NewToken makes a key for a program and returns its secret, which is kept nowhere.
func (c *Client) NewToken(ctx context.Context, label string) (string, error) {
	var answer struct {
		Secret string `json:"secret"`
	}
	err := c.do(ctx, http.MethodPost, "tokens", nil, map[string]string{"label": label}, &answer)
	return answer.Secret, err
}

// Tokens returns the account's tokens, without their secrets.
func (c *Client) Tokens(ctx context.Context) (all []tidings.Token, err error) {
	return all, c.get(ctx, "tokens", nil, &all)
}

// DeleteToken revokes a token.
func (c *Client) DeleteToken(ctx context.Context, id int64) error {
	return c.do(ctx, http.MethodDelete, "tokens/"+strconv.FormatInt(id, 10), nil, nil, nil)
}

// Export writes what the account follows as OPML. With proxy, its addresses are those of
// the node's own feeds of the channels.
func (c *Client) Export(ctx context.Context, w io.Writer, proxy bool) error {
	values := url.Values{}
	setFlag(values, "proxy", proxy)
	resp, err := c.request(ctx, http.MethodGet, "opml", values, "", nil, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(w, resp.Body); err != nil {
		return fmt.Errorf("reading the list: %w", err)
	}
	return nil
}

// Import follows every channel of an OPML list. It calls progress for every line that the
// node tells, and returns the last one.
func (c *Client) Import(ctx context.Context, r io.Reader, progress func(ImportProgress)) (last ImportProgress, err error) {
	resp, err := c.request(ctx, http.MethodPost, "opml", nil, typeOPML, r, nil)
	if err != nil {
		return last, err
	}
	defer resp.Body.Close()
	for d := json.NewDecoder(resp.Body); !last.Finished; {
		last = ImportProgress{}
		if err := d.Decode(&last); err != nil {
			return last, fmt.Errorf("the import was cut off: %w", err)
		}
		progress(last)
		if last.Error != "" {
			return last, fmt.Errorf("the import ended after %d of %d: %s", last.Done, last.Total, last.Error)
		}
	}
	return last, nil
}

func setText(q url.Values, name, value string) {
	if strings.TrimSpace(value) != "" {
		q.Set(name, value)
	}
}

func setTime(q url.Values, name string, t time.Time) {
	if !t.IsZero() {
		q.Set(name, t.UTC().Format(time.RFC3339Nano))
	}
}

func setNumber(q url.Values, name string, n int64) {
	if n != 0 {
		q.Set(name, strconv.FormatInt(n, 10))
	}
}

func setFlag(q url.Values, name string, on bool) {
	if on {
		q.Set(name, "true")
	}
}
