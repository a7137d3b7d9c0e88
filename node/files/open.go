package files

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"tidings"
	"tidings/network/pieces"
	"tidings/store/large"
	"tidings/view"
)

// OpenFile opens a file that an item carries, of a channel which the account follows. tidings.ErrNotFound: there is
// none, or not all of it is here, or the node works alone. What is read is checked; ctx bounds the reading.
func (f *Files) OpenFile(ctx context.Context, account tidings.AccountID, ref string) (o view.OpenedFile, err error) {
	if f == nil {
		return o, tidings.ErrNotFound
	}
	name, err := pieces.ParseRef(ref)
	if err != nil {
		return o, tidings.ErrNotFound
	}
	carried, err := f.pushed.FilesFor(ctx, account, name)
	if err != nil {
		return o, err
	}
	if len(carried) == 0 {
		return o, tidings.ErrNotFound
	}
	b, places, err := f.large.Open(ctx, name)
	if err != nil {
		return o, err
	}
	manifest, err := pieces.ParseManifest(b)
	if err != nil || len(places) != manifest.Count() {
		return o, tidings.ErrNotFound
	}
	return view.OpenedFile{
		Name: nameOf(carried[0].File), Type: carried[0].Type, Changed: carried[0].Since,
		Content: &sought{ctx: ctx, store: f.large, ref: name, manifest: manifest, index: -1},
	}, nil
}

// sought reads a content that is here, and checks what it reads: disks fail.
type sought struct {
	ctx      context.Context
	store    *large.Store
	ref      pieces.Ref
	manifest *pieces.Manifest
	at       int64
	index    int // of piece; -1: none
	piece    []byte
}

// Read implements io.Reader.
func (r *sought) Read(b []byte) (int, error) {
	if r.at >= r.manifest.Length {
		return 0, io.EOF
	}
	if index := int(r.at / int64(r.manifest.Piece)); index != r.index {
		piece, err := r.store.Piece(r.ctx, r.ref, index)
		if err != nil {
			return 0, err
		}
		if sha256.Sum256(piece) != r.manifest.Hashes[index] {
			return 0, fmt.Errorf("piece %d of %s: %w", index, r.ref, errDamaged)
		}
		r.index, r.piece = index, piece
	}
	n := copy(b, r.piece[r.at%int64(r.manifest.Piece):])
	r.at += int64(n)
	return n, nil
}

// Seek implements io.Seeker.
func (r *sought) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.manifest.Length
	}
	if offset < 0 {
		return 0, errors.New("before the beginning of a file")
	}
	r.at = offset
	return offset, nil
}
