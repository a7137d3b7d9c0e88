package servers

import (
	"context"
	"fmt"
	"os"
	"strings"

	"tidings"
	"tidings/delivery/auth"
	"tidings/node/owner"
)

// setPassword adopts the password of PasswordFile. It refuses to open a node without one to others than the people of
// this machine.
func (c Config) setPassword(ctx context.Context, open bool) error {
	hash, err := c.Store.PasswordHash(ctx, tidings.Owner)
	if err != nil {
		return err
	}
	switch {
	case c.PasswordFile != "":
		return c.storePassword(ctx, hash)
	case open && hash == "":
		return tidings.Invalidf("others can reach %s, so the page needs a password: "+
			"give one with --password-file, or start on a loopback address and run `tidings password`", c.HTTP)
	}
	return nil
}

// storePassword reads the file and keeps the password's hash, unless it is that of before.
func (c Config) storePassword(ctx context.Context, former string) error {
	text, err := os.ReadFile(c.PasswordFile)
	if err != nil {
		return owner.Explain(fmt.Errorf("reading the password: %w", err), c.PasswordFile)
	}
	password, _, _ := strings.Cut(string(text), "\n")
	password = strings.TrimSuffix(password, "\r")
	if same, err := auth.CheckPassword(former, password); former != "" && err == nil && same {
		return nil
	}
	hash, err := auth.HashPassword(password)
	if err != nil {
		return fmt.Errorf("password in %s: %w", c.PasswordFile, err)
	}
	return c.Store.SetPasswordHash(ctx, tidings.Owner, hash)
}
