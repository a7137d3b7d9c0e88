package source

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"tidings"
	"tidings/source/condition"
	"tidings/source/delta"
	"tidings/source/fetch"
	"tidings/source/page"
)

// What proves that a page holds still.
const (
	// steadyEnough is how many changes must have held still when fetched again before a
	// page's changes are believed at once.
	steadyEnough = 2
	// restless is how many changes in a row, at every poll, cast doubt on a page again;
	// and twice as many once more, and so on.
	restless = 4
)

// readPage compares a page with its latest version. A new title alone is no version: it becomes the channel's, and
// nobody is notified of it.
func (k *poll) readPage(ctx context.Context, res *fetch.Response) (*fetch.Response, error) {
	res, err := k.comparePage(ctx, res)
	if err != nil || k.result.Change != nil || k.page == nil || k.reading.Unreadable != nil || k.page.Title == "" ||
		k.page.Title == k.Title {
		return res, err
	}
	lines, hash, version, err := k.Library.Lines(ctx, k.URL)
	if err != nil || version == 0 {
		return res, err
	}
	k.found(&tidings.Change{Kind: tidings.KindPage, Title: k.page.Title, Lines: lines, BaseHash: hash, Hash: hash}, res)
	return res, nil
}

// comparePage compares a page with its latest version. If the page has not yet proved to hold still, it is fetched
// again at once. So what differs between fetches close together is learned as noise, and not reported as news.
func (k *poll) comparePage(ctx context.Context, res *fetch.Response) (*fetch.Response, error) {
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
	// What a page states for programs is no noise: a change of that is reported at once.
	priced := k.Options.Prices && doc.HasOtherOffers(lines) && !k.mem.comesBack(k.print(doc))
	if version > 0 && k.mem.accepted != 0 && !priced {
		if ticked, err := k.ticked(ctx, res, doc); ticked || err != nil {
			return res, err
		}
	}
	if version > 0 && k.mem.accepted != 0 && !priced && !k.trusted(doc) {
		var changed bool
		if res, doc, changed, err = k.settleDown(ctx, res, doc); err != nil || !changed {
			return res, err
		}
	}
	k.pageFound(res, lines, hash, doc)
	return res, nil
}

// maxSuspect is how many polls in a row may find a suspected stand-in for the page. After that it is the page.
const maxSuspect = 5

type suspect string

func (s suspect) Error() string { return string(s) + " stands in place of the page" }

// trusted reports whether a change can be reported without fetching again.
func (k *poll) trusted(doc page.Document) bool {
	row := k.mem.origin.Changes
	doubtful := row >= restless && row&(row-1) == 0
	return k.mem.steady >= steadyEnough && !doubtful && !k.mem.comesBack(k.print(doc))
}

// extract reads a response as lines, or says why it cannot be.
func (k *poll) extract(res *fetch.Response) (page.Document, bool) {
	doc, err := page.Extract(res.Body, res.Header.Get("Content-Type"), res.URL, k.Options, k.noise, k.Poller.Page)
	if err != nil {
		k.reading.Unreadable = err
		return doc, false
	}
	return doc, true
}

// pageFound makes a change of doc if it differs from the lines of the latest version.
func (k *poll) pageFound(res *fetch.Response, lines []string, hash string, doc page.Document) {
	k.mem.accept(k.print(doc))
	if hash != "" && slices.Equal(lines, doc.Lines) {
		return
	}
	k.reading.Changed = true
	// Conditions that cannot be read any more are as none.
	conditions, _ := condition.ParseAll(k.Options.NotifyIf)
	k.found(&tidings.Change{
		Kind: tidings.KindPage, Title: doc.Title, Icon: page.IconOf(res.Body, res.URL),
		Quiet: hash != "" && !condition.AnyMet(conditions, lines, doc.Lines),
		Lines: doc.Lines, Delta: delta.Compute(lines, doc.Lines).String(),
		BaseHash: hash, Hash: delta.Hash(doc.Lines),
		Raw: res.Body, RawType: res.Header.Get("Content-Type"),
	}, res)
	k.mem.found = k.at
}

// before returns the document of the latest version as it reads now; false if it is not
// kept, or cannot be read any more.
func (k *poll) before(ctx context.Context) (page.Document, bool, error) {
	raw, contentType, err := k.Library.Document(ctx, k.URL)
	if err != nil || raw == nil {
		return page.Document{}, false, err
	}
	doc, err := page.Extract(raw, contentType, k.Origin(), k.Options, k.noise, k.Poller.Page)
	return doc, err == nil, nil
}

// print returns a fingerprint of what a page says.
func (k *poll) print(doc page.Document) uint64 {
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
