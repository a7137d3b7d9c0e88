package source

import (
	"context"
	"errors"
	"net/http"
	"time"

	"tidings/source/fetch"
)

// maxAgain bounds how often a document that changed is fetched again within a poll.
const maxAgain = 2

// again fetches a document once more, a moment later. It returns nil if the document is unchanged. It also does if
// nothing can be learned because the origin does not answer in time. The error is that of a poll that is broken off.
func (k *poll) again(ctx context.Context, res *fetch.Response) (*fetch.Response, error) {
	select {
	case <-ctx.Done():
		return nil, brokenOff(ctx)
	case <-time.After(k.Again):
	}
	etag, lastModified := res.Validators(k.at)
	next, err := k.fetch(ctx, fetch.Request{
		URL: k.Origin(), Access: k.access(),
		ETag: etag, LastModified: lastModified, ValidFor: res.URL,
	})
	if err != nil || next.Status != http.StatusOK || next.Sum() == res.Sum() {
		return nil, brokenOff(ctx)
	}
	return next, nil
}

// brokenOff returns an error if a poll is not to be finished: what it could not make sure
// of is no news then. A poll that lasts too long is finished with what it has.
func brokenOff(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return nil
}
