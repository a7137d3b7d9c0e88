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
	// restless is how many changes in a row, at every look, cast doubt on a page again;
	// and twice as many once more, and so on.
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
	if version > 0 && k.print(doc) == k.mem.accepted {
		return res, nil // the version's own lines may still hold what was learned to be noise since
	}
	if version > 0 && k.mem.accepted != 0 {
		if ticked, err := k.ticked(ctx, res, doc); ticked || err != nil {
			return res, err
		}
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
	row := k.mem.origin.Changes
	doubtful := row >= restless && row&(row-1) == 0
	return k.mem.steady >= steadyEnough && !doubtful && !k.mem.comesBack(k.print(doc))
}

// ticked reports whether all that differs from the latest version, which the look before
// this one found, is that clocks on the page have gone on; then they are learned as noise.
func (k *look) ticked(ctx context.Context, res *fetch.Response, doc page.Document) (bool, error) {
	if k.Last.Outcome != tidings.OutcomeChanged || k.Last.At.IsZero() {
		return false, nil
	}
	before, ok, err := k.before(ctx)
	if !ok || err != nil || !page.OnlyClocks(before, doc, k.at.Sub(k.Last.At), k.at) {
		return false, err
	}
	more, err := page.Learn(before, doc)
	if err != nil {
		return false, nil // too much differs to be learned; it is told
	}
	known := k.noise
	same, err := k.without(ctx, known.Merge(more), res)
	if !same {
		k.noise, k.result.Noise, k.page = known, nil, &doc
	}
	return same, err
}

// before returns the document of the latest version as it reads now; false if it is not
// kept, or cannot be read any more.
func (k *look) before(ctx context.Context) (page.Document, bool, error) {
	raw, contentType, err := k.Library.Document(ctx, k.URL)
	if err != nil || raw == nil {
		return page.Document{}, false, err
	}
	doc, err := page.Extract(raw, contentType, k.Origin(), k.Options, k.noise, k.Looker.Page)
	return doc, err == nil, nil
}

// without takes noise for what is known of the page, and reports whether res says the
// same as the latest version without it.
func (k *look) without(ctx context.Context, noise page.Noise, res *fetch.Response) (bool, error) {
	k.noise = noise
	k.result.Noise = []byte(noise.Encode())
	doc, ok := k.extract(res)
	if !ok {
		return true, nil
	}
	k.page = &doc
	return k.sameWithoutNoise(ctx, doc)
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
	k.mem.accept(k.print(doc))
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
		if k.print(again) == k.mem.accepted {
			return next, again, false, nil
		}
		if k.print(again) == k.print(doc) {
			break
		}
		if !k.mem.unordered && slices.Equal(sorted(again.Lines), sorted(doc.Lines)) {
			// The origin shuffles: from now on the order of lines says nothing.
			k.mem.unordered = true
			before, ok, err := k.before(ctx)
			if ok {
				k.mem.accept(k.print(before))
			}
			if err != nil || ok && k.print(again) == k.mem.accepted {
				return next, again, false, err
			}
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
		k.result.Health = tidings.HealthNoisy
		return res, doc, true, nil
	}
	same, err := k.without(ctx, noise, res)
	if !same && len(k.Noise) > 0 { // it was learned before, and did not do
		k.result.Health = tidings.HealthNoisy
	}
	if k.page != nil {
		doc = *k.page
	}
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
	before, ok, err := k.before(ctx)
	if !ok || err != nil || k.print(before) != k.print(doc) {
		return false, err
	}
	k.mem.accept(k.print(doc))
	return true, nil
}

// print returns a fingerprint of what a page says.
func (k *look) print(doc page.Document) uint64 {
	if k.mem.unordered {
		return linesPrint(sorted(doc.Lines))
	}
	return linesPrint(doc.Lines)
}

func sorted(lines []string) []string { return slices.Sorted(slices.Values(lines)) }

// linesPrint returns a fingerprint of lines; never 0.
func linesPrint(lines []string) uint64 {
	h := sha256.New()
	for _, line := range lines {
		h.Write([]byte(line))
		h.Write([]byte{'\n'})
	}
	return max(binary.BigEndian.Uint64(h.Sum(nil)), 1)
}
