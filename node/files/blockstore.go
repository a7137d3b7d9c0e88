package files

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

	"tidings/network/pieces"
	"tidings/store/large"
)

// blockStore is where the protocol's pieces rest: the node's store, behind workers. Its methods are called in the loop.
type blockStore struct {
	files     *Files
	manifests *manifests
}

var _ pieces.BlockStore = (*blockStore)(nil)

// Open implements pieces.BlockStore.
func (b *blockStore) Open(ref pieces.Ref, opened func(manifest []byte, bits pieces.Bits)) {
	b.files.workers.Do(func(ctx context.Context) {
		manifest, places, err := b.files.large.Open(ctx, ref)
		b.files.complain(ctx, err)
		var bits pieces.Bits
		if m, err := pieces.ParseManifest(manifest); err != nil {
			manifest = nil
		} else {
			bits = pieces.NewBits(m.Count())
			for _, place := range places {
				if place < m.Count() {
					bits.Set(place)
				}
			}
		}
		b.files.host.InLoop(ctx, func() { opened(manifest, bits) })
	})
}

// Begin implements pieces.BlockStore.
func (b *blockStore) Begin(ref pieces.Ref, manifest []byte, begun func(ok bool)) {
	b.files.workers.Do(func(ctx context.Context) {
		err := b.files.begin(ctx, large.Content{Ref: ref}, manifest)
		b.files.complain(ctx, err)
		b.files.host.InLoop(ctx, func() { begun(err == nil) })
	})
}

// Put implements pieces.BlockStore.
func (b *blockStore) Put(ref pieces.Ref, index int, piece []byte, kept func(ok bool)) {
	b.files.workers.Do(func(ctx context.Context) {
		err := b.files.large.PutPiece(ctx, ref, index, piece)
		b.files.complain(ctx, err)
		b.files.host.InLoop(ctx, func() { kept(err == nil) })
	})
}

// Get implements pieces.BlockStore. A damaged piece counts as missing: its sender would be believed a liar.
func (b *blockStore) Get(ref pieces.Ref, index int, got func(piece []byte)) {
	b.files.workers.Do(func(ctx context.Context) {
		piece, err := b.files.large.Piece(ctx, ref, index)
		if err == nil && piece != nil {
			err = b.manifests.verify(ctx, ref, index, piece)
		}
		if err != nil {
			b.files.complain(ctx, err)
			piece = nil
		}
		b.files.host.InLoop(ctx, func() { got(piece) })
	})
}

// maxManifests bounds how many manifests are remembered.
const maxManifests = 16

// manifests are those of contents of which pieces were lent of late.
type manifests struct {
	store *large.Store

	mu    sync.Mutex
	known map[pieces.Ref]*pieces.Manifest
}

func newManifests(s *large.Store) *manifests {
	return &manifests{store: s, known: make(map[pieces.Ref]*pieces.Manifest)}
}

var errDamaged = errors.New("a file is damaged")

// verify returns why a piece that is here is not what the content's name says; nil: it is.
func (m *manifests) verify(ctx context.Context, ref pieces.Ref, index int, piece []byte) error {
	manifest, err := m.of(ctx, ref)
	if err != nil {
		return err
	}
	if index >= manifest.Count() || sha256.Sum256(piece) != manifest.Hashes[index] {
		return fmt.Errorf("piece %d of %s: %w", index, ref, errDamaged)
	}
	return nil
}

func (m *manifests) of(ctx context.Context, ref pieces.Ref) (*pieces.Manifest, error) {
	m.mu.Lock()
	manifest := m.known[ref]
	m.mu.Unlock()
	if manifest != nil {
		return manifest, nil
	}
	b, _, err := m.store.Open(ctx, ref)
	if err != nil {
		return nil, err
	}
	if manifest, err = pieces.ParseManifest(b); err != nil {
		return nil, fmt.Errorf("manifest of %s: %w", ref, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.known) >= maxManifests {
		clear(m.known)
	}
	m.known[ref] = manifest
	return manifest, nil
}
