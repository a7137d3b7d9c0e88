package astrolabe_test

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/sql"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/sim"
)

// compileSQL is package sql as a node's seam.
func compileSQL(text string) (astrolabe.Function, error) { return sql.Compile(text) }

// newCounting returns a world of open zones with names, in which authority 1 may install functions.
func newCounting() *world {
	homes := slices.Concat(all(4, "/eu/de"), all(4, "/eu/fr"), all(4, "/us"))
	w := newWorld(setup{homes: homes, step: 200 * time.Millisecond,
		seams: func(_ *world, _ sim.Node, s *astrolabe.Seams) {
			s.Trusted, s.Compile = trust(), compileSQL
		}})
	w.Run(30 * time.Second)
	return w
}

// install returns a function that an authority has signed.
func install(t testing.TB, by byte, p zone.Path, name, text string, at uint32, chain cert.Chain) table.Row {
	t.Helper()
	r, err := astrolabe.Install(p, name, text, authority(by), chain, at)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (w *world) spread(t testing.TB, n sim.Node, r table.Row) {
	t.Helper()
	if err := w.node(n).Spread(r); err != nil {
		t.Fatal(err)
	}
}

// computed returns which zones' rows have an attribute, by all nodes' copies; an error if copies differ.
func (w *world) computed(name string) (map[zone.Path]string, error) {
	found := make(map[zone.Path]string)
	for _, n := range w.up() {
		p, _ := w.node(n).Path()
		for depth := range p.Depth() {
			for r := range w.node(n).Table(p.At(depth)).Children() {
				v := r.Attributes.Get(name)
				text := fmt.Sprint(v.Integer)
				if v.Type == attr.Null {
					text = "none"
				}
				if old, ok := found[r.Path()]; ok && old != text {
					return nil, fmt.Errorf("node %d says that %s of %s is %s, another says %s", n, name, r.Path(),
						text, old)
				}
				found[r.Path()] = text
			}
		}
	}
	return found, nil
}

// says waits until the rows of zones have an attribute with some values, and no others have it.
func (w *world) says(t testing.TB, name string, want map[zone.Path]string) {
	t.Helper()
	w.until(t, time.Minute, func() error {
		got, err := w.computed(name)
		if err != nil {
			return err
		}
		for _, p := range []zone.Path{"/eu", "/us", "/eu/de", "/eu/fr"} {
			if expected := want[p]; got[p] != expected && (expected != "" || got[p] != "none") {
				return fmt.Errorf("%s of %s is %s, want %q", name, p, got[p], expected)
			}
		}
		return nil
	})
}

// The result of a function stands in the rows of all zones below the one that it was installed for, until it is revoked
// (section 4).
func TestFunctions(t *testing.T) {
	t.Parallel()
	w := newCounting()
	now := uint32(w.Wall(0).Unix())
	w.spread(t, 5, install(t, 1, "/", "all", "SELECT SUM(members) AS total FROM children", now, nil))
	w.spread(t, 1, install(t, 1, "/eu", "europe", "SELECT COUNT(*) AS branches FROM children", now, nil))
	w.says(t, "total", map[zone.Path]string{"/eu": "8", "/us": "4", "/eu/de": "4", "/eu/fr": "4"})
	w.says(t, "branches", map[zone.Path]string{"/eu": "2", "/eu/de": "4", "/eu/fr": "4"})

	w.spread(t, 9, install(t, 1, "/", "all", "SELECT SUM(members) * 10 AS total FROM children", now+1, nil))
	w.says(t, "total", map[zone.Path]string{"/eu": "80", "/us": "40", "/eu/de": "40", "/eu/fr": "40"})

	w.spread(t, 9, install(t, 1, "/", "all", "", now+2, nil))
	w.says(t, "total", nil)
	w.says(t, "branches", map[zone.Path]string{"/eu": "2", "/eu/de": "4", "/eu/fr": "4"})
	if err := w.agreed(w.up()); err != nil {
		t.Error(err)
	}
}

// A function that fails adds nothing, and what others compute is there all the same.
func TestFunctionFails(t *testing.T) {
	t.Parallel()
	w := newCounting()
	failed := make(map[string]error)
	w.Observe(func(_ time.Duration, _ sim.Node, event any) {
		if e, ok := event.(astrolabe.Failed); ok {
			failed[e.Name] = e.Err
		}
	})
	now := uint32(w.Wall(0).Unix())
	for name, text := range map[string]string{
		"a_syntax": "SELEC members", "b_value": "SELECT FIRST(0, members) AS x FROM children",
		"c_total":   "SELECT SUM(members) AS total FROM children",
		"d_refused": "SELECT a.members AS x FROM children a, children b",
		"e_row":     "SELECT 1 AS x, members AS y FROM children",
	} {
		w.spread(t, 0, install(t, 1, "/", name, text, now, nil))
	}
	w.says(t, "total", map[zone.Path]string{"/eu": "8", "/us": "4", "/eu/de": "4", "/eu/fr": "4"})
	w.says(t, "x", nil)
	for name, want := range map[string]error{"a_syntax": sql.ErrSyntax, "b_value": sql.ErrValue, "c_total": nil,
		"d_refused": sql.ErrRefused, "e_row": sql.ErrResult} {
		if !errors.Is(failed[name], want) {
			t.Errorf("%s has failed with %v, want %v", name, failed[name], want)
		}
	}
	w.Shutdown(0) // what could not be compiled has nothing to give back
}

// A function that needs too many steps for the present rows fails, and the built-in attributes stay.
func TestFunctionTooLong(t *testing.T) {
	o := newOne(t, "/eu", func(s *astrolabe.Seams) { s.Trusted, s.Compile = trust(), compileSQL })
	for i := range 60 {
		p := engine.Peer{ID: engine.IDOf([]byte{byte(i)}), Address: "there"}
		o.give("/eu", update(memberRow(p, "/eu"), o.now(), 600))
	}
	var sums []string
	for _, last := range []string{"b", "c", "d", "e", "f"} {
		sums = append(sums, "SUM("+strings.Repeat("a+", 190)+last+")")
	}
	if err := o.Spread(install(t, 1, "/", "long", "SELECT "+strings.Join(sums, "+")+" AS x FROM children", o.now(),
		nil)); err != nil {
		t.Fatal(err)
	}
	o.Advance(3 * time.Minute)
	found := false
	for _, e := range o.Traced() {
		if f, ok := e.(astrolabe.Failed); ok && f.Name == "long" && errors.Is(f.Err, sql.ErrLimit) {
			found = true
		}
	}
	if r, ok := o.Table("/").Get("eu"); !found || !ok || r.Attributes.Get(astrolabe.AttrMembers).Integer != 61 ||
		r.Attributes.Get("x").Type != attr.Null {
		t.Errorf("it has failed: %v; the row is %v", found, r.Attributes)
	}
}

// Only an authority over a zone installs functions for it.
func TestInstall(t *testing.T) {
	europe := delegated(engine.ID{1}, "/eu", "/eu", soon)
	for _, test := range []struct {
		what string
		row  func(at uint32) table.Row
		want string
	}{
		{"the trusted key", func(at uint32) table.Row {
			return install(t, 1, "/", "f", "SELECT 1 AS x FROM children",
				at, nil)
		}, ""},
		{"the key of the zone", func(at uint32) table.Row {
			return install(t, 2, "/eu", "f", "SELECT 1 AS x FROM children", at, europe[:1])
		}, ""},
		{"the key of the zone above", func(at uint32) table.Row {
			return install(t, 2, "/eu/de", "f", "SELECT 1 AS x FROM children", at, europe[:1])
		}, ""},
		{"a stranger", func(at uint32) table.Row { return install(t, 9, "/", "f", "", at, nil) }, "trusted"},
		{"a stranger with an authority's chain",
			func(at uint32) table.Row { return install(t, 9, "/eu", "f", "", at, europe[:1]) }, "trusted"},
		{"a zone's key for the root", func(at uint32) table.Row { return install(t, 2, "/", "f", "", at, europe[:1]) },
			"authority"},
		{"a member's chain", func(at uint32) table.Row { return install(t, 2, "/eu", "f", "", at, europe) },
			"authority"},
		{"another network's chain", func(at uint32) table.Row {
			a := slices.Clone(europe[:1])
			a[0].Sign(authority(9))
			return install(t, 2, "/eu", "f", "", at, a)
		}, "trusted"},
		{"a chain that has expired", func(at uint32) table.Row {
			a := slices.Clone(europe[:1])
			a[0].NotAfter = uint64(soon.Add(-1000 * time.Hour).Unix())
			a[0].Sign(authority(1))
			return install(t, 2, "/eu", "f", "", at, a)
		}, "expired"},
		{"a key that is trusted for another zone",
			func(at uint32) table.Row { return install(t, 3, "/eu", "f", "", at, nil) }, "trusted"},
		{"a key that is trusted below",
			func(at uint32) table.Row { return install(t, 4, "/eu", "f", "", at, nil) }, "trusted"},
		{"a key that is trusted for the zone",
			func(at uint32) table.Row { return install(t, 4, "/eu/de", "f", "", at, nil) }, ""},
		{"no name", func(at uint32) table.Row {
			r := install(t, 1, "/", "f", "", at, nil)
			return resigned(r, func(c *table.Content, _ *table.Stamp) { c.Label = "&F" })
		}, "a label"},
		{"not for ever", func(at uint32) table.Row {
			return resigned(install(t, 1, "/", "f", "", at, nil),
				func(_ *table.Content, s *table.Stamp) { s.Lifetime = 60 })
		}, "lifetime"},
		{"changed afterwards", func(at uint32) table.Row {
			r := install(t, 1, "/", "f", "SELECT 1 AS x FROM children", at, nil)
			c := *r.Content
			c.Attributes = attr.Of(attr.Attribute{Name: "text", Value: attr.String("SELECT 2 AS x FROM children")})
			return table.Row{Content: &c, Stamp: r.Stamp}
		}, "another content"},
		{"no attributes", func(at uint32) table.Row {
			return resigned(install(t, 1, "/", "f", "", at, nil),
				func(c *table.Content, _ *table.Stamp) { c.Attributes = attr.Row{{Name: "X"}} })
		}, "not a row"},
		{"far ahead", func(at uint32) table.Row { return install(t, 1, "/", "f", "", at+25*3600, nil) }, "far ahead"},
	} {
		trusted := append(trust(), trustedFor(3, "/us"), trustedFor(4, "/eu/de"))
		o := newOne(t, "/eu/de", func(s *astrolabe.Seams) { s.Trusted, s.Compile = trusted, compileSQL })
		r := test.row(o.now())
		u := astrolabe.Update{Depth: uint8(r.Zone.Depth()), Label: r.Label, Content: r.Content, Stamp: r.Stamp}
		o.give("/eu/de", u)
		if got := o.refusal(); test.want == "" && got != "" || test.want != "" && !strings.Contains(got, test.want) ||
			o.has(u) != (test.want == "") {
			t.Errorf("%s: refused because of %q, want %q", test.what, got, test.want)
		}
		again := newOne(t, "/eu/de", func(s *astrolabe.Seams) { s.Trusted, s.Compile = trusted, compileSQL })
		if err := again.Spread(r); (err == nil) != (test.want == "") && test.what != "far ahead" {
			t.Errorf("%s: spreading it: %v", test.what, err)
		}
	}
	o := newOne(t, "/eu/de", func(s *astrolabe.Seams) { s.Trusted = trust() })
	for _, p := range []zone.Path{"/us", "/eu/de/berlin"} {
		if err := o.Spread(install(t, 1, p, "f", "", o.now(), nil)); err == nil {
			t.Errorf("a node of /eu/de spreads a function for %s", p)
		}
	}
	u := install(t, 1, "/us", "f", "", o.now(), nil)
	o.give("/eu/de", astrolabe.Update{Depth: 1, Label: u.Label, Content: u.Content, Stamp: u.Stamp})
	if got := o.refusal(); !strings.Contains(got, "elsewhere") {
		t.Errorf("a function of another zone was refused because of %q", got)
	}
	for _, name := range []string{"", "Big", "1st", strings.Repeat("x", 32)} {
		if _, err := astrolabe.Install("/", name, "", authority(1), nil, 1); err == nil {
			t.Errorf("a function is called %q", name)
		}
	}
	if _, err := astrolabe.Install("/", "f", strings.Repeat("x", astrolabe.MaxText+1), authority(1), nil,
		1); err == nil {
		t.Error("a text beyond the bound")
	}
}

// resigned changes a function and has authority 1 sign it.
func resigned(r table.Row, change func(*table.Content, *table.Stamp)) table.Row {
	c, s := *r.Content, *r.Stamp
	change(&c, &s)
	s.Content = c.Digest()
	copy(s.Signature[:], ed25519.Sign(authority(1), s.Words()))
	return table.Row{Content: &c, Stamp: &s}
}

// A newer version of a function replaces an older one, and not the other way.
func TestFunctionVersions(t *testing.T) {
	for _, newerFirst := range []bool{false, true} {
		o := newOne(t, "/eu", func(s *astrolabe.Seams) { s.Trusted, s.Compile = trust(), compileSQL })
		rows := []table.Row{
			install(t, 1, "/", "f", "SELECT 1 AS version FROM children LIMIT 1", o.now(), nil),
			install(t, 1, "/", "f", "SELECT 2 AS version FROM children LIMIT 1", o.now()+1, nil),
		}
		if newerFirst {
			slices.Reverse(rows)
		}
		for _, r := range rows {
			o.give("/eu", astrolabe.Update{Label: r.Label, Content: r.Content, Stamp: r.Stamp})
		}
		o.Advance(3 * time.Minute)
		if r, _ := o.Table("/").Get("eu"); r.IsZero() || r.Attributes.Get("version").Integer != 2 {
			t.Errorf("the newer one first: %v; the row is %v", newerFirst, r)
		}
		if newerFirst {
			if err := o.Spread(rows[1]); err == nil {
				t.Error("an older version is spread")
			}
		}
	}
}

// Of many functions those with the first names count, and none is kept open that is not needed.
func TestManyFunctions(t *testing.T) {
	opened, closed := 0, 0
	o := newOne(t, "/eu", func(s *astrolabe.Seams) {
		s.Trusted = trust()
		s.Compile = func(text string) (astrolabe.Function, error) {
			opened++
			return &fixed{text, &closed}, nil
		}
	})
	for i := range 40 {
		if err := o.Spread(install(t, 1, "/", fmt.Sprintf("f%02d", i), fmt.Sprintf("x%02d", i), o.now(),
			nil)); err != nil {
			t.Fatal(err)
		}
	}
	o.Advance(3 * time.Minute)
	r, _ := o.Table("/").Get("eu")
	for i := range 40 {
		name := fmt.Sprintf("x%02d", i)
		if counts := r.Attributes.Get(name).Type != attr.Null; counts != (i < astrolabe.Default().MaxFunctions) {
			t.Errorf("whether function %d counts: %v", i, counts)
		}
	}
	for version := range uint32(300) {
		r := install(t, 1, "/", "f00", fmt.Sprint("y", version), o.now()+1, nil)
		if err := o.Spread(r); err != nil {
			t.Fatal(err)
		}
		o.Advance(20 * time.Second)
	}
	if opened < 250 || opened-closed > 150 {
		t.Errorf("of %d functions that were compiled %d were closed", opened, closed)
	}
}

// fixed is a function that adds an attribute with a name.
type fixed struct {
	name   string
	closed *int
}

func (f *fixed) Aggregate([]attr.Row) (attr.Row, error) {
	return attr.Of(attr.Attribute{Name: f.name, Value: attr.Int(1)}), nil
}

func (f *fixed) Close() { *f.closed++ }
