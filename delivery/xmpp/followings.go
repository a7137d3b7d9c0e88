package xmpp

import (
	"context"
	"log/slog"
	"time"

	"tidings"
	"tidings/delivery/xmpp/stream"
)

// Shared is what a bot needs of its node where nodes share the account.
type Shared interface {
	// Note returns what has changed of an address since it was noted last, and notes it.
	Note(ctx context.Context, address string) ([]tidings.Following, error)

	// Followings lists what is noted, in order, after a place: at most so many.
	Followings(ctx context.Context, after tidings.FollowingCursor, most int) ([]tidings.Following, error)

	// Merge does here what was changed at another node, where that is later than what is noted.
	Merge(ctx context.Context, all []tidings.Following, most int) error
}

// followings exchanges with other nodes what addresses follow.
type followings struct {
	directory Shared
	most      int // subscriptions of an address
	log       *slog.Logger
}

// page returns the rows after a place that the request of another node names, as the answer.
func (f followings) page(ctx context.Context, asked *stream.Element) (*stream.Element, error) {
	after := tidings.FollowingCursor{Address: asked.Get("address"), Channel: asked.Get("channel")}
	rows, err := f.directory.Followings(ctx, after, followingsPage)
	if err != nil {
		return nil, err
	}
	rows = rows[:fit(rows)]
	answer := followingsElement(rows)
	if len(rows) > 0 {
		answer.Attributes = cursorOf(rows[len(rows)-1])
	}
	return answer, nil
}

func cursorOf(f tidings.Following) map[string]string {
	if f.Forgotten != "" {
		return map[string]string{"channel": f.Forgotten}
	}
	return map[string]string{"address": f.Address, "channel": f.Channel}
}

// merge does here what rows of another node say.
func (f followings) merge(ctx context.Context, rows *stream.Element) error {
	err := f.directory.Merge(ctx, readFollowings(rows, time.Now()), f.most)
	if err != nil && ctx.Err() == nil {
		f.log.Warn("what addresses of XMPP follow by another node was not stored", "error", err)
	}
	return err
}

// pull learns page by page what addresses follow by another node, which ask asks for what comes after a place. It ends
// with the last page, with one that leads back, or with an error of ask.
func (f followings) pull(ctx context.Context, ask func(after *stream.Element) (*stream.Element, error)) error {
	var after tidings.FollowingCursor
	for {
		answer, err := ask(stream.New(nsAccount, "followings", "address", after.Address, "channel", after.Channel))
		if err != nil {
			return err
		}
		_ = f.merge(ctx, answer) // what is not stored is pulled again
		next := tidings.FollowingCursor{Address: answer.Get("address"), Channel: answer.Get("channel")}
		if next.Address < after.Address || next.Address == after.Address && next.Channel <= after.Channel {
			return nil
		}
		after = next
	}
}

// changed notes what a command of an address has changed, and returns it in pages for other nodes.
func (f followings) changed(ctx context.Context, address string) (pages []*stream.Element) {
	rows, err := f.directory.Note(ctx, address)
	if err != nil {
		f.log.Warn("what an address of XMPP follows was not noted for other nodes", "error", err)
	}
	for len(rows) > 0 {
		n := fit(rows)
		pages = append(pages, followingsElement(rows[:n]))
		rows = rows[n:]
	}
	return pages
}
