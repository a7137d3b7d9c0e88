package fever

import (
	"encoding/base64"
	"errors"
	"strconv"
	"strings"

	"tidings"
	"tidings/delivery/sync"
)

// group is a folder.
type group struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
}

// membership is which feeds a group has, as "1,2".
type membership struct {
	Group int64  `json:"group_id"`
	Feeds string `json:"feed_ids"`
}

// feed is a feed.
type feed struct {
	ID      int64  `json:"id"`
	Favicon int64  `json:"favicon_id"`
	Title   string `json:"title"`
	URL     string `json:"url"`
	Site    string `json:"site_url"`
	Spark   int    `json:"is_spark"`
	Updated int64  `json:"last_updated_on_time"`
}

// favicon is the icon of a feed: its type and data in base64, without "data:" before them.
type favicon struct {
	ID   int64  `json:"id"`
	Data string `json:"data"`
}

// list returns the folders that are groups: that of feeds in none only if there are such.
func (c *call) list() ([]sync.Folder, error) {
	if c.folders != nil {
		return c.folders, nil
	}
	all, err := c.library.Folders(c.r.Context(), c.person)
	c.folders = []sync.Folder{}
	for _, f := range all {
		if f.ID != sync.NoFolder || len(c.feedsIn(f.ID)) > 0 {
			c.folders = append(c.folders, f)
		}
	}
	return c.folders, err
}

// feedsIn returns the feeds in a folder, never nil.
func (c *call) feedsIn(folder int64) []int64 {
	ids := []int64{}
	for _, f := range c.feeds {
		if f.Folder == folder {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

func (c *call) groups() error {
	folders, err := c.list()
	if err != nil {
		return err
	}
	groups := []group{}
	for _, f := range folders {
		groups = append(groups, group{f.ID, f.Name})
	}
	return c.add("groups", groups)
}

func (c *call) feedsGroups() error {
	folders, err := c.list()
	if err != nil {
		return err
	}
	members := []membership{}
	for _, f := range folders {
		if ids := c.feedsIn(f.ID); len(ids) > 0 {
			members = append(members, membership{f.ID, join(ids)})
		}
	}
	return c.add("feeds_groups", members)
}

// join returns numbers as "1,2,3".
func join(numbers []int64) string {
	var b []byte
	for n, number := range numbers {
		if n > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, number, 10)
	}
	return string(b)
}

func (c *call) listFeeds() error {
	feeds := []feed{}
	for _, f := range c.feeds {
		feeds = append(feeds, feed{
			ID: f.ID, Favicon: f.Icon, Title: f.Title, URL: f.URL, Site: f.SiteLink(),
			Updated: max(f.LastUpdated.Unix(), 0),
		})
	}
	return c.add("feeds", feeds)
}

// favicons lists the icons, each once. An icon that has just been replaced is left out.
func (c *call) favicons() error {
	c.out.Print(`,"favicons":[`)
	sent := make(map[int64]bool)
	for _, f := range c.feeds {
		if f.Icon == 0 || sent[f.Icon] {
			continue
		}
		icon, err := c.library.Icon(c.r.Context(), c.person, f.Icon)
		if errors.Is(err, tidings.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if len(sent) > 0 {
			c.out.Print(",")
		}
		sent[f.Icon] = true
		data := icon.Type + ";base64," + base64.StdEncoding.EncodeToString(icon.Bytes)
		if err := c.out.JSON(favicon{f.Icon, data}); err != nil {
			return err
		}
	}
	c.out.Print("]")
	return nil
}

// numbers adds the numbers of all items of a query, in one text: clients read nothing else. It has no bound
// but the number of items that there are: what is missing counts as read.
func (c *call) numbers(name string, q sync.Query) error {
	c.out.Print(`,"`, name, `":"`)
	q.Ascending = true
	for {
		numbers, more, err := sync.Page(c.r.Context(), c.library, c.person, q, sync.MaxNumbers)
		if err != nil {
			return err
		}
		if q.After > 0 && len(numbers) > 0 {
			c.out.Print(",")
		}
		c.out.Print(join(numbers))
		if !more {
			break
		}
		q.After = numbers[len(numbers)-1]
	}
	c.out.Print(`"`)
	return nil
}

// numbersIn reads "1,2,3", up to [sync.MaxNumbers] of what read understands.
func numbersIn(s string, read func(string) (int64, bool)) []int64 {
	numbers := []int64{}
	for part := range strings.SplitSeq(s, ",") {
		if n, ok := read(strings.TrimSpace(part)); ok && len(numbers) < sync.MaxNumbers {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// small reads the number of a feed or group.
func small(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}
