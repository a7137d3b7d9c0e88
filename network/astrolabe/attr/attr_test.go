package attr

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var anyValue = rapid.OneOf(
	rapid.Just(Value{}),
	rapid.Map(rapid.Int64(), Int),
	rapid.Map(rapid.Float64(), Float),
	rapid.Map(rapid.StringN(0, 40, -1), String),
	rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 40), Bytes),
	rapid.SampledFrom([]Value{Int(math.MaxInt64), Int(math.MinInt64), Int(1<<53 + 1), Float(1 << 53), Float(1 << 63),
		Float(-1 << 63),
		Float(math.Copysign(0, -1)), Float(0), Float(0.5), Float(-0.5), Int(0), Int(-1), Float(math.MaxFloat64),
		String(""), Bytes(nil)}),
)

var anyAttributes = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Attribute {
	return Attribute{Name: rapid.StringMatching(`[a-z_][a-z0-9_]{0,2}`).Draw(t, "name"),
		Value: anyValue.Draw(t, "value")}
}), 0, 20)

// Of makes a valid row, in which Get finds the last value of each name, and nothing else.
func TestOfAndGet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		attributes := anyAttributes.Draw(t, "attributes")
		before := slices.Clone(attributes)
		row := Of(attributes...)
		if err := row.Validate(); err != nil {
			t.Fatal(err)
		}
		want, size := make(map[string]Value), 0
		for _, a := range attributes {
			want[a.Name] = a.Value
		}
		for name, v := range want {
			if got := row.Get(name); !got.Equal(v) {
				t.Fatalf("%s is %v, not %v", name, got, v)
			}
			if v.Type == Null {
				delete(want, name)
				continue
			}
			size += len(name) + len(v.Bytes)
			if v.Type == Integer || v.Type == Real {
				size += 8
			}
		}
		if len(row) != len(want) || row.Size() != size || !row.Equal(Of(row...)) {
			t.Fatalf("%v of %v", row, want)
		}
		if got := row.Get("no such name"); got.Type != Null {
			t.Fatal(got)
		}
		if !slices.EqualFunc(before, attributes, func(a, b Attribute) bool {
			return a.Name == b.Name &&
				a.Value.Equal(b.Value)
		}) {
			t.Fatal("Of changed its arguments")
		}
	})
}

func TestValidateRefuses(t *testing.T) {
	named := func(n int) (row Row) {
		for i := range n {
			row = append(row, Attribute{Name: "a" + string(rune('a'+i/26)) + string(rune('a'+i%26)), Value: Int(1)})
		}
		return row
	}
	big := func(name string, n int) Attribute { return Attribute{Name: name, Value: Bytes(make([]byte, n))} }
	for name, c := range map[string]struct {
		row Row
		ok  bool
	}{
		"nothing":             {nil, true},
		"most attributes":     {named(MaxAttributes), true},
		"too many":            {named(MaxAttributes + 1), false},
		"largest value":       {Row{big("a", MaxValue)}, true},
		"too large a value":   {Row{big("a", MaxValue+1)}, false},
		"largest row":         {Row{big("a", MaxValue), big("b", MaxRow-MaxValue-2)}, true},
		"too large a row":     {Row{big("a", MaxValue), big("b", MaxRow-MaxValue-1)}, false},
		"unsorted":            {Row{{"b", Int(1)}, {"a", Int(1)}}, false},
		"twice":               {Row{{"a", Int(1)}, {"a", Int(1)}}, false},
		"NULL":                {Row{{"a", Value{}}}, false},
		"no such type":        {Row{{"a", Value{Type: 9}}}, false},
		"two values":          {Row{{"a", Value{Type: Integer, Integer: 1, Real: 1}}}, false},
		"bytes of an Integer": {Row{{"a", Value{Type: Integer, Bytes: []byte{1}}}}, false},
		"no UTF-8":            {Row{{"a", String("\xff")}}, false},
		"a Blob of that":      {Row{{"a", Bytes([]byte("\xff"))}}, true},
		"longest name":        {Row{{strings.Repeat("a", MaxName), Int(1)}}, true},
		"too long a name":     {Row{{strings.Repeat("a", MaxName+1), Int(1)}}, false},
		"no name":             {Row{{"", Int(1)}}, false},
		"a capital":           {Row{{"A", Int(1)}}, false},
		"a digit first":       {Row{{"1a", Int(1)}}, false},
		"a digit then":        {Row{{"a1", Int(1)}}, true},
		"a dash":              {Row{{"a-b", Int(1)}}, false},
		"an underscore":       {Row{{"_", Int(1)}}, true},
	} {
		if err := c.row.Validate(); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if Float(math.NaN()).Type != Null || Float(math.Inf(-1)).Type != Null {
		t.Error("a Real that is not finite")
	}
}

func TestListRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 0, 300)).Draw(t, "items")
		var list []byte
		for _, item := range want {
			list = AppendList(list, item)
		}
		got, ok := List(list)
		if !ok || !slices.EqualFunc(got, want, bytes.Equal) {
			t.Fatalf("got %q, %v, want %q", got, ok, want)
		}
	})
}

// FuzzList checks that a list that is written anew is the same list, and that all items come from it.
func FuzzList(f *testing.F) {
	seeds := [][]byte{nil, {0}, {1, 'a'}, {2, 'a'}, {0x80}, {0x81, 0x00, 'a'}, {1, 'a', 0, 3, 'b', 'c', 'd'},
		bytes.Repeat([]byte{0xff}, 11),
		{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}}
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, list []byte) {
		items, ok := List(list)
		if !ok {
			return
		}
		var again []byte
		total := 0
		for _, item := range items {
			again = AppendList(again, item)
			total += len(item)
		}
		if len(items) > len(list) || total > len(list) {
			t.Fatalf("%d items of %d bytes from %d", len(items), total, len(list))
		}
		same, ok := List(again)
		if !ok || !slices.EqualFunc(same, items, bytes.Equal) {
			t.Fatalf("%q became %q", items, same)
		}
	})
}

// Rows are the same if they have the same attributes with the same values, of the same types.
func TestRowsThatAreTheSame(t *testing.T) {
	row := func(name string, v Value) Row { return Row{{Name: name, Value: v}} }
	list := []Row{
		nil, row("a", Int(0)), row("b", Int(0)), row("a", Int(1)), row("a", Float(0)),
		row("a", Float(math.Copysign(0, -1))),
		row("a", Float(1)), append(row("a", Int(0)), row("b", Int(0))...),
	}
	for i, a := range list {
		for j, b := range list {
			if a.Equal(b) != (i == j) {
				t.Errorf("%v and %v are the same: %v", a, b, a.Equal(b))
			}
		}
	}
}

// Names begin with a letter or _, and go on with these and digits.
func TestNamesOfAttributes(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "z": true, "_": true, "a0": true, "a9": true, "_9z": true,
		"": false, "0": false, "9": false, "0a": false, "9a": false, "A": false, "a-b": false, "a.b": false, "`": false,
		"{": false, "a/": false, "a:": false,
	} {
		if got := ValidName(name); got != want {
			t.Errorf("%q is a name: %v", name, got)
		}
	}
}
