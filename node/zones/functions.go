package zones

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tidings"
	"tidings/network/astrolabe"
	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/view"
)

// SpreadFunction passes a function on to the nodes of its zone that an authority has signed, or its end.
func (z *Zones) SpreadFunction(ctx context.Context, i view.ZoneInstallation) error {
	p, err := zone.Parse(i.Zone)
	if err != nil {
		return tidings.Invalidf("%v", err)
	}
	var chain cert.Chain
	if i.Certificate != "" {
		f, err := cert.ParseFile([]byte(i.Certificate))
		if err != nil {
			return tidings.Invalidf("the certificate of the authority's key: %v", err)
		}
		chain = f.Chain
	}
	r, err := astrolabe.Installed(p, i.Name, i.SQL, chain, i.Time, i.Signature)
	if err != nil {
		return tidings.Invalidf("%v", err)
	}
	if place, _ := z.told.now(); !place.trusts() {
		return tidings.Invalidf(
			"this node trusts no authority, and takes no functions: tidings zone join %s --authority FILE", place.home)
	}
	var spread error
	var known []string
	if err := z.order(ctx, func() {
		z.router.begin()
		known = functionsOf(z.router.zones.Table(p))
		if i.SQL != "" || slices.Contains(known, i.Name) || z.router.zones.Table(p) == nil {
			spread = z.router.zones.Spread(r)
		} else {
			spread = errNoFunction
		}
	}); err != nil {
		return err
	}
	switch {
	case errors.Is(spread, errNoFunction):
		hint := "no function is installed there"
		if len(known) > 0 {
			hint = "installed there: " + strings.Join(known, ", ")
		}
		return tidings.WithHint(fmt.Errorf("%w: the function %s in %s", tidings.ErrNotFound, tidings.Quote(i.Name), p),
			hint)
	case spread != nil:
		return tidings.Invalidf("%v", spread)
	}
	return nil
}

// errNoFunction is of a function that is to be revoked, and is not installed.
var errNoFunction = errors.New("no such function")

// functionsOf returns the names of the functions that are installed for a table, sorted; of no table none.
func functionsOf(t *table.Table) (names []string) {
	if t == nil {
		return nil
	}
	for r := range t.All() {
		if zone.IsFunction(r.Label) && astrolabe.FunctionText(r) != "" {
			names = append(names, astrolabe.FunctionName(r))
		}
	}
	return names
}
