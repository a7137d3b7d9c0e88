package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"

	"tidings"
	"tidings/delivery/auth"
)

// ListenSocket opens the socket for commands, for the owner of the data directory alone.
func ListenSocket(ctx context.Context, file string) (net.Listener, error) {
	// The store's lock is held, so the node that left a socket here is gone.
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("removing the socket of a former node: %w", err)
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "unix", file)
	if err != nil {
		if len(file) > 100 {
			return nil, fmt.Errorf(
				"opening the socket for commands: its path is too long for this system, choose a shorter --data: %w",
				err)
		}
		return nil, fmt.Errorf("opening the socket for commands: %w", err)
	}
	if err := os.Chmod(file, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("protecting the socket for commands: %w", err), l.Close())
	}
	return l, nil
}

// AsOwner lets every request through as the owner's, an administrator's: it came through a socket that nobody else can
// open.
func AsOwner(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(auth.WithAccount(r.Context(), tidings.Owner)))
	})
}
