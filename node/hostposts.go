package node

import (
	"context"

	"tidings"
	"tidings/node/posted"
	"tidings/source/feed"
	"tidings/store"
)

// newPosts makes what puts items into the channels that people's own programs fill.
func (n *Node) newPosts() *posted.Posts {
	return posted.New(postsStore{n.store}, queriesHost{n}.Record, feed.Default(), n.id)
}

// postsStore is the store as package posted sees it.
type postsStore struct{ *store.Store }

func (s postsStore) Secret(ctx context.Context, account tidings.AccountID) ([]byte, error) {
	return s.Reader.Secret(ctx, account)
}

func (s postsStore) Followed(ctx context.Context, kinds ...tidings.Kind) ([]string, error) {
	return s.Content.Followed(ctx, kinds...)
}

func (s postsStore) KnownLike(ctx context.Context, channel string,
	marks []tidings.ItemIdentity) ([]tidings.KnownItem, int64, error) {
	return s.Content.KnownLike(ctx, channel, marks)
}
