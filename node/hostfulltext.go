package node

import (
	"context"
	"fmt"
	"net/http"

	"tidings"
	"tidings/node/fulltext"
	"tidings/source/fetch"
	"tidings/store"
)

// newFullText returns what reads the pages that items link to.
func (n *Node) newFullText() (*fulltext.Reader, error) {
	return fulltext.New(fulltext.Config{
		Store: store.NewFullTexts(n.store), Stored: n.Wake, Log: n.log,
		Fetch: func(ctx context.Context, address string, private bool) (*fetch.Response, error) {
			ask := n.origins.FetchGuest
			if private {
				ask = n.origins.Fetch
			}
			res, err := ask(ctx, fetch.Request{URL: address})
			if err == nil && res.Status != http.StatusOK {
				return nil, fmt.Errorf("an answer without a page: %w", &fetch.StatusError{Status: res.Status})
			}
			return res, err
		},
	})
}

// FetchFullText requests the full text of an entry's item for an account. It returns the entry with the text, or with
// the reason why there is none. After fulltext.Patience it returns the entry as it is then. With again it is read
// though it is there.
func (n *Node) FetchFullText(ctx context.Context, account tidings.AccountID, entry int64,
	again bool) (tidings.Entry, error) {
	e, err := n.store.Reader.Entry(ctx, account, entry)
	if err != nil {
		return e, err
	}
	if e.Kind != tidings.KindFeed {
		return e, tidings.Invalidf("a page has no other text than what is shown")
	}
	waiting, cancel := context.WithTimeout(ctx, fulltext.Patience)
	defer cancel()
	if err := n.fullText.Ask(waiting, account, e.Item, again); err != nil && waiting.Err() == nil {
		return e, err
	}
	return n.store.Reader.Entry(ctx, account, entry)
}
