package api

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"

	"tidings"
	"tidings/delivery/memory"
	"tidings/delivery/opml"
	"tidings/delivery/proxy"
)

// importBatch is how many channels are followed between two lines of progress.
const importBatch = 50

// ImportProgress is one line of the answer to an import.
type ImportProgress struct {
	Total   int `json:"total"`   // channels that the list names
	Done    int `json:"done"`    // of them, so far
	Added   int `json:"added"`   // followed from now on
	Already int `json:"already"` // were followed before
	Failed  int `json:"failed"`

	// Problems that came up since the line before.
	Problems []ImportProblem `json:"problems,omitempty"`
	Finished bool            `json:"finished,omitempty"` // the last line
	Error    string          `json:"error,omitempty"`    // why the import ended before its end
}

// ImportProblem says what of a list could not be used.
type ImportProblem struct {
	Line int    `json:"line,omitempty"` // of the document, counted from 1
	URL  string `json:"url,omitempty"`
	Text string `json:"text"`
}

// importOPML follows every channel of a list without polling any of them first, and
// sends its progress as JSON Lines. With pages, outlines that have no feed are followed as pages.
func (h *handler) importOPML(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	q, parse := queryOf(r), opml.Parse
	if q.flag("pages") {
		parse = opml.ParseWithPages
	}
	if q.err != nil {
		return q.err
	}
	subscriptions, err := parse(http.MaxBytesReader(w, r.Body, maxOPML), opml.Limits{})
	if err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return errSlow
		}
		if errors.Is(err, memory.ErrFull) {
			return err
		}
		var tooBig *http.MaxBytesError
		if errors.As(err, &tooBig) || errors.Is(err, opml.ErrTooLarge) {
			return refuse(http.StatusRequestEntityTooLarge, "the list is larger than 8 MiB", "split it")
		}
		return refuse(http.StatusBadRequest, "the list cannot be read: "+tidings.Reason(err),
			"it should be OPML, as readers export it")
	}
	followed, err := h.Store.Channels(r.Context(), account)
	if err != nil {
		return err
	}
	i := importing{handler: h, account: account, known: make(map[string]bool, len(followed)+len(subscriptions.Entries))}
	for _, f := range followed {
		i.known[f.URL] = true
		i.known[f.Origin()] = true // by which lists that were exported name it
	}
	w.Header().Set("Content-Type", typeNDJSON)
	w.Header().Set("X-Accel-Buffering", "no")
	i.follow(r.Context(), subscriptions, func(p ImportProgress) {
		if line, err := encode(p); err == nil {
			w.Write(line)                         //nolint:errcheck // a client that goes away ends the import
			http.NewResponseController(w).Flush() //nolint:errcheck
		}
	})
	return nil
}

// importing is an import under way. What is followed already stays as it is: names and
// folders are the reader's own.
type importing struct {
	*handler
	account  tidings.AccountID
	known    map[string]bool // canonical addresses of what is followed
	progress ImportProgress
}

func (i *importing) follow(ctx context.Context, from opml.List, tell func(ImportProgress)) {
	p := &i.progress
	p.Total = len(from.Entries)
	for _, problem := range from.Problems {
		p.Problems = append(p.Problems, ImportProblem{Line: problem.Line, Text: problem.Text})
	}
	for p.Done < p.Total {
		tell(*p)
		p.Problems = nil
		batch := from.Entries[p.Done:min(p.Done+importBatch, p.Total)]
		if err := i.followBatch(ctx, batch); err != nil {
			i.Logger.ErrorContext(ctx, "import ended early", "done", p.Done, "total", p.Total, "error", err)
			p.Error = tidings.Reason(err)
			break
		}
		p.Done += len(batch)
	}
	p.Finished = p.Error == ""
	tell(*p)
}

func (i *importing) followBatch(ctx context.Context, batch []opml.Entry) error {
	var orders []tidings.SubscribeRequest
	for _, e := range batch {
		if canonical, err := i.canonical(e.URL); err == nil {
			if i.known[canonical] {
				i.progress.Already++
				continue
			}
			i.known[canonical] = true
		}
		orders = append(orders, e.Order())
	}
	if len(orders) == 0 {
		return nil
	}
	failures, err := i.Node.SubscribeLater(ctx, i.account, orders)
	if err != nil {
		return err
	}
	for n, o := range orders {
		if failures[n] == nil {
			i.progress.Added++
			continue
		}
		i.progress.Failed++
		i.progress.Problems = append(i.progress.Problems,
			ImportProblem{URL: withoutCredentials(o.URL), Text: tidings.Reason(failures[n])})
	}
	return nil
}

func withoutCredentials(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.User = nil
	return u.String()
}

// exportOPML writes what the account follows, in its folders. With proxy, the addresses are those of this node's feeds
// of the channels, for readers that accept only feeds.
func (h *handler) exportOPML(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	q := queryOf(r)
	proxied := q.flag("proxy")
	if q.err != nil {
		return q.err
	}
	followed, err := h.Store.Channels(r.Context(), account)
	if err != nil {
		return err
	}
	base := ""
	if proxied {
		if base, err = h.proxyBase(r); err != nil {
			return err
		}
	}
	var document bytes.Buffer
	if err := opml.Write(&document, exported(followed, base)); err != nil {
		return err
	}
	if err := memory.Of(r.Context()).Keep(int64(document.Cap())); err != nil {
		return err
	}
	w.Header().Set("Content-Disposition", `attachment; filename="tidings.opml"`)
	writeBody(w, http.StatusOK, typeOPML+"; charset=utf-8", document.Bytes())
	return nil
}

// exported lists the channels; base is the proxy's address, empty for the origins' own.
// Through the proxy all of them are feeds, and nothing else need be known of them.
func exported(followed []tidings.Subscription, base string) opml.List {
	all := opml.List{Title: "Tidings subscriptions"}
	for _, f := range followed {
		e := opml.EntryOf(f)
		if base != "" {
			e = opml.Entry{URL: proxy.FeedURL(base, f.URL), Title: e.Title, Site: e.Site, Folder: e.Folder}
		}
		all.Entries = append(all.Entries, e)
	}
	return all
}

// proxyBase is the address under which a reader program reaches this node: the one that
// the client itself used, or, behind the socket, the web page's.
func (h *handler) proxyBase(r *http.Request) (string, error) {
	if !h.Local {
		scheme := "http"
		if r.TLS != nil {
			scheme = "https"
		}
		return scheme + "://" + r.Host, nil
	}
	s, err := h.Node.Status(r.Context())
	if err != nil {
		return "", err
	}
	if s.Page == "" {
		return "", refuse(http.StatusConflict, "the node has no address for readers", "start it with --http")
	}
	return strings.TrimSuffix(s.Page, "/"), nil
}
