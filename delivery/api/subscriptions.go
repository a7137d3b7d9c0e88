package api

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"tidings"
	"tidings/delivery/opml"
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

// ImportProblem tells what of a list could not be used.
type ImportProblem struct {
	Line int    `json:"line,omitempty"` // of the document, counted from 1
	URL  string `json:"url,omitempty"`
	Text string `json:"text"`
}

// importOPML follows every channel of a list without looking at any of them first, and
// tells its progress as JSON Lines.
func (d *door) importOPML(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	body := http.MaxBytesReader(w, r.Body, maxOPML)
	subscriptions, err := opml.Parse(body, opml.Limits{})
	if err != nil {
		var tooBig *http.MaxBytesError
		if errors.As(err, &tooBig) || errors.Is(err, opml.ErrTooLarge) {
			return refuse(http.StatusRequestEntityTooLarge, "the list is larger than 32 MiB", "split it")
		}
		return refuse(http.StatusBadRequest, "the list cannot be read: "+oneLine(err.Error()), "it should be OPML, as readers export it")
	}
	w.Header().Set("Content-Type", typeNDJSON)
	w.Header().Set("X-Accel-Buffering", "no")
	d.followAll(r, account, subscriptions, func(p ImportProgress) {
		if line, err := encode(p); err == nil {
			w.Write(line)                         //nolint:errcheck // an import goes on when nobody listens
			http.NewResponseController(w).Flush() //nolint:errcheck
		}
	})
	return nil
}

func (d *door) followAll(r *http.Request, account tidings.AccountID, from opml.List, tell func(ImportProgress)) {
	p := ImportProgress{Total: len(from.Entries)}
	for _, problem := range from.Problems {
		p.Problems = append(p.Problems, ImportProblem{Line: problem.Line, Text: problem.Text})
	}
	for p.Done < p.Total {
		tell(p)
		p.Problems = nil
		batch := from.Entries[p.Done:min(p.Done+importBatch, p.Total)]
		failures, err := d.Node.SubscribeLater(r.Context(), account, ordersOf(batch))
		if err != nil {
			d.Logger.ErrorContext(r.Context(), "import ended early", "done", p.Done, "total", p.Total, "error", err)
			p.Error = oneLine(err.Error())
			break
		}
		p.count(batch, failures)
	}
	p.Finished = p.Error == ""
	tell(p)
}

func ordersOf(batch []opml.Entry) []tidings.Order {
	orders := make([]tidings.Order, len(batch))
	for i, e := range batch {
		orders[i] = tidings.Order{URL: e.URL, Name: e.Title, Folder: e.Folder}
	}
	return orders
}

func (p *ImportProgress) count(batch []opml.Entry, failures []error) {
	for i, e := range batch {
		p.Done++
		switch err := failures[i]; {
		case err == nil:
			p.Added++
		case errors.Is(err, tidings.ErrExists):
			p.Already++
		default:
			p.Failed++
			p.Problems = append(p.Problems, ImportProblem{URL: withoutCredentials(e.URL), Text: oneLine(err.Error())})
		}
	}
}

func withoutCredentials(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.User = nil
	return u.String()
}

// exportOPML writes what the account follows, in its folders. With proxy, the addresses
// are those of this node's feeds of them, for readers that take feeds.
func (d *door) exportOPML(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	q := queryOf(r)
	proxied := q.flag("proxy")
	if q.err != nil {
		return q.err
	}
	followed, err := d.Store.Channels(r.Context(), account)
	if err != nil {
		return err
	}
	base := ""
	if proxied {
		if base, err = d.proxyBase(r); err != nil {
			return err
		}
	}
	var document bytes.Buffer
	if err := opml.Write(&document, exported(followed, base)); err != nil {
		return err
	}
	w.Header().Set("Content-Type", typeOPML+"; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="tidings.opml"`)
	w.Write(document.Bytes()) //nolint:errcheck // the client has gone
	return nil
}

// exported lists the channels; base is the proxy's address, empty for the origins' own.
func exported(followed []tidings.Followed, base string) opml.List {
	all := opml.List{Title: "Tidings subscriptions"}
	for _, f := range followed {
		e := opml.Entry{URL: f.Origin(), Title: f.Label(), Site: f.Site, Folder: f.Folder}
		if base != "" {
			e.URL = base + "/feed?url=" + url.QueryEscape(f.URL)
		}
		all.Entries = append(all.Entries, e)
	}
	return all
}

// proxyBase is the address under which a reader program reaches this node: the one that
// the client itself used, or, behind the socket, the web page's.
func (d *door) proxyBase(r *http.Request) (string, error) {
	if !d.Local {
		scheme := "http"
		if r.TLS != nil {
			scheme = "https"
		}
		return scheme + "://" + r.Host, nil
	}
	s, err := d.Node.Status(r.Context())
	if err != nil {
		return "", err
	}
	if len(s.Addresses) == 0 {
		return "", refuse(http.StatusConflict, "the node has no address for readers", "start it with --http")
	}
	return strings.TrimSuffix(s.Addresses[0], "/"), nil
}
