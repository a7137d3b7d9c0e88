package zones

import (
	"context"

	"tidings"
	"tidings/network/astrolabe"
	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/zone"
)

// SpreadFunction passes a function on to the nodes of its zone that an authority has signed, or its end.
func (z *Zones) SpreadFunction(ctx context.Context, i tidings.ZoneInstallation) error {
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
		return tidings.Invalidf("this node trusts no authority, and takes no functions: tidings zone join %s --authority FILE", place.home)
	}
	var spread error
	if err := z.order(ctx, func() { z.router.begin(); spread = z.router.zones.Spread(r) }); err != nil {
		return err
	}
	if spread != nil {
		return tidings.Invalidf("%v", spread)
	}
	return nil
}
