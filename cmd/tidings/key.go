package main

import (
	"errors"
	"strings"

	"tidings"
	"tidings/cmd/console"
	"tidings/node/keyring"
	"tidings/node/member"
	"tidings/node/owner"
)

type keyCmd struct {
	New         keyNewCmd         `cmd:"" help:"Make a key to publish with."`
	List        keyListCmd        `cmd:"" help:"List keys to publish with."`
	Fingerprint keyFingerprintCmd `cmd:"" help:"Print a key's fingerprint, by which readers know it."`
	Export      keyExportCmd      `cmd:"" help:"Print the public part of a key: its fingerprint, rotations and revocations."`
	Rotate      keyRotateCmd      `cmd:"" help:"Replace a key by a new one; the old key signs that, and readers accept it."`
	Revoke      keyRevokeCmd      `cmd:"" help:"Revoke a key for good. This cannot be undone."`

	Network keyNetworkCmd `cmd:"" help:"Make a key for a private network."`
}

type keyNewCmd struct {
	Name            string `arg:"" help:"What to call it: small letters, digits, dots and dashes."`
	Encrypt         bool   `help:"Encrypt it with a passphrase: that of the terminal, of TIDINGS_PASSPHRASE or of --passphrase-file."`
	passphraseFlags `embed:""`
	JSON            bool `name:"json" help:"Print JSON."`
}

func (c *keyNewCmd) Run(p *program) error {
	passphrase := ""
	if c.Encrypt || c.PassphraseFile != "" {
		var err error
		if passphrase, err = c.newPassphrase(p, c.Name); err != nil {
			return err
		}
	}
	key, err := keyring.In(p.data).New(c.Name, passphrase)
	if err != nil {
		return keyFailure(err)
	}
	if c.JSON {
		return p.out.JSON(key)
	}
	p.out.Printf("Made key %s\n  fingerprint %s\n", p.out.Paint(console.Bold, key.Name), key.Fingerprint)
	p.out.Printf("Keep a copy of %s in a safe place: without it you cannot go on publishing\nunder this key, nor "+
		"hand over to another.\n",
		console.Neutral(keyring.In(p.data).File(key.Name)))
	p.printOwner(keyring.In(p.data).File(key.Name))
	return nil
}

// printOwner says of a file that was made that it belongs to somebody else, if it does.
func (p *program) printOwner(file string) {
	if of, known := owner.Of(file); known && of.User != owner.Me().User {
		p.out.Printf("It belongs to %s, like its directory: so a node that runs as that user can read it.\n",
			console.Neutral(of.String()))
	}
}

type keyListCmd struct {
	JSON bool `name:"json" help:"Print JSON, one key a line."`
}

func (c *keyListCmd) Run(p *program) error {
	all, err := keyring.In(p.data).List()
	if err != nil {
		return err
	}
	if c.JSON {
		return printLines(p.out, all)
	}
	if len(all) == 0 {
		p.out.Printf("There is no key yet. Make one with: tidings key new NAME\n")
		return nil
	}
	rows := make([][]console.Cell, len(all))
	for i, key := range all {
		rows[i] = []console.Cell{{Text: key.Name, Style: console.Bold}, {Text: key.Fingerprint.String()},
			{Text: p.out.Relative(key.Made)}, {Text: keyState(key), Style: keyStyle(key)}}
	}
	p.out.Table([]console.Column{{Title: "NAME", Least: 8}, {Title: "FINGERPRINT", Least: 16}, {Title: "MADE"},
		{Title: "STATE"}}, rows)
	return nil
}

func keyState(key keyring.Key) string {
	var words []string
	if key.Revoked {
		words = append(words, "revoked")
	}
	if n := len(key.Rotations); n > 0 {
		words = append(words, "rotated "+times(n))
	}
	if key.Encrypted {
		words = append(words, "encrypted")
	}
	return strings.Join(words, ", ")
}

func keyStyle(key keyring.Key) console.Style {
	if key.Revoked {
		return console.Red
	}
	return console.Plain
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return console.Of(n, "time")
}

type keyFingerprintCmd struct {
	Name string `arg:"" help:"The key's name."`
}

func (c *keyFingerprintCmd) Run(p *program) error {
	key, err := keyring.In(p.data).Get(c.Name)
	if err != nil {
		return keyFailure(err)
	}
	p.out.Printf("%s\n", key.Fingerprint)
	return nil
}

type keyExportCmd struct {
	Name string `arg:"" help:"The key's name."`
	JSON bool   `name:"json" help:"Print JSON."`
}

func (c *keyExportCmd) Run(p *program) error {
	key, err := keyring.In(p.data).Get(c.Name)
	if err != nil {
		return keyFailure(err)
	}
	if c.JSON {
		return p.out.JSON(key)
	}
	p.out.Printf("%sfingerprint %s\n", key.PublicText(), key.Fingerprint)
	printWords(p.out, key)
	return nil
}

// printWords prints a key's signed words, each on a line.
func printWords(out *console.Console, key keyring.Key) {
	for _, word := range key.Rotations {
		out.Printf("rotation %s\n", word)
	}
	for _, word := range key.Revocations {
		out.Printf("revocation %s\n", word)
	}
}

type keyRotateCmd struct {
	Name            string `arg:"" help:"The key's name, which the new key gets."`
	passphraseFlags `embed:""`
	JSON            bool `name:"json" help:"Print JSON."`
}

func (c *keyRotateCmd) Run(p *program) error {
	key, err := c.signing(p, c.Name, keyring.In(p.data).Rotate)
	if err != nil {
		return err
	}
	if c.JSON {
		return p.out.JSON(key)
	}
	p.out.Printf("Key %s is another now\n  fingerprint %s\nThe old one has signed that, and is gone. A running "+
		"node tells its readers within seconds.\n"+
		"Announce the new one in your feeds: tidings publish --announce FILE --feed-url URL --key %[1]s\n", key.Name,
		key.Fingerprint)
	return nil
}

type keyRevokeCmd struct {
	Name            string `arg:"" help:"The key's name."`
	Yes             bool   `help:"You are sure."`
	passphraseFlags `embed:""`
	JSON            bool `name:"json" help:"Print JSON."`
}

func (c *keyRevokeCmd) Run(p *program) error {
	if !c.Yes {
		return usage("a revoked key can never be used again, and readers of its feeds are alarmed",
			"if that is what you want: tidings key revoke "+console.Neutral(c.Name)+" --yes")
	}
	key, err := c.signing(p, c.Name, keyring.In(p.data).Revoke)
	if err != nil {
		return err
	}
	if c.JSON {
		return p.out.JSON(key)
	}
	p.out.Printf("Key %s is void\n  fingerprint %s\nA running node tells its readers within seconds. Announce it "+
		"in your feeds too:\n"+
		"tidings publish --announce FILE --feed-url URL --key %[1]s\n", key.Name, key.Fingerprint)
	return nil
}

// keyFailure adds what to do about what is wrong with a key.
func keyFailure(err error) error {
	for _, known := range []struct {
		err  error
		hint string
	}{
		{keyring.ErrNoKey, "make one with: tidings key new NAME; those that there are: tidings key list"},
		{keyring.ErrExists, "to replace it by another: tidings key rotate NAME"},
		{keyring.ErrLocked, "give it on a terminal, by TIDINGS_PASSPHRASE or with --passphrase-file"},
		{keyring.ErrPassphrase, "nothing was changed"},
		{keyring.ErrRevoked, "make another with: tidings key new NAME"},
		{keyring.ErrPassphraseLength, "nothing was changed"},
		{keyring.ErrRotations, "make another key, and announce that"},
		{keyring.ErrName, "for example: tidings key new my-blog"},
		{keyring.ErrAmbiguous, "name it with --key; those that there are: tidings key list"},
		{keyring.ErrFile, "restore it from a copy"},
	} {
		if errors.Is(err, known.err) {
			return tidings.WithHint(err, known.hint)
		}
	}
	return err
}

type keyNetworkCmd struct {
	File string `arg:"" optional:"" default:"network.key" help:"File to make; one that is there is left alone. Default ${default}."`
}

func (c *keyNetworkCmd) Run(p *program) error {
	if err := member.WriteNetworkKey(c.File); err != nil {
		return err
	}
	p.out.Printf("A network key is in %[1]s. Give the file, by a safe way, to everyone who is to be\n"+
		"in your network, and start each node with: tidings up --network-key %[1]s\n"+
		"Nodes without it cannot speak to yours, nor yours to them.\n", console.Neutral(c.File))
	p.printOwner(c.File)
	return nil
}
