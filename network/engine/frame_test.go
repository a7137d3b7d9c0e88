package engine

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// blobMessage is as long as a test wants.
type blobMessage struct {
	Blob []byte `cbor:"1,keyasint" max:"1048576"`
}

func (*blobMessage) Kind() Kind { return KindOf(Experiment, 9) }

var blobMessages = Vocabulary{Protocol: Experiment, Name: "blob", Messages: []MessageType{{new(blobMessage), Bulk}}}

func TestFramesFollowEachOther(t *testing.T) {
	c := NewCodec(blobMessages)
	rapid.Check(t, func(t *rapid.T) {
		var stream []byte
		var want []Message
		var sizes []int
		for range rapid.IntRange(0, 5).Draw(t, "frames") {
			length := rapid.SampledFrom([]int{0, 1, 100, 127, 128, 4090, 4096, 20_000, MaxMessage - 100}).Draw(t,
				"length")
			m := &blobMessage{}
			if length > 0 {
				m.Blob = bytes.Repeat([]byte{byte(length)}, length)
			}
			framed, err := c.AppendFrame(stream, m)
			if err != nil {
				t.Fatal(err)
			}
			if over := len(framed) - len(stream) - c.Size(m); over < 1 || over > 3 {
				t.Fatalf("a frame of %d bytes is %d bytes longer", c.Size(m), over)
			}
			stream, want, sizes = framed, append(want, m), append(sizes, c.Size(m))
		}
		r := bufio.NewReaderSize(bytes.NewReader(stream), rapid.SampledFrom([]int{16, 4096}).Draw(t, "buffer"))
		for i := range want {
			m, n, err := c.ReadFrame(r)
			if err != nil || n != sizes[i] || !bytes.Equal(m.(*blobMessage).Blob, want[i].(*blobMessage).Blob) {
				t.Fatalf("frame %d: %d bytes, %v", i, n, err)
			}
		}
		if m, n, err := c.ReadFrame(r); m != nil || n != 0 || err != io.EOF {
			t.Fatalf("at the end: %v, %d, %v", m, n, err)
		}
	})
}

func TestFrameThatIsRefusedLeavesNothing(t *testing.T) {
	c := NewCodec(blobMessages)
	for _, m := range []Message{nil, (*blobMessage)(nil), &ping{}, &blobMessage{Blob: make([]byte, MaxMessage)}} {
		if data, err := c.AppendFrame([]byte("x"), m); err == nil || string(data) != "x" {
			t.Errorf("%T: %.100q, %v", m, data, err)
		}
	}
}

// hostile 27: a frame cut at each byte.
func TestCutFrames(t *testing.T) {
	c := NewCodec(blobMessages)
	for _, length := range []int{5, 200, 20_000} {
		frame, err := c.AppendFrame(nil, &blobMessage{Blob: make([]byte, length)})
		if err != nil {
			t.Fatal(err)
		}
		for cut := 1; cut < len(frame); cut += 1 + cut/50 {
			_, n, err := c.ReadFrame(bufio.NewReader(iotest.HalfReader(bytes.NewReader(frame[:cut]))))
			if n != 0 || !errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, ErrMalformed) {
				t.Errorf("a frame of %d bytes, cut after %d: %d, %v", len(frame), cut, n, err)
			}
		}
		broken := errors.New("the connection broke")
		r := io.MultiReader(bytes.NewReader(frame[:length/2]), iotest.ErrReader(broken))
		if _, _, err := c.ReadFrame(bufio.NewReader(r)); !errors.Is(err, broken) {
			t.Errorf("a connection that breaks within a frame: %v", err)
		}
	}
}

// hostile 27: lengths that are a lie.
func TestFrameLengths(t *testing.T) {
	c := NewCodec(blobMessages)
	uvarint := func(n uint64) string { return string(binary.AppendUvarint(nil, n)) }
	for what, prefix := range map[string]string{
		"0":                          uvarint(0),
		"one more than a message":    uvarint(MaxMessage + 1),
		"2^31":                       uvarint(1 << 31),
		"2^32-1":                     uvarint(math.MaxUint32),
		"2^64-1":                     uvarint(math.MaxUint64),
		"endless":                    strings.Repeat("\xff", 1000),
		"5 in two bytes":             "\x85\x00",
		"127 in three bytes":         "\xff\x80\x00",
		"16384 in four bytes":        "\x80\x80\x81\x00",
		"3 bytes that promise a 4th": "\xff\xff\xff\x01",
	} {
		r := bufio.NewReader(strings.NewReader(prefix + strings.Repeat("x", 100)))
		if m, n, err := c.ReadFrame(r); m != nil || n != 0 || !errors.Is(err, ErrMalformed) {
			t.Errorf("a frame of length %s: %v, %d, %v", what, m, n, err)
		}
	}
}

// hostile 27: no allocation for what has not come.
func TestPromisedLengthAllocatesNothing(t *testing.T) {
	c := NewCodec(blobMessages)
	for _, come := range []int{0, 10_000, 100_000} {
		stream := string(binary.AppendUvarint(nil, MaxMessage)) + strings.Repeat("x", come)
		r := bufio.NewReader(nil)
		var before, after runtime.MemStats
		least := uint64(math.MaxUint64)
		for range 3 {
			r.Reset(strings.NewReader(stream))
			runtime.ReadMemStats(&before)
			if _, _, err := c.ReadFrame(r); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			least = min(least, after.TotalAlloc-before.TotalAlloc)
		}
		if allowed := uint64(6*come + 20_000); least > allowed {
			t.Errorf("of a promised MiB %d bytes came: %d bytes were allocated, at most %d", come, least, allowed)
		}
	}
}

// hostile 29: the stream lives on behind a message of an unknown kind.
func TestFrameOfUnknownKind(t *testing.T) {
	known, all := NewCodec(testMessages), NewCodec(testMessages, blobMessages)
	var stream []byte
	for _, m := range []Message{&ping{Number: 1}, &blobMessage{Blob: make([]byte, 10_000)}, &blobMessage{},
		&ping{Number: 2}} {
		var err error
		if stream, err = all.AppendFrame(stream, m); err != nil {
			t.Fatal(err)
		}
	}
	r := bufio.NewReader(bytes.NewReader(stream))
	for i, want := range []error{nil, ErrUnknown, ErrUnknown, nil} {
		if _, n, err := known.ReadFrame(r); n == 0 || !errors.Is(err, want) {
			t.Errorf("frame %d: %d bytes, %v, want %v", i, n, err, want)
		}
	}
}

func FuzzReadFrame(f *testing.F) {
	c := NewCodec(testMessages)
	for _, m := range samples() {
		frame, err := c.AppendFrame(nil, m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(frame)
		f.Add(append(frame, frame...))
	}
	f.Add(binary.AppendUvarint(nil, 1<<31))
	f.Fuzz(func(t *testing.T, stream []byte) {
		source := bytes.NewReader(stream)
		r := bufio.NewReaderSize(source, 16)
		for {
			left := source.Len() + r.Buffered()
			m, n, err := c.ReadFrame(r)
			used := left - source.Len() - r.Buffered()
			if (m == nil) != (err != nil) || n > used || n > 0 && used-n > 3 {
				t.Fatalf("%v of %d bytes, %d used: %v", m, n, used, err)
			}
			if err != nil && !errors.Is(err, ErrUnknown) {
				return
			}
		}
	})
}
