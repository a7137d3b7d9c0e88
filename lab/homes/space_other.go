//go:build !linux

package homes

import (
	"errors"
	"os"
	"os/exec"
)

var errNoNamespaces = errors.New("only Linux has network namespaces")

// Check reports what this machine lacks for an Internet.
func Check() error { return errNoNamespaces }

type space struct{ thread int }

func newSpace(map[string]string) (*space, error) { return nil, errNoNamespaces }
func openTUN(string) (*os.File, error)           { return nil, errNoNamespaces }

func (*space) do(func() error) error { return errNoNamespaces }
func (*space) start(*exec.Cmd) error { return errNoNamespaces }
func (*space) close()                {}
