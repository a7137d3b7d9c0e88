package publish

import (
	"context"

	"tidings"
	"tidings/store/db"
	"tidings/store/published"
	"tidings/view"
)

// Alone is the publisher of a node that is set to work alone. It publishes nothing, but its earlier publications can be
// listed and stopped.
type Alone struct {
	Store    *published.Store
	Settings *db.DB
}

var errAlone = tidings.WithHint(tidings.Invalidf("the node works alone, so it cannot publish"),
	"start it without --no-network")

// Publish returns tidings.ErrInvalid.
func (Alone) Publish(context.Context, view.PublishOrder) (i view.Issued, err error) {
	return i, errAlone
}

// PublishEntry returns tidings.ErrInvalid.
func (Alone) PublishEntry(context.Context, string, string, tidings.PublishedEntry) (i view.Issued, err error) {
	return i, errAlone
}

// Publications lists what was published.
func (a Alone) Publications(ctx context.Context) ([]view.Publication, error) {
	return list(ctx, a.Store, func(kept published.Publication) view.Publication {
		d := describe(kept)
		d.Trouble = errAlone.Error()
		return d
	})
}

// StopPublishing ends the publications of a channel, without a message to other nodes.
func (a Alone) StopPublishing(ctx context.Context, channel string) error {
	_, err := stop(ctx, a.Store, channel)
	return err
}
