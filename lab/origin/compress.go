package origin

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// coding is a content coding.
type coding int

const (
	identity coding = iota
	gzipped
	brotlied
	zstandard
	codings
)

var codingNames = [codings]string{"identity", "gzip", "br", "zstd"}

// minCompressed is the size in bytes below which compression is not worth its header.
const minCompressed = 256

// compressors keeps encoders for use again: to make one costs more than to compress a
// feed.
type compressors struct {
	gzip, brotli, zstd sync.Pool
}

// encoder is what all of them are.
type encoder interface {
	io.WriteCloser
	Reset(io.Writer)
}

// newEncoder cannot fail: the settings are constant and valid. They are those of
// servers that compress as they go.
func newEncoder(c coding) encoder {
	switch c {
	case gzipped:
		w, _ := gzip.NewWriterLevel(nil, 5)
		return w
	case brotlied:
		return brotli.NewWriterLevel(nil, 4)
	}
	w, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	return w
}

func (cs *compressors) pool(c coding) *sync.Pool {
	switch c {
	case gzipped:
		return &cs.gzip
	case brotlied:
		return &cs.brotli
	}
	return &cs.zstd
}

// compress encodes body; writing to memory cannot fail.
func (cs *compressors) compress(c coding, body []byte) []byte {
	pool := cs.pool(c)
	e, ok := pool.Get().(encoder)
	if !ok {
		e = newEncoder(c)
	}
	var b bytes.Buffer
	b.Grow(len(body)/3 + 256)
	e.Reset(&b)
	_, _ = e.Write(body)
	_ = e.Close()
	pool.Put(e)
	return b.Bytes()
}

// accepted chooses among the codings that an Accept-Encoding header allows: the one with the highest weight, of equal
// ones zstd, br, gzip.
func accepted(header string) coding {
	best, bestWeight := identity, 0.0
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		weight := 1.0
		if q, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
			weight, _ = strconv.ParseFloat(q, 64)
		}
		for c := gzipped; c < codings; c++ {
			if strings.EqualFold(strings.TrimSpace(name), codingNames[c]) &&
				(weight > bestWeight || weight == bestWeight && c > best) && weight > 0 {
				best, bestWeight = c, weight
			}
		}
	}
	return best
}
