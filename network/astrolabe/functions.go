package astrolabe

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"

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
	depth, ok := n.shares(r.Zone)
	if !n.placed {
		return errors.New("this node is looking for its place in the zones")
	}
	if !ok {
		return fmt.Errorf("this node is in %s, and cannot install a function for %s: %w", n.path, r.Zone, errPlace)
	}
	if err := n.admitFunction(r.Zone, r); err != nil {
		return fmt.Errorf("installing the function %q: %w", FunctionName(r), err)
	}
	if changed, _ := n.tables[depth].Put(r, 0, n.env.Now()); !changed {
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
func (n *Node) admitFunction(p zone.Path, r table.Row) error {
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
	keys, err := n.admission.authority(p, r.Proof, n.env.Wall())
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

// compiled is a function that was made of its text, or why it could not be.
type compiled struct {
	Function
	err error
}

// maxCompiled is how many functions are kept; beyond that all are closed, and compiled anew.
const maxCompiled = 128

func (n *Node) compile(text string) compiled {
	c, ok := n.functions[text]
	if ok {
		return c
	}
	if len(n.functions) >= maxCompiled {
		n.closeFunctions()
	}
	if n.functions == nil {
		n.functions = make(map[string]compiled)
	}
	c.Function, c.err = n.seams.Compile(text)
	n.functions[text] = c
	return c
}

// closeFunctions gives the memory back that compiled functions have.
func (n *Node) closeFunctions() {
	for _, c := range n.functions {
		if f, ok := c.Function.(interface{ Close() }); ok && c.err == nil {
			f.Close()
		}
	}
	n.functions = nil
}

// applyFunctions adds to the row of the zone at a depth what the functions compute that were installed for it or a zone
// above. One that fails adds nothing. If two compute an attribute, or it is built in, the function counts that was
// installed lower, or has the later name.
func (n *Node) applyFunctions(depth int, rows []attr.Row, row attr.Row) attr.Row {
	if n.seams.Compile == nil {
		return row
	}
	for d := range depth + 1 {
		count := 0
		for r := range n.tables[d].All() {
			text := FunctionText(r)
			if !zone.IsFunction(r.Label) || text == "" || count == n.config.MaxFunctions {
				continue
			}
			count++
			f := n.compile(text)
			added, err := attr.Row(nil), f.err
			if err == nil {
				added, err = f.Aggregate(rows)
			}
			if err == nil {
				sum := attr.Of(append(append(attr.Row(nil), row...), added...)...)
				if err = sum.Validate(); err == nil {
					row = sum
				}
			}
			if err != nil {
				n.env.Trace(Failed{n.path.At(depth), FunctionName(r), err})
			}
		}
	}
	return row
}
