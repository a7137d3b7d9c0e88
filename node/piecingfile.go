package node

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"

	"tidings"
	"tidings/delivery/files"
	"tidings/network/pieces"
	"tidings/node/filename"
	"tidings/store"
)

// describe fills in how the files of a channel's items are here.
func (p *piecing) describe(channel string, items []tidings.Item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.carried[channel]
	if len(known) == 0 {
		return
	}
	for i := range items {
		item := &items[i]
		page, ok := known[item.URL]
		for j := range item.Enclosures {
			e := &item.Enclosures[j]
			if f, ok := known[e.URL]; ok {
				e.Copy = p.copyOf(f)
			}
			ok = ok && e.URL != item.URL
		}
		if ok { // its own page, which is too long to be its content
			item.Enclosures = append(item.Enclosures, tidings.Enclosure{URL: page.URL, Type: page.Type, Length: page.Length, Copy: p.copyOf(page)})
		}
	}
}

// copyOf tells how a file is here. The caller holds p.mu.
func (p *piecing) copyOf(f store.ItemFile) *tidings.Copy {
	told := &tidings.Copy{State: tidings.CopyNowhere, Length: f.Length, Ref: pieces.Ref(f.Ref).String()}
	c := p.contents[f.Ref]
	if c == nil {
		return told
	}
	if c.begun() {
		told.Percent = 100 * c.have / c.of
		told.Length = c.length
	}
	switch {
	case c.whole():
		told.State = tidings.CopyHere
		told.Path = files.Path(told.Ref, fileNameOf(f.File))
	case c.fetching && c.have > 0:
		told.State = tidings.CopyFetching
	case c.wanted:
		told.State = tidings.CopyWaiting
	}
	return told
}

// fileNameOf returns the name by which a file is saved.
func fileNameOf(f tidings.File) string {
	name := "file"
	if u, err := url.Parse(f.URL); err == nil {
		if last := filename.Safe(path.Base(path.Clean("/" + u.Path))); strings.Trim(last, "-.") != "" && last[0] != '.' {
			name = last
		}
	}
	if f.Type == "text/html" && path.Ext(name) == "" {
		name += ".html"
	}
	return name
}

// OpenFile opens a file that an item of a channel carries which the account follows; tidings.ErrNotFound if there is
// none, or not all of it is here.
func (n *Node) OpenFile(ctx context.Context, account tidings.AccountID, ref string) (f files.File, err error) {
	name, err := pieces.ParseRef(ref)
	if err != nil || n.piecing == nil {
		return f, tidings.ErrNotFound
	}
	carried, err := n.store.ItemFilesFor(ctx, account, name)
	if err != nil {
		return f, err
	}
	if len(carried) == 0 {
		return f, tidings.ErrNotFound
	}
	b, places, err := n.store.OpenLarge(ctx, name)
	if err != nil {
		return f, err
	}
	manifest, err := pieces.ParseManifest(b)
	if err != nil || len(places) != manifest.Count() {
		return f, tidings.ErrNotFound
	}
	return files.File{
		Name: fileNameOf(carried[0].File), Type: carried[0].Type, Changed: carried[0].Since,
		Content: &pieceReader{ctx: ctx, store: n.store, ref: name, manifest: manifest, index: -1},
	}, nil
}

// pieceReader reads a content that is here, and checks what it reads: disks fail.
type pieceReader struct {
	ctx      context.Context
	store    *store.Store
	ref      pieces.Ref
	manifest *pieces.Manifest
	at       int64
	index    int // of piece; -1: none
	piece    []byte
}

var errDamaged = errors.New("a file is damaged")

// Read implements io.Reader.
func (r *pieceReader) Read(b []byte) (int, error) {
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
func (r *pieceReader) Seek(offset int64, whence int) (int64, error) {
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
