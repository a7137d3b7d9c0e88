package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"tidings"
	"tidings/view"
)

func ofChannel(channel string) url.Values { return url.Values{"url": {channel}} }

// Channels returns what the account follows, sorted by folder and label.
func (c *Client) Channels(ctx context.Context) (all []tidings.Subscription, err error) {
	return all, c.get(ctx, "channels", nil, &all)
}

// Channel returns one followed channel.
func (c *Client) Channel(ctx context.Context, channel string) (f tidings.Subscription, err error) {
	return f, c.get(ctx, "channel", ofChannel(channel), &f)
}

// Subscribe follows a channel after a first poll of it.
func (c *Client) Subscribe(ctx context.Context, o tidings.SubscribeRequest) (f tidings.Subscription, err error) {
	return f, c.do(ctx, http.MethodPost, "channels", nil, o, &f)
}

// Unsubscribe ends that, and returns what was followed.
func (c *Client) Unsubscribe(ctx context.Context, channel string) (f tidings.Subscription, err error) {
	return f, c.do(ctx, http.MethodDelete, "channels", ofChannel(channel), nil, &f)
}

// Change changes a followed channel.
func (c *Client) Change(ctx context.Context, channel string,
	change tidings.ChannelChange) (f tidings.Subscription, err error) {
	return f, c.do(ctx, http.MethodPatch, "channel", ofChannel(channel), change, &f)
}

// Poll polls a followed channel's origin now.
func (c *Client) Poll(ctx context.Context, channel string) (l tidings.Poll, err error) {
	return l, c.do(ctx, http.MethodPost, "poll", ofChannel(channel), nil, &l)
}

// Preview polls an address and stores nothing.
func (c *Client) Preview(ctx context.Context, o tidings.SubscribeRequest) (p tidings.Preview, err error) {
	return p, c.do(ctx, http.MethodPost, "preview", nil, o, &p)
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
	setText(values, "tag", q.Tag)
	setText(values, "search", q.Search)
	setFlag(values, "unread", q.Unread)
	setFlag(values, "starred", q.Starred)
	setText(values, "label", q.Label)
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
		"up_to": upTo, "channel": q.Channel, "folder": q.Folder, "tag": q.Tag, "search": q.Search, "starred": q.Starred,
		"label": q.Label,
	}, &answer)
	return answer.Marked, err
}

// Star stars an item (Entry.Item), or removes its star.
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

// Status returns how the node is.
func (c *Client) Status(ctx context.Context) (s view.Status, err error) {
	return s, c.get(ctx, "status", nil, &s)
}

// Network returns how the node stands among the others.
func (c *Client) Network(ctx context.Context) (n view.Network, err error) {
	return n, c.get(ctx, "network", nil, &n)
}

// Peers lists every live node that this one knows, neighbours first.
func (c *Client) Peers(ctx context.Context) (all []view.Peer, err error) {
	return all, c.get(ctx, "peers", nil, &all)
}

// Overlay returns the links of the node, where the network's router is spidercast.
func (c *Client) Overlay(ctx context.Context) (o view.Overlay, err error) {
	return o, c.get(ctx, "overlay", nil, &o)
}

// Zone returns the table of a zone on the node's path, where the network's router is newswire; of the empty path that
// of the node's own.
func (c *Client) Zone(ctx context.Context, path string) (z view.Zone, err error) {
	q := url.Values{}
	if path != "" {
		q.Set("path", path)
	}
	return z, c.get(ctx, "zone", q, &z)
}

// JoinZone has the node be in a zone from now on, after every start.
func (c *Client) JoinZone(ctx context.Context, o view.ZoneOrder) (m view.ZoneMembership, err error) {
	return m, c.do(ctx, http.MethodPut, "zone", nil, o, &m)
}

// SetZoneAttribute has the node say something of itself in its zone; an empty value removes it.
func (c *Client) SetZoneAttribute(ctx context.Context, name, value string) error {
	return c.do(ctx, http.MethodPut, "zone/attributes", nil, map[string]string{"name": name, "value": value}, nil)
}

// SpreadFunction passes on an aggregation function that an authority has signed, or the end of one.
func (c *Client) SpreadFunction(ctx context.Context, i view.ZoneInstallation) error {
	return c.do(ctx, http.MethodPost, "zone/functions", nil, i, nil)
}

// SendToZone sends the items of a document to the nodes that follow a zone.
func (c *Client) SendToZone(ctx context.Context, o view.ZoneSending) (sent view.ZoneSent, err error) {
	return sent, c.do(ctx, http.MethodPost, "zone/items", nil, o, &sent)
}

// Friends lists the nodes through which this one joins trees, where the network's router is rappel.
func (c *Client) Friends(ctx context.Context) (all []view.Friend, err error) {
	return all, c.get(ctx, "friends", nil, &all)
}

// Tree returns how a followed channel's updates come to the node.
func (c *Client) Tree(ctx context.Context, channel string) (t view.Tree, err error) {
	return t, c.get(ctx, "tree", ofChannel(channel), &t)
}

// Join makes the node keep an address of another node and join by it. It returns the progress once the first attempt
// has ended, or after a few seconds.
func (c *Client) Join(ctx context.Context, address string) (j view.Join, err error) {
	return j, c.do(ctx, http.MethodPost, "joins", nil, map[string]string{"address": address}, &j)
}

// ForgetJoin has the node forget such an address.
func (c *Client) ForgetJoin(ctx context.Context, address string) error {
	return c.do(ctx, http.MethodDelete, "joins", url.Values{"address": {address}}, nil, nil)
}

// Backup has the node make a copy of its data, and writes that to a writer. After an error, what was written is not
// whole.
func (c *Client) Backup(ctx context.Context, o view.BackupOrder, to io.Writer) (b view.Backup, err error) {
	order, err := encode(o)
	if err != nil {
		return b, err
	}
	resp, err := c.request(ctx, http.MethodPost, "backup", nil, typeJSON, bytes.NewReader(order), nil)
	if err != nil {
		return b, err
	}
	defer resp.Body.Close()
	if err := json.Unmarshal([]byte(resp.Header.Get(headerBackup)), &b); err != nil {
		return b, fmt.Errorf("reading the node's answer: %w", err)
	}
	switch n, err := io.Copy(to, resp.Body); {
	case err != nil:
		return b, fmt.Errorf("copying the backup: %w", err)
	case n != b.Bytes:
		return b, fmt.Errorf("copying the backup: %d of its %d bytes came", n, b.Bytes)
	}
	return b, nil
}

// SetPassword sets the page's password; empty: none.
func (c *Client) SetPassword(ctx context.Context, password string) error {
	return c.do(ctx, http.MethodPut, "password", nil, map[string]string{"password": password}, nil)
}

// NewToken makes a token for a program or a feed reader and returns its secret, which is kept nowhere. With a FeverUser
// or with Posts it is good for that and nothing else.
func (c *Client) NewToken(ctx context.Context, t tidings.Token) (string, error) {
	order := map[string]string{"label": t.Label}
	if t.FeverUser != "" {
		order["fever_user"] = t.FeverUser
	}
	if t.Posts != "" {
		order["posts"] = t.Posts
	}
	var answer struct {
		Secret string `json:"secret"`
	}
	err := c.do(ctx, http.MethodPost, "tokens", nil, order, &answer)
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

// Import follows every channel of an OPML list; with pages, also the pages of outlines that have no feed. It calls
// progress for every line that the node sends, and returns the last one.
func (c *Client) Import(ctx context.Context, r io.Reader, pages bool,
	progress func(ImportProgress)) (last ImportProgress, err error) {
	values := url.Values{}
	if pages {
		values.Set("pages", "1")
	}
	resp, err := c.request(ctx, http.MethodPost, "opml", values, typeOPML, r, nil)
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
