package node

import (
	"context"
	"errors"
	"path/filepath"

	player "tidings/delivery/media"
	"tidings/egress"
	"tidings/node/media"
)

const mediaKey = "media.key" // by which the page signs what it plays, in the data directory

// newMedia returns what plays the sound and video of others on the page.
func (n *Node) newMedia() (*player.Media, error) {
	key, err := secretOf(filepath.Join(n.config.Data, mediaKey))
	if err != nil {
		return nil, err
	}
	f := n.config.fetching()
	guard := egress.Guard{Private: f.AllowPrivate || f.Lab, Ports: egress.HighPorts}
	if f.Lab {
		guard.Ports = egress.AnyPort
	}
	return player.New(
		mediaOrigin{media.New(media.Config{Guard: guard, Agent: "Tidings/" + f.Version + " (+" + f.Contact + ")"})},
		key, n.log), nil
}

// mediaOrigin is a media.Client as delivery knows it.
type mediaOrigin struct{ *media.Client }

// Open asks for a file.
func (o mediaOrigin) Open(ctx context.Context, address, bytes string) (player.Stream, error) {
	s, err := o.Client.Open(ctx, address, bytes)
	switch {
	case errors.Is(err, media.ErrKind):
		return player.Stream{}, player.ErrKind
	case errors.Is(err, media.ErrRange):
		return player.Stream{}, player.ErrRange
	}
	return player.Stream(s), err
}
