package minifluxapi

import (
	"errors"
	"net/http"
	"strings"

	"tidings"
	"tidings/delivery/sync"
)

// category is a folder.
type category struct {
	ID     int64  `json:"id"`
	Title  string `json:"title"`
	User   int64  `json:"user_id"`
	Hidden bool   `json:"hide_globally"`
	// Counts are there only where they are asked for.
	Feeds  *int `json:"feed_count,omitempty"`
	Unread *int `json:"total_unread,omitempty"`
}

// listCategories lists folders, with counts of what is in them if that is asked for.
func listCategories(c *call) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	var tallies map[int64]sync.Tally
	counts := c.form.Get("counts") == "true"
	if counts {
		if tallies, err = c.library.Tallies(c.r.Context(), c.person); err != nil {
			return err
		}
	}
	list := []category{}
	for _, f := range v.folders {
		one := v.category(f.ID)
		if counts {
			feeds, unread := v.feedsIn(f.ID), 0
			for _, id := range feeds {
				unread += tallies[id].Unread
			}
			n := len(feeds)
			one.Feeds, one.Unread = &n, &unread
		}
		list = append(list, one)
	}
	return c.sendList(list)
}

// title reads the name of a folder.
func (c *call) title() (string, error) {
	var want struct {
		Title string `json:"title"`
	}
	if err := c.read(&want); err != nil {
		return "", err
	}
	if want.Title = strings.TrimSpace(want.Title); want.Title == "" {
		return "", badRequest("The title is required.")
	}
	return want.Title, nil
}

func createCategory(c *call) error {
	title, err := c.title()
	if err != nil {
		return err
	}
	f, err := c.library.AddFolder(c.r.Context(), c.person, title)
	if err != nil {
		return exists(err)
	}
	return c.send(http.StatusCreated, category{ID: f.ID, Title: f.Name, User: int64(c.person.ID)})
}

func changeCategory(c *call) error {
	id, err := c.id("folder")
	if err != nil {
		return err
	}
	title, err := c.title()
	if err != nil {
		return err
	}
	if err := c.library.RenameFolder(c.r.Context(), c.person, id, title); err != nil {
		return exists(err)
	}
	return c.send(http.StatusCreated, category{ID: id, Title: title, User: int64(c.person.ID)})
}

func removeCategory(c *call) error {
	id, err := c.id("folder")
	if err != nil {
		return err
	}
	return c.done(c.library.RemoveFolder(c.r.Context(), c.person, id))
}

// exists says in the words of Miniflux that a folder of the name is there already.
func exists(err error) error {
	if errors.Is(err, tidings.ErrExists) {
		return badRequest("This category already exists.")
	}
	return err
}
