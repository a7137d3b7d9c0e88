package homes

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// commandWithin bounds a command that configures a namespace.
const commandWithin = 30 * time.Second

// inform runs a command that reads a file of orders, which it is given on its standard input.
func inform(command, flag, orders string) error {
	ctx, cancel := context.WithTimeout(context.Background(), commandWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, command, flag, "-")
	cmd.Stdin = strings.NewReader(orders)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", command, err, bytes.TrimSpace(out))
	}
	return nil
}

// ip gives orders to the command ip, one a line, in the namespace.
func (s *space) ip(orders ...string) error {
	return s.do(func() error { return inform("ip", "-batch", strings.Join(orders, "\n")+"\n") })
}

// nft gives rules to nftables in the namespace.
func (s *space) nft(rules string) error {
	return s.do(func() error { return inform("nft", "-f", rules) })
}

// set sets parameters of the kernel, by their paths below /proc/sys/net.
func (s *space) set(values map[string]string) error {
	return s.do(func() error {
		for path, value := range values {
			if err := os.WriteFile(filepath.Join("/proc/sys/net", path), []byte(value), 0o644); err != nil {
				return fmt.Errorf("setting a parameter of the kernel: %w", err)
			}
		}
		return nil
	})
}
