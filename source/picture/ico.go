package picture

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"

	"golang.org/x/image/bmp"
)

// Sizes in a file of icons (Microsoft, "Icons in Win32"; [MS-WMF], 2.2.2.3): a head, entries, and pictures, which are
// PNG or bitmaps without a file header.
const (
	icoHead     = 6
	icoEntry    = 16
	maxICO      = 64  // entries that are looked at
	maxICOSide  = 256 // pixels, of a bitmap
	bitmapHead  = 40  // BITMAPINFOHEADER
	fileHead    = 14  // BITMAPFILEHEADER
	alphaBits   = 32  // a pixel, of a bitmap that has its own transparency
	uncompacted = 0   // BI_RGB
)

func isICO(data []byte) bool {
	return len(data) >= icoHead+icoEntry && prefix("\x00\x00\x01\x00")(data)
}

// decodeICO decodes the best of the pictures in a file of icons: the smallest that is not smaller than IconSide, else
// the largest.
func decodeICO(data []byte) (image.Image, error) {
	count := min(int(binary.LittleEndian.Uint16(data[4:])), maxICO)
	best, bestSide, bestDepth := []byte(nil), 0, 0
	for i := range count {
		at := icoHead + i*icoEntry
		if at+icoEntry > len(data) {
			break
		}
		entry := data[at : at+icoEntry]
		side, depth := int(entry[0]), int(binary.LittleEndian.Uint16(entry[6:]))
		if side == 0 {
			side = maxICOSide
		}
		size, from := uint64(binary.LittleEndian.Uint32(entry[8:])), uint64(binary.LittleEndian.Uint32(entry[12:]))
		if from+size > uint64(len(data)) || size < bitmapHead {
			continue
		}
		if betterIcon(side, depth, bestSide, bestDepth) {
			best, bestSide, bestDepth = data[from:from+size], side, depth
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%w: an ICO without a picture", ErrKind)
	}
	if k := kindOf(best); k != nil {
		if k.media != "image/png" {
			return nil, fmt.Errorf("%w: an ICO of %s", ErrKind, k.media)
		}
		return k.within(best, maxICOSide*maxICOSide)
	}
	return decodeBitmap(best)
}

// betterIcon reports whether a picture is better than another; one without a side is none.
func betterIcon(side, depth, than, thanDepth int) bool {
	switch {
	case side == than:
		return depth > thanDepth
	case side >= IconSide:
		return than < IconSide || side < than
	}
	return side > than
}

// decodeBitmap decodes a bitmap of an ICO: one of twice its height, of which the second half says what is transparent.
func decodeBitmap(data []byte) (image.Image, error) {
	width, height := int32(binary.LittleEndian.Uint32(data[4:])), int32(binary.LittleEndian.Uint32(data[8:]))
	head, depth := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint16(data[14:])
	height /= 2
	switch {
	case head != bitmapHead || binary.LittleEndian.Uint32(data[16:]) != uncompacted:
		return nil, fmt.Errorf("%w: an ICO with a compressed bitmap", ErrKind)
	case width <= 0 || height <= 0 || width > maxICOSide || height > maxICOSide:
		return nil, fmt.Errorf("%w: an ICO of %d × %d pixels", ErrKind, width, height)
	}
	colors := int(binary.LittleEndian.Uint32(data[32:]))
	if depth > 8 {
		colors = 0
	} else if colors == 0 || colors > 1<<depth {
		colors = 1 << depth
	}
	pixels := bitmapHead + 4*colors
	row := (int(width)*int(depth) + 31) / 32 * 4
	maskRow := (int(width) + 31) / 32 * 4
	mask := pixels + row*int(height)
	if mask > len(data) {
		return nil, fmt.Errorf("%w: a bitmap that ends too early", ErrKind)
	}
	file := make([]byte, fileHead, fileHead+mask)
	copy(file, "BM")
	binary.LittleEndian.PutUint32(file[2:], uint32(fileHead+mask))
	binary.LittleEndian.PutUint32(file[10:], uint32(fileHead+pixels))
	file = append(file, data[:mask]...)
	binary.LittleEndian.PutUint32(file[fileHead+8:], uint32(height))
	binary.LittleEndian.PutUint32(file[fileHead+32:], uint32(colors))
	whole, err := bmp.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("decoding a bitmap: %w", err)
	}
	alpha := alphaOf(data, pixels, row, int(height), depth)
	out := image.NewNRGBA(image.Rect(0, 0, int(width), int(height)))
	for y := range int(height) {
		up := int(height) - 1 - y // rows go from the lowest up
		for x := range int(width) {
			r, g, b, _ := whole.At(x, y).RGBA()
			c := color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 0xff}
			if alpha {
				c.A = data[pixels+up*row+x*4+3]
			} else if at := mask + up*maskRow + x/8; at < len(data) && data[at]>>(7-x%8)&1 == 1 {
				c.A = 0
			}
			out.SetNRGBA(x, y, c)
		}
	}
	return out, nil
}

// alphaOf reports whether the pixels of a bitmap have their own transparency. Where it is 0 everywhere, they have none.
func alphaOf(data []byte, pixels, row, height int, depth uint16) bool {
	if depth != alphaBits {
		return false
	}
	for at := pixels + 3; at < pixels+row*height; at += 4 {
		if data[at] != 0 {
			return true
		}
	}
	return false
}
