package zones

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"tidings"
	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/zone"
	"tidings/network/feedtree"
	"tidings/node/owner"
	"tidings/node/wholefile"
	"tidings/view"
)

// ReadOrder returns the order that settings stand for: a zone, a file with a certificate, and an authority's
// fingerprint or a file with one. Each is empty if it is not set. Errors: tidings.ErrInvalid. That a certificate does
// not suffice is none.
func ReadOrder(path, certificate, authority string, closed bool) (o view.ZoneOrder, err error) {
	o = view.ZoneOrder{Path: path, Authority: authority, Closed: closed}
	if certificate != "" {
		if o.Certificate, err = readFile(certificate); err != nil {
			return o, owner.Explain(tidings.Invalidf("the zone's certificate: %w", err), certificate)
		}
	}
	if _, err := feedtree.ParseFingerprint(authority); authority != "" && err != nil {
		if o.Authority, err = readFile(authority); err != nil {
			return o, owner.Explain(tidings.Invalidf("the zone's authority is neither a fingerprint nor a file: %w",
				err), authority)
		}
	}
	if _, err := zone.Parse(path); path != "" && err != nil {
		return o, tidings.Invalidf("the zone cannot be: %v", err)
	}
	return o, nil
}

func readFile(name string) (string, error) {
	text, err := wholefile.Read(name, cert.MaxFile)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("there is no file %s", name)
	case err == nil && len(bytes.TrimSpace(text)) == 0:
		return "", fmt.Errorf("the file %s is empty", name)
	}
	return string(text), err
}
