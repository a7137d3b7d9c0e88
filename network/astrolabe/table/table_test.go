package table

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/astrolabe/attr"
	"tidings/network/engine"
)

// row returns a row that says n.
func row(label string, n int64, time uint32, lifetime uint16) Row {
	c := &Content{Zone: "/a", Label: label, Issuer: engine.Peer{ID: engine.IDOf([]byte(label))},
		Attributes: attr.Of(attr.Attribute{Name: "n", Value: attr.Int(n)})}
	return Row{c, &Stamp{Time: time, Lifetime: lifetime, Content: c.Digest()}}
}

func draw(t *rapid.T) Row {
	return row(rapid.SampledFrom([]string{"@a", "@b", "z", "~1", "&f"}).Draw(t, "label"),
		rapid.Int64Range(0, 2).Draw(t, "n"),
		rapid.Uint32Range(0, 5).Draw(t, "time"), rapid.SampledFrom([]uint16{0, 60}).Draw(t, "lifetime"))
}

// A table holds of each label the newest row that was put in, whatever the order.
func TestPut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a, b Table
		rows := rapid.SliceOf(rapid.Custom(draw)).Draw(t, "rows")
		newest := make(map[string]Row)
		for _, r := range rows {
			n, known := newest[r.Label]
			changed, news := a.Put(r, 0, 0)
			want := !known || r.newer(n.Stamp)
			wantNews := want && (known && (r.Stamp.Content != n.Stamp.Content || r.Gone() != n.Gone()) || !known &&
				!r.Gone())
			if changed != want || news != wantNews {
				t.Fatalf("%v after %v: changed %v, news %v", r.Stamp, n.Stamp, changed, news)
			}
			if want {
				newest[r.Label] = r
			}
		}
		for _, r := range slices.Backward(rows) {
			b.Put(r, 0, 0)
		}
		if a.Sum() != b.Sum() {
			t.Fatal("the order makes a difference")
		}
		shown := 0
		for label, n := range newest {
			got, ok := a.Get(label)
			if ok == n.Gone() || ok && (*got.Stamp != *n.Stamp || got.Content.Digest() != n.Stamp.Content) {
				t.Fatalf("%s is %v, want %v", label, got, n)
			}
			if ok {
				shown++
			}
		}
		if all := slices.Collect(a.All()); len(all) != shown ||
			!slices.IsSortedFunc(all, func(x, y Row) int { return strings.Compare(x.Label, y.Label) }) {
			t.Fatalf("%d rows are shown of %d", len(all), shown)
		}
	})
}

// Two copies that compare themselves once, whichever begins, are equal afterwards; and nothing is sent that the other
// has. Rows that do not hold any more are listed where the copies' labels differ.
func TestCompare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a, b Table
		for _, r := range rapid.SliceOf(rapid.Custom(draw)).Draw(t, "a") {
			a.Put(r, 0, 0)
		}
		for _, r := range rapid.SliceOf(rapid.Custom(draw)).Draw(t, "b") {
			b.Put(r, 0, 0)
		}
		salt := rapid.Uint32().Draw(t, "salt")
		newer, wanted, stamps := a.Compare(b.Marks(salt, a.Labels() != b.Labels()), salt, 0)
		asked := append(b.Named(wanted, salt, false, 0), b.Named(stamps, salt, true, 0)...)
		for _, s := range newer {
			if changed, _ := b.Put(s.Row, 0, 0); !changed {
				t.Fatalf("%v is sent in vain", s.Stamp)
			}
		}
		for _, s := range asked {
			if old, _, _ := a.Known(s.Label, 0); s.Known && old.Stamp.Content != s.Stamp.Content {
				t.Fatalf("%v comes without its content", s.Stamp)
			}
			if changed, _ := a.Put(s.Row, 0, 0); !changed {
				t.Fatalf("%v is asked for in vain", s.Stamp)
			}
		}
		if a.Sum() != b.Sum() || !slices.EqualFunc(slices.Collect(a.All()), slices.Collect(b.All()),
			func(x, y Row) bool { return *x.Stamp == *y.Stamp }) {
			t.Fatal("they differ")
		}
		for r := range a.All() { // what one copy knows to be withdrawn, the other does not hold to be there
			if old, _, known := b.Known(r.Label, 0); !known || old.Gone() {
				t.Fatalf("%s is there and withdrawn", r.Label)
			}
		}
		if newer, wanted, stamps := a.Compare(b.Marks(salt, a.Labels() != b.Labels()), salt,
			0); len(newer)+len(wanted)+len(stamps) > 0 {
			t.Fatal("equal copies have something to exchange")
		}
	})
}

// Labels are the same where the same labels hold, however that came about, whatever the rows say and whatever is over.
func TestLabels(t *testing.T) {
	put := func(t *Table, now time.Duration, rows ...Row) {
		for _, r := range rows {
			t.Put(r, 0, now)
		}
	}
	var a, b, empty Table
	put(&a, 0, row("@a", 1, 1, 60), row("@b", 1, 1, 60), row("@c", 1, 1, 60))
	put(&b, 0, row("@c", 2, 5, 60), row("@a", 7, 7, 60))
	if a.Labels() == b.Labels() || a.Labels() == empty.Labels() || empty.Labels() != 0 {
		t.Errorf("labels are %x, %x and %x", a.Labels(), b.Labels(), empty.Labels())
	}
	listed := func(t *Table) [2]int {
		return [2]int{len(t.Marks(1, true)) / markBytes, len(t.Marks(1, false)) / markBytes}
	}
	for what, over := range map[string]func(t *Table){
		"is withdrawn": func(t *Table) { put(t, 0, row("@b", 1, 9, 0)) },
		"has expired": func(t *Table) {
			put(t, 30*time.Second, row("@a", 1, 9, 60), row("@c", 1, 9, 60))
			t.Expire(time.Minute)
		},
		"has ended":     func(t *Table) { t.End(func(r Row) bool { return r.Label == "@b" }) },
		"came when old": func(t *Table) { t.Put(row("@b", 1, 9, 60), 2*time.Minute, 0) },
		"came and went": func(t *Table) { put(t, 0, row("@b", 1, 9, 0), row("@b", 1, 10, 60), row("@b", 1, 11, 0)) },
		"goes beside another that went": func(t *Table) {
			put(t, 0, row("@d", 1, 9, 60), row("@d", 1, 10, 0), row("@b", 1, 9, 0))
		},
	} {
		c := a.Copy()
		over(&c)
		if c.Labels() != b.Labels() || listed(&c)[1] != 2 || listed(&c)[0] < 3 {
			t.Errorf("where a row %s, labels are %x, want %x; listed are %d rows", what, c.Labels(), b.Labels(),
				listed(&c))
		}
	}
	b.Expire(10 * time.Hour)
	if b.Labels() != empty.Labels() || b.Sum() != empty.Sum() {
		t.Errorf("when all is over, labels are %x", b.Labels())
	}
}

// A copy stays as it is when the table changes of which it was made, and the table when the copy changes.
func TestCopiesChangeApart(t *testing.T) {
	for what, change := range map[string]func(t *Table){
		"is replaced":          func(t *Table) { t.Put(row("@b", 1, 9, 60), 0, 0) },
		"comes before all":     func(t *Table) { t.Put(row("@A", 1, 1, 60), 0, 0) },
		"comes after all":      func(t *Table) { t.Put(row("@d", 1, 1, 60), 0, 0) },
		"is withdrawn":         func(t *Table) { t.Put(row("@b", 1, 9, 0), 0, 0) },
		"has ended":            func(t *Table) { t.End(func(r Row) bool { return r.Label == "@b" }) },
		"has expired":          func(t *Table) { t.Expire(time.Minute) },
		"was over long enough": func(t *Table) { t.Expire(Remembered) },
	} {
		for _, ofCopy := range []bool{false, true} {
			fresh := func() *Table {
				var t Table
				for _, label := range []string{"@a", "@b", "@c"} {
					t.Put(row(label, 1, 1, 60), 0, 0)
				}
				t.rows = slices.Grow(t.rows, 8) // a row that comes needs no memory of its own
				return &t
			}
			of := fresh()
			second := of.Copy()
			changed, stays, want := of, &second, fresh()
			if ofCopy {
				changed, stays = stays, changed
			}
			change(changed)
			if changed.Sum() == want.Sum() {
				t.Fatalf("where a row %s nothing changes", what)
			}
			if stays.Sum() != want.Sum() || !bytes.Equal(stays.Marks(1, true), want.Marks(1, true)) {
				t.Errorf("where a row %s, of the copy: %v, the other changes as well", what, ofCopy)
			}
			change(stays)
			if stays.Sum() != changed.Sum() || !bytes.Equal(stays.Marks(1, true), changed.Marks(1, true)) {
				t.Errorf("where a row %s, of the copy: %v, the other does not change later", what, ofCopy)
			}
		}
	}
}

func TestExpire(t *testing.T) {
	var a Table
	a.Put(row("@a", 1, 1, 60), 0, 0)
	a.Put(row("@b", 1, 1, 120), time.Second, 0)
	a.Put(row("@c", 1, 1, 0), 0, 0)
	for _, c := range []struct {
		at   time.Duration
		gone []string
	}{
		{time.Minute - 1, nil}, {time.Minute, []string{"@a"}}, {119*time.Second - 1, nil},
		{119 * time.Second, []string{"@b"}}, {Remembered - time.Second - 1, nil}, {Remembered, nil},
	} {
		var gone []string
		for _, r := range a.Expire(c.at) {
			gone = append(gone, r.Label)
		}
		if !slices.Equal(gone, c.gone) {
			t.Errorf("after %v %v are gone, want %v", c.at, gone, c.gone)
		}
	}
	if changed, _ := a.Put(row("@a", 1, 1, 60), Remembered, 0); changed {
		t.Error("a row is stored that is too old to be remembered")
	}
	if changed, news := a.Put(row("@a", 1, 1, 60), time.Minute, 0); !changed || news {
		t.Error("a row that does not hold any more is news, or is not remembered")
	}
	if _, ok := a.Get("@a"); ok {
		t.Error("a row is shown that does not hold any more")
	}
	if changed, _ := a.Put(row("@a", 2, 1, 60), 0, 0); changed && a.rows[0].Stamp.newer(row("@a", 2, 1, 60).Stamp) {
		t.Error("an older row comes back")
	}
	a.Expire(Remembered)
	if a.Sum() != 0 || len(a.rows) != 0 {
		t.Error("something is left")
	}
}

func TestBound(t *testing.T) {
	var a Table
	for i := range MaxRows + 10 {
		r := row("@"+engine.IDOf([]byte{byte(i), byte(i >> 8)}).Short(), 1, 1, 60)
		newer := a.Newer(r.Label, r.Stamp)
		if changed, _ := a.Put(r, 0, 0); changed != (i < MaxRows) || newer != changed {
			t.Fatalf("row %d is stored: %v, %v", i, changed, newer)
		}
	}
	if n := len(a.Marks(1, true)); n > MaxMarks {
		t.Errorf("%d bytes of marks", n)
	}
	if changed, _ := a.Put(row(a.rows[5].Label, 2, 2, 60), 0, 0); !changed {
		t.Error("a full table does not change any more")
	}
}

// A stamp is worth nothing for another content, time or lifetime.
func TestWords(t *testing.T) {
	r := row("@a", 1, 1, 60)
	words := string(r.Words())
	for _, other := range []Row{row("@a", 2, 1, 60), row("@b", 1, 1, 60), row("@a", 1, 2, 60), row("@a", 1, 1, 61)} {
		if string(other.Words()) == words {
			t.Errorf("%v and %v have the same words", r, other)
		}
	}
	for _, change := range []func(c *Content){
		func(c *Content) { c.Zone = "/b" }, func(c *Content) { c.Issuer.Address = "x" },
		func(c *Content) { c.Attributes = nil },
		func(c *Content) { c.Attributes = attr.Of(attr.Attribute{Name: "n", Value: attr.Float(1)}) },
	} {
		c := *r.Content
		change(&c)
		if c.Digest() == r.Content.Digest() {
			t.Errorf("%v and %v have the same digest", c, *r.Content)
		}
	}
}

// In a full table a row that holds replaces the oldest of those that do not. They are only remembered, and must not
// keep others out.
func TestFullOfOld(t *testing.T) {
	var full Table
	for i := range MaxRows - 2 {
		full.Put(row(fmt.Sprintf("@%03d", i), 1, 9, 60), 0, 0)
	}
	full.Put(row("~old", 1, 9, 0), 20*time.Second, time.Minute)
	full.Put(row("~older", 1, 9, 0), 30*time.Second, time.Minute)
	first, second, third := row("~1", 1, 9, 60), row("~2", 1, 9, 60), row("~3", 1, 9, 60)
	if full.Newer("~gone", row("~gone", 1, 9, 0).Stamp) {
		t.Error("a row that does not hold would be stored")
	}
	if changed, _ := full.Put(row("~gone", 1, 9, 0), 0, time.Minute); changed {
		t.Error("a row that does not hold replaces another")
	}
	for i, r := range []Row{first, second} {
		if changed, news := full.Put(r, 0, time.Minute); !full.Newer(r.Label, row(r.Label, 1, 10, 60).Stamp) ||
			!changed || !news {
			t.Errorf("row %d was not stored", i)
		}
		if _, _, ok := full.Known("~older", 0); ok {
			t.Error("the oldest is still there")
		}
		if _, _, ok := full.Known("~old", 0); ok != (i == 0) {
			t.Errorf("after %d rows, the other one is there: %v", i+1, ok)
		}
	}
	if changed, _ := full.Put(third, 0, time.Minute); changed || full.Newer(third.Label, third.Stamp) {
		t.Error("a row was stored in a table full of rows that hold")
	}
	var equal Table
	for r := range full.All() {
		equal.Put(r, 0, time.Minute)
	}
	if equal.Sum() != full.Sum() || len(slices.Collect(full.All())) != MaxRows {
		t.Error("the sum is not that of the rows")
	}
}

// Rows that no longer hold, by time or as somebody ends them, end once. A table's sum is then that of those that hold.
func TestRowsEndOnce(t *testing.T) {
	var a, rest Table
	for _, label := range []string{"@a", "@b", "z"} {
		a.Put(row(label, 1, 5, 60), 0, 0)
	}
	rest.Put(row("z", 1, 5, 60), 0, 0)
	members := func(r Row) bool { return strings.HasPrefix(r.Label, "@") }
	if ended := a.End(members); len(ended) != 2 || a.Sum() != rest.Sum() {
		t.Errorf("%d end, and the sum is %x, not %x", len(ended), a.Sum(), rest.Sum())
	}
	if again := a.End(members); len(again) > 0 || a.Sum() != rest.Sum() {
		t.Errorf("%d end again, and the sum is %x", len(again), a.Sum())
	}
	if expired := a.Expire(time.Hour); len(expired) != 1 || expired[0].Label != "z" || a.Sum() != new(Table).Sum() {
		t.Errorf("%v expire, and the sum is %x", expired, a.Sum())
	}
}

// Whatever is changed in a row, its digest is another.
func TestEachFieldOfAContentCounts(t *testing.T) {
	make := func(change func(c *Content)) Digest {
		c := &Content{
			Zone: "/a", Label: "b", Issuer: engine.Peer{ID: engine.PrefixID("c0"), Address: "d"},
			Attributes: attr.Of(attr.Attribute{Name: "e", Value: attr.Int(1)},
				attr.Attribute{Name: "f", Value: attr.Int(2)}),
		}
		change(c)
		return c.Digest()
	}
	seen := map[Digest]string{}
	for name, change := range map[string]func(c *Content){
		"nothing": func(*Content) {},
		"zone":    func(c *Content) { c.Zone = "/x" },
		"label":   func(c *Content) { c.Label = "x" },
		"border":  func(c *Content) { c.Zone, c.Label = "/", "ab" },
		"issuer":  func(c *Content) { c.Issuer.ID = engine.PrefixID("c1") },
		"address": func(c *Content) { c.Issuer.Address = "x" },
		"name":    func(c *Content) { c.Attributes[0].Name = "x" },
		"names": func(c *Content) {
			c.Attributes[0].Name, c.Attributes[1].Name = c.Attributes[1].Name, c.Attributes[0].Name
		},
		"integer":   func(c *Content) { c.Attributes[0].Value.Integer = 3 },
		"real":      func(c *Content) { c.Attributes[0].Value.Real = 1 },
		"bytes":     func(c *Content) { c.Attributes[0].Value.Bytes = []byte("x") },
		"type":      func(c *Content) { c.Attributes[0].Value.Type = attr.Real },
		"no more":   func(c *Content) { c.Attributes = c.Attributes[:1] },
		"none":      func(c *Content) { c.Attributes = nil },
		"the other": func(c *Content) { c.Attributes = c.Attributes[1:] },
	} {
		d := make(change)
		if other, same := seen[d]; same {
			t.Errorf("%s and %s have one digest", name, other)
		}
		seen[d] = name
	}
}
