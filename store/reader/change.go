package reader

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tidings"
	"tidings/store/db"
)

// ValidateChange reports what of a change of an account's own settings cannot be stored.
func ValidateChange(c tidings.ChannelChange) error {
	for _, text := range []*string{c.Name, c.Folder} {
		if text == nil {
			continue
		}
		if err := ValidateName(*text, ""); err != nil {
			return err
		}
	}
	if c.Pictures != nil {
		return c.Pictures.Validate()
	}
	return nil
}

// Change changes what an account has set for itself of a channel that it follows.
func Change(t *db.Tx, account tidings.AccountID, channel int64, c tidings.ChannelChange) error {
	if c.Tags != nil {
		if err := SetTags(t, account, channel, *c.Tags); err != nil {
			return err
		}
	}
	if c.EditsAsItems != nil {
		if err := SetEdits(t, account, channel, *c.EditsAsItems); err != nil {
			return err
		}
	}
	if err := SetShown(t, account, channel, c.FullText, c.Pictures); err != nil {
		return err
	}
	return Rename(t, account, channel, c.Name, c.Folder)
}

// ChangeAll changes what an account has set for itself of several channels, in one transaction: all of it or nothing.
// It returns how many are different now. Channels that the account does not follow are passed over. A name, and what is
// not the account's own, is tidings.ErrInvalid.
func (s *Store) ChangeAll(ctx context.Context, account tidings.AccountID, urls []string,
	c tidings.ChannelChange) (changed int, err error) {
	if c.Name != nil || c.Privacy != nil || c.Access != nil || c.Options != nil {
		return 0, tidings.Invalidf("this cannot be changed for several channels at once")
	}
	if err := ValidateChange(c); err != nil {
		return 0, fmt.Errorf("changing %d channels: %w", len(urls), err)
	}
	err = s.db.Write(ctx, func(t *db.Tx) error {
		changed = 0
		for _, url := range urls {
			f, err := SubscriptionTo(t.Conn, account, url)
			if errors.Is(err, tidings.ErrNotFollowed) {
				continue
			}
			if err != nil {
				return err
			}
			channel, err := Followed(t.Conn, account, url)
			if err != nil {
				return err
			}
			if !alters(c, f) {
				continue
			}
			if err := Change(t, account, channel, c); err != nil {
				return &tidings.Failure{Op: "changing", Address: url, Err: err}
			}
			changed++
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return changed, nil
}

// alters reports whether a change makes a subscription different. How items are shown does not apply to pages.
func alters(c tidings.ChannelChange, f tidings.Subscription) bool {
	if c.Folder != nil && tidings.CleanFolder(*c.Folder) != f.Folder ||
		c.Tags != nil && !slices.Equal(c.Tags.Apply(f.Tags), f.Tags) {
		return true
	}
	return f.Kind != tidings.KindPage &&
		(c.EditsAsItems != nil && *c.EditsAsItems != f.EditsAsItems || c.FullText != nil && *c.FullText != f.FullText ||
			c.Pictures != nil && *c.Pictures != f.Pictures)
}
