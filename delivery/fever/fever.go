package fever

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"tidings/delivery/sync"
)

type handler struct {
	library sync.Library
	gate    sync.Gate
	log     *slog.Logger
}

// New returns a handler for the paths of the package, which answers 404 to others.
func New(l sync.Library, g sync.Gate, log *slog.Logger) http.Handler { return &handler{l, g, log} }

// Serves reports whether a path is for this package. So is a path below those of the API. There is nothing, and its
// client learns that.
func Serves(path string) bool {
	_, ok := beyond(path)
	return ok
}

// beyond returns what a path has after that of the API, without the slash between; false: the API is elsewhere.
func beyond(path string) (rest string, ok bool) {
	for _, root := range []string{"/fever", "/api/fever.php"} {
		if rest, ok = strings.CutPrefix(sync.OneSlash(path), root); ok && (rest == "" || rest[0] == '/') {
			return strings.TrimPrefix(rest, "/"), true
		}
	}
	return "", false
}

// version is that of the API.
const version = 3

// call is one request with a valid token. Its answer grows in out, verb by verb.
type call struct {
	*handler
	r       *http.Request
	form    *sync.Form
	person  sync.Person
	out     *sync.Reply
	feeds   []sync.Feed
	folders []sync.Folder
}

// ServeHTTP answers one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	err := h.serve(w, r)
	if err == nil {
		return
	}
	f := sync.FaultOf(r.Context(), h.log, err)
	f.SetHeader(w.Header())
	if f.Status == http.StatusNotFound {
		f.Status = http.StatusBadRequest // 404 says to clients that the address of the server is wrong
	}
	refusal := struct {
		Version int    `json:"api_version"`
		Auth    int    `json:"auth"`
		Error   string `json:"error"`
	}{version, 0, f.Text}
	if err := sync.SendJSON(w, r, f.Status, refusal); err != nil {
		http.Error(w, "Service Unavailable", http.StatusServiceUnavailable)
	}
}

func (h *handler) serve(w http.ResponseWriter, r *http.Request) error {
	if rest, ok := beyond(r.URL.Path); !ok || rest != "" {
		return sync.SendText(w, r, http.StatusNotFound, "Not Found\n")
	}
	form, err := sync.ReadForm(w, r, sync.MaxGuestBody)
	if err != nil {
		return err
	}
	c := &call{handler: h, r: r, form: form}
	key := strings.ToLower(form.Get("api_key"))
	if len(key) != 32 || strings.Trim(key, "0123456789abcdef") != "" {
		err = sync.ErrWrong
	} else {
		c.person, err = h.gate.Fever(r.Context(), key)
	}
	if errors.Is(err, sync.ErrWrong) { // clients look for the 0, not for a status
		return sync.SendText(w, r, http.StatusOK, `{"api_version":3,"auth":0}`)
	}
	if err != nil {
		return err
	}
	if c.feeds, err = h.library.Feeds(r.Context(), c.person); err != nil {
		return err
	}
	c.out = sync.NewReply(w, r)
	if err := c.answer(); err != nil {
		return err
	}
	return c.out.Send(http.StatusOK, sync.JSON)
}

// answer does what is to be marked, and then answers the verbs.
func (c *call) answer() error {
	marked, err := c.mark()
	if err != nil {
		return err
	}
	c.out.Print(`{"api_version":3,"auth":1`)
	var last time.Time
	for _, f := range c.feeds {
		if f.LastUpdated.After(last) {
			last = f.LastUpdated
		}
	}
	if err := c.add("last_refreshed_on_time", max(last.Unix(), 0)); err != nil {
		return err
	}
	verbs := []struct {
		name string
		do   func() error
	}{
		{"groups", c.groups}, {"feeds", c.listFeeds}, {"feeds_groups", c.feedsGroups}, {"favicons", c.favicons},
		{"items", c.items}, {"links", func() error { return c.add("links", []int{}) }},
		{"unread_item_ids", func() error { return c.numbers("unread_item_ids", sync.Query{Read: sync.Without}) }},
		{"saved_item_ids", func() error { return c.numbers("saved_item_ids", sync.Query{Starred: sync.Only}) }},
	}
	for _, v := range verbs {
		asked := c.form.Has(v.name) || v.name == marked
		if v.name == "feeds_groups" {
			asked = c.form.Has("groups") || c.form.Has("feeds")
		}
		if !asked {
			continue
		}
		if err := v.do(); err != nil {
			return err
		}
	}
	c.out.Print("}")
	return nil
}

// add adds a member to the answer.
func (c *call) add(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.out.Print(`,"`, name, `":`, string(text))
	return nil
}
