package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"tidings/network/pieces"
	"tidings/store/large"
)

// version is a file as it was when it was read to be published.
type version struct {
	name    string // with its path
	size    int64
	changed time.Time
}

// maxHashed bounds how many versions of files are remembered.
const maxHashed = 10_000

// hashes are the contents of files that were read to be published, so that unchanged ones are not read again.
type hashes struct {
	mu sync.Mutex
	of map[version]pieces.Ref
}

func (h *hashes) get(v version) (ref pieces.Ref, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ref, known = h.of[v]
	return ref, known
}

func (h *hashes) put(v version, ref pieces.Ref) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.of) >= maxHashed {
		clear(h.of)
	}
	h.of[v] = ref
}

// MaxLength is how many bytes a file can have that is published.
func (f *Files) MaxLength() int64 { return f.config.pieces().MaxLength }

// Keep has this node keep and lend a file that is published, and returns by what name. info is what the system says of
// it. fresh reports whether it was not published before. It fails with large.ErrNoRoom if there is no room for it, and
// if it changes while it is read.
func (f *Files) Keep(ctx context.Context, file *os.File, info os.FileInfo) (ref pieces.Ref, fresh bool, err error) {
	as := version{file.Name(), info.Size(), info.ModTime()}
	if ref, known := f.hashed.get(as); known && f.catalog.isPublished(ref) {
		return ref, false, nil
	}
	m, err := pieces.Make(file, as.size, nil)
	if err != nil {
		return ref, false, err
	}
	ref = m.Ref()
	if fresh = !f.catalog.isPublished(ref); fresh {
		if err := f.keepPieces(ctx, m, file); err != nil {
			return ref, false, err
		}
	}
	f.hashed.put(as, ref)
	return ref, fresh, nil
}

var errChanging = errors.New("the file changes while it is read")

// keepPieces stores a content that is published.
func (f *Files) keepPieces(ctx context.Context, m *pieces.Manifest, file io.ReadSeeker) error {
	ref, manifest := m.Ref(), m.Bytes()
	if err := f.begin(ctx, large.Content{Ref: ref, Own: true}, manifest); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	again, err := pieces.Make(file, m.Length, func(index int, piece []byte) error {
		if sha256.Sum256(piece) != m.Hashes[index] {
			return errChanging
		}
		return f.large.PutPiece(ctx, ref, index, piece)
	})
	if err == nil && !bytes.Equal(again.Bytes(), manifest) {
		err = errChanging
	}
	if err != nil {
		return errors.Join(err, f.drop(ctx, ref))
	}
	f.catalog.complete(ref)
	f.host.InLoop(ctx, func() { f.pieces.Announce(ref) })
	return nil
}
