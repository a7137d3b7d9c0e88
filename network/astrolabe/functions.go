package astrolabe

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"
	"time"

	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// An aggregation function stands in the table of the zone that it was installed for, as a row with a label that begins
// with zone.FunctionMark. So it comes to all nodes below as other rows do. The authority has signed it, and it needs no
// new stamps.

// attrText is the text of a function; a function without is revoked.
const attrText = "text"

// MaxText is the length of the longest function.
const MaxText = 2048

// Install returns the row that installs an aggregation function for a zone and all below it; with an empty text, that
// revokes it. key is the authority's, chain proves it, and time orders what the authority has signed: the seconds of
// the calendar.
func Install(p zone.Path, name, text string, key ed25519.PrivateKey, chain cert.Chain, time uint32) (table.Row, error) {
	r, err := Installed(p, name, text, chain, time, nil)
	if err == nil {
		copy(r.Signature[:], ed25519.Sign(key, r.Words()))
	}
	return r, err
}

// Installed returns such a row with a signature that was made elsewhere.
func Installed(p zone.Path, name, text string, chain cert.Chain, time uint32, signature []byte) (table.Row, error) {
	if !attr.ValidName(name) || len(name) >= maxLabel {
		return table.Row{}, fmt.Errorf("a function cannot be called %q: write small letters, digits and _, at most %d",
			name, maxLabel-1)
	}
	if len(text) > MaxText {
		return table.Row{}, fmt.Errorf("the function has %d bytes, more than %d", len(text), MaxText)
	}
	c := &table.Content{Zone: p, Label: zone.FunctionMark + name, Proof: chain}
	if text != "" {
		c.Attributes = attr.Of(attr.Attribute{Name: attrText, Value: attr.String(text)})
	}
	s := &table.Stamp{Time: time, Lifetime: table.Forever, Content: c.Digest()}
	copy(s.Signature[:], signature)
	return table.Row{Content: c, Stamp: s}, nil
}

const maxLabel = 32

// Spread passes on a row that Install has made. It fails if the node is not below the zone, or the row is not right.
func (n *Node) Spread(r table.Row) error {
	depth, ok := n.branch.shares(r.Zone)
	if !n.branch.placed {
		return errors.New("this node is looking for its place in the zones")
	}
	if !ok {
		return fmt.Errorf("this node is in %s, and cannot install a function for %s: %w", n.branch.path, r.Zone, errPlace)
	}
	if err := n.admission.admitFunction(r.Zone, r, n.env.Wall()); err != nil {
		return fmt.Errorf("installing the function %q: %w", FunctionName(r), err)
	}
	if changed, _ := n.branch.tables[depth].Put(r, 0, n.env.Now()); !changed {
		return fmt.Errorf("installing the function %q: a newer one is known", FunctionName(r))
	}
	n.learned(depth, r, false)
	n.passOn(depth, table.Sent{Row: r}, engine.Peer{})
	return nil
}

// FunctionName returns the name of a function, and FunctionText what it computes; empty: it is revoked.
func FunctionName(r table.Row) string { return strings.TrimPrefix(r.Label, zone.FunctionMark) }
func FunctionText(r table.Row) string { return string(r.Attributes.Get(attrText).Bytes) }

// admitFunction returns an error unless a row is a function that an authority over the zone has signed.
func (a *admission) admitFunction(p zone.Path, r table.Row, now time.Time) error {
	switch {
	case r.Zone != p:
		return errPlace
	case r.Content.Digest() != r.Stamp.Content:
		return errDigest
	case !attr.ValidName(FunctionName(r)):
		return errLabel
	case r.Lifetime != table.Forever:
		return errLifetime
	}
	if err := r.Attributes.Validate(); err != nil {
		return err
	}
	keys, err := a.authority(p, r.Proof, now)
	if err != nil {
		return err
	}
	for _, k := range keys {
		if ed25519.Verify(k, r.Words(), r.Signature[:]) {
			return nil
		}
	}
	return cert.ErrUntrusted
}

// functions are those that were compiled.
type functions struct {
	compile func(text string) (Function, error) // nil: none can be installed
	by      map[string]compiled                 // their texts; at most maxCompiled
}

// compiled is a function that was made of its text, or why it could not be.
type compiled struct {
	Function
	err error
}

// maxCompiled is how many functions are kept; beyond that all are closed, and compiled anew.
const maxCompiled = 128

func (f *functions) get(text string) compiled {
	c, ok := f.by[text]
	if ok {
		return c
	}
	if len(f.by) >= maxCompiled {
		f.close()
	}
	if f.by == nil {
		f.by = make(map[string]compiled)
	}
	c.Function, c.err = f.compile(text)
	f.by[text] = c
	return c
}

// close gives the memory back that compiled functions have.
func (f *functions) close() {
	for _, c := range f.by {
		if closing, ok := c.Function.(interface{ Close() }); ok && c.err == nil {
			closing.Close()
		}
	}
	f.by = nil
}

// apply adds to the row of a zone what the functions compute that were installed for it or a zone above: those in
// tables, of which each has at most so many. rows are those of the zone's table. A function that fails adds nothing and
// is reported. If two compute an attribute, or it is built in, the function counts that was installed lower, or has the
// later name.
func (f *functions) apply(tables []table.Table, most int, rows []attr.Row, row attr.Row,
	failed func(name string, err error)) attr.Row {
	if f.compile == nil {
		return row
	}
	for d := range tables {
		count := 0
		for r := range tables[d].All() {
			text := FunctionText(r)
			if !zone.IsFunction(r.Label) || text == "" || count == most {
				continue
			}
			count++
			c := f.get(text)
			added, err := attr.Row(nil), c.err
			if err == nil {
				added, err = c.Aggregate(rows)
			}
			if err == nil {
				sum := attr.Of(append(append(attr.Row(nil), row...), added...)...)
				if err = sum.Validate(); err == nil {
					row = sum
				}
			}
			if err != nil {
				failed(FunctionName(r), err)
			}
		}
	}
	return row
}
