package media

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"tidings"
	"tidings/source/feed"
)

// Bounds of chapters.
const (
	chaptersFor  = time.Hour        // for so long they are known, or that there are none
	maxListed    = 256              // documents of which they are known
	chaptersTime = 20 * time.Second // for the whole of a document
)

// listed is what a document with chapters has said.
type listed struct {
	once     sync.Mutex // held while the document is asked for
	chapters []tidings.Chapter
	err      error
	until    time.Time
}

// Chapters returns the chapters that a document at an address lists (Podcasting 2.0). The origin is asked for it at
// most once an hour, for any answer.
func (c *Client) Chapters(ctx context.Context, address string) ([]tidings.Chapter, error) {
	address = clean(address)
	if address == "" {
		return nil, tidings.Invalidf("this address has no chapters")
	}
	c.mu.Lock()
	l := c.listed[address]
	if l == nil {
		if len(c.listed) >= maxListed {
			clear(c.listed)
		}
		l = new(listed)
		c.listed[address] = l
	}
	c.mu.Unlock()
	l.once.Lock()
	defer l.once.Unlock()
	if time.Now().Before(l.until) {
		return l.chapters, l.err
	}
	chapters, err := c.askChapters(ctx, address)
	if ctx.Err() != nil { // its requester has gone; the next one asks
		return nil, ctx.Err()
	}
	if err != nil {
		err = &tidings.Failure{Op: "fetching chapters", Address: address, Err: err}
	}
	l.chapters, l.err, l.until = chapters, err, time.Now().Add(chaptersFor)
	return chapters, err
}

// askChapters asks the origin for a document with chapters.
func (c *Client) askChapters(ctx context.Context, address string) ([]tidings.Chapter, error) {
	ctx, end := context.WithTimeout(ctx, chaptersTime)
	defer end()
	res, err := c.follow(ctx, address, "application/json+chapters, application/json", "")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the origin answered %d", res.StatusCode)
	}
	doc, err := io.ReadAll(io.LimitReader(res.Body, feed.MaxChapterBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading chapters: %w", err)
	}
	return feed.ParseChapters(doc)
}
