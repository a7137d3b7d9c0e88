package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// ratioFloor is how large a body may become before its compression ratio is looked at:
// a short text of blanks is no attack.
const ratioFloor = 256 << 10

// chunk is the unit in which bodies are read before their length is known. Chunks are
// pooled, so that reading costs one allocation of the right size.
type chunk [32 << 10]byte

var chunks = sync.Pool{New: func() any { return new(chunk) }}

// bounded bounds what a decoder gives, in bytes and as a multiple of what came in.
type bounded struct {
	r     io.Reader
	n     int64
	max   int64
	ratio int64
	wire  *wire
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.n += int64(n)
	switch {
	case b.n > ratioFloor && b.n/b.ratio > b.wire.n:
		return n, ErrBomb
	case b.n > b.max:
		return n, ErrTooLarge
	}
	return n, err
}

// readBody reads and decompresses a whole body of at most limit bytes.
func readBody(res *http.Response, w *watch, c *Config, limit int64) (body []byte, received int64, err error) {
	in := &wire{body: res.Body, watch: w, max: limit}
	defer func() {
		received = in.n
		if err != nil {
			err = bodyError(err, in)
		}
	}()
	if res.ContentLength > limit {
		return nil, 0, ErrTooLarge
	}
	pools, err := codings(res.Header)
	if err != nil {
		return nil, 0, err
	}
	var r io.Reader = in
	for _, pool := range pools {
		d := pool.Get().(*decoder)
		defer d.release()
		plain, err := d.start(r, limit)
		if err != nil {
			return nil, 0, err
		}
		r = &bounded{r: plain, max: limit, ratio: c.MaxRatio, wire: in}
	}
	for range maxCodings - len(pools) { // a file that is compressed itself, such as feed.xml.gz
		var zipped bool
		if r, zipped = startsAsGzip(r); !zipped {
			break
		}
		d := gzipPool.Get().(*decoder)
		defer d.release()
		if r, err = d.start(r, limit); err != nil {
			return nil, 0, err
		}
		r = &bounded{r: r, max: limit, ratio: c.MaxRatio, wire: in}
	}
	body, err = readAll(r, limit)
	if err != nil {
		return nil, 0, err
	}
	// A decoder may stop before the end of the body: what is left still says whether
	// the body was whole.
	for in.err == nil {
		var rest [512]byte
		_, _ = in.Read(rest[:])
	}
	if in.err != io.EOF {
		return nil, 0, in.err
	}
	return body, 0, nil
}

// startsAsGzip reports whether what r has begins as only gzip does: no document begins so. The reader that it returns
// has all of r.
func startsAsGzip(r io.Reader) (io.Reader, bool) {
	head := make([]byte, 3)
	n, err := fill(r, head)
	whole := io.MultiReader(bytes.NewReader(head[:n]), r)
	if err != nil {
		whole = io.MultiReader(bytes.NewReader(head[:n]), failed{err})
	}
	return whole, string(head[:n]) == "\x1f\x8b\x08"
}

// failed is a reader that has failed, or ended.
type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }

// readStart reads the first bytes of a body that is no document, as far as they can be had.
func readStart(res *http.Response, w *watch, limit int64) []byte {
	in := &wire{body: res.Body, watch: w, max: limit}
	var r io.Reader = in
	pools, err := codings(res.Header)
	if err != nil {
		return nil
	}
	for _, pool := range pools {
		d := pool.Get().(*decoder)
		defer d.release()
		if r, err = d.start(r, limit); err != nil {
			return nil
		}
	}
	start := make([]byte, limit)
	n, _ := fill(r, start)
	return start[:n]
}

// readAll reads at most limit bytes, and one more to see that there are no more.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	var full []*chunk
	defer func() {
		for _, c := range full {
			chunks.Put(c)
		}
	}()
	var size int64
	for {
		c := chunks.Get().(*chunk)
		full = append(full, c)
		n, err := fill(r, c[:])
		size += int64(n)
		switch {
		case size > limit:
			return nil, ErrTooLarge
		case err == io.EOF:
			return join(full, size), nil
		case err != nil:
			return nil, err
		}
	}
}

// fill reads until p is full or r ends. Unlike io.ReadFull it does not change the error:
// an unexpected end found by a decoder stays one.
func fill(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var k int
		k, err = r.Read(p[n:])
		n += k
	}
	return n, err
}

func join(full []*chunk, size int64) []byte {
	body := make([]byte, 0, size)
	for _, c := range full {
		body = append(body, c[:min(int64(len(c)), size-int64(len(body)))]...)
	}
	return body
}

// bodyError says in our words why a body could not be had.
func bodyError(err error, in *wire) error {
	if costly, ok := errors.AsType[costError](in.err); ok {
		return costly
	}
	switch {
	case errors.Is(err, ErrTooLarge), errors.Is(err, ErrBomb):
		return err
	case errors.Is(err, zstd.ErrDecoderSizeExceeded), errors.Is(err, zstd.ErrWindowSizeExceeded):
		return ErrTooLarge
	case in.err != nil && in.err != io.EOF:
		return fmt.Errorf("%w (%w)", ErrTruncated, in.err)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return ErrTruncated
	default:
		return fmt.Errorf("%w (%w)", ErrCorrupt, err)
	}
}
