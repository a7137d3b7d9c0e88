package demo

import (
	"fmt"
	"os/exec"
	"runtime"
)

// open shows an address in the browser that the system prefers.
func open(address string) error {
	program, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		program = "open"
	case "windows":
		program, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	cmd := exec.Command(program, args...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("opening a browser: %w", err)
	}
	go func() { _ = cmd.Wait() }() // what the browser thinks of it is on the screen
	return nil
}
