package main

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"tidings"
	"tidings/cmd/console"
	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/sql"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/node/keyring"
	"tidings/node/wholefile"
	"tidings/node/zones"
)

// zoneArg is a zone as people write it.
type zoneArg struct{ zone.Path }

// UnmarshalText reads a zone such as /eu/de.
func (z *zoneArg) UnmarshalText(text []byte) (err error) {
	z.Path, err = zone.Parse(string(text))
	return err
}

type zoneCreateCmd struct {
	Path            zoneArg `arg:"" help:"Zone that the authority is to rule, with all below: /, /eu, /eu/de." placeholder:"ZONE"`
	Encrypt         bool    `help:"Encrypt it with a passphrase: that of the terminal, of TIDINGS_PASSPHRASE or of --passphrase-file."`
	passphraseFlags `embed:""`
}

func (c *zoneCreateCmd) Run(p *program) error {
	passphrase := ""
	if c.Encrypt || c.PassphraseFile != "" {
		var err error
		if passphrase, err = c.newPassphrase(p, keyring.ZoneKeyName(c.Path.Path)); err != nil {
			return err
		}
	}
	key, err := keyring.In(p.data).NewZone(c.Path.Path, passphrase)
	if err != nil {
		return zoneFailure(err)
	}
	p.out.Printf("Made the key of the authority over %s: %s\n  fingerprint %s\n", c.Path.Path,
		p.out.Paint(console.Bold, key.Name), key.Fingerprint)
	p.out.Printf("Keep it to yourself, with a copy of %s in a safe place.\n\n"+
		"To the people of all nodes give its public half, or read them the fingerprint:\n  tidings zone authority "+
		"%s --out authority.txt\n"+
		"To the people of each node that is to be in a closed network give a certificate, for the ID that its "+
		"status shows:\n"+
		"  tidings zone certify %[2]s NODE --out node.txt\nThey use it with:\n  tidings zone join %[2]s "+
		"--certificate node.txt --authority %s --closed\n",
		console.Neutral(keyring.In(p.data).File(key.Name)), c.Path.Path, key.Fingerprint)
	p.printOwner(keyring.In(p.data).File(key.Name))
	return nil
}

type zoneAuthorityCmd struct {
	Path zoneArg `arg:"" help:"Zone that the authority rules." placeholder:"ZONE"`
	Out  string  `help:"File to write it to; without it, it is printed." placeholder:"FILE"`
}

func (c *zoneAuthorityCmd) Run(p *program) error {
	key, err := keyring.In(p.data).Get(keyring.ZoneKeyName(c.Path.Path))
	if err != nil {
		return zoneFailure(err)
	}
	text := fmt.Sprintf("The authority over %s and all zones below it.\nFingerprint: %s\n%s", c.Path.Path,
		key.Fingerprint, key.Authority(c.Path.Path).Text())
	if c.Out == "" {
		p.out.Printf("%s", text)
		return nil
	}
	if err := wholefile.Write(c.Out, []byte(text)); err != nil {
		return failure("writing "+console.Neutral(c.Out)+": "+plainPathError(err), "")
	}
	p.out.Printf("Wrote %s: the authority over %s, fingerprint %s\n", console.Neutral(c.Out), c.Path.Path,
		key.Fingerprint)
	return nil
}

// signerFlags say by which key an authority signs.
type signerFlags struct {
	By              zoneArg `help:"Zone whose authority's key signs; without it the nearest that has a key here." placeholder:"ZONE"`
	KeyCertificate  string  `help:"Certificate of that key by the authority of a zone above, where nodes trust that one alone." placeholder:"FILE"`
	passphraseFlags `embed:""`
}

// signer returns the signer for a zone.
func (f signerFlags) signer(p *program, of zone.Path) (*keyring.ZoneSigner, error) {
	keys := keyring.In(p.data)
	if f.By.Path != "" {
		of = f.By.Path
	}
	key, over, err := keys.ZoneKey(of)
	if err == nil && f.By.Path != "" && over != of {
		_, err = keys.Get(keyring.ZoneKeyName(of))
	}
	if err != nil {
		return nil, zoneFailure(err)
	}
	var given *cert.File
	if f.KeyCertificate != "" {
		file, err := readZoneFile(f.KeyCertificate)
		if err != nil {
			return nil, err
		}
		given = &file
	}
	passphrase := ""
	if key.Encrypted {
		if passphrase, err = f.passphrase(p, key.Name); err != nil {
			return nil, err
		}
	}
	s, err := keys.ZoneSigner(over, passphrase, given)
	if err != nil {
		return nil, zoneFailure(err)
	}
	return s, nil
}

func readZoneText(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", failure("reading "+name+": "+plainPathError(err),
			"it is what `tidings zone certify` or `tidings zone authority` printed")
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, cert.MaxFile+1))
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", name, err)
	}
	if strings.TrimSpace(string(text)) == "" {
		return "", failure(console.Neutral(name)+" is empty",
			"have it made anew, with --out: then there is no file where that fails")
	}
	return string(text), nil
}

// plainPathError is what went wrong with a file, without the name that stands before it anyway.
func plainPathError(err error) string {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

func readZoneFile(name string) (cert.File, error) {
	text, err := readZoneText(name)
	if err != nil {
		return cert.File{}, err
	}
	f, err := cert.ParseFile([]byte(text))
	if err != nil {
		return f, failure(fmt.Sprintf("%s cannot be used: %v", name, err), "")
	}
	return f, nil
}

type zoneCertifyCmd struct {
	Path        zoneArg `arg:"" help:"Zone that the certificate is for, with all below." placeholder:"ZONE"`
	Whom        string  `arg:"" help:"A node, by the ID that its status shows; or, to have another key rule the zone, the file that tidings zone authority printed." placeholder:"NODE|FILE"`
	Publish     bool    `help:"The node may publish to all of the zone under its own name."`
	For         span    `default:"365d" help:"For how long the certificate holds; default ${default}." placeholder:"DURATION"`
	Out         string  `help:"File to write the certificate to; without it, it is printed." placeholder:"FILE"`
	signerFlags `embed:""`
}

func (c *zoneCertifyCmd) Run(p *program) error {
	id, notID := engine.ParseID(strings.ToLower(c.Whom))
	var authority cert.File
	if notID != nil {
		var err error
		if authority, err = readZoneFile(c.Whom); err != nil {
			return failure(fmt.Sprintf(
				"%q is neither the ID of a node (40 hexadecimal digits) nor a file with an authority's key",
				console.Neutral(c.Whom)),
				"a node's ID: tidings status; a key's file: tidings zone authority ZONE")
		}
		if c.Publish {
			return usage("--publish is for nodes: a key signs who may publish", "leave it out")
		}
	}
	s, err := c.signer(p, c.Path.Path)
	if err != nil {
		return err
	}
	var f cert.File
	whom := "the node " + id.String() + " may be in " + string(c.Path.Path)
	if notID == nil {
		f, err = s.CertifyNode(c.Path.Path, id, c.Publish, time.Duration(c.For))
		if c.Publish {
			whom += ", and publish to all of it"
		}
	} else {
		f, err = s.CertifyKey(c.Path.Path, authority.Authority.Key, time.Duration(c.For))
		whom = "the key " + fingerprint(authority.Authority.Key) + " rules " + string(c.Path.Path)
	}
	if err != nil {
		return zoneFailure(err)
	}
	until := time.Unix(int64(f.Chain[len(f.Chain)-1].NotAfter), 0).UTC().Format("2006-01-02 15:04 MST")
	text := fmt.Sprintf("Certificate: %s and zones below, until %s.\nAuthority over %s, fingerprint: %s\n%s",
		whom, until, f.Authority.Zone, fingerprint(f.Authority.Key), f.Text())
	if c.Out == "" {
		p.out.Printf("%s", text)
		return nil
	}
	if err := wholefile.Write(c.Out, []byte(text)); err != nil {
		return failure("writing "+console.Neutral(c.Out)+": "+plainPathError(err), "")
	}
	p.out.Printf("Wrote %s: %s, until %s\n", console.Neutral(c.Out), whom, until)
	return nil
}

func fingerprint(key ed25519.PublicKey) string { return zones.FingerprintOf(key).String() }

// installFlags say where a function goes.
type installFlags struct {
	Zone        zoneArg `default:"/" help:"Zone that it is for, with all below; default ${default}." placeholder:"ZONE"`
	signerFlags `embed:""`
}

type zoneInstallCmd struct {
	Name         string `arg:"" help:"What to call the function: small letters, digits and _. One of the same name is replaced."`
	SQL          string `arg:"" name:"sql" help:"The function, or a file with it, such as: SELECT MAX(load) AS peak FROM children." placeholder:"SQL|FILE"`
	installFlags `embed:""`
}

// maxFunctionFile bounds what is read of a file with a function: the longest has 2,048 bytes.
const maxFunctionFile = 64 << 10

func (c *zoneInstallCmd) Run(p *program) error {
	text := c.SQL
	if !strings.ContainsAny(text, " \t\n") {
		file, err := os.Open(text)
		if err != nil {
			return failure(fmt.Sprintf("%q is neither a function nor a file with one: %s", console.Neutral(text),
				plainPathError(err)),
				"for example: tidings zone install-function peak 'SELECT MAX(load) AS peak FROM children'")
		}
		defer file.Close()
		b, err := io.ReadAll(io.LimitReader(file, maxFunctionFile))
		if err != nil {
			return fmt.Errorf("reading the function: %w", err)
		}
		text = string(b)
	}
	if text = strings.TrimSpace(text); text == "" {
		return failure("the function is empty", "to revoke one: tidings zone revoke-function NAME")
	}
	return c.spread(p, c.Name, text)
}

// spread signs a function and has the node pass it on.
func (f installFlags) spread(p *program, name, text string) error {
	s, err := f.signer(p, f.Zone.Path)
	if err != nil {
		return err
	}
	i, err := s.Function(f.Zone.Path, name, text)
	var wrong *sql.Error
	if errors.As(err, &wrong) {
		return failure("the function cannot be installed: "+zones.PlaceOf(text, wrong),
			"what functions can do: docs/zones.md")
	}
	if err != nil {
		return zoneFailure(err)
	}
	if err := p.client.SpreadFunction(p.ctx, i); err != nil {
		return err
	}
	if text == "" {
		p.out.Printf("Revoked the function %s in %s and all zones below.\n", name, f.Zone.Path)
		return nil
	}
	p.out.Printf("Installed the function %s in %s and all zones below. What it computes: tidings zone show\n", name,
		f.Zone.Path)
	return nil
}

type zoneRevokeCmd struct {
	Name         string `arg:"" help:"Name of the function."`
	installFlags `embed:""`
}

func (c *zoneRevokeCmd) Run(p *program) error { return c.spread(p, c.Name, "") }

// zoneFailure adds what to do about what is wrong with an authority.
func zoneFailure(err error) error {
	for _, known := range []struct {
		err  error
		hint string
	}{
		{keyring.ErrNoKey, "make one with: tidings zone create ZONE; those that there are: tidings key list"},
		{keyring.ErrNoZoneKey, "make one with: tidings zone create ZONE; those that there are: tidings key list"},
		{keyring.ErrExists, "to print its public half: tidings zone authority ZONE"},
		{keyring.ErrZoneAuto, "name a zone above it"},
		{keyring.ErrZoneLong, "name a zone above it"},
		{keyring.ErrZoneScope, "name the zone whose authority is to sign with --by"},
		{keyring.ErrZoneTime, "for example: --for 90d"},
		{keyring.ErrZoneChain, "give the one that names this key's fingerprint"},
	} {
		if errors.Is(err, known.err) {
			return tidings.WithHint(err, known.hint)
		}
	}
	return keyFailure(err)
}
