package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"
)

// icoOf returns a file of icons with pictures of stated sides and depths.
func icoOf(pictures ...icoPicture) []byte {
	file := []byte{0, 0, 1, 0, byte(len(pictures)), 0}
	at := icoHead + icoEntry*len(pictures)
	for _, p := range pictures {
		file = append(file, byte(p.side), byte(p.side), 0, 0, 1, 0, p.depth, 0)
		file = binary.LittleEndian.AppendUint32(file, uint32(len(p.data)))
		file = binary.LittleEndian.AppendUint32(file, uint32(at))
		at += len(p.data)
	}
	for _, p := range pictures {
		file = append(file, p.data...)
	}
	return file
}

type icoPicture struct {
	side  int
	depth byte
	data  []byte
}

// bitmap returns one as files of icons have it, of a palette of two colors or of whole pixels.
func bitmap(side int, depth uint16, pixel func(x, y int) []byte, clear func(x, y int) bool) []byte {
	b := make([]byte, bitmapHead)
	binary.LittleEndian.PutUint32(b, bitmapHead)
	binary.LittleEndian.PutUint32(b[4:], uint32(side))
	binary.LittleEndian.PutUint32(b[8:], uint32(2*side))
	binary.LittleEndian.PutUint16(b[12:], 1)
	binary.LittleEndian.PutUint16(b[14:], depth)
	if depth == 8 {
		for i := range 256 {
			b = append(b, byte(i), 0, byte(255-i), 0)
		}
	}
	for y := side - 1; y >= 0; y-- {
		row := []byte{}
		for x := range side {
			row = append(row, pixel(x, y)...)
		}
		b = append(b, append(row, make([]byte, -len(row)&3)...)...)
	}
	for y := side - 1; y >= 0; y-- {
		row := make([]byte, (side+31)/32*4)
		for x := range side {
			if clear(x, y) {
				row[x/8] |= 0x80 >> (x % 8)
			}
		}
		b = append(b, row...)
	}
	return b
}

func square(side int, c color.Color) image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		m.Set(i%side, i/side, c)
	}
	return m
}

func pngOf(m image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func colorAt(t *testing.T, p Picture, x, y int) color.NRGBA {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(p.Bytes))
	if err != nil {
		t.Fatal(err)
	}
	return color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
}

func TestIcon(t *testing.T) {
	red, green, none := color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 255, 0, 255}, color.NRGBA{}
	never := func(x, y int) bool { return false }
	topLeft := func(x, y int) bool { return x == 0 && y == 0 }
	var asGIF, asJPEG bytes.Buffer
	if err := errors.Join(gif.Encode(&asGIF, square(16, red), nil),
		jpeg.Encode(&asJPEG, square(200, red), nil)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data     []byte
		side     int
		at, near color.NRGBA // at (0, 0), and at (1, 0)
	}{
		"PNG":          {pngOf(square(16, red)), 16, red, red},
		"large PNG":    {pngOf(square(512, green)), IconSide, green, green},
		"GIF":          {asGIF.Bytes(), 16, red, red},
		"JPEG":         {asJPEG.Bytes(), IconSide, color.NRGBA{254, 0, 0, 255}, color.NRGBA{254, 0, 0, 255}},
		"ICO of a PNG": {icoOf(icoPicture{0, 32, pngOf(square(256, green))}), IconSide, green, green},
		"ICO of a bitmap": {icoOf(icoPicture{16, 24, bitmap(16, 24, func(x, y int) []byte { return []byte{0, 0, 255} },
			topLeft)}), 16, none, red},
		"ICO with palette": {icoOf(icoPicture{16, 8, bitmap(16, 8, func(x, y int) []byte { return []byte{0} },
			topLeft)}), 16, none, red},
		"ICO with alpha": {icoOf(icoPicture{16, 32, bitmap(16, 32, func(x, y int) []byte {
			if topLeft(x, y) {
				return []byte{0, 0, 0, 0}
			}
			return []byte{0, 255, 0, 255}
		}, never)}), 16, none, green},
		"ICO without alpha, of 32 bits": {icoOf(icoPicture{16, 32,
			bitmap(16, 32, func(x, y int) []byte { return []byte{0, 255, 0, 0} }, topLeft)}), 16, none, green},
		"ICO, its best": {icoOf(icoPicture{16, 32, pngOf(square(16, red))},
			icoPicture{0, 32, pngOf(square(256, red))}, icoPicture{64, 32, pngOf(square(64, green))},
			icoPicture{48, 32, pngOf(square(48, red))}), 64, green, green},
	} {
		p, err := Icon(c.data)
		if err != nil || p.Type != "image/png" || p.Width != c.side || p.Height != c.side {
			t.Errorf("%s: %s of %d × %d, %v", name, p.Type, p.Width, p.Height, err)
			continue
		}
		if at, near := colorAt(t, p, 0, 0), colorAt(t, p, 1, 0); at != c.at || near != c.near {
			t.Errorf("%s: %v and %v, want %v and %v", name, at, near, c.at, c.near)
		}
	}
}

func TestIconsThatAreRefused(t *testing.T) {
	good := bitmap(16, 24, func(x, y int) []byte { return []byte{1, 2, 3} }, func(x, y int) bool { return false })
	damaged := func(at int, with ...byte) []byte {
		b := bytes.Clone(good)
		copy(b[at:], with)
		return icoOf(icoPicture{16, 24, b})
	}
	if _, err := Icon(icoOf(icoPicture{16, 24, good})); err != nil {
		t.Fatalf("the good one: %v", err)
	}
	bomb := pngOf(square(8, color.White))
	binary.BigEndian.PutUint32(bomb[16:], 60_000)
	binary.BigEndian.PutUint32(bomb[20:], 60_000)
	for name, data := range map[string][]byte{
		"nothing": nil, "text": []byte("<html>"), "SVG": []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`),
		"no entry":            {0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		"an ICO within":       icoOf(icoPicture{16, 24, icoOf(icoPicture{16, 24, good})}),
		"a compressed bitmap": damaged(16, 1), "another head": damaged(0, 124), "no width": damaged(4, 0),
		"upside down": damaged(8, 0, 0, 0, 0x80),
		"too wide":    damaged(4, 0, 2), "too high": damaged(8, 0, 9), "cut off": icoOf(icoPicture{16, 24, good[:100]}),
		"odd depth":      damaged(14, 7),
		"beyond its end": icoOf(icoPicture{16, 24, good})[:300], "an ICO of a bomb": icoOf(icoPicture{16, 24, bomb}),
		"a bomb": bomb,
	} {
		if p, err := Icon(data); err == nil {
			t.Errorf("%s: %d bytes", name, len(p.Bytes))
		}
	}
}

func FuzzIcon(f *testing.F) {
	f.Add(pngOf(square(16, color.White)))
	for _, depth := range []uint16{8, 24, 32} {
		f.Add(icoOf(icoPicture{16, byte(depth),
			bitmap(16, depth, func(x, y int) []byte { return make([]byte, depth/8) },
				func(x, y int) bool { return x == y })}))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Icon(data)
		if err != nil {
			return
		}
		head, err := png.DecodeConfig(bytes.NewReader(p.Bytes))
		if err != nil || head.Width != p.Width || head.Height != p.Height || max(head.Width, head.Height) > IconSide ||
			len(p.Bytes) > IconBytes {
			t.Errorf("%d × %d, %d bytes: %v", p.Width, p.Height, len(p.Bytes), err)
		}
	})
}
