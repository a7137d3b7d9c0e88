package feed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tidings"
)

// Bounds of chapters.
const (
	MaxChapterBytes = 256 << 10      // of a document with chapters
	maxChapterTitle = 200            // characters
	maxChapterAt    = 48 * time.Hour // from the beginning of a recording
	maxChapterList  = 2000           // chapters in a document; the first tidings.MaxChapters by their times are used
)

// ErrNotChapters says that a document is none with chapters.
var ErrNotChapters = errors.New("not a list of chapters")

// chapterDocument is a document with chapters (Podcasting 2.0, JSON chapters 1.2).
type chapterDocument struct {
	Chapters []struct {
		Start json.RawMessage `json:"startTime"`
		Title json.RawMessage `json:"title"`
		URL   json.RawMessage `json:"url"`
		TOC   *bool           `json:"toc"`
	} `json:"chapters"`
}

// ParseChapters reads a document with chapters as Podcasting 2.0 has them: sorted, without those that are not to be
// listed. It fails with ErrNotChapters, or with ErrLimit beyond MaxChapterBytes.
func ParseChapters(doc []byte) ([]tidings.Chapter, error) {
	if len(doc) > MaxChapterBytes {
		return nil, fmt.Errorf("%w: more than %d bytes of chapters", ErrLimit, MaxChapterBytes)
	}
	var d chapterDocument
	if err := json.Unmarshal(bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf")), &d); err != nil || d.Chapters == nil {
		return nil, ErrNotChapters
	}
	var list []tidings.Chapter
	for _, c := range d.Chapters[:min(len(d.Chapters), maxChapterList)] {
		if c.TOC != nil && !*c.TOC {
			continue
		}
		list = addChapter(list, scalar(c.Start), scalar(c.Title), itemLink("", scalar(c.URL), Default().MaxURL))
	}
	return settleChapters(list), nil
}

// addChapter adds a chapter as it is written, unless it has no title or no time.
func addChapter(list []tidings.Chapter, start, title, url string) []tidings.Chapter {
	at, ok := playTime(start)
	title = plainTitle(title, maxChapterTitle)
	if !ok || title == "" || len(list) >= maxChapterList {
		return list
	}
	return append(list, tidings.Chapter{At: at, Title: title, URL: url})
}

// settleChapters sorts chapters by their times, of two at one time leaves the first, and keeps to the bound.
func settleChapters(list []tidings.Chapter) []tidings.Chapter {
	slices.SortStableFunc(list, func(a, b tidings.Chapter) int { return int((a.At - b.At) / time.Millisecond) })
	list = slices.CompactFunc(list, func(a, b tidings.Chapter) bool { return a.At == b.At })
	return list[:min(len(list), tidings.MaxChapters)]
}

// playTime reads a place in a recording: seconds, or hours, minutes and seconds with colons between them (RFC 2326,
// section 3.6). It is in whole milliseconds.
func playTime(text string) (time.Duration, bool) {
	parts := strings.Split(strings.TrimSpace(text), ":")
	if len(parts) > 3 || len(text) > 32 {
		return 0, false
	}
	at := 0.0
	for i, part := range parts {
		n, err := strconv.ParseFloat(part, 64)
		if err != nil || !(n >= 0 && n <= maxChapterAt.Seconds()) || i < len(parts)-1 && strings.Contains(part, ".") {
			return 0, false
		}
		at = 60*at + n
	}
	if !(at <= maxChapterAt.Seconds()) {
		return 0, false
	}
	return time.Duration(at*1000+0.5) * time.Millisecond, true
}

// chapter reads a chapter of Podlove Simple Chapters, whose element was just begun.
func (r *xmlReader) chapter(f frame) {
	d := &r.item
	d.chapters.List = addChapter(d.chapters.List, r.attr("start"), r.attr("title"), r.address(f.base, r.attr("href")))
}

// settledChapters returns the chapters of an item; nil if it has none.
func (d *draft) settledChapters() *tidings.Chapters {
	c := tidings.Chapters{List: settleChapters(d.chapters.List), Address: d.chapters.Address}
	if len(c.List) == 0 && c.Address == "" {
		return nil
	}
	return &c
}
