// Package origins asks the origins of channels for documents: for people here, and for other nodes. It remembers which
// hosts asked to be left alone, and compares this machine's clock with theirs.
package origins

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"tidings/source/fetch"
	"tidings/store/db"
	"tidings/view"
)

// patienceSetting is where the store keeps which hosts asked to be left alone.
const patienceSetting = "patience"

// Origins are asked by two clients if private addresses are open to this node's people: other nodes cannot cause
// requests there.
type Origins struct {
	settings    *db.DB
	own, guests *fetch.Client // the same where there is one alone
	clocks      clocks
}

// Open returns origins that are asked as c says. Which hosts asked to be left alone before the node last stopped is
// known.
func Open(ctx context.Context, s *db.DB, c fetch.Config) (*Origins, error) {
	text, err := s.Setting(ctx, patienceSetting)
	if err != nil {
		return nil, err
	}
	if text != "" {
		if err := json.Unmarshal([]byte(text), &c.Patience); err != nil {
			return nil, fmt.Errorf("reading which hosts asked for patience: %w", err)
		}
	}
	o := &Origins{settings: s}
	if o.own, err = fetch.New(c); err != nil {
		return nil, err
	}
	o.guests = o.own
	if c.AllowPrivate && !c.Lab {
		c.AllowPrivate, c.Patience = false, nil
		if o.guests, err = fetch.New(c); err != nil {
			return nil, errors.Join(err, o.own.Close())
		}
	}
	return o, nil
}

// Fetch asks for a document for people here. Its errors are those of fetch.Client.
func (o *Origins) Fetch(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	return o.fetch(ctx, o.own, r)
}

// FetchGuest asks for a document for other nodes, as Fetch does.
func (o *Origins) FetchGuest(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	return o.fetch(ctx, o.guests, r)
}

func (o *Origins) fetch(ctx context.Context, client *fetch.Client, r fetch.Request) (*fetch.Response, error) {
	res, err := client.Fetch(ctx, r)
	if err == nil {
		o.clocks.note(res, time.Now())
	}
	return res, err
}

// Clock returns by how much this machine's clock is ahead of most origins'.
func (o *Origins) Clock() view.Clock { return o.clocks.median() }

// Save keeps which hosts asked people here to be left alone, for the next start.
func (o *Origins) Save(ctx context.Context) error {
	text, err := json.Marshal(o.own.Patience())
	if err != nil {
		return fmt.Errorf("writing which hosts asked for patience: %w", err)
	}
	return o.settings.SetSetting(ctx, patienceSetting, string(text))
}

// Close ends what Open began.
func (o *Origins) Close() error {
	if o.guests != o.own {
		return errors.Join(o.guests.Close(), o.own.Close())
	}
	return o.own.Close()
}
