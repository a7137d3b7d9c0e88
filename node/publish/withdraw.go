package publish

import (
	"context"
	"errors"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/source/changeset"
	"tidings/store"
)

// withdrawnAtOnce is how many published items are read at a time to find those that one takes back.
const withdrawnAtOnce = 256

// errLocked says that what an item takes back is to be signed, and the key cannot be used.
var errLocked = errors.New("the archive keeps what was taken back until the key of the publication can be used")

// Withdrawals returns which earlier items an item takes back that was published here: the versions of a news item
// that its agency kills. Where the topic's key was replaced, nobody can sign that any more: then it is none.
func (p *Publisher) Withdrawals(ctx context.Context, published store.PublishedItem) (back []*feedtree.Withdrawal, err error) {
	topic := engine.ID(published.Topic)
	guid, kills := p.guidOf(published.Item)
	c := p.onTopic(topic)
	if !kills || c == nil || published.Number < 2 {
		return nil, nil
	}
	private, err := c.sign()
	if err != nil {
		return nil, errors.Join(errLocked, err)
	}
	for from := uint64(1); from < published.Number; {
		items, err := p.store.Published(ctx, topic, from, published.Number-1, withdrawnAtOnce)
		if err != nil || len(items) == 0 {
			return back, err
		}
		for _, item := range items {
			if earlier, killed := p.guidOf(item.Item); earlier == guid && !killed {
				w := &feedtree.Withdrawal{Number: item.Number}
				w.Sign(topic, private)
				back = append(back, w)
			}
			from = item.Number + 1
		}
	}
	return back, nil
}

// guidOf returns what identifies the news item that a published item is, and whether it was taken back; "" if it is
// none.
func (p *Publisher) guidOf(bytes []byte) (guid string, withdrawn bool) {
	var item feedtree.Item
	if item.UnmarshalBinary(bytes) != nil {
		return "", false
	}
	entry, err := changeset.Decode(item.Entry, p.config.Feed)
	if err != nil {
		return "", false
	}
	f, err := entry.Entries(nil, p.config.Feed)
	if err != nil || len(f.Items) != 1 || f.Items[0].News == nil {
		return "", false
	}
	n := f.Items[0].News
	return n.GUID, n.GUID != "" && n.Withdrawn()
}
