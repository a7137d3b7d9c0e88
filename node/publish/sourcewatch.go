package publish

import (
	"context"
	"errors"
	"net/http"
	"os"
	"time"

	"tidings/source/feed"
	"tidings/source/fetch"
)

const (
	// urlEvery is how often a publisher's own URL is asked whether it has changed. Other people's are once an interval,
	// and up to othersDoublings times twice as seldom each time when they fail.
	urlEvery        = 3 * time.Second
	othersDoublings = 5
	// fileEvery is how often a file is polled, in case the system has not reported a change.
	fileEvery = 5 * time.Second
	// fileQuiet is how long a file must have been left alone before it is read: programs write in
	// pieces. It is read after fileBusy in any case.
	fileQuiet = 10 * time.Millisecond
	fileBusy  = 200 * time.Millisecond
	// embargoPatience bounds how long a source with an item under embargo is left alone. The timers of a suspended
	// machine stand still, and its clock can be set.
	embargoPatience = time.Minute
)

// sourceWatch publishes what is new in the source of a publication.
type sourceWatch struct {
	*publication
	reader  *reader
	changes *fileWatch
	due     *time.Timer // rings again when an embargo ends
}

func newSourceWatch(c *publication) *sourceWatch {
	return &sourceWatch{publication: c, reader: c.publisher.readerOf(c.third), changes: c.publisher.changes}
}

// watch publishes what is new in the source whenever that changes, until ctx ends.
func (s *sourceWatch) watch(ctx context.Context) {
	if haltOf(ctx, s.publisher.settings, s.topic) != nil {
		return // until restart
	}
	s.order.Wait()
	if isWeb(s.watched) {
		s.watchURL(ctx)
		return
	}
	defer s.changes.add(s.watched, s.again)()
	var was os.FileInfo
	for ctx.Err() == nil {
		again := s.again.Wait() // before the check
		info, err := os.Stat(s.watched)
		if err != nil {
			s.note(&s.unread, err)
		} else if was == nil || !info.ModTime().Equal(was.ModTime()) || info.Size() != was.Size() {
			if s.publishSource(ctx) {
				was = info
			}
		}
		select {
		case <-ctx.Done():
		case <-again:
			s.settle(ctx)
			was = nil
		case <-time.After(fileEvery):
		}
	}
}

// settle waits until a file is left alone.
func (s *sourceWatch) settle(ctx context.Context) {
	busy := time.After(fileBusy)
	for {
		again := s.again.Wait()
		select {
		case <-again:
		case <-time.After(fileQuiet):
			return
		case <-busy:
			return
		case <-ctx.Done():
			return
		}
	}
}

// publishSource publishes what is new in the source, and reports whether it could be read.
func (s *sourceWatch) publishSource(ctx context.Context) bool {
	doc, err := s.reader.read(ctx, s.watched)
	if err == nil {
		err = s.publishDocument(ctx, doc)
	}
	s.noteSource(ctx, err)
	return err == nil
}

func (s *sourceWatch) publishDocument(ctx context.Context, doc *feed.Document) error {
	before := time.Now() // an embargo that ends while the document is numbered may have kept its item back
	issued, err := s.number(ctx, doc, isWhole(doc))
	if err == nil && len(issued.Items) > 0 {
		s.fresh.Ring()
	}
	s.awaitEmbargo(doc, before)
	return err
}

// awaitEmbargo plans the next poll of the source for the time when the first of its embargoed items may be published.
func (s *sourceWatch) awaitEmbargo(doc *feed.Document, before time.Time) {
	if s.due != nil {
		s.due.Stop()
		s.due = nil
	}
	if _, due := unembargoed(doc, before); !due.IsZero() {
		s.due = time.AfterFunc(min(time.Until(due), embargoPatience), s.again.Ring)
	}
}

func (s *sourceWatch) noteSource(ctx context.Context, err error) {
	if ctx.Err() == nil {
		s.note(&s.unread, err)
	}
}

// pause returns how long to leave a server alone after an answer. failures is how many in a row have failed.
func (s *sourceWatch) pause(err error, failures int) time.Duration {
	if !s.third {
		return urlEvery
	}
	wait := s.publisher.config.Interval << min(failures, othersDoublings)
	if refused := (*fetch.StatusError)(nil); errors.As(err, &refused) {
		wait = max(wait, refused.After)
	}
	return wait
}

// watchURL asks the server that has the source, a publisher's own every urlEvery.
func (s *sourceWatch) watchURL(ctx context.Context) {
	ask := fetch.Request{URL: s.watched}
	var sum [32]byte
	for failures := 0; ctx.Err() == nil; {
		again := s.again.Wait()
		res, err := s.reader.client.Fetch(ctx, ask)
		if err == nil && res.Status != http.StatusNotModified {
			if now := res.Sum(); now != sum {
				if err = s.publishResponse(ctx, res); err == nil {
					sum = now
				}
			}
			if err == nil {
				ask.ETag, ask.LastModified, ask.ValidFor = res.ETag, res.LastModified, res.URL
			}
		}
		s.noteSource(ctx, err)
		if failures++; err == nil {
			failures = 0
		}
		select {
		case <-ctx.Done():
		case <-again:
			ask, sum = fetch.Request{URL: s.watched}, [32]byte{} // though it is as it was
		case <-time.After(s.pause(err, failures)):
		}
	}
}

func (s *sourceWatch) publishResponse(ctx context.Context, res *fetch.Response) error {
	doc, err := s.reader.parse(s.watched, res.Body, res.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	return s.publishDocument(ctx, doc)
}
