package web

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
)

// player plays a file that an item carries.
type player struct {
	Video  bool
	Path   string // of this node
	Poster string // of this node; "": there is none
	Key    string // by which the browser remembers the place in it: the person's, and the file's
	Name   string // of what is played
	// Chapters are its chapters; ChaptersPath is the path of this node that has them, where they are elsewhere.
	Chapters     []tidings.Chapter
	ChaptersPath string
}

// playerOf returns what plays a file of an entry; nil for a file that is not known to be sound or video. Nothing is
// loaded before somebody presses play.
func (p entryPage) playerOf(e tidings.Enclosure) *player {
	to := wording.LinkTo(e.URL)
	kind := mediaKind(e)
	if p.Players == nil || to.URL == "" || kind == "" {
		return nil
	}
	shown := &player{Video: kind == "video", Path: p.Players.Path(to.URL), Name: p.Title}
	if e.Copy != nil && e.Copy.Path != "" {
		shown.Path = e.Copy.Path // here, as its publisher has signed it
	}
	shown.Key = formatID(int64(p.Person)) + " " + to.URL
	if shown.Video && p.Pictures != nil {
		for _, other := range p.Content.Enclosures {
			if picture := wording.LinkTo(other.URL); strings.HasPrefix(other.Type, "image/") &&
				!strings.HasPrefix(other.Type, "image/svg") && picture.URL != "" {
				shown.Poster = p.Pictures.Path(picture.URL)
				break
			}
		}
	}
	if c := p.Content.Chapters; c != nil && p.isFirst(e) {
		if shown.Chapters = c.List; len(c.List) == 0 {
			shown.ChaptersPath = fmt.Sprintf("/chapters/%d", p.ID)
		}
	}
	return shown
}

// InText returns what plays sound or video that stands in the text of an entry; nil if nothing does. What the entry
// carries as a file, too, has a player there.
func (p entryPage) InText(address, kind string) *player {
	for _, e := range p.Content.Enclosures {
		if wording.LinkTo(e.URL).URL == address {
			return nil
		}
	}
	return p.playerOf(tidings.Enclosure{URL: address, Type: kind + "/*"})
}

// isFirst reports whether a file is the first of an entry that plays: chapters are those of that.
func (p entryPage) isFirst(e tidings.Enclosure) bool {
	for _, other := range p.Content.Enclosures {
		if mediaKind(other) != "" {
			return other.URL == e.URL
		}
	}
	return false
}

// clock returns a place in a recording as players show it: "4:05", or "1:04:05".
func clock(at time.Duration) string {
	s := int(at / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// showChapters sends the chapters of an entry that are in a document elsewhere, as a part of a page.
func showChapters(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		id, err := r.PathID()
		if err != nil {
			return err
		}
		e, err := s.store.Entry(r.Context(), r.Account, id)
		if err != nil {
			return err
		}
		if s.players == nil || e.Content.Chapters == nil || e.Content.Chapters.Address == "" {
			return tidings.ErrNotFound
		}
		list, err := s.players.Chapters(r.Context(), e.Content.Chapters.Address)
		if err != nil {
			return err
		}
		text, err := pages.Fragment(r.Context(), "chapter-list", list)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, text)
		return nil
	}
}

// named are kinds of files by their names, for feeds that do not say what they carry.
var named = map[string]string{
	".mp3": "audio", ".m4a": "audio", ".m4b": "audio", ".aac": "audio", ".ogg": "audio", ".oga": "audio",
	".opus": "audio", ".flac": "audio", ".wav": "audio",
	".mp4": "video", ".m4v": "video", ".webm": "video", ".ogv": "video",
}

// mediaKind returns "audio" or "video"; "" for anything else. It is what the feed claims: the node looks at the bytes
// before it sends any.
func mediaKind(e tidings.Enclosure) string {
	media, _, err := mime.ParseMediaType(e.Type)
	if kind, _, _ := strings.Cut(media, "/"); err == nil && (kind == "audio" || kind == "video") &&
		!strings.HasSuffix(media, "mpegurl") {
		return kind
	}
	if u, err := url.Parse(e.URL); err == nil && (media == "" || media == "application/octet-stream") {
		return named[strings.ToLower(path.Ext(u.Path))]
	}
	return ""
}
