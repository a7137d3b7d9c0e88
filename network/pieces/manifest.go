package pieces

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// Bounds of pieces and manifests.
const (
	MinPiece = 64 << 10  // bytes; but for the last one
	MaxPiece = 256 << 10 // bytes

	// MaxPieces is how many pieces a content has at most, and MaxContent how many bytes.
	MaxPieces  = 1 << 12
	MaxContent = MaxPieces * MaxPiece

	manifestHead = 8 + 4
	// MaxManifest is the length of the longest manifest, in bytes.
	MaxManifest = manifestHead + MaxPieces*sha256.Size
)

// Ref names content: the SHA-256 of its manifest's bytes.
type Ref [sha256.Size]byte

// String returns the 64 hexadecimal digits.
func (r Ref) String() string { return hex.EncodeToString(r[:]) }

// ParseRef reads what String writes.
func ParseRef(s string) (r Ref, err error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(r) {
		return Ref{}, fmt.Errorf("reading a reference: not %d hexadecimal digits", 2*len(r))
	}
	return Ref(b), nil
}

// Manifest says what content consists of.
type Manifest struct {
	Length int64               // bytes, above zero
	Piece  int                 // bytes of each piece but the last: a power of two from MinPiece to MaxPiece
	Hashes [][sha256.Size]byte // of the pieces
}

// ErrManifest says that something is no manifest.
var ErrManifest = errors.New("not a manifest")

// Make reads content to its end and returns its manifest. each, if not nil, is handed every piece as it
// is read, which it must not keep; an error of it ends the reading. length is how long the content is;
// more or less is an error.
func Make(content io.Reader, length int64, each func(index int, piece []byte) error) (*Manifest, error) {
	if length < 1 || length > MaxContent {
		return nil, fmt.Errorf("making a manifest: a content of %d bytes, not 1 to %d", length, int64(MaxContent))
	}
	m := &Manifest{Length: length, Piece: pieceFor(length)}
	buffer := make([]byte, m.Piece)
	for i := range m.Count() {
		piece := buffer[:m.SizeOf(i)]
		if _, err := io.ReadFull(content, piece); err != nil {
			return nil, fmt.Errorf("reading piece %d of the content: %w", i, err)
		}
		m.Hashes = append(m.Hashes, sha256.Sum256(piece))
		if each == nil {
			continue
		}
		if err := each(i, piece); err != nil {
			return nil, fmt.Errorf("keeping piece %d of the content: %w", i, err)
		}
	}
	if n, err := io.ReadFull(content, buffer[:1]); n > 0 || !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("making a manifest: the content is longer than %d bytes", length)
	}
	return m, nil
}

// pieceFor chooses the size of pieces: some hundred of them, as far as possible, so that several
// sources have something to do and a manifest stays short.
func pieceFor(length int64) int {
	piece := MinPiece
	for piece < MaxPiece && length > 256*int64(piece) {
		piece *= 2
	}
	return piece
}

// Count returns how many pieces there are.
func (m *Manifest) Count() int { return int((m.Length + int64(m.Piece) - 1) / int64(m.Piece)) }

// SizeOf returns how many bytes a piece has.
func (m *Manifest) SizeOf(index int) int {
	return int(min(int64(m.Piece), m.Length-int64(index)*int64(m.Piece)))
}

// Bytes returns the manifest as it is stored, sent and hashed.
func (m *Manifest) Bytes() []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(m.Length))
	b = binary.BigEndian.AppendUint32(b, uint32(m.Piece))
	for _, h := range m.Hashes {
		b = append(b, h[:]...)
	}
	return b
}

// Ref returns the content's name.
func (m *Manifest) Ref() Ref { return sha256.Sum256(m.Bytes()) }

// ParseManifest reads what Bytes returns; ErrManifest if it is none.
func ParseManifest(b []byte) (*Manifest, error) {
	if len(b) < manifestHead || len(b) > MaxManifest || (len(b)-manifestHead)%sha256.Size != 0 {
		return nil, fmt.Errorf("%w: %d bytes", ErrManifest, len(b))
	}
	length, piece := binary.BigEndian.Uint64(b), binary.BigEndian.Uint32(b[8:])
	if length < 1 || length > MaxContent || piece < MinPiece || piece > MaxPiece || piece&(piece-1) != 0 {
		return nil, fmt.Errorf("%w: %d bytes in pieces of %d", ErrManifest, length, piece)
	}
	m := &Manifest{Length: int64(length), Piece: int(piece)}
	rest := b[manifestHead:]
	if m.Count() != len(rest)/sha256.Size {
		return nil, fmt.Errorf("%w: %d hashes for %d pieces", ErrManifest, len(rest)/sha256.Size, m.Count())
	}
	for ; len(rest) > 0; rest = rest[sha256.Size:] {
		m.Hashes = append(m.Hashes, [sha256.Size]byte(rest[:sha256.Size]))
	}
	return m, nil
}
