package minifluxapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"tidings"
	"tidings/delivery/sync"
)

type handler struct {
	library sync.Library
	gate    sync.Gate
	log     *slog.Logger
	routes  *http.ServeMux
}

// New returns a handler for the paths of the package, which answers 404 to others.
func New(l sync.Library, g sync.Gate, log *slog.Logger) http.Handler {
	h := &handler{library: l, gate: g, log: log, routes: http.NewServeMux()}
	for pattern, do := range routes {
		h.routes.Handle(pattern, route{h, do})
	}
	return h
}

// Prefix is what all paths begin with.
const Prefix = "/v1/"

// Serves reports whether a path is one of this package.
func Serves(path string) bool { return strings.HasPrefix(sync.OneSlash(path), Prefix) }

// routes are the calls, by method and path. One path with another method is not found, as in Miniflux.
var routes = map[string]func(*call) error{
	"GET /v1/me":                                   me,
	"GET /v1/version":                              showVersion,
	"GET /v1/integrations/status":                  integrations,
	"PUT /v1/users/{id}/mark-all-as-read":          markUser,
	"GET /v1/feeds":                                listFeeds,
	"POST /v1/feeds":                               createFeed,
	"PUT /v1/feeds/refresh":                        refreshAll,
	"GET /v1/feeds/counters":                       counters,
	"GET /v1/feeds/{feed}":                         oneFeed,
	"PUT /v1/feeds/{feed}":                         changeFeed,
	"DELETE /v1/feeds/{feed}":                      removeFeed,
	"PUT /v1/feeds/{feed}/refresh":                 refresh,
	"PUT /v1/feeds/{feed}/mark-all-as-read":        markAll,
	"GET /v1/feeds/{feed}/icon":                    feedIcon,
	"GET /v1/feeds/{feed}/entries":                 listEntries,
	"GET /v1/feeds/{feed}/entries/{entry}":         oneEntry,
	"GET /v1/icons/{id}":                           oneIcon,
	"GET /v1/categories":                           listCategories,
	"POST /v1/categories":                          createCategory,
	"PUT /v1/categories/{folder}":                  changeCategory,
	"DELETE /v1/categories/{folder}":               removeCategory,
	"GET /v1/categories/{folder}/feeds":            listFeeds,
	"PUT /v1/categories/{folder}/refresh":          refresh,
	"GET /v1/categories/{folder}/entries":          listEntries,
	"GET /v1/entries":                              listEntries,
	"GET /v1/entries/ids":                          entryIDs,
	"GET /v1/entries/{entry}":                      oneEntry,
	"GET /v1/entries/{entry}/fetch-content":        content,
	"PUT /v1/entries":                              changeEntries,
	"PUT /v1/entries/{entry}/bookmark":             toggleStar,
	"PUT /v1/entries/{entry}/star":                 toggleStar,
	"POST /v1/entries/{entry}/save":                save,
	"PUT /v1/enclosures/{id}":                      accepted,
	"PUT /v1/flush-history":                        accepted,
	"DELETE /v1/flush-history":                     accepted,
	"GET /v1/export":                               export,
	"POST /v1/import":                              importList,
	"PUT /v1/categories/{folder}/mark-all-as-read": markAll,
	"GET /v1/categories/{folder}/entries/{entry}":  oneEntry,
}

// call is one request with a valid token.
type call struct {
	*handler
	w      http.ResponseWriter
	r      *http.Request
	form   *sync.Form // the parameters of the URL
	person sync.Person
}

// route answers one kind of call.
type route struct {
	*handler
	do func(*call) error
}

// ServeHTTP lets pages of other sites call: they send a token, and a browser adds nothing that would prove
// more.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("Access-Control-Allow-Origin", "*")
	head.Add("Vary", "Origin")
	if r.Method == http.MethodOptions && Serves(r.URL.Path) {
		head.Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS")
		head.Set("Access-Control-Allow-Headers", "X-Auth-Token, Authorization, Content-Type, Accept")
		head.Set("Access-Control-Max-Age", "3600")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if path := sync.OneSlash(r.URL.Path); path != r.URL.Path {
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = path, ""
	}
	if do, pattern := h.routes.Handler(r); pattern != "" && Serves(r.URL.Path) {
		if _, ours := do.(route); ours { // else a redirect to a cleaner path, for which clients drop the body
			h.routes.ServeHTTP(w, r)
			return
		}
	}
	// Whether a path exists is no secret: Miniflux answers that before it looks at the token.
	h.fail(w, r, errNotFound)
}

// ServeHTTP answers one request.
func (t route) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{handler: t.handler, w: w, r: r}
	err := c.enter()
	if err == nil {
		err = t.do(c)
	}
	if err != nil {
		t.fail(w, r, err)
	}
}

// enter identifies the person by a token or by HTTP Basic.
func (c *call) enter() (err error) {
	if token := c.r.Header.Get("X-Auth-Token"); token != "" {
		c.person, err = c.gate.Token(c.r.Context(), token)
	} else if user, password, ok := c.r.BasicAuth(); ok {
		if c.mayBeForged() {
			return &refusal{http.StatusForbidden, "another site sent this request"}
		}
		c.person, _, err = c.gate.Enter(c.r.Context(), user, password)
	} else {
		err = sync.ErrWrong
	}
	if err != nil {
		return err
	}
	c.form, err = sync.ReadForm(c.w, &http.Request{Method: http.MethodGet, URL: c.r.URL}, 0)
	return err
}

var crossOrigin = http.NewCrossOriginProtection()

// mayBeForged reports whether a page of another site can have sent a request with a password that the browser
// remembers. A page that knows the password, such as a reader in the browser, says that the body is JSON; to
// do that, others need a permission that includes passwords, which they do not get.
func (c *call) mayBeForged() bool {
	given, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	return given != "application/json" && crossOrigin.Check(c.r) != nil
}

// errNotFound says it as Miniflux does.
var errNotFound = &refusal{http.StatusNotFound, "Resource Not Found"}

// refusal is an error in the words of Miniflux, because clients compare them.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

func badRequest(text string) error { return &refusal{http.StatusBadRequest, text} }

// fail answers with an error, as clients expect it.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	var known *refusal
	var f sync.Fault
	switch {
	case errors.As(err, &known):
		f = sync.Fault{Status: known.status, Text: known.text}
	case errors.Is(err, tidings.ErrNotFound), errors.Is(err, tidings.ErrNotFollowed):
		f = sync.Fault{Status: errNotFound.status, Text: errNotFound.text}
	default:
		f = sync.FaultOf(r.Context(), h.log, err)
	}
	f.SetHeader(w.Header())
	if f.Status == http.StatusUnauthorized {
		f.Text = "Access Unauthorized"
		if r.Header.Get("X-Auth-Token") == "" { // else a browser would ask for a password
			w.Header().Set("WWW-Authenticate", `Basic realm="Tidings", charset="UTF-8"`)
		}
	}
	if err := sync.SendJSON(w, r, f.Status, map[string]string{"error_message": f.Text}); err != nil {
		http.Error(w, `{"error_message":"Service Unavailable"}`, http.StatusServiceUnavailable)
	}
}

// id returns a number in the path.
func (c *call) id(name string) (int64, error) {
	n, err := strconv.ParseInt(c.r.PathValue(name), 10, 64)
	if err != nil || n <= 0 {
		return 0, badRequest("invalid " + name + " ID")
	}
	return n, nil
}

// read reads the body, which is JSON whatever its type says, into v.
func (c *call) read(v any) error {
	body, err := sync.ReadBody(c.w, c.r, sync.MaxBody)
	if err != nil {
		return err
	}
	err = json.Unmarshal(body, v)
	var wrongType *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrongType) && wrongType.Field == "":
		return badRequest("the body is not a JSON object")
	case errors.As(err, &wrongType):
		return badRequest(fmt.Sprintf("the field %q has a wrong value: %s", wrongType.Field, wrongType.Value))
	}
	return badRequest("the body is not JSON: " + err.Error())
}

func (c *call) send(status int, v any) error { return sync.SendJSON(c.w, c.r, status, v) }

// sendList answers with a list that has a validator.
func (c *call) sendList(v any) error {
	p := sync.NewReply(c.w, c.r).Validated()
	if err := p.JSON(v); err != nil {
		return err
	}
	return p.Send(http.StatusOK, sync.JSON)
}

// done says that a write is done.
func (c *call) done(err error) error {
	if err != nil {
		return err
	}
	return sync.SendNothing(c.w, http.StatusNoContent)
}

// accepted says that something will be done, of which this node needs nothing to be done.
func accepted(c *call) error { return sync.SendNothing(c.w, http.StatusAccepted) }
