// Package offline lists what a browser keeps of a person's reading, for use without a network. It accepts the marks
// that the person made meanwhile.
//
// The page's service worker (offline-worker.js) asks for a list of what to keep, and then for the articles that it
// lacks:
//
//	GET /offline/list                   List: tags, by which it sees which articles it lacks; with an ETag
//	GET /offline/articles?entries=1,2   Article of each, at most MaxBatch
//	GET /offline/shell                  the page that surrounds them, with an empty place
//	POST /offline/marks                 Marks, in the order in which they were made
//
// All of it is one person's. Each answer names the person by a tag, and so does each page: if the tag is another one,
// the worker forgets all that it has.
package offline

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"tidings"
)

// Bounds of what is kept.
const (
	MaxArticles = 200     // the newest unread ones
	MaxBytes    = 8 << 20 // of their texts together; of more, fewer are kept
	MaxArticle  = 1 << 20 // bytes of the markup of one; a longer one is not kept
	MaxBatch    = 20      // articles in one answer
	maxAnswer   = 2 << 20 // bytes of markup after which an answer ends, never before its first article
)

// PersonHeader is the header in which each page and each answer names its person.
const PersonHeader = "Tidings-Person"

// PersonTag returns what names a person in a browser. It differs between people of a node, and says nothing about them.
func PersonTag(account tidings.AccountID, p tidings.Person) string {
	return tagOf(fmt.Sprintf("person %d %d", account, p.Created.UnixMicro()))
}

func tagOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// List says what a browser keeps.
type List struct {
	Person   string   `json:"person"`   // PersonTag
	Build    string   `json:"build"`    // of the page: what was kept of another one is replaced
	Articles []Listed `json:"articles"` // as they are shown, newest first
}

// Listed is an article that is to be kept.
type Listed struct {
	Entry int64  `json:"entry"`
	Tag   string `json:"tag"` // changes with what is shown of it
}

// Article is an article as a browser keeps it.
type Article struct {
	Entry    int64    `json:"entry"`
	Channel  string   `json:"channel"` // its address
	Title    string   `json:"title"`
	Line     string   `json:"line"`               // its markup in a list
	Text     string   `json:"text"`               // its markup on a page of its own
	Pictures []string `json:"pictures,omitempty"` // paths on the node
}

// Selection collects what is kept, as far as the bounds allow.
type Selection struct {
	Listed []Listed
	bytes  int
	look   string // what else the markup depends on
}

// NewSelection returns an empty one. Tags change with look, too.
func NewSelection(look string) *Selection { return &Selection{look: look} }

// Add adds an entry, and reports whether there is room for more.
func (s *Selection) Add(e tidings.Entry) (more bool, err error) {
	text, err := json.Marshal(e)
	if err != nil {
		return false, fmt.Errorf("tagging entry %d: %w", e.ID, err)
	}
	if s.bytes += len(text); len(s.Listed) == MaxArticles || s.bytes > MaxBytes && len(s.Listed) > 0 {
		return false, nil
	}
	s.Listed = append(s.Listed, Listed{e.ID, tagOf(s.look + string(text))})
	return len(s.Listed) < MaxArticles, nil
}

// ETag returns the strong tag of a list.
func (l List) ETag() string {
	var b strings.Builder
	b.WriteString(l.Person + " " + l.Build)
	for _, a := range l.Articles {
		fmt.Fprintf(&b, " %d %s", a.Entry, a.Tag)
	}
	return `"` + tagOf(b.String()) + `"`
}

// ParseEntries reads numbers of entries with commas between them, at most MaxBatch.
func ParseEntries(text string) (entries []int64, err error) {
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil || n <= 0 || len(entries) == MaxBatch {
			return nil, tidings.Invalidf("entries are 1 to %d numbers with commas between them", MaxBatch)
		}
		entries = append(entries, n)
	}
	return entries, nil
}

// Batch collects the articles of one answer.
type Batch struct {
	Articles []Article
	bytes    int
}

// Add adds an article, without its text if that is too long, and reports whether there is room for more. What did not
// fit is asked for again.
func (b *Batch) Add(a Article) (more bool) {
	if len(a.Text) > MaxArticle {
		a.Text, a.Pictures = "", nil
	}
	b.Articles = append(b.Articles, a)
	b.bytes += len(a.Line) + len(a.Text)
	return b.bytes < maxAnswer
}

// BuildOf names a build of files: it differs where any of them does.
func BuildOf(all ...fs.FS) string {
	h := sha256.New()
	for _, files := range all {
		err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := fs.ReadFile(files, path)
			fmt.Fprintf(h, "%q %d\n%s", path, len(text), text)
			return err
		})
		if err != nil {
			panic(err) // they are embedded
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}
