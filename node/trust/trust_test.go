package trust

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/lab/unsynced"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/store"
	"tidings/view"
)

func TestMain(m *testing.M) {
	unsynced.Install()
	os.Exit(m.Run())
}

// peers are the live nodes that are known.
type peers []view.Peer

func (p peers) Peers(context.Context) ([]view.Peer, error) { return p, nil }
func (p peers) Penalties() []view.Penalty {
	return []view.Penalty{{Node: penalized.String()}}
}

var penalized = engine.IDOf([]byte("penalized"))

var self, other = engine.IDOf([]byte("self")), engine.IDOf([]byte("other"))

func open(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Default(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func load(t *testing.T, s *store.Store) *Trust {
	t.Helper()
	all, err := Load(t.Context(), peers{{ID: other.String()}, {ID: self.String()}}, s.Content, s.Pushed, self.String())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func set(t *testing.T, trust *Trust, name string, level tidings.TrustLevel) {
	t.Helper()
	if r, err := trust.SetRepublisher(t.Context(), name, level); err != nil || r.Trust != level {
		t.Fatalf("%s is %q, not %q: %v", name, r.Trust, level, err)
	}
}

func TestNodesAreNamedByPeople(t *testing.T) {
	t.Parallel()
	trust, other := load(t, open(t)), other.String()
	for given, want := range map[string]string{
		other: other, strings.ToUpper(other): other, " " + other[:8] + "\n": other, other[:13]: other,
		penalized.String()[:8]: penalized.String(), "all": view.AllNodes,
		self.String(): self.String(),
	} {
		if r, err := trust.Republisher(t.Context(), given); err != nil || r.Node != want {
			t.Errorf("%q is %s, %v", given, r.Node, err)
		}
	}
	for _, given := range []string{"", "nobody", other[:7], other + "0", strings.Repeat("z", 40), "00000000",
		strings.Repeat("0", 40)} {
		if r, err := trust.Republisher(t.Context(), given); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%q is %s, %v", given, r.Node, err)
		}
	}
	for _, bad := range []struct {
		node  string
		level tidings.TrustLevel
	}{{self.String(), tidings.Distrusted}, {view.AllNodes, tidings.Preferred}, {other, "adored"}, {other, ""}} {
		if _, err := trust.SetRepublisher(t.Context(), bad.node, bad.level); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%s is %q: %v", bad.node, bad.level, err)
		}
	}
	twin := []byte(other)
	twin[len(twin)-1] ^= 1 // another hexadecimal digit
	set(t, trust, string(twin), tidings.Preferred)
	if r, err := trust.Republisher(t.Context(), other[:MinDigits]); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("what names two nodes is %s, %v", r.Node, err)
	}
}

// An opinion of one node has precedence over one of all. This node trusts itself. All of it is kept.
func TestLevels(t *testing.T) {
	t.Parallel()
	s := open(t)
	trust := load(t, s)
	set(t, trust, view.AllNodes, tidings.Distrusted)
	set(t, trust, other.String(), tidings.Preferred)
	hold := func(of *Trust) {
		t.Helper()
		for id, want := range map[engine.ID]tidings.TrustLevel{
			self: tidings.Neutral, other: tidings.Preferred, engine.IDOf([]byte("third")): tidings.Distrusted,
		} {
			if got := of.Level(id); got != want {
				t.Errorf("%s is %q, not %q", id, got, want)
			}
		}
		if c := of.Counts(); c.Preferred != 1 || c.Distrusted != 1 {
			t.Errorf("%+v", c)
		}
		if list, err := of.Republishers(t.Context()); err != nil || len(list) != 2 || list[0].Node != view.AllNodes ||
			list[1].Node != other.String() {
			t.Errorf("%+v", list)
		}
	}
	hold(trust)
	hold(load(t, s))
	known := []view.Peer{{ID: self.String()}, {ID: other.String()}}
	trust.Mark(known)
	if known[0].Trust != "" || known[1].Trust != tidings.Preferred {
		t.Errorf("%+v", known)
	}
	set(t, trust, other.String(), tidings.Neutral)
	if got := trust.Level(other); got != tidings.Distrusted {
		t.Errorf("of whom nothing is said any more is %q", got)
	}
}

// A content that a distrusted node has reported is counted once. A poll that sees it ends the doubt. Polls for doubts
// keep a distance.
func TestDoubts(t *testing.T) {
	t.Parallel()
	trust := load(t, open(t))
	set(t, trust, other.String(), tidings.Distrusted)
	channel, first, second := engine.IDOf([]byte("channel")), corona.Hash{1}, corona.Hash{2}
	counted := func(waited, seen int64) {
		t.Helper()
		if c := trust.Counts(); c.Waited != waited || c.Seen != seen {
			t.Errorf("%d waited and %d were seen, not %d and %d", c.Waited, c.Seen, waited, seen)
		}
	}
	now := time.Unix(1_000_000, 0)
	if trust.MayPoll(channel, time.Minute, now) {
		t.Error("a channel is polled that nobody doubts")
	}
	trust.Doubt(channel, first, other)
	trust.Doubt(channel, first, other)
	counted(1, 0)
	if !trust.MayPoll(channel, time.Minute, now) || trust.MayPoll(channel, time.Minute, now.Add(time.Minute-1)) {
		t.Error("a doubted channel is not polled, or too often")
	}
	trust.Doubt(channel, second, other)
	counted(2, 0)
	if trust.MayPoll(channel, time.Minute, now.Add(time.Minute-1)) ||
		!trust.MayPoll(channel, time.Minute, now.Add(time.Minute)) {
		t.Error("another content has the channel polled too often, or it is polled no more")
	}
	trust.Saw(channel, first)
	counted(2, 0)
	set(t, trust, view.AllNodes, tidings.Distrusted) // what was counted of the other stays
	trust.Saw(channel, second)
	trust.Saw(channel, second)
	counted(2, 1)
	if trust.MayPoll(channel, time.Minute, now.Add(time.Hour)) {
		t.Error("a channel is polled whose doubt has ended")
	}
	trust.Doubt(channel, second, engine.IDOf([]byte("third")))
	counted(3, 1)
}
