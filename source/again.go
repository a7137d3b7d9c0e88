package source

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"net/http"
	"slices"
	"time"

	"tidings"
	"tidings/source/delta"
	"tidings/source/fetch"
	"tidings/source/page"
)

const (
	// maxAgain bounds how often a document that changed is fetched again within a look.
	maxAgain = 2
	// steadyEnough is how many changes must have held still when fetched again before a
	// page's changes are believed at once.
	steadyEnough = 2
	// restless is how many changes in a row, at every look, cast doubt on a page again.
	restless = 4
)

// readPage compares a page with its latest version. A page that has not yet proved to
// hold still is fetched again at once, so that what differs between fetches close
// together is learned as noise instead of being told as news.
func (k *look) readPage(ctx context.Context, res *fetch.Response) (*fetch.Response, error) {
	doc, ok := k.extract(res)
	if !ok {
		return res, nil
	}
	lines, hash, version, err := k.Library.Lines(ctx, k.URL)
	if err != nil {
		return res, err
	}
	if reason := page.SuspectReplaced(lines, doc); reason != "" && k.mem.origin.Failures < maxSuspect {
		k.reading.Unreadable = suspect(reason)
		return res, nil
	}
	k.page = &doc
	k.reading.Kind = tidings.KindPage
	if version > 0 && linesPrint(doc.Lines) == k.mem.accepted {
		return res, nil // the version's own lines may still hold what was learned to be noise since
	}
	if version > 0 && k.mem.accepted != 0 && !k.trusted(doc) {
		var changed bool
		if res, doc, changed, err = k.settleDown(ctx, res, doc); err != nil || !changed {
			return res, err
		}
	}
	k.pageFound(res, lines, hash, doc)
	return res, nil
}

// maxSuspect is how many looks in a row a document may be taken for something that
// stands in the page's place. After that it is what the page is now.
const maxSuspect = 5

type suspect string

func (s suspect) Error() string { return string(s) + " stands in place of the page" }

// trusted reports whether a change can be told without fetching again.
func (k *look) trusted(doc page.Document) bool {
	return k.mem.steady >= steadyEnough && k.mem.origin.Changes < restless && !k.mem.comesBack(linesPrint(doc.Lines))
}

// extract reads a response as lines, or says why it cannot be.
func (k *look) extract(res *fetch.Response) (page.Document, bool) {
	doc, err := page.Extract(res.Body, res.Header.Get("Content-Type"), res.URL, k.Options, k.noise, k.Looker.Page)
	if err != nil {
		k.reading.Unreadable = err
		return doc, false
	}
	return doc, true
}

// pageFound makes a finding of doc if it differs from the lines of the latest version.
func (k *look) pageFound(res *fetch.Response, lines []string, hash string, doc page.Document) {
	k.mem.accept(linesPrint(doc.Lines))
	if hash != "" && slices.Equal(lines, doc.Lines) {
		return
	}
	k.reading.Changed = true
	k.found(&tidings.Finding{
		Kind: tidings.KindPage, Title: doc.Title,
		Lines: doc.Lines, Delta: delta.Compute(lines, doc.Lines).String(),
		BaseHash: hash, Hash: delta.Hash(doc.Lines),
		Raw: res.Body, RawType: res.Header.Get("Content-Type"),
	}, res)
}

// settleDown fetches a changed page again, learns what differs from fetch to fetch, and
// returns the newest document as it is without that. changed is false if nothing else
// has changed since the latest version, or if that version is still served by turns:
// then its own response is returned, so that the other is read again at the next look.
func (k *look) settleDown(ctx context.Context, res *fetch.Response, doc page.Document) (_ *fetch.Response, _ page.Document, changed bool, err error) {
	docs, bodies := []page.Document{doc}, []*fetch.Response{res}
	for range maxAgain {
		next, err := k.again(ctx, res)
		if err != nil {
			return res, doc, false, err
		}
		if next == nil {
			break
		}
		again, ok := k.extract(next)
		if !ok {
			k.reading.Unreadable = nil
			break
		}
		if linesPrint(again.Lines) == k.mem.accepted {
			return next, again, false, nil
		}
		if slices.Equal(again.Lines, doc.Lines) {
			break
		}
		res, doc = next, again
		docs, bodies = append(docs, again), append(bodies, next)
	}
	if len(docs) <= maxAgain {
		k.mem.steady = min(k.mem.steady+1, steadyEnough)
		return res, doc, true, nil
	}
	// It differed each time: what differs is noise.
	k.mem.steady = 0
	noise, ok := k.learn(docs, bodies)
	if !ok {
		return res, doc, true, nil
	}
	k.noise = noise
	k.result.Noise = []byte(noise.Encode())
	if doc, ok = k.extract(res); !ok {
		return res, doc, false, nil
	}
	k.page = &doc
	same, err := k.sameWithoutNoise(ctx, doc)
	return res, doc, !same, err
}

// again fetches a document once more, a moment later. It returns nil if that is as it
// was, or if nothing can be learned because the origin does not answer in time. The
// error is that of a look which is broken off.
func (k *look) again(ctx context.Context, res *fetch.Response) (*fetch.Response, error) {
	select {
	case <-ctx.Done():
		return nil, brokenOff(ctx)
	case <-time.After(k.Again):
	}
	next, err := k.fetch(ctx, fetch.Request{
		URL: k.Origin(), User: k.User, Password: k.Password,
		ETag: res.ETag, LastModified: res.LastModified, ValidFor: res.URL,
	})
	if err != nil || next.Status != http.StatusOK || next.Sum() == res.Sum() {
		return nil, brokenOff(ctx)
	}
	return next, nil
}

// brokenOff returns an error if a look is not to be finished: what it could not make sure
// of is no news then. A look that takes too long is finished with what it has.
func brokenOff(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return nil
}

// learn returns what makes three fetches of a page, taken close together, say the same.
func (k *look) learn(docs []page.Document, bodies []*fetch.Response) (page.Noise, bool) {
	noise := k.noise
	for i := 0; i+1 < len(bodies); i++ {
		if i > 0 { // with what the first two have taught
			k.noise = noise
			for j := range docs {
				var ok bool
				if docs[j], ok = k.extract(bodies[j]); !ok {
					k.reading.Unreadable = nil
					return noise, false
				}
			}
		}
		if slices.Equal(docs[i].Lines, docs[i+1].Lines) {
			continue
		}
		more, err := page.Learn(docs[i], docs[i+1])
		if err != nil {
			return noise, false
		}
		noise = noise.Merge(more)
	}
	return noise, true
}

// sameWithoutNoise reports whether the document of the latest version says the same as
// doc once what is known as noise is left out of both.
func (k *look) sameWithoutNoise(ctx context.Context, doc page.Document) (bool, error) {
	raw, contentType, err := k.Library.Document(ctx, k.URL)
	if err != nil || raw == nil {
		return false, err
	}
	before, err := page.Extract(raw, contentType, k.Origin(), k.Options, k.noise, k.Looker.Page)
	if err != nil || !slices.Equal(before.Lines, doc.Lines) {
		return false, nil // the document of an earlier version is no reason to fail
	}
	k.mem.accept(linesPrint(doc.Lines))
	return true, nil
}

// linesPrint returns a fingerprint of lines; never 0.
func linesPrint(lines []string) uint64 {
	h := sha256.New()
	for _, line := range lines {
		h.Write([]byte(line))
		h.Write([]byte{'\n'})
	}
	return max(binary.BigEndian.Uint64(h.Sum(nil)), 1)
}
