package minifluxapi

import (
	"net/http"
	"runtime"
	"time"

	"tidings/delivery/sync"
)

// apiVersion is the version of Miniflux that has this API. Clients request what that version has.
const apiVersion = "2.2.15"

// user is the person that is signed in. One client needs all of these fields, whatever they say.
type user struct {
	ID               int64     `json:"id"`
	Username         string    `json:"username"`
	Admin            bool      `json:"is_admin"`
	Theme            string    `json:"theme"`
	Language         string    `json:"language"`
	Timezone         string    `json:"timezone"`
	SortingDirection string    `json:"entry_sorting_direction"`
	SortingOrder     string    `json:"entry_sorting_order"`
	Stylesheet       string    `json:"stylesheet"`
	GoogleID         string    `json:"google_id"`
	OpenIDConnectID  string    `json:"openid_connect_id"`
	PerPage          int       `json:"entries_per_page"`
	Shortcuts        bool      `json:"keyboard_shortcuts"`
	ShowReadingTime  bool      `json:"show_reading_time"`
	EntrySwipe       bool      `json:"entry_swipe"`
	GestureNav       string    `json:"gesture_nav"`
	DisplayMode      string    `json:"display_mode"`
	ReadingSpeed     int       `json:"default_reading_speed"`
	CJKReadingSpeed  int       `json:"cjk_reading_speed"`
	HomePage         string    `json:"default_home_page"`
	CategoriesOrder  string    `json:"categories_sorting_order"`
	MarkReadOnView   bool      `json:"mark_read_on_view"`
	PlaybackRate     float64   `json:"media_playback_rate"`
	LastLogin        time.Time `json:"last_login_at"`
}

func me(c *call) error {
	return c.send(http.StatusOK, user{
		ID: int64(c.person.ID), Username: c.person.Name, Admin: c.person.Admin,
		Theme: "system_serif", Language: "en_US", Timezone: "UTC", SortingDirection: "desc",
		SortingOrder: "published_at", PerPage: 100, Shortcuts: true, ShowReadingTime: true, EntrySwipe: true,
		GestureNav: "tap", DisplayMode: "standalone", ReadingSpeed: wordsPerMinute, CJKReadingSpeed: 500,
		HomePage: "unread", CategoriesOrder: "alphabetical",
		PlaybackRate: 1, LastLogin: time.Now().UTC().Truncate(time.Second),
	})
}

func showVersion(c *call) error {
	return c.send(http.StatusOK, map[string]string{
		"version": apiVersion, "commit": "tidings", "build_date": "", "go_version": runtime.Version(),
		"compiler": runtime.Compiler, "arch": runtime.GOARCH, "os": runtime.GOOS,
	})
}

func integrations(c *call) error {
	return c.send(http.StatusOK, map[string]bool{"has_integrations": false})
}

// save would send an item to a service for bookmarks.
func save(c *call) error { return badRequest("no third-party integration enabled") }

// markUser marks all that the person has as read.
func markUser(c *call) error {
	id, err := c.id("id")
	if err != nil {
		return err
	}
	if id != int64(c.person.ID) {
		return &refusal{http.StatusForbidden, "Access Forbidden"}
	}
	return c.markRead(sync.Query{})
}

func (c *call) markRead(q sync.Query) error {
	yes := true
	return c.done(c.library.MarkAll(c.r.Context(), c.person, q, sync.Change{Read: &yes}))
}

func export(c *call) error {
	document, err := c.library.Export(c.r.Context(), c.person)
	if err != nil {
		return err
	}
	p := sync.NewReply(c.w, c.r)
	_, _ = p.Write(document)
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
	return c.send(http.StatusCreated, map[string]string{"message": "Feeds imported successfully"})
}
