package minifluxapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"tidings/delivery/sync"
)

// feed is a feed. Neither category nor icon may be null.
type feed struct {
	ID              int64     `json:"id"`
	User            int64     `json:"user_id"`
	URL             string    `json:"feed_url"`
	Site            string    `json:"site_url"`
	Title           string    `json:"title"`
	Description     string    `json:"description"`
	Checked         time.Time `json:"checked_at"`
	NextCheck       time.Time `json:"next_check_at"`
	ETag            string    `json:"etag_header"`
	LastModified    string    `json:"last_modified_header"`
	ErrorMessage    string    `json:"parsing_error_message"`
	ErrorCount      int       `json:"parsing_error_count"`
	ScraperRules    string    `json:"scraper_rules"`
	RewriteRules    string    `json:"rewrite_rules"`
	BlockRules      string    `json:"blocklist_rules"`
	KeepRules       string    `json:"keeplist_rules"`
	UserAgent       string    `json:"user_agent"`
	Username        string    `json:"username"`
	Password        string    `json:"password"`
	Crawler         bool      `json:"crawler"`
	Disabled        bool      `json:"disabled"`
	IgnoreHTTPCache bool      `json:"ignore_http_cache"`
	SelfSigned      bool      `json:"allow_self_signed_certificates"`
	FetchViaProxy   bool      `json:"fetch_via_proxy"`
	HideGlobally    bool      `json:"hide_globally"`
	NoMediaPlayer   bool      `json:"no_media_player"`
	Category        category  `json:"category"`
	Icon            icon      `json:"icon"`
}

// view is what a person follows, as the API has it.
type view struct {
	feeds   []sync.Feed
	folders []sync.Folder
	user    int64
}

func (c *call) view() (*view, error) {
	feeds, err := c.library.Feeds(c.r.Context(), c.person)
	if err != nil {
		return nil, err
	}
	folders, err := c.library.Folders(c.r.Context(), c.person)
	return &view{feeds, folders, int64(c.person.ID)}, err
}

// category returns the folder of a number; of one that has just been removed, that of feeds in none.
func (v *view) category(id int64) category {
	for _, f := range v.folders {
		if f.ID == id {
			return category{ID: f.ID, Title: f.Name, User: v.user}
		}
	}
	return category{ID: sync.NoFolder, Title: "All", User: v.user}
}

func (v *view) hasFolder(id int64) bool { return v.category(id).ID == id }

func (v *view) feed(f sync.Feed) feed {
	return feed{
		ID: f.ID, User: v.user, URL: f.URL, Site: f.SiteLink(), Title: f.Title, Checked: f.Checked.UTC(),
		NextCheck: f.Checked.UTC(), ErrorMessage: f.Error, ErrorCount: f.Failures,
		Category: v.category(f.Folder), Icon: icon{Feed: f.ID, ID: f.Icon},
	}
}

// find returns the feed of a number.
func (v *view) find(id int64) (sync.Feed, error) {
	for _, f := range v.feeds {
		if f.ID == id {
			return f, nil
		}
	}
	return sync.Feed{}, errNotFound
}

// within returns the feeds that the path names by their own number or that of their folder; nil: it names
// none.
func (c *call) within(v *view) ([]int64, error) {
	switch {
	case c.r.PathValue("feed") != "":
		id, err := c.id("feed")
		if err != nil {
			return nil, err
		}
		_, err = v.find(id)
		return []int64{id}, err
	case c.r.PathValue("folder") != "":
		id, err := c.id("folder")
		if err == nil && !v.hasFolder(id) {
			err = errNotFound
		}
		return v.feedsIn(id), err
	}
	return nil, nil
}

// feedsIn returns the feeds in a folder, never nil.
func (v *view) feedsIn(folder int64) []int64 {
	ids := []int64{}
	for _, f := range v.feeds {
		if f.Folder == folder {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

func listFeeds(c *call) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	in, err := c.within(v)
	if err != nil {
		return err
	}
	list := []feed{}
	for _, f := range v.feeds {
		if in == nil || slices.Contains(in, f.ID) {
			list = append(list, v.feed(f))
		}
	}
	return c.sendList(list)
}

func oneFeed(c *call) error { return c.sendFeed(http.StatusOK) }

func (c *call) sendFeed(status int) error {
	id, err := c.id("feed")
	if err != nil {
		return err
	}
	v, err := c.view()
	if err != nil {
		return err
	}
	f, err := v.find(id)
	if err != nil {
		return err
	}
	return c.send(status, v.feed(f))
}

// createFeed follows a feed.
func createFeed(c *call) error {
	var want struct {
		URL      string `json:"feed_url"`
		Category int64  `json:"category_id"`
	}
	if err := c.read(&want); err != nil {
		return err
	}
	v, err := c.view()
	if err != nil {
		return err
	}
	var n sync.Naming
	switch {
	case strings.TrimSpace(want.URL) == "":
		return badRequest("The feed URL is required.")
	case want.Category != 0 && !v.hasFolder(want.Category):
		return badRequest("This category does not exist or does not belong to this user.")
	case want.Category != 0:
		n.Folder = &want.Category
	}
	f, created, err := c.library.Subscribe(c.r.Context(), c.person, strings.TrimSpace(want.URL), n)
	if err != nil {
		return err
	}
	if !created {
		return badRequest("This feed already exists.")
	}
	return c.send(http.StatusCreated, map[string]int64{"feed_id": f.ID})
}

// changeFeed renames a feed or moves it. Other settings are the node's, and passed over.
func changeFeed(c *call) error {
	id, err := c.id("feed")
	if err != nil {
		return err
	}
	var want struct {
		Title    *string `json:"title"`
		Category *int64  `json:"category_id"`
	}
	if err := c.read(&want); err != nil {
		return err
	}
	v, err := c.view()
	if err != nil {
		return err
	}
	if want.Category != nil && !v.hasFolder(*want.Category) {
		return badRequest("This category does not exist or does not belong to this user.")
	}
	if want.Title != nil && strings.TrimSpace(*want.Title) == "" {
		return badRequest("The feed title cannot be empty.")
	}
	if want.Title != nil || want.Category != nil {
		n := sync.Naming{Title: want.Title, Folder: want.Category}
		if err := c.library.ChangeFeed(c.r.Context(), c.person, id, n); err != nil {
			return err
		}
	}
	return c.sendFeed(http.StatusCreated)
}

func removeFeed(c *call) error {
	id, err := c.id("feed")
	if err != nil {
		return err
	}
	return c.done(c.library.Unsubscribe(c.r.Context(), c.person, id))
}

func refreshAll(c *call) error { return c.done(c.library.Refresh(c.r.Context(), c.person, nil)) }

// refresh asks for polls of a feed, or of those in a folder.
func refresh(c *call) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	feeds, err := c.within(v)
	if err != nil {
		return err
	}
	if len(feeds) == 0 { // an empty folder
		return c.done(nil)
	}
	return c.done(c.library.Refresh(c.r.Context(), c.person, feeds))
}

// markAll marks what is in a feed or folder as read.
func markAll(c *call) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	feeds, err := c.within(v)
	if err != nil {
		return err
	}
	if len(feeds) == 0 { // an empty folder
		return c.done(nil)
	}
	return c.markRead(sync.Query{Feeds: feeds})
}

// counters counts items by feed.
func counters(c *call) error {
	tallies, err := c.library.Tallies(c.r.Context(), c.person)
	if err != nil {
		return err
	}
	out := struct {
		Reads   map[string]int `json:"reads"`
		Unreads map[string]int `json:"unreads"`
	}{map[string]int{}, map[string]int{}}
	for id, t := range tallies {
		key := strconv.FormatInt(id, 10)
		if t.Unread > 0 {
			out.Unreads[key] = t.Unread
		}
		if t.Items > t.Unread {
			out.Reads[key] = t.Items - t.Unread
		}
	}
	return c.send(http.StatusOK, out)
}
