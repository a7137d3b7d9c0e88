package publish

import (
	"context"
	"errors"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/source/changeset"
	"tidings/store/published"
)

// withdrawnAtOnce is how many published items are read at a time to find those that one withdraws.
const withdrawnAtOnce = 256

// errLocked says that what an item withdraws is to be signed, and the key cannot be used.
var errLocked = errors.New("the archive keeps what was withdrawn until the key of the publication can be used")

// Withdrawals returns which earlier items an item that was published here withdraws: the versions of a news item that
// its agency kills. If the topic's key was replaced, that cannot be signed any more: then it is none.
func (p *Publisher) Withdrawals(_ context.Context, kill published.Item) (back []*feedtree.Withdrawal, err error) {
	topic := engine.ID(kill.Topic)
	var item feedtree.Item
	c := p.onTopic(topic)
	if c == nil || item.UnmarshalBinary(kill.Signed) != nil || len(item.Withdraws()) == 0 {
		return nil, nil
	}
	private, err := c.sign()
	if err != nil {
		return nil, errors.Join(errLocked, err)
	}
	// also of those that an earlier key has signed: here they count as had then
	for _, number := range item.Withdraws() {
		w := &feedtree.Withdrawal{Number: number}
		w.Sign(topic, private)
		back = append(back, w)
	}
	return back, nil
}

// versions returns the numbers of the items of a publication that are versions of a news item, by its GUID. It includes
// those that were withdrawn before.
func (c *publication) versions(ctx context.Context, guid string) (numbers []uint64, err error) {
	for from := uint64(0); ; {
		items, err := c.publisher.store.ItemsOf(ctx, c.name.channel, c.name.key, from, withdrawnAtOnce)
		if err != nil || len(items) == 0 {
			return numbers, err
		}
		for _, item := range items {
			from = item.Number
			var signed feedtree.Item
			if signed.UnmarshalBinary(item.Signed) != nil {
				continue // it cannot be: it was signed here
			}
			switch n := c.publisher.newsOf(&signed); {
			case n == nil || n.GUID != guid:
			case n.Withdrawn():
				numbers = append(numbers, signed.Withdraws()...)
			default:
				numbers = append(numbers, item.Number)
			}
		}
	}
}

// newsOf returns the news item that a published item is; nil if it is none.
func (p *Publisher) newsOf(item *feedtree.Item) *tidings.News {
	entry, err := changeset.Decode(item.Content(), p.config.Feed)
	if err != nil {
		return nil
	}
	f, err := entry.Entries(nil, p.config.Feed)
	if err != nil || len(f.Items) != 1 {
		return nil
	}
	return f.Items[0].News
}

// renumbered returns an entry that withdraws items by their current numbers, if they were renumbered.
func renumbered(item *feedtree.Item, now map[uint64]uint64) []byte {
	numbers := item.Withdraws()
	for i, number := range numbers {
		if other, changed := now[number]; changed {
			numbers[i] = other
		}
	}
	return feedtree.Withdrawing(numbers, item.Content())
}
