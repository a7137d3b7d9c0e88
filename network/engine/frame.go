package engine

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxPrefix is how many bytes the length of a message of MaxMessage needs.
const maxPrefix = 3

// AppendFrame encodes m as a frame and appends it to dst. It fails where Append does.
//
// Frames are what streams consist of, one behind the other: the length of the encoded
// message as an unsigned varint (of least length, so 1 to 3 bytes), then the message. The
// first frame of a stream holds a [Hello].
func (c *Codec) AppendFrame(dst []byte, m Message) ([]byte, error) {
	var prefix [maxPrefix]byte
	framed, err := c.Append(append(dst, prefix[:]...), m)
	if err != nil {
		return dst, err
	}
	message := framed[len(dst)+maxPrefix:]
	n := binary.PutUvarint(prefix[:], uint64(len(message)))
	framed = append(append(framed[:len(dst)], prefix[:n]...), message...)
	return framed, nil
}

// ReadFrame reads one frame and returns its message and how long that was, without the
// prefix. The length is 0 where no whole frame could be read.
//
// An error that wraps ErrUnknown leaves r behind the frame: reading can go on. After one
// that wraps ErrMalformed it cannot. A stream that ends between frames gives io.EOF itself,
// within one io.ErrUnexpectedEOF. What a length promises is allocated only as the bytes
// come, and no promise above MaxMessage is waited for.
func (c *Codec) ReadFrame(r *bufio.Reader) (Message, int, error) {
	size, err := readLength(r)
	if err != nil {
		return nil, 0, err
	}
	if size <= r.Size() {
		data, err := r.Peek(size)
		if err != nil {
			return nil, 0, cut(err)
		}
		m, err := c.Decode(data)
		_, _ = r.Discard(size) // was peeked
		return m, size, err
	}
	data, err := readGrowing(r, size)
	if err != nil {
		return nil, 0, cut(err)
	}
	m, err := c.Decode(data)
	return m, size, err
}

// readLength reads a frame's prefix.
func readLength(r *bufio.Reader) (int, error) {
	size := 0
	for i := range maxPrefix {
		b, err := r.ReadByte()
		if err != nil && i == 0 {
			return 0, err
		}
		if err != nil {
			return 0, cut(err)
		}
		size |= int(b&0x7f) << (7 * i)
		switch {
		case b >= 0x80:
			continue
		case b == 0:
			return 0, fmt.Errorf("%w: a frame's length is empty or longer than needed", ErrMalformed)
		case size > MaxMessage:
			return 0, fmt.Errorf("%w: a frame of %d bytes, at most %d", ErrMalformed, size, MaxMessage)
		}
		return size, nil
	}
	return 0, fmt.Errorf("%w: a frame of more than %d bytes", ErrMalformed, MaxMessage)
}

// readGrowing reads size bytes. It asks for no more memory than it has filled already, or
// than r's buffer has.
func readGrowing(r *bufio.Reader, size int) ([]byte, error) {
	var data []byte
	for len(data) < size {
		n := min(max(len(data), r.Size()), size-len(data))
		data = slices.Grow(data, n)
		if _, err := io.ReadFull(r, data[len(data):len(data)+n]); err != nil {
			return nil, err
		}
		data = data[:len(data)+n]
	}
	return data, nil
}

// cut is the error of a stream that failed within a frame.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("reading a frame: %w", err)
}
