package scene

import (
	"errors"
	"testing"
	"time"

	"tidings/network/engine"
)

func TestFormat(t *testing.T) {
	s := newScene(t, "", "# Guards nothing.", toyStage())
	s.log.off = true
	a3 := s.add("a3", engine.PrefixID("a3"), startToy)
	s.add("b7", engine.PrefixID("b7"), startToy)
	encoded, err := s.codec.Append(nil, &pong{Number: 7})
	if err != nil {
		t.Fatal(err)
	}
	type channel engine.ID
	type inner struct {
		Yes  bool
		Many []int
		skip int
	}
	var nested any
	for range 10 {
		nested = []any{nested}
	}
	long := make([]int, 30)
	many := make(map[engine.ID][]int)
	for i := range byte(30) {
		many[engine.ID{i}] = nil
	}
	for _, c := range []struct {
		value any
		want  string
	}{
		{nil, "nil"},
		{engine.PrefixID("a3"), "a3"},
		{engine.PrefixID("a4"), "a4"},
		{engine.PrefixID("a"), "a0"},
		{engine.ID{}, "00"},
		{channel(engine.PrefixID("b7")), "b7"},
		{engine.IDOf([]byte("x")), "11f6"},
		{engine.IDOf([]byte("x")), "11f6"},
		{engine.PrefixID("11f6ad8ec52a2984"), "11f6ad8ec52a29840"},
		{engine.PrefixID("11f6ad8ec52a2984abb"), "11f6ad8ec52a2984abb"},
		{a3.Peer(), "a3"},
		{engine.Peer{}, "nobody"},
		{engine.Peer{ID: engine.PrefixID("b7"), Address: a3.Peer().Address}, "b7@a3"},
		{engine.Peer{ID: engine.PrefixID("b7"), Address: "nowhere"}, `b7@"nowhere"`},
		{[]engine.Peer{a3.Peer(), a3.Peer()}, "[a3 a3]"},
		{engine.KindOf(engine.Experiment, 1), "toy.ping"},
		{encoded, "{toy.pong number=7}"},
		{engine.Message(&pong{Note: "so so"}), `{toy.pong note="so so"}`},
		{[]byte("text"), "text"},
		{[]byte{0, 1, 2}, "3 bytes"},
		{"", `""`},
		{string(make([]byte, 50)),
			`"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"… 50 bytes`},
		{90 * time.Second, "1m30s"},
		{1234567 * time.Microsecond, "1.235s"},
		{1234 * time.Microsecond, "1.234ms"},
		{time.Unix(0, 0), "1970-01-01T00:00:00Z"},
		{errors.New("no way"), `"no way"`},
		{engine.Bulk, "bulk"},
		{1.0 / 3, "0.3333"},
		{inner{Yes: true, Many: []int{0, 1}, skip: 3}, "{yes many=[0 1]}"},
		{&inner{}, "{}"},
		{struct {
			ID      engine.ID
			MaxHops int
		}{engine.PrefixID("a3"), 3}, "{id=a3 maxHops=3}"},
		{(*inner)(nil), "nil"},
		{map[string]int{"b": 2, "a": 1}, "[a:1 b:2]"},
		{[]uint64{999_999, 1 << 40, 1 << 41, 1 << 40}, "[999999 #1 #2 #1]"},
		{many, "[00:[] 01:[] 02:[] 03:[] 04:[] 05:[] 06:[] 07:[] 08:[] 09:[] 0a:[] 0b:[] 0c:[] 0d:[] 0e:[] 0f:[] " +
			"10:[] 11:[] 12:[] 13:[] … 30 in all]"},
		{a3, "a3"},
		{nested, "[[[[[[[…]]]]]]]"},
		{long, "[0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 … 30 in all]"},
	} {
		if got := s.Format(c.value); got != c.want {
			t.Errorf("%#v: %s, want %s", c.value, got, c.want)
		}
	}
}

// An ID keeps its name when another comes that begins alike, and that one gets a longer.
func TestNamesAreUnique(t *testing.T) {
	n := newNames()
	var first, second engine.ID
	for i := range first {
		first[i], second[i] = 0x55, 0x55
	}
	second[10] = 0x56
	if got := n.id(first); got != "5555" {
		t.Errorf("the first is called %s", got)
	}
	if got, want := n.id(second), second.String()[:22]; got != want {
		t.Errorf("the second is called %s, want %s", got, want)
	}
	if got := n.id(first); got != "5555" {
		t.Errorf("the first is called %s now", got)
	}
}

// A protocol may trace what is no struct.
func TestEventsOfAnyType(t *testing.T) {
	type state string
	s := newScene(t, "", "# Guards nothing.", toyStage())
	if got, want := s.describe("scene.state", state("at rest")), `scene.state "at rest"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
