package web

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"tidings"
	"tidings/delivery/memory"
	"tidings/delivery/opml"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
)

const (
	importBatch  = 200      // orders given to the node at once
	maxReport    = 2000     // lines of a report; the others are counted
	maxMultipart = 64 << 10 // bytes around the document in the form
)

// importPage is the form and, after an import, its report.
type importPage struct {
	Channels int // followed now
	Error    string
	Report   *report
}

// report says line by line how an import went.
type report struct {
	Added, Known, Failed int
	Lines                []reportLine
	Left                 int
	Problems             []opml.Problem
}

type reportLine struct {
	Label, Host, Folder string
	Class, Text         string
}

func (s *site) opml(w http.ResponseWriter, r shell.Request) error {
	return s.showImport(w, r, http.StatusOK, importPage{})
}

func (s *site) showImport(w http.ResponseWriter, r shell.Request, status int, p importPage) error {
	channels, err := s.store.Channels(r.Context(), r.Account)
	if err != nil {
		return err
	}
	p.Channels = len(channels)
	s.Show(w, r, status, "opml", shell.View{Title: r.Words.Text("Import and export"), Section: "settings", Body: p})
	return nil
}

func (s *site) importOPML(w http.ResponseWriter, r shell.Request) error {
	limit := opml.DefaultLimits().Bytes
	r.Body = http.MaxBytesReader(w, r.Body, limit+maxMultipart)
	if err := r.ParseMultipartForm(limit + maxMultipart); err != nil {
		return shell.FormFailed(err)
	}
	defer r.MultipartForm.RemoveAll()
	list, err := importedList(r)
	if err != nil {
		return s.showImport(w, r, http.StatusUnprocessableEntity,
			importPage{Error: wording.Plain(r.Words.Explained(err), 300)})
	}
	rep, err := s.follow(r, list)
	if err != nil {
		return err
	}
	return s.showImport(w, r, http.StatusOK, importPage{Report: rep})
}

// importedList reads the file or the text that was given: OPML, or addresses, one a line.
func importedList(r shell.Request) (opml.List, error) {
	var in io.Reader = strings.NewReader(r.FormValue("text"))
	if file, _, err := r.FormFile("file"); err == nil {
		defer file.Close()
		in = file
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return opml.List{}, fmt.Errorf("read what was sent: %w", err)
	}
	switch trimmed := bytes.TrimSpace(data); {
	case len(trimmed) == 0:
		return opml.List{}, errors.New("choose a file or paste a list first")
	case bytes.HasPrefix(trimmed, []byte("http")):
		return addressList(string(trimmed)), nil
	}
	if r.FormValue("pages") != "" {
		return opml.ParseWithPages(bytes.NewReader(data), opml.Limits{})
	}
	return opml.Parse(bytes.NewReader(data), opml.Limits{})
}

func addressList(text string) opml.List {
	var list opml.List
	limits := opml.DefaultLimits()
	n := 0
	for l := range strings.Lines(text) {
		n++
		address := strings.TrimSpace(l)
		switch {
		case address == "":
		case wording.LinkTo(address).URL == "":
			if len(list.Problems) < limits.Problems {
				list.Problems = append(list.Problems, opml.Problem{Line: n, Text: "not a web address"})
			}
		case len(list.Entries) < limits.Outlines:
			list.Entries = append(list.Entries, opml.Entry{URL: address})
		}
	}
	return list
}

// follow orders every entry of list, in batches, and reports.
func (s *site) follow(r shell.Request, list opml.List) (*report, error) {
	followed, err := s.store.Channels(r.Context(), r.Account)
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool, len(followed))
	for _, f := range followed {
		known[f.URL], known[f.Origin()] = true, true
	}
	rep := &report{Problems: list.Problems}
	list.Entries = slices.DeleteFunc(list.Entries, func(e opml.Entry) bool {
		if known[e.URL] {
			rep.add(r.Words, e, tidings.ErrExists)
		}
		return known[e.URL]
	})
	for start := 0; start < len(list.Entries); start += importBatch {
		batch := list.Entries[start:min(start+importBatch, len(list.Entries))]
		orders := make([]tidings.SubscribeRequest, len(batch))
		for i, e := range batch {
			o := e.Order()
			o.Title, o.Name, o.Folder = wording.Plain(o.Title, wording.MaxTitle),
				wording.Plain(o.Name, wording.MaxTitle), wording.Plain(o.Folder, wording.MaxPath)
			orders[i] = o
		}
		results, err := s.node.SubscribeLater(r.Context(), r.Account, orders)
		if err != nil {
			return nil, fmt.Errorf("import: %w", err)
		}
		for i, err := range results {
			rep.add(r.Words, batch[i], err)
		}
	}
	return rep, nil
}

func (rep *report) add(w wording.Words, e opml.Entry, err error) {
	l := reportLine{Label: wording.Plain(wording.Fallback(e.Title, wording.LinkTo(e.URL).URL), 120),
		Host: wording.HostIn(e.URL), Folder: wording.Plain(tidings.FolderLabel(e.Folder), 120)}
	switch {
	case err == nil:
		rep.Added++
		l.Class, l.Text = "good", w.Text("followed")
	case errors.Is(err, tidings.ErrExists):
		rep.Known++
		l.Class, l.Text = "idle", w.Text("followed already")
	default:
		rep.Failed++
		l.Class, l.Text = "bad", wording.Plain(w.Explained(err), 200)
	}
	if len(rep.Lines) == maxReport {
		rep.Left++
		return
	}
	rep.Lines = append(rep.Lines, l)
}

func (s *site) exportOPML(w http.ResponseWriter, r shell.Request) error {
	channels, err := s.store.Channels(r.Context(), r.Account)
	if err != nil {
		return err
	}
	list := opml.List{Title: "Tidings"}
	for _, c := range channels {
		list.Entries = append(list.Entries, opml.EntryOf(c))
	}
	var b bytes.Buffer
	if err := opml.Write(&b, list); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := memory.Of(r.Context()).Keep(int64(b.Cap())); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/x-opml; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="tidings.opml"`)
	w.Write(b.Bytes())
	return nil
}
