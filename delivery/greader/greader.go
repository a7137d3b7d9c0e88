package greader

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"tidings/delivery/sync"
)

// handler answers all paths.
type handler struct {
	library sync.Library
	gate    sync.Gate
	log     *slog.Logger
}

// New returns a handler for the paths of the package, which answers 404 to others. It must get paths as they
// came: a [http.ServeMux] would redirect "stream/contents/feed/https://example.org". [Serves] says which are
// for it.
func New(l sync.Library, g sync.Gate, log *slog.Logger) http.Handler { return &handler{l, g, log} }

// call is one request with a valid token.
type call struct {
	*handler
	w      http.ResponseWriter
	r      *http.Request
	form   *sync.Form
	person sync.Person
	token  string
	rest   string // of the path, behind the name of the method
	seen   *view
}

// method is what there is at one path.
type method struct {
	do     func(*call) error
	writes bool // by POST alone
	body   bool // reads the body by itself, which is no form
}

// api is where the methods are.
const api = "/reader/api/0/"

var methods = map[string]method{
	"token":                 {do: sendToken},
	"user-info":             {do: userInfo},
	"subscription/list":     {do: listFeeds},
	"subscription/export":   {do: export},
	"subscription/import":   {do: importList, writes: true, body: true},
	"subscription/quickadd": {do: quickAdd, writes: true},
	"subscription/edit":     {do: editSubscription, writes: true},
	"tag/list":              {do: listTags},
	"unread-count":          {do: countUnread},
	"stream/items/ids":      {do: itemIDs},
	"stream/items/contents": {do: itemContents},
	"stream/contents":       {do: streamContents},
	"edit-tag":              {do: editTag, writes: true},
	"mark-all-as-read":      {do: markAll, writes: true},
	"rename-tag":            {do: renameTag, writes: true},
	"disable-tag":           {do: disableTag, writes: true},
}

// prefix is what FreshRSS has before its paths.
const prefix = "/api/greader.php"

// inner returns a path without the prefix. It may begin with two slashes: one that a person put at the end of the
// server's address, and one of the client's own.
func inner(path string) string {
	rest, ok := strings.CutPrefix(sync.OneSlash(path), prefix)
	if ok && strings.HasPrefix(rest, "/") {
		rest = sync.OneSlash(rest)
	}
	return rest
}

// atomPrefix is before streams that are wanted as Atom feeds.
const atomPrefix = "/reader/atom/"

// find returns the method of a path, and what is behind its name.
func find(path string) (m method, rest string, ok bool) {
	if rest, ok = strings.CutPrefix(inner(path), atomPrefix); ok {
		return method{do: streamAtom}, rest, rest != ""
	}
	name, ok := strings.CutPrefix(inner(path), api)
	if !ok {
		return m, "", false
	}
	if m, ok = methods[strings.TrimSuffix(name, "/")]; ok {
		return m, "", true
	}
	const contents = "stream/contents/"
	if rest, ok = strings.CutPrefix(name, contents); ok {
		return methods["stream/contents"], rest, true
	}
	return m, "", false
}

// notFound is the answer where there is nothing.
const notFound = "Not Found\n"

// Paths beside those of methods.
const (
	loginPath = "/accounts/ClientLogin"
	checkPath = "/check/compatibility"
)

// Serves reports whether a path, decoded once, is for this package. So is a path at which there is nothing, below those
// of the API: its client then learns that, and not that its token is wrong.
func Serves(path string) bool {
	in := inner(path)
	switch {
	case in == loginPath, in == checkPath, strings.HasPrefix(in, api), strings.HasPrefix(in, atomPrefix):
		return true
	}
	below, ok := strings.CutPrefix(sync.OneSlash(path), prefix)
	return ok && (below == "" || strings.HasPrefix(below, "/"))
}

// ServeHTTP answers one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.serve(w, r); err != nil {
		h.fail(w, r, err)
	}
}

func (h *handler) serve(w http.ResponseWriter, r *http.Request) error {
	if !Serves(r.URL.Path) {
		return sync.SendText(w, r, http.StatusNotFound, notFound)
	}
	switch in := inner(r.URL.Path); in {
	case checkPath:
		return sync.SendText(w, r, http.StatusOK, "PASS")
	case loginPath:
		return h.login(w, r)
	case "", "/":
		return sync.SendText(w, r, http.StatusOK, "Here readers find the Google Reader API of a node of Tidings.\n")
	}
	m, rest, ok := find(r.URL.Path)
	if !ok {
		return sync.SendText(w, r, http.StatusNotFound, notFound)
	}
	if m.writes && r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return sync.SendText(w, r, http.StatusMethodNotAllowed, "Method Not Allowed\n")
	}
	c := &call{handler: h, w: w, r: r, rest: rest}
	if err := c.enter(m); err != nil {
		return err
	}
	return m.do(c)
}

// enter identifies the person by the header or the parameter T, and reads the parameters.
func (c *call) enter(m method) (err error) {
	limit := int64(sync.MaxGuestBody)
	if token := headerToken(c.r); token != "" {
		c.token = token
		if c.person, err = c.gate.Token(c.r.Context(), token); err != nil {
			return err
		}
		limit = sync.MaxBody
	}
	read := c.r
	if m.body { // the parameters of the URL alone
		read = &http.Request{Method: http.MethodGet, URL: c.r.URL}
	}
	if c.form, err = sync.ReadForm(c.w, read, limit); err != nil || c.token != "" {
		return err
	}
	if c.token = c.form.Get("T"); c.token == "" {
		return sync.ErrWrong
	}
	c.person, err = c.gate.Token(c.r.Context(), c.token)
	return err
}

// headerToken returns the token of a header such as "GoogleLogin auth=token".
func headerToken(r *http.Request) string {
	kind, token, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	if !strings.EqualFold(kind, "GoogleLogin") {
		return ""
	}
	name, token, _ := strings.Cut(strings.TrimSpace(token), "=")
	if !strings.EqualFold(strings.TrimSpace(name), "auth") {
		return ""
	}
	return strings.Trim(strings.TrimSpace(token), `"`)
}

// fail answers with an error, as clients expect it.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	f := sync.FaultOf(r.Context(), h.log, err)
	f.SetHeader(w.Header())
	text := f.Text + "\n"
	switch {
	case f.Status == http.StatusUnauthorized && inner(r.URL.Path) == loginPath:
		text = "Error=BadAuthentication\n"
	case f.Status == http.StatusUnauthorized:
		w.Header().Set("X-Reader-Google-Bad-Token", "true")
		text = "Unauthorized!\n"
	case f.Status == http.StatusNotFound || f.Status == http.StatusBadGateway:
		f.Status = http.StatusBadRequest // 404 says to clients that the address of the server is wrong
	}
	if err := sync.SendText(w, r, f.Status, text); err != nil {
		http.Error(w, "Service Unavailable", http.StatusServiceUnavailable)
	}
}

// done says that a write is done, in the only way that all clients know.
func (c *call) done() error { return sync.SendText(c.w, c.r, http.StatusOK, "OK") }

// errNoStream says that a stream has no such name.
var errNoStream = errors.New("there is no stream of that name")
