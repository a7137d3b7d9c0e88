package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// noisy is a picture that compresses badly, with one transparent pixel if that is wanted.
func noisy(width, height int, transparent bool) image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(r.Uint32())
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	if transparent {
		m.SetNRGBA(3, 3, color.NRGBA{})
	}
	return m
}

func asJPEG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asPNG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asGIF(t testing.TB, width, frames int) []byte {
	t.Helper()
	var g gif.GIF
	for i := range frames {
		m := image.NewPaletted(image.Rect(0, 0, width, 20), color.Palette{color.White, color.Black})
		m.SetColorIndex(i, 1, 1)
		g.Image, g.Delay = append(g.Image, m), append(g.Delay, 10)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// turned puts an Exif segment with an orientation into a JPEG.
func turned(data []byte, orientation uint16, order binary.AppendByteOrder) []byte {
	tiff := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		tiff = []byte("MM\x00*")
	}
	word := func(v uint16) { tiff = order.AppendUint16(tiff, v) }
	long := func(v uint32) { tiff = order.AppendUint32(tiff, v) }
	long(8)
	word(1)
	word(0x0112)
	word(3)
	long(1)
	word(orientation)
	word(0)
	long(0)
	segment := append([]byte("Exif\x00\x00"), tiff...)
	head := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(segment)+2))
	return append(append(append(append([]byte{}, data[:2]...), head...), segment...), data[2:]...)
}

// withChunk puts a chunk behind the header of a PNG.
func withChunk(data []byte, name string) []byte {
	body := make([]byte, 8)
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	chunk = append(append(chunk, name...), body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	const headerEnd = 33
	return append(append(append([]byte{}, data[:headerEnd]...), chunk...), data[headerEnd:]...)
}

// stillWebP is a lossless picture of one pixel.
var stillWebP = decodeBase64("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")

func decodeBase64(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

func TestPrepare(t *testing.T) {
	wide := noisy(2400, 600, false)
	narrow := noisy(40, 30, false)
	animatedWebP := []byte("RIFF\x16\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x0f\x00\x00\x0f\x00\x00")
	for name, test := range map[string]struct {
		data          []byte
		media         string
		width, height int
		same          bool
	}{
		"small JPEG":             {asJPEG(t, narrow), "image/jpeg", 40, 30, true},
		"small PNG":              {asPNG(t, narrow), "image/png", 40, 30, true},
		"small GIF":              {asGIF(t, 40, 1), "image/gif", 40, 20, true},
		"animated GIF":           {asGIF(t, 1700, 3), "image/gif", 1700, 20, true},
		"wide JPEG":              {asJPEG(t, wide), "image/jpeg", 1600, 400, false},
		"wide JPEG to be turned": {turned(asJPEG(t, wide), 6, binary.BigEndian), "image/jpeg", 2400, 600, true},
		"one turned otherwise":   {turned(asJPEG(t, wide), 8, binary.LittleEndian), "image/jpeg", 2400, 600, true},
		"one that is upright":    {turned(asJPEG(t, wide), 1, binary.LittleEndian), "image/jpeg", 1600, 400, false},
		"wide PNG":               {asPNG(t, wide), "image/jpeg", 1600, 400, false},
		"wide PNG with a hole":   {asPNG(t, noisy(2400, 600, true)), "image/png", 1600, 400, false},
		"animated PNG":           {withChunk(asPNG(t, wide), "acTL"), "image/png", 2400, 600, true},
		"PNG with a text":        {withChunk(asPNG(t, wide), "tEXt"), "image/jpeg", 1600, 400, false},
		"still WebP":             {stillWebP, "", 1, 1, false},
		"animated WebP":          {animatedWebP, "image/webp", 16, 16, true},
	} {
		p, err := Prepare(test.data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if test.media != "" && p.Type != test.media || p.Type == "image/webp" && !test.same || p.Width != test.width ||
			p.Height != test.height || bytes.Equal(p.Bytes, test.data) != test.same {
			t.Errorf("%s: %s, %d × %d, unchanged: %v", name, p.Type, p.Width, p.Height, bytes.Equal(p.Bytes, test.data))
		}
		if k := kindOf(p.Bytes); k == nil || k.media != p.Type {
			t.Errorf("%s: its bytes are not %s", name, p.Type)
		}
		if len(p.Bytes) > MaxBytes {
			t.Errorf("%s: %d bytes", name, len(p.Bytes))
		}
	}
}

func TestPrepareRefuses(t *testing.T) {
	bomb := asPNG(t, noisy(2, 2, false))
	binary.BigEndian.PutUint32(bomb[16:], 50_000)
	binary.BigEndian.PutUint32(bomb[20:], 50_000)
	binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
	whole := asJPEG(t, noisy(2000, 40, false))
	for name, test := range map[string]struct {
		data []byte
		want error // nil: any
	}{
		"nothing": {nil, ErrKind},
		"SVG": {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`),
			ErrKind},
		"HTML":              {[]byte("<html>"), ErrKind},
		"a page in a GIF":   {[]byte("GIF89a<script>alert(1)</script>"), nil},
		"a bomb":            {bomb, ErrLarge},
		"too many bytes":    {append(asJPEG(t, noisy(4, 4, false)), make([]byte, MaxBytes)...), ErrLarge},
		"a cut JPEG":        {whole[:len(whole)/2], nil},
		"the head of a PNG": {[]byte("\x89PNG\r\n\x1a\n"), nil},
		"an icon":           {[]byte("\x00\x00\x01\x00\x01\x00"), ErrKind},
	} {
		p, err := Prepare(test.data)
		if err == nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: %s, %v", name, p.Type, err)
		}
	}
}

// chunk is a part of a RIFF file.
func chunk(id string, body []byte) []byte {
	c := binary.LittleEndian.AppendUint32([]byte(id), uint32(len(body)))
	if c = append(c, body...); len(body)%2 == 1 {
		c = append(c, 0)
	}
	return c
}

// extended is a WebP whose header says that it is small, with other chunks behind it.
func extended(flags, width, height byte, chunks ...[]byte) []byte {
	all := append([]byte("WEBP"), chunk("VP8X", []byte{flags, 0, 0, 0, width - 1, 0, 0, height - 1, 0, 0})...)
	for _, c := range chunks {
		all = append(all, c...)
	}
	return chunk("RIFF", all)
}

// lossless is the head of a VP8L chunk for a picture of a size. Nothing behind it could be decoded to more than zeros.
func lossless(width, height uint32) []byte {
	bits := (width - 1) | (height-1)<<14
	return chunk("VP8L", append([]byte{0x2f}, binary.LittleEndian.AppendUint32(nil, bits)...))
}

// hostile 21: a WebP whose header and content differ in size is refused before or as it is decoded, and never ends the
// program.
func TestPrepareWebPThatLies(t *testing.T) {
	still := stillWebP[12:] // its VP8L chunk
	for name, data := range map[string][]byte{
		"a large one behind a small header":     extended(0, 100, 100, lossless(9000, 9000)),
		"the largest one behind a small header": extended(0, 1, 1, lossless(16384, 16384)),
		"a small one behind a large header":     extended(0, 200, 200, still),
		"transparency of another size":          extended(0x10, 10, 10, chunk("ALPH", make([]byte, 101)), still),
		"transparency, and nothing":             extended(0x10, 10, 10, chunk("ALPH", make([]byte, 101))),
		"a header alone":                        extended(0, 10, 10),
	} {
		start := memory()
		if p, err := Prepare(data); err == nil {
			t.Errorf("%s: it is shown as %s of %d × %d", name, p.Type, p.Width, p.Height)
		}
		if used := memory() - start; used > 100<<20 {
			t.Errorf("%s: %d MiB were allocated", name, used>>20)
		}
	}
}

// memory returns how many bytes were allocated so far.
func memory() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// Whatever it is given, Prepare ends, within its bounds and with a known type or an error.
func FuzzPrepare(f *testing.F) {
	f.Add(asJPEG(f, noisy(8, 8, false)))
	f.Add(turned(asJPEG(f, noisy(8, 8, false)), 6, binary.BigEndian))
	f.Add(asPNG(f, noisy(8, 8, true)))
	f.Add(withChunk(asPNG(f, noisy(8, 8, true)), "acTL"))
	f.Add(asGIF(f, 8, 2))
	f.Add(stillWebP)
	f.Add(extended(0x10, 10, 10, chunk("ALPH", make([]byte, 101)), stillWebP[12:]))
	f.Add(extended(0, 100, 100, lossless(9000, 9000)))
	f.Add([]byte("<svg/>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Prepare(data)
		if err != nil {
			return
		}
		if !strings.HasPrefix(p.Type, "image/") || p.Width <= 0 || p.Height <= 0 || p.Width*p.Height > MaxPixels {
			t.Errorf("%s, %d × %d", p.Type, p.Width, p.Height)
		}
	})
}
