package greader

import (
	"errors"
	"net/http"
	"strings"

	"tidings"
	"tidings/delivery/sync"
)

// added is the answer to quickadd.
type added struct {
	Results  int    `json:"numResults"`
	Query    string `json:"query"`
	StreamID string `json:"streamId,omitempty"`
	Name     string `json:"streamName,omitempty"`
	Error    string `json:"error,omitempty"`
}

// quickAdd follows a feed. Whether that works, the answer is one: clients read why not from it.
func quickAdd(c *call) error {
	query := c.form.Get("quickadd")
	if query == "" {
		return tidings.Invalidf("the address of the feed is missing")
	}
	feed, created, err := c.subscribe(strings.TrimPrefix(query, feedPrefix), sync.Naming{})
	out := added{Query: query}
	switch {
	case err != nil:
		f := sync.Classify(err)
		if f.RetryAfter > 0 { // the node's own trouble, which passes
			return err
		}
		out.Error = f.Text
	case !created: // one client looks for these words, and for the stream even so
		out.Error = "Already subscribed! " + feed.URL
		out.StreamID, out.Name = feedName(feed.ID), feed.Title
	default:
		out.Results, out.StreamID, out.Name = 1, feedName(feed.ID), feed.Title
	}
	return sync.SendJSON(c.w, c.r, http.StatusOK, out)
}

// subscribe follows a feed. Its address may have come through a server that merges two slashes into one.
func (c *call) subscribe(address string, n sync.Naming) (sync.Feed, bool, error) {
	for _, scheme := range []string{"http:/", "https:/"} {
		if rest, ok := strings.CutPrefix(address, scheme); ok && !strings.HasPrefix(rest, "/") {
			address = scheme + "/" + rest
		}
	}
	return c.library.Subscribe(c.r.Context(), c.person, address, n)
}

// editSubscription follows, changes or unfollows the feeds in s. The titles t are in the same order. a is the folder to
// put them in, r the folder to remove them from. If a or r name tags of feeds, they are added or removed.
func editSubscription(c *call) error {
	action := c.form.Get("ac")
	if action != "subscribe" && action != "edit" && action != "unsubscribe" {
		return tidings.Invalidf("there is no action %q", tidings.Quote(action))
	}
	v, err := c.view()
	if err != nil {
		return err
	}
	var into *int64
	var tags tidings.TagChange
	for _, name := range c.form.All("r") {
		if s, ok := parseStream(name); ok && v.tagged(s.label) != nil && action == "edit" {
			tags.Remove = append(tags.Remove, s.label)
		}
	}
	for _, name := range c.form.All("a") {
		if s, ok := parseStream(name); ok && s.label != "" && action != "unsubscribe" {
			if v.tagged(s.label) != nil {
				tags.Add = append(tags.Add, s.label)
				continue
			}
			folder, err := c.folder(s.label)
			if err != nil {
				return err
			}
			into = &folder
		}
	}
	names, titles := c.form.All("s"), c.form.All("t")
	if len(names) == 1 && names[0] == "" { // one client makes a folder so
		return c.done()
	}
	for n, name := range names {
		s, ok := parseStream(name)
		if !ok || s.feed == "" {
			return noStream(name)
		}
		one := sync.Naming{Folder: into}
		if len(tags.Add)+len(tags.Remove) > 0 {
			one.Tags = &tags
		}
		if n < len(titles) && titles[n] != "" {
			one.Title = &titles[n]
		}
		if err := c.editOne(action, s.feed, one); err != nil {
			return err
		}
	}
	return c.done()
}

// editOne does an action to one feed, which is named by number or address.
func (c *call) editOne(action, name string, n sync.Naming) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	feed := v.feed(name)
	switch {
	case action == "unsubscribe" && feed == nil: // gone already
		return nil
	case action == "unsubscribe":
		if err := c.library.Unsubscribe(c.r.Context(), c.person, feed.ID); !errors.Is(err, tidings.ErrNotFound) {
			return err
		}
		return nil
	case action == "subscribe" && feed == nil:
		_, _, err := c.subscribe(name, n)
		return err
	case feed == nil:
		return tidings.Invalidf("you do not follow %q", tidings.Quote(name))
	}
	if n.Folder == nil && c.leaves(v, *feed) {
		none := int64(sync.NoFolder)
		n.Folder = &none
	}
	if n == (sync.Naming{}) {
		return nil
	}
	return c.library.ChangeFeed(c.r.Context(), c.person, feed.ID, n)
}

// leaves reports whether a parameter r names the folder of a feed.
func (c *call) leaves(v *view, f sync.Feed) bool {
	for _, name := range c.form.All("r") {
		if s, ok := parseStream(name); ok && s.label != "" {
			if folder := v.folder(s.label); folder != nil && folder.ID == f.Folder {
				return true
			}
		}
	}
	return false
}
