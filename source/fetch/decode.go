package fetch

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// acceptEncoding is what the client offers to decompress.
const acceptEncoding = "gzip, deflate, br, zstd"

// maxCodings bounds how many codings may lie over one another.
const maxCodings = 2

// zstdWindow is the largest window that RFC 9659 allows over HTTP.
const zstdWindow = 8 << 20

// decoder decompresses one coding as a stream. Decoders are pooled: their tables and
// windows cost more than most documents.
type decoder struct {
	pool  *sync.Pool
	in    *bufio.Reader
	open  func(in *bufio.Reader, limit int64) (io.Reader, error)
	clear func()
}

// eof is what a resting decoder holds on to in place of somebody's connection.
var eof = bytes.NewReader(nil)

// start returns what r is when decompressed. No more than limit bytes will be read of it.
func (d *decoder) start(r io.Reader, limit int64) (io.Reader, error) {
	d.in.Reset(r)
	return d.open(d.in, limit)
}

func (d *decoder) release() {
	d.in.Reset(eof)
	if d.clear != nil {
		d.clear()
	}
	d.pool.Put(d)
}

var (
	gzipPool    = newPool(gzipDecoder)
	deflatePool = newPool(deflateDecoder)
	brotliPool  = newPool(brotliDecoder)
	zstdPool    = newPool(zstdDecoder)
)

func newPool(build func(*decoder)) *sync.Pool {
	p := new(sync.Pool)
	p.New = func() any {
		d := &decoder{pool: p, in: bufio.NewReader(eof)}
		build(d)
		return d
	}
	return p
}

// poolFor returns the decoders for a coding; nil for those that change nothing, and for
// words that are no coding at all, which some origins send ("utf-8", "none").
func poolFor(coding string) *sync.Pool {
	switch coding {
	case "gzip", "x-gzip":
		return gzipPool
	case "deflate":
		return deflatePool
	case "br":
		return brotliPool
	case "zstd":
		return zstdPool
	default:
		return nil
	}
}

// codings lists the decoders that a body needs, in the order in which they are applied.
func codings(h http.Header) ([]*sync.Pool, error) {
	said := h["Content-Encoding"]
	if len(said) == 0 {
		return nil, nil
	}
	var pools []*sync.Pool
	words := strings.Split(strings.ToLower(strings.Join(said, ",")), ",")
	for i := len(words) - 1; i >= 0; i-- { // the last one said was applied last
		if p := poolFor(strings.TrimSpace(words[i])); p != nil {
			pools = append(pools, p)
		}
	}
	if len(pools) > maxCodings {
		return nil, ErrBomb
	}
	return pools, nil
}

func gzipDecoder(d *decoder) {
	z := new(gzip.Reader)
	d.open = func(in *bufio.Reader, _ int64) (io.Reader, error) {
		// Some origins say gzip and send the plain document.
		if magic, _ := in.Peek(2); len(magic) < 2 || magic[0] != 0x1f || magic[1] != 0x8b {
			return in, nil
		}
		if err := z.Reset(in); err != nil {
			return nil, err
		}
		return &gzipMembers{z: z}, nil
	}
}

// gzipMembers ends where something follows the last member that is not another one:
// padding, which browsers pass over too.
type gzipMembers struct {
	z *gzip.Reader
	n int64
}

func (r *gzipMembers) Read(p []byte) (int, error) {
	n, err := r.z.Read(p)
	r.n += int64(n)
	if errors.Is(err, gzip.ErrHeader) && r.n > 0 {
		err = io.EOF
	}
	return n, err
}

// deflateDecoder reads both things that origins mean by "deflate": zlib, as the
// standard says, and the bare stream.
func deflateDecoder(d *decoder) {
	raw := flate.NewReader(eof)
	wrapped, _ := zlib.NewReader(bytes.NewReader(emptyZlib))
	d.open = func(in *bufio.Reader, _ int64) (io.Reader, error) {
		if head, _ := in.Peek(2); len(head) == 2 && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
			return wrapped, wrapped.(zlib.Resetter).Reset(in, nil)
		}
		return raw, raw.(flate.Resetter).Reset(in, nil)
	}
}

// emptyZlib is the compressed form of nothing.
var emptyZlib = []byte{0x78, 0x9c, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01}

func brotliDecoder(d *decoder) {
	z := brotli.NewReader(eof)
	d.open = func(in *bufio.Reader, limit int64) (io.Reader, error) {
		return z, z.Reset(narrowed(in, limit))
	}
}

// narrowed halves the largest window that a brotli stream can request, 16 MiB: the decoder would allocate it at once. A
// document smaller than the window reads the same, since nothing in it lies farther back. (RFC 7932, 9.1: the first
// bits of a stream are 1111 for a window of 2^24 bytes, 1011 in the order of the bits for 2^23.)
func narrowed(in *bufio.Reader, limit int64) io.Reader {
	const half = 1<<23 - 16
	first, err := in.Peek(1)
	if err != nil || first[0]&0b1111 != 0b1111 || limit > half {
		return in
	}
	head := []byte{first[0] &^ 0b0010}
	_, _ = in.Discard(1)
	return io.MultiReader(bytes.NewReader(head), in)
}

func zstdDecoder(d *decoder) {
	z, err := zstd.NewReader(nil,
		zstd.WithDecoderConcurrency(1), // no goroutines
		zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(zstdWindow))
	d.open = func(in *bufio.Reader, _ int64) (io.Reader, error) {
		if err != nil {
			return nil, err
		}
		return z, z.Reset(in)
	}
	d.clear = func() {
		if err == nil {
			_ = z.Reset(nil) // lets go of what it read from
		}
	}
}
