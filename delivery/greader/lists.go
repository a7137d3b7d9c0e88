package greader

import (
	"net/http"
	"strconv"
	"time"

	"tidings/delivery/server"
	"tidings/delivery/sync"
)

// category is the folder of a feed, or one of its tags.
type category struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Type  string `json:"type"`
}

// subscription is a feed. None of its fields may be null, and none may be missing.
type subscription struct {
	ID         string     `json:"id"`
	Title      string     `json:"title"`
	Categories []category `json:"categories"`
	URL        string     `json:"url"`
	HTMLURL    string     `json:"htmlUrl"`
	IconURL    string     `json:"iconUrl"`
}

// listFeeds lists the feeds. The answer has no validator: while the list is the same, Liferea asks for no items.
func listFeeds(c *call) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	list := []subscription{}
	for _, f := range v.feeds {
		list = append(list, subscription{
			ID: feedName(f.ID), Title: f.Title, Categories: v.categories(f), URL: f.URL, HTMLURL: f.SiteLink(),
			IconURL: c.absolute(f.IconPath),
		})
	}
	return sync.SendJSON(c.w, c.r, http.StatusOK, map[string][]subscription{"subscriptions": list})
}

// absolute returns the address of a path of the node; "" if that is empty.
func (c *call) absolute(path string) string {
	if path == "" {
		return ""
	}
	return server.BaseURL(c.r) + path
}

func feedName(id int64) string { return feedPrefix + strconv.FormatInt(id, 10) }

// categories returns the folder of a feed and its tags; of one without them, nothing. A tag that is called like a
// folder is left out.
func (v *view) categories(f sync.Feed) []category {
	list := []category{}
	for _, folder := range v.folders {
		if folder.ID == f.Folder && folder.ID != sync.NoFolder {
			list = append(list, category{labelPrefix + folder.Name, folder.Name, "folder"})
		}
	}
	for _, name := range f.Tags {
		if v.folder(name) == nil {
			list = append(list, category{labelPrefix + name, name, "folder"})
		}
	}
	return list
}

// sendList answers with a list that has a validator. It covers all that clients show of the list: one passes over
// everything while that is the same.
func (c *call) sendList(list any) error {
	p := sync.NewReply(c.w, c.r).Validated()
	if err := p.JSON(list); err != nil {
		return err
	}
	return p.Send(http.StatusOK, sync.JSON)
}

// tag is a folder, a label, or the stars.
type tag struct {
	ID   string `json:"id"`
	Type string `json:"type,omitempty"`
}

// listTags lists folders, tags of feeds and labels of items. What is called like one that is listed before it is left
// out: the name means that.
func listTags(c *call) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	labels, err := c.library.Labels(c.r.Context(), c.person)
	if err != nil {
		return err
	}
	list := []tag{{ID: statePrefix + "starred"}}
	for _, f := range v.folders {
		if f.ID != sync.NoFolder {
			list = append(list, tag{labelPrefix + f.Name, "folder"})
		}
	}
	for _, name := range v.tags() {
		list = append(list, tag{labelPrefix + name, "folder"})
	}
	for _, name := range labels {
		if v.folder(name) == nil && v.tagged(name) == nil {
			list = append(list, tag{labelPrefix + name, "tag"})
		}
	}
	return c.sendList(map[string][]tag{"tags": list})
}

// unread counts unread items of a stream.
type unread struct {
	ID     string `json:"id"`
	Count  int    `json:"count"`
	Newest string `json:"newestItemTimestampUsec"` // of all its items: one client looks for new ones by it
}

// countUnread counts unread items by feed, folder, tag and label, and in all.
func countUnread(c *call) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	tallies, err := c.library.Tallies(c.r.Context(), c.person)
	if err != nil {
		return err
	}
	list := []unread{}
	sum := func(id string, feeds []int64) {
		one, newest := unread{ID: id}, time.Time{}
		for _, f := range feeds {
			one.Count += tallies[f].Unread
			if tallies[f].Newest.After(newest) {
				newest = tallies[f].Newest
			}
		}
		one.Newest = micros(newest)
		list = append(list, one)
	}
	var all []int64
	for _, f := range v.feeds {
		sum(feedName(f.ID), []int64{f.ID})
		all = append(all, f.ID)
	}
	for _, f := range v.folders {
		if f.ID != sync.NoFolder {
			sum(labelPrefix+f.Name, v.feedsIn(f.ID))
		}
	}
	for _, name := range v.tags() {
		sum(labelPrefix+name, v.tagged(name))
	}
	labels, err := c.library.Labels(c.r.Context(), c.person)
	if err != nil {
		return err
	}
	for _, name := range labels {
		if v.folder(name) != nil || v.tagged(name) != nil {
			continue
		}
		n, err := c.library.Count(c.r.Context(), c.person, sync.Query{Label: name, Read: sync.Without})
		if err != nil {
			return err
		}
		list = append(list, unread{labelPrefix + name, n, "0"})
	}
	sum(statePrefix+"reading-list", all)
	return sync.SendJSON(c.w, c.r, http.StatusOK, struct {
		Max  int      `json:"max"`
		List []unread `json:"unreadcounts"`
	}{list[len(list)-1].Count, list})
}

// micros is a time in microseconds since 1970, as text.
func micros(t time.Time) string {
	if t.IsZero() {
		return "0"
	}
	return strconv.FormatInt(t.UnixMicro(), 10)
}

func export(c *call) error {
	document, err := c.library.Export(c.r.Context(), c.person)
	if err != nil {
		return err
	}
	p := sync.NewReply(c.w, c.r)
	_, _ = p.Write(document)
	c.w.Header().Set("Content-Disposition", `attachment; filename="subscriptions.opml"`)
	return p.Send(http.StatusOK, "text/xml; charset=UTF-8")
}

func importList(c *call) error {
	document, err := sync.ReadBody(c.w, c.r, sync.MaxBody)
	if err != nil {
		return err
	}
	if err := c.library.Import(c.r.Context(), c.person, document); err != nil {
		return err
	}
	return c.done()
}
