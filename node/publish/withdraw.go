package publish

import (
	"context"
	"errors"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/source/changeset"
	"tidings/store/published"
)

// withdrawnAtOnce is how many published items are read at a time to find those that one takes back.
const withdrawnAtOnce = 256

// errLocked says that what an item takes back is to be signed, and the key cannot be used.
var errLocked = errors.New("the archive keeps what was taken back until the key of the publication can be used")

// Withdrawals returns which earlier items an item takes back that was published here: the versions of a news item
// that its agency kills. Where the topic's key was replaced, nobody can sign that any more: then it is none.
func (p *Publisher) Withdrawals(ctx context.Context, item published.Item) (back []*feedtree.Withdrawal, err error) {
	topic := engine.ID(item.Topic)
	guid, kills := p.guidOf(item.Signed)
	c := p.onTopic(topic)
	if !kills || c == nil || item.Number < 2 {
		return nil, nil
	}
	private, err := c.sign()
	if err != nil {
		return nil, errors.Join(errLocked, err)
	}
	for from := uint64(1); from < item.Number; {
		items, err := p.store.Items(ctx, topic, from, item.Number-1, withdrawnAtOnce)
		if err != nil || len(items) == 0 {
			return back, err
		}
		for _, before := range items {
			if earlier, killed := p.guidOf(before.Signed); earlier == guid && !killed {
				w := &feedtree.Withdrawal{Number: before.Number}
				w.Sign(topic, private)
				back = append(back, w)
			}
			from = before.Number + 1
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
