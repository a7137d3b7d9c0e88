package xmlrpc

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tidings"
)

// method answers a call of an account with a value.
type method func(h *handler, ctx context.Context, account tidings.AccountID, params []any) (any, error)

// publishing is the method that makes the node publish something, which administrators decide about.
const publishing = "metaWeblog.newPost"

var methods map[string]method

func init() {
	methods = map[string]method{
		publishing: newPost, "metaWeblog.getRecentPosts": recentPosts,
		"tidings.subscribe": subscribe, "tidings.updates": updates, "system.listMethods": listMethods,
	}
}

func listMethods(*handler, context.Context, tidings.AccountID, []any) (any, error) {
	var names []any
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		names = append(names, name)
	}
	return names, nil
}

// parameters are those of a call, read one by one until one is wrong.
type parameters struct {
	list []any
	at   int
	err  error
}

// next returns the next parameter. what describes it.
func next[T any](p *parameters, what string) (v T) {
	p.at++
	if p.err != nil {
		return v
	}
	if p.at > len(p.list) {
		p.err = &fault{badParams, fmt.Sprintf("parameter %d is missing: %s", p.at, what)}
		return v
	}
	v, ok := p.list[p.at-1].(T)
	if !ok {
		p.err = &fault{badParams, fmt.Sprintf("parameter %d has another type: it is %s", p.at, what)}
	}
	return v
}

func newPost(h *handler, ctx context.Context, _ tidings.AccountID, params []any) (any, error) {
	p := &parameters{list: params}
	blog := next[string](p, "the address of the feed, a string")
	next[any](p, "the user, a string")
	next[any](p, "the password, a string")
	post := next[map[string]any](p, "the post, a struct")
	publish := true
	if len(params) > p.at {
		publish = next[bool](p, "whether to publish it, a boolean")
	}
	switch {
	case p.err != nil:
		return nil, p.err
	case !publish:
		return nil, &fault{refused, "drafts are not kept: publish the post, or keep it in your editor"}
	}
	e, err := entryOf(post)
	if err != nil {
		return nil, err
	}
	issued, err := h.Node.PublishEntry(ctx, blog, "", e)
	if err != nil {
		return nil, err
	}
	if len(issued.Items) > 0 {
		return issued.Items[0].ID, nil
	}
	return e.ID, nil
}

// entryOf reads a post.
func entryOf(post map[string]any) (e tidings.PublishedEntry, err error) {
	text := func(name string) string {
		s, ok := post[name].(string)
		if post[name] != nil && !ok && err == nil {
			err = &fault{badParams, fmt.Sprintf("member %q of the post is no string", name)}
		}
		return strings.TrimSpace(s)
	}
	e = tidings.PublishedEntry{
		ID: cmp.Or(text("guid"), text("link"), text("permaLink")), URL: cmp.Or(text("link"), text("permaLink")),
		Title: text("title"),
		HTML:  text("description"), Summary: text("mt_excerpt"), Author: text("author"),
	}
	if e.ID == "" {
		e.ID = "urn:tidings:post:" + strings.ToLower(rand.Text())
	}
	if at, ok := post["dateCreated"].(time.Time); ok {
		e.Published = at
	}
	if list, ok := post["categories"].([]any); ok {
		for _, c := range list {
			if name, ok := c.(string); ok && name != "" {
				e.Tags = append(e.Tags, name)
			}
		}
	}
	if file, ok := post["enclosure"].(map[string]any); ok {
		address, _ := file["url"].(string)
		kind, _ := file["type"].(string)
		length, _ := file["length"].(int64)
		if address != "" {
			e.Enclosures = []tidings.Enclosure{{URL: address, Type: kind, Length: length}}
		}
	}
	return e, err
}

// maxPosts bounds the entries of one answer.
const maxPosts = 100

func recentPosts(h *handler, ctx context.Context, account tidings.AccountID, params []any) (any, error) {
	p := &parameters{list: params}
	blog := next[string](p, "the address of a followed feed, a string")
	next[any](p, "the user, a string")
	next[any](p, "the password, a string")
	number := next[int64](p, "how many posts, an int")
	if p.err != nil {
		return nil, p.err
	}
	entries, err := h.Store.Entries(ctx, account,
		tidings.EntryQuery{Channel: blog, Limit: int(min(max(number, 1), maxPosts))})
	if err != nil {
		return nil, err
	}
	posts := []any{}
	seen := make(map[int64]bool)
	for _, e := range entries {
		if seen[e.Item] { // an earlier revision
			continue
		}
		seen[e.Item] = true
		posts = append(posts, postOf(e))
	}
	return posts, nil
}

func postOf(e tidings.Entry) map[string]any {
	i := e.Content
	tags := []any{}
	for _, c := range i.Categories {
		tags = append(tags, c)
	}
	post := map[string]any{
		"postid": strconv.FormatInt(e.ID, 10), "guid": i.ID, "link": i.URL, "permaLink": i.URL, "title": i.Title,
		"author":      i.Author,
		"description": cmp.Or(i.Content, i.Summary), "categories": tags, "dateCreated": e.Received,
	}
	if w := e.Withdrawn; w != nil {
		post["title"], post["withdrawn"] = "Withdrawn: "+i.Title, w.Reason
	}
	if !i.Published.IsZero() {
		post["dateCreated"] = i.Published
	}
	return post
}

func subscribe(h *handler, ctx context.Context, account tidings.AccountID, params []any) (any, error) {
	p := &parameters{list: params}
	address := next[string](p, "the address of a feed or page, a string")
	if p.err != nil {
		return nil, p.err
	}
	followed, err := h.Node.Subscribe(ctx, account, tidings.SubscribeRequest{URL: address})
	if err != nil {
		return nil, err
	}
	return asValue(followed)
}

func updates(h *handler, ctx context.Context, account tidings.AccountID, params []any) (any, error) {
	p := &parameters{list: params}
	cursor := next[int64](p, "the ID of the last update that you have, an int; 0: none")
	if p.err != nil {
		return nil, p.err
	}
	list, err := h.Store.Updates(ctx, account, tidings.UpdateQuery{After: max(cursor, 0)})
	if err != nil {
		return nil, err
	}
	if list == nil {
		list = []tidings.Update{}
	}
	return asValue(list)
}
