package store

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/store/db"
	"tidings/store/reader"
)

func folderFeed(path string) tidings.FeedAddress {
	return tidings.FeedAddress{Selection: tidings.SelectFolder, Of: path}
}

// addFeedAddress adds one under a hash that begins with a number.
func addFeedAddress(s *Store, account tidings.AccountID, number byte) error {
	_, err := s.FeedAddresses.AddFeedAddress(context.Background(), [32]byte{number}, account, folderFeed("news"))
	return err
}

// What is stored of feed addresses is what a model has after any calls: each is found by its secret alone, and removed
// by its person alone.
func TestFeedAddressesModel(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	if err := s.Reader.SetPasswordHash(t.Context(), tidings.Owner, "hash"); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	accounts := []tidings.AccountID{tidings.Owner, addPerson(t, s, "ann", tidings.Reader)}
	type kept struct {
		account tidings.AccountID
		feed    tidings.FeedAddress
	}
	model := make(map[[32]byte]kept)
	random := rand.New(rand.NewPCG(1, 2))
	selections := []tidings.FeedAddress{
		{Selection: tidings.SelectRiver}, {Selection: tidings.SelectUnread, Name: "new"},
		{Selection: tidings.SelectStarred},
		folderFeed("news"), {Selection: tidings.SelectSearch, Of: "tea time"},
	}
	last := int64(0)
	for step := range 300 {
		clk.add(time.Duration(random.Int64N(int64(10 * time.Hour))))
		hash, account := [32]byte{byte(random.IntN(20))}, accounts[random.IntN(2)]
		has, is := model[hash]
		switch random.IntN(3) {
		case 0:
			f := selections[random.IntN(len(selections))]
			added, err := s.FeedAddresses.AddFeedAddress(ctx, hash, account, f)
			if (err != nil) != is {
				t.Fatalf("step %d: adding: %v, is there: %v", step, err, is)
			}
			if is {
				continue
			}
			if added.ID <= last || added.Selection != f.Selection || added.Of != f.Of || added.Name != f.Name ||
				!added.Used.IsZero() || clk.now().Sub(added.Created) > time.Second {
				t.Fatalf("step %d: added %+v after number %d", step, added, last)
			}
			last = added.ID
			model[hash] = kept{account, added}
		case 1:
			whose, f, err := s.FeedAddresses.FeedAddress(ctx, hash)
			if !is {
				mustErr(t, err, tidings.ErrNotFound)
				continue
			}
			if err != nil || whose != has.account || !reflect.DeepEqual(f, has.feed) {
				t.Fatalf("step %d: %d, %+v, error %v; want %+v", step, whose, f, err, has)
			}
			has.feed.Used = clk.now().UTC().Truncate(24 * time.Hour)
			model[hash] = has
		case 2:
			err := s.FeedAddresses.RemoveFeedAddress(ctx, account, has.feed.ID)
			if !is || has.account != account {
				mustErr(t, err, tidings.ErrNotFound)
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			delete(model, hash)
		}
		for _, account := range accounts {
			want := make(map[int64]tidings.FeedAddress)
			for _, k := range model {
				if k.account == account {
					want[k.feed.ID] = k.feed
				}
			}
			all := noError(s.FeedAddresses.FeedAddressesOf(ctx, account))
			if len(all) != len(want) {
				t.Fatalf("step %d: %d has %+v, want %+v", step, account, all, want)
			}
			for i, id := range slices.Sorted(maps.Keys(want)) {
				if fmt.Sprint(all[i].ID, all[i].Name, all[i].Selection, all[i].Of, all[i].Created.Unix(),
					all[i].Used.Unix()) !=
					fmt.Sprint(id, want[id].Name, want[id].Selection, want[id].Of, want[id].Created.Unix(),
						want[id].Used.Unix()) {
					t.Fatalf("step %d: %+v, want %+v", step, all[i], want[id])
				}
			}
		}
	}
}

// A feed address says what it is of, within bounds. A channel has to be one that its person follows.
func TestAddingFeedAddresses(t *testing.T) {
	t.Parallel()
	s := withOwner(t)
	ctx := t.Context()
	ann := addPerson(t, s, "ann", tidings.Reader)
	follow(t, s, "https://owners.example/")
	for name, c := range map[string]struct {
		account tidings.AccountID
		feed    tidings.FeedAddress
		want    error
	}{
		"of nothing":        {ann, tidings.FeedAddress{}, tidings.ErrInvalid},
		"of something else": {ann, tidings.FeedAddress{Selection: "king"}, tidings.ErrInvalid},
		"river of something": {ann, tidings.FeedAddress{Selection: tidings.SelectRiver, Of: "x"},
			tidings.ErrInvalid},
		"no folder":     {ann, folderFeed(" / "), tidings.ErrInvalid},
		"a long folder": {ann, folderFeed(strings.Repeat("x", 1025)), tidings.ErrInvalid},
		"no words": {ann, tidings.FeedAddress{Selection: tidings.SelectSearch, Of: ` "" `},
			tidings.ErrInvalid},
		"too many words": {ann,
			tidings.FeedAddress{Selection: tidings.SelectSearch, Of: strings.Repeat("x", 8193)}, tidings.ErrInvalid},
		"a long name": {ann,
			tidings.FeedAddress{Selection: tidings.SelectRiver, Name: strings.Repeat("x", 81)}, tidings.ErrInvalid},
		"a channel of another's": {ann,
			tidings.FeedAddress{Selection: tidings.SelectChannel, Of: "https://owners.example/"},
			tidings.ErrNotFollowed},
		"a channel that nobody has": {ann,
			tidings.FeedAddress{Selection: tidings.SelectChannel, Of: "https://nobodys.example/"},
			tidings.ErrNotFollowed},
		"one's own channel": {tidings.Owner,
			tidings.FeedAddress{Selection: tidings.SelectChannel, Of: "https://owners.example/"}, nil},
		"nobody's": {99, tidings.FeedAddress{Selection: tidings.SelectRiver}, tidings.ErrNotFound},
	} {
		_, err := s.FeedAddresses.AddFeedAddress(ctx, [32]byte{200, byte(len(name))}, c.account, c.feed)
		if c.want == nil && err != nil || c.want != nil {
			if c.want == nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			mustErr(t, err, c.want)
		}
	}
	for i := range tidings.MaxFeedAddresses {
		if err := addFeedAddress(s, ann, byte(i)); err != nil {
			t.Fatalf("address %d: %v", i, err)
		}
	}
	mustErr(t, addFeedAddress(s, ann, 150), tidings.ErrInvalid)
	if err := addFeedAddress(s, tidings.Owner, 151); err != nil {
		t.Errorf("another person's: %v", err)
	}
	first := noError(s.FeedAddresses.FeedAddressesOf(ctx, ann))[0]
	if err := s.FeedAddresses.RemoveFeedAddress(ctx, ann, first.ID); err != nil {
		t.Fatal(err)
	}
	if err := addFeedAddress(s, ann, 150); err != nil {
		t.Errorf("after one is removed: %v", err)
	}
}

// A feed of a folder follows it to its other name, and one of a channel to its other address.
func TestFeedAddressesFollowWhatTheyAreOf(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ctx := t.Context()
	const was, is = "https://was.example/", "https://is.example/"
	for _, url := range []string{was, is} {
		if _, _, err := s.Subscribe(ctx, tidings.Owner,
			Subscription{URL: url, Privacy: tidings.Public, Folder: "news"}); err != nil {
			t.Fatal(err)
		}
		publish(t, s, url, story{"1", "x"})
	}
	for i, f := range []tidings.FeedAddress{folderFeed("news"), folderFeed("other"),
		{Selection: tidings.SelectChannel, Of: was}} {
		if _, err := s.FeedAddresses.AddFeedAddress(ctx, [32]byte{byte(i)}, tidings.Owner, f); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.DB.Write(ctx, func(tx *db.Tx) error {
		all, err := reader.Folders(tx.Conn, tidings.Owner)
		if err != nil || len(all) != 1 {
			t.Fatalf("%+v, error %v", all, err)
		}
		_, _, err = reader.RenameFolder(tx, tidings.Owner, all[0].ID, "Renamed")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if merged, err := s.Merge(ctx, was, is); err != nil || !merged {
		t.Fatalf("merged: %v, error %v", merged, err)
	}
	var got []string
	for _, f := range noError(s.FeedAddresses.FeedAddressesOf(ctx, tidings.Owner)) {
		got = append(got, f.Of)
	}
	if want := []string{"Renamed", "other", is}; !slices.Equal(got, want) {
		t.Errorf("feeds of %q, want %q", got, want)
	}
	for path, want := range map[string]bool{"Renamed": true, "news": false, "Rename": false} {
		if got, err := s.FeedAddresses.HasFolder(ctx, tidings.Owner, path); err != nil || got != want {
			t.Errorf("folder %s: %v, error %v", path, got, err)
		}
	}
}
