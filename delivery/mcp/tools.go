package mcp

import (
	"context"
	"strings"
	"time"

	"tidings"
	"tidings/markup"
)

// tools are what an assistant can call.
type tools struct{ Config }

// channel is a channel in an answer.
type channel struct {
	URL       string `json:"url"`
	Kind      string `json:"kind" jsonschema:"feed, page, query, zone or posted"`
	Folder    string `json:"folder,omitempty"`
	Unread    int    `json:"unread"`
	Untrusted named  `json:"untrusted"`
}

type named struct {
	Title string `json:"title"`
}

type channelList struct {
	Notice   string    `json:"notice"`
	Channels []channel `json:"channels"`
	Hidden   int       `json:"hidden,omitempty" jsonschema:"private channels that are not shown"`
}

type noInput struct{}

func (t tools) listChannels(ctx context.Context, _ noInput) (channelList, error) {
	all, err := t.Node.Channels(ctx)
	if err != nil {
		return channelList{}, err
	}
	list := channelList{Notice: notice, Channels: []channel{}}
	for _, s := range all {
		if !t.shows(s) {
			list.Hidden++
			continue
		}
		list.Channels = append(list.Channels, channel{
			URL: tidings.PublicURL(s.URL), Kind: string(s.Kind), Folder: s.Folder, Unread: s.Unread,
			Untrusted: named{clean(s.Label())},
		})
	}
	return list, nil
}

// shows reports whether an assistant may know of a channel.
func (t tools) shows(s tidings.Subscription) bool { return t.Private || s.Privacy == tidings.Public }

// item is an item in a list.
type item struct {
	ID        int64     `json:"id"`
	URL       string    `json:"url,omitempty"`
	Channel   string    `json:"channel"`
	Published string    `json:"published,omitempty"`
	Received  string    `json:"received"`
	Read      bool      `json:"read"`
	Starred   bool      `json:"starred"`
	Change    string    `json:"change,omitempty" jsonschema:"new, changed or removed"`
	Untrusted untrusted `json:"untrusted"`
}

// untrusted is what others wrote of an item.
type untrusted struct {
	Title   string `json:"title"`
	Author  string `json:"author,omitempty"`
	Summary string `json:"summary,omitempty"`
	Text    string `json:"text,omitempty"`
}

type itemList struct {
	Notice string `json:"notice"`
	Items  []item `json:"items"`
	Before int64  `json:"before,omitempty" jsonschema:"there may be more: call again with this as before"`
}

type listInput struct {
	Channel string `json:"channel,omitempty" jsonschema:"only of this channel, by its URL"`
	Folder  string `json:"folder,omitempty" jsonschema:"only of channels in this folder"`
	Unread  bool   `json:"unread,omitempty" jsonschema:"only unread items"`
	Starred bool   `json:"starred,omitempty" jsonschema:"only starred items"`
	Before  int64  `json:"before,omitempty" jsonschema:"only items with a smaller id, to go on with a list"`
	Limit   int    `json:"limit,omitempty" jsonschema:"how many at most: 1 to 50; 20 if it is left out"`
}

func (t tools) listItems(ctx context.Context, in listInput) (itemList, error) {
	return t.list(ctx, tidings.EntryQuery{
		Channel: in.Channel, Folder: in.Folder, Unread: in.Unread, Starred: in.Starred, Before: in.Before,
	}, in.Limit)
}

type searchInput struct {
	Words   string `json:"words" jsonschema:"what to search for"`
	Channel string `json:"channel,omitempty" jsonschema:"only in this channel, by its URL"`
	Folder  string `json:"folder,omitempty" jsonschema:"only in channels of this folder"`
	Before  int64  `json:"before,omitempty" jsonschema:"only items with a smaller id, to go on with a list"`
	Limit   int    `json:"limit,omitempty" jsonschema:"how many at most: 1 to 50; 20 if it is left out"`
}

func (t tools) searchItems(ctx context.Context, in searchInput) (itemList, error) {
	if strings.TrimSpace(in.Words) == "" {
		return itemList{}, tidings.Invalidf("words are missing: say what to search for")
	}
	return t.list(ctx, tidings.EntryQuery{Search: in.Words, Channel: in.Channel, Folder: in.Folder, Before: in.Before},
		in.Limit)
}

// list returns what a query selects and an assistant may see.
func (t tools) list(ctx context.Context, q tidings.EntryQuery, limit int) (itemList, error) {
	list := itemList{Notice: notice, Items: []item{}}
	if limit == 0 {
		limit = 20
	}
	switch {
	case limit < 0 || limit > MaxList:
		return list, tidings.Invalidf("a list has 1 to %d items", MaxList)
	case q.Before < 0:
		return list, tidings.Invalidf("before is the id of an item")
	}
	shown, err := t.shown(ctx)
	if err != nil {
		return list, err
	}
	q.Limit = min(pageSize, limit)
	if len(shown) == 0 {
		return list, nil
	}
	for range maxPages {
		entries, err := t.Node.Entries(ctx, q)
		if err != nil {
			return list, err
		}
		if len(entries) == 0 {
			return list, nil
		}
		for _, e := range entries {
			q.Before = e.ID
			if !shown[e.Channel] || e.Content.IsNotice() {
				continue
			}
			list.Items = append(list.Items, itemOf(e))
			if len(list.Items) == limit {
				list.Before = e.ID
				return list, nil
			}
		}
		q.Limit = pageSize // what is hidden may be much
	}
	list.Before = q.Before
	return list, nil
}

// shown returns the URLs of the channels of which an assistant may know.
func (t tools) shown(ctx context.Context) (map[string]bool, error) {
	all, err := t.Node.Channels(ctx)
	if err != nil {
		return nil, err
	}
	shown := make(map[string]bool, len(all))
	for _, s := range all {
		if t.shows(s) {
			shown[s.URL] = true
		}
	}
	return shown, nil
}

func itemOf(e tidings.Entry) item {
	i := item{
		ID: e.ID, URL: clean(e.Content.URL), Channel: tidings.PublicURL(e.Channel),
		Received: e.Received.UTC().Format(time.RFC3339),
		Read:     e.Read, Starred: e.Starred, Change: string(e.Change),
		Untrusted: untrusted{Title: clean(e.Content.Title), Author: clean(e.Content.Author),
			Summary: clean(textOf(e, maxSummary))},
	}
	if !e.Content.Published.IsZero() {
		i.Published = e.Content.Published.UTC().Format(time.RFC3339)
	}
	return i
}

// textOf returns at most max bytes of what an entry says.
func textOf(e tidings.Entry, max int) string {
	if e.Delta != "" {
		return e.Delta[:min(len(e.Delta), max)]
	}
	text := e.Content.Content
	if text == "" {
		text = e.Content.Summary
	}
	return markup.Text(text, max)
}

type readInput struct {
	ID     int64 `json:"id" jsonschema:"of the item"`
	Offset int   `json:"offset,omitempty" jsonschema:"where in the text to go on, as an answer before said"`
}

type itemText struct {
	Notice string `json:"notice"`
	Item   item   `json:"item"`
	Offset int    `json:"offset,omitempty" jsonschema:"there is more text: call again with this as offset"`
}

// maxItem bounds what is read of an item's text, in bytes.
const maxItem = 4 << 20

func (t tools) readItem(ctx context.Context, in readInput) (itemText, error) {
	if in.Offset < 0 {
		return itemText{}, tidings.Invalidf("offset is where in the text to go on: 0 or more")
	}
	e, err := t.visible(ctx, in.ID)
	if err != nil {
		return itemText{}, err
	}
	text := clean(textOf(e, maxItem))
	answer := itemText{Notice: notice, Item: itemOf(e)}
	start := boundary(text, in.Offset)
	end := boundary(text, start+MaxText)
	answer.Item.Untrusted.Summary, answer.Item.Untrusted.Text = "", text[start:end]
	if end < len(text) {
		answer.Offset = end
	}
	return answer, nil
}

// boundary returns the last place at which a character begins, not behind a place.
func boundary(text string, at int) int {
	if at >= len(text) {
		return len(text)
	}
	for at > 0 && text[at]&0xC0 == 0x80 {
		at--
	}
	return at
}

// visible returns an entry that an assistant may see; tidings.ErrNotFound of another.
func (t tools) visible(ctx context.Context, id int64) (tidings.Entry, error) {
	e, err := t.Node.Entry(ctx, id)
	if err != nil {
		return e, err
	}
	shown, err := t.shown(ctx)
	if err == nil && !shown[e.Channel] {
		err = tidings.ErrNotFound
	}
	return e, err
}

type markInput struct {
	IDs  []int64 `json:"ids" jsonschema:"of the items, at most 100"`
	Read bool    `json:"read" jsonschema:"true: read; false: unread"`
}

type done struct {
	Done int `json:"done" jsonschema:"how many items"`
}

func (t tools) markRead(ctx context.Context, in markInput) (done, error) {
	if len(in.IDs) == 0 || len(in.IDs) > maxMarked {
		return done{}, tidings.Invalidf("ids names 1 to %d items", maxMarked)
	}
	var items []int64
	for _, id := range in.IDs {
		e, err := t.visible(ctx, id)
		if err != nil {
			return done{}, err
		}
		items = append(items, e.Item)
	}
	return done{len(items)}, t.Node.MarkRead(ctx, items, in.Read)
}

type starInput struct {
	ID      int64 `json:"id" jsonschema:"of the item"`
	Starred bool  `json:"starred"`
}

func (t tools) star(ctx context.Context, in starInput) (done, error) {
	e, err := t.visible(ctx, in.ID)
	if err != nil {
		return done{}, err
	}
	return done{1}, t.Node.Star(ctx, e.Item, in.Starred)
}

// clean leaves out what people do not see and programs read: control characters, those that change the direction of
// text, and Unicode's tags.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ' || r >= 0x7F && r < 0xA0, // control
			r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x061C, // direction
			r >= 0xE0000 && r <= 0xE007F, r >= 0xE0100 && r <= 0xE01EF, // tags, variation selectors
			r == 0xFEFF, r == 0x2060, r == 0x200B:
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}
