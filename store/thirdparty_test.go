package store

import (
	"testing"
	"time"

	"tidings"
	"tidings/store/published"
)

// That a key is a third party's, and which one the feed's own has replaced, is kept with the pin.
func TestPinsOfThirdParties(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	p := pinned(t, s)
	for _, want := range []struct {
		third    bool
		replaced [32]byte
	}{{true, [32]byte{}}, {false, [32]byte{7}}, {false, [32]byte{}}} {
		p.ThirdParty, p.Replaced = want.third, want.replaced
		if err := s.Pushed.SetPin(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Pushed.PinOf(t.Context(), pinnedURL); err != nil || got != p {
			t.Errorf("%+v, want %+v (%v)", got, p, err)
		}
	}
}

// A third party's item is marked as such, wherever it is read, until the item's own publisher signs it.
func TestAPublishersWordReplacesAThirdPartys(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	pinned(t, s)
	publish(t, s, pinnedURL, story{"old", "x"})
	all := pushes(t, s, 5, story{"one", "short"})
	f := all[0].Change
	f.FoundBy, f.SignedBy, f.ThirdParty = "", "cd", true
	taken, err := pushAll(t.Context(), s, all...)
	if err != nil || taken[0].Update == nil || !taken[0].Update.ThirdParty {
		t.Fatalf("%+v, %v", taken, err)
	}
	latest := func() (tidings.Entry, tidings.Update) {
		t.Helper()
		e := river(t, s, tidings.EntryQuery{})[0]
		u, err := s.Reader.Update(t.Context(), tidings.Owner, e.Update)
		if err != nil {
			t.Fatal(err)
		}
		return e, u
	}
	if e, u := latest(); e.SignedBy != "cd" || !e.ThirdParty || u.SignedBy != "cd" || !u.ThirdParty {
		t.Errorf("%+v, %+v", e, u)
	}
	if taken := pushSigned(t, s, 6, "one", "short", "short"); taken.Update != nil {
		t.Errorf("the same words are told again: %+v", taken.Update)
	}
	if e, u := latest(); e.SignedBy != "ab" || e.ThirdParty || u.SignedBy != "ab" || u.ThirdParty {
		t.Errorf("%+v, %+v", e, u)
	}
}

func TestPublicationsOfThirdParties(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	p := published.Publication{Channel: publishedURL, Key: "me", Topic: [20]byte{1}, Silence: time.Hour}
	for _, third := range []bool{true, false} {
		p.ThirdParty = third
		if got, err := s.Published.Publish(t.Context(), p); err != nil || got.ThirdParty != third {
			t.Errorf("%+v, %v", got, err)
		}
	}
}
