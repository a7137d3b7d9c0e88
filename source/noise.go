package source

import (
	"context"
	"slices"

	"tidings"
	"tidings/source/fetch"
	"tidings/source/page"
)

// ticked reports whether all that differs from the latest version is that clocks on the
// page have gone on; then they are learned as noise.
func (k *poll) ticked(ctx context.Context, res *fetch.Response, doc page.Document) (bool, error) {
	if k.mem.found.IsZero() {
		return false, nil
	}
	before, ok, err := k.before(ctx)
	if !ok || err != nil || !page.OnlyClocks(before, doc, k.at.Sub(k.mem.found), k.at) {
		return false, err
	}
	more, err := page.Learn(before, doc)
	if err != nil {
		return false, nil // too much differs to be learned; it is reported
	}
	known := k.noise
	same, err := k.without(ctx, known.Merge(more), res)
	if !same {
		k.noise, k.result.Noise, k.page = known, nil, &doc
	}
	return same, err
}

// without adopts noise as what is known of the page. It reports whether res, without that noise, says the same as the
// latest version.
func (k *poll) without(ctx context.Context, noise page.Noise, res *fetch.Response) (bool, error) {
	k.noise = noise
	k.result.Noise = []byte(noise.Encode())
	doc, ok := k.extract(res)
	if !ok {
		return true, nil
	}
	k.page = &doc
	return k.sameWithoutNoise(ctx, doc)
}

// settleDown fetches a changed page again, learns what differs from fetch to fetch, and returns the newest document
// without that. changed is false if nothing else has changed since the latest version. It is false, too, if that
// version is still served alternately. Then its own response is returned, so that the other is read again at the next
// poll.
func (k *poll) settleDown(ctx context.Context, res *fetch.Response,
	doc page.Document) (_ *fetch.Response, _ page.Document, changed bool, err error) {
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
		if only, err := k.onlyShuffled(ctx, doc, again); only || err != nil {
			return next, again, false, err
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

// onlyShuffled notices that an origin serves the lines of a page in a random order. From then on the order means
// nothing. It reports whether a and b, two fetches close together, differ from the latest version in the order alone.
func (k *poll) onlyShuffled(ctx context.Context, a, b page.Document) (bool, error) {
	if k.mem.unordered || !slices.Equal(sorted(a.Lines), sorted(b.Lines)) {
		return false, nil
	}
	k.mem.unordered = true
	before, ok, err := k.before(ctx)
	if !ok || err != nil {
		return false, err
	}
	k.mem.accept(k.print(before))
	return k.print(b) == k.mem.accepted, nil
}

// learn returns the noise without which three fetches of a page, made close together, say the same.
func (k *poll) learn(docs []page.Document, bodies []*fetch.Response) (page.Noise, bool) {
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

// sameWithoutNoise reports whether the document of the latest version and doc say the same, without what is known as
// noise.
func (k *poll) sameWithoutNoise(ctx context.Context, doc page.Document) (bool, error) {
	before, ok, err := k.before(ctx)
	if !ok || err != nil || k.print(before) != k.print(doc) {
		return false, err
	}
	k.mem.accept(k.print(doc))
	return true, nil
}
