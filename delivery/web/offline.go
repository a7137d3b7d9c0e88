package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/memory"
	"tidings/delivery/web/offline"
	"tidings/delivery/web/shell"
)

// Marks applies what people did without a network.
type Marks interface {
	Apply(ctx context.Context, account tidings.AccountID, marks []tidings.Mark) error
}

// pagesBuild names how articles are rendered.
var pagesBuild = shell.BuildOf(templateFiles)

// offlineList answers with what the requester's browser keeps.
func offlineList(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		chosen, err := s.Preferences(r)
		if err != nil {
			return err
		}
		look := fmt.Sprint("pictures ", chosen.Is(tidings.EveryView, tidings.PreferPictures, "on"), r.Words.Tag())
		selection, q := offline.NewSelection(look), tidings.EntryQuery{Unread: true, ByDate: true, Limit: entryBatch}
		for more := true; more; {
			entries, err := s.store.Entries(r.Context(), r.Account, q)
			if err != nil {
				return err
			}
			more = len(entries) > 0
			for _, e := range entries {
				if more, err = selection.Add(e); err != nil {
					return err
				}
				if !more {
					break
				}
				q.Behind = placeAt(e)
			}
			memory.Of(r.Context()).Release() // the tags alone are kept
		}
		l := offline.List{Person: personTag(r), Build: pagesBuild, Articles: selection.Listed}
		w.Header().Set("ETag", l.ETag())
		if r.Header.Get("If-None-Match") == l.ETag() {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
		return answerJSON(w, r, l)
	}
}

// offlineArticles answers with the articles that are asked for. Those that are gone, or did not fit, are missing.
func offlineArticles(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		wanted, err := offline.ParseEntries(r.FormValue("entries"))
		if err != nil {
			return err
		}
		var batch offline.Batch
		for _, id := range wanted {
			e, err := s.store.Entry(r.Context(), r.Account, id)
			if errors.Is(err, tidings.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			a, err := offlineArticle(s, r, e)
			if err != nil {
				return err
			}
			memory.Of(r.Context()).Release()
			if !batch.Add(a) {
				break
			}
		}
		return answerJSON(w, r, batch.Articles)
	}
}

// offlineArticle makes an article as a browser keeps it.
func offlineArticle(s *site, r shell.Request, e tidings.Entry) (a offline.Article, err error) {
	p := entryPageOf(r.Words, e)
	p.Whole, p.Above = true, 1
	if s.network == nil {
		p.FoundBy = ""
	}
	if x := e.FullText; x != nil && x.Preferred {
		p.Body, p.Difference = x.Content, nil
	}
	shown, err := picturesFor(s, r, e.Channel)
	if err != nil {
		return a, err
	}
	noted := &notedPictures{Pictures: shown}
	if shown != nil {
		p.Pictures = noted
	}
	a = offline.Article{Entry: e.ID, Channel: e.Channel, Title: p.Title}
	if a.Text, err = s.Fragment(r.Context(), "article", p); err != nil {
		return a, fmt.Errorf("rendering entry %d: %w", e.ID, err)
	}
	if a.Line, err = s.Fragment(r.Context(), "line", lineOf(r.Words, e, "/")); err != nil {
		return a, fmt.Errorf("rendering the line of entry %d: %w", e.ID, err)
	}
	a.Pictures = noted.paths
	return a, nil
}

// notedPictures notes the paths of the pictures that a page shows, each once.
type notedPictures struct {
	Pictures
	paths []string
}

// Path implements [Pictures].
func (n *notedPictures) Path(address string) string {
	path := n.Pictures.Path(address)
	if !slices.Contains(n.paths, path) {
		n.paths = append(n.paths, path)
	}
	return path
}

// offlineShell is the page into which the browser puts what it keeps.
func offlineShell(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		s.Show(w, r, http.StatusOK, "offline", shell.View{Title: r.Words.Text("No network"), Section: "river"})
		return nil
	}
}

// applyMarks applies what the requester did without a network.
func applyMarks(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		if s.marks == nil {
			return tidings.ErrNotFound
		}
		m, err := offline.ParseMarks(r.Body)
		if err != nil {
			return shell.FormFailed(err)
		}
		w.Header().Set(offline.PersonHeader, personTag(r))
		if m.Person != personTag(r) {
			w.WriteHeader(http.StatusConflict) // the browser drops them: they are another person's
			return nil
		}
		if err := s.marks.Apply(r.Context(), r.Account, m.At(time.Now())); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

func personTag(r shell.Request) string {
	person, _ := auth.Person(r.Context())
	return offline.PersonTag(r.Account, person)
}

// answerJSON sends a value to the page's own script.
func answerJSON(w http.ResponseWriter, r shell.Request, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encoding an answer: %w", err)
	}
	if err := memory.Of(r.Context()).Keep(int64(len(text))); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set(offline.PersonHeader, personTag(r))
	w.Write(text) // an error here is the browser's leaving
	return nil
}
