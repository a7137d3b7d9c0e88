package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"io"
)

func prefix(p string) func([]byte) bool {
	return func(data []byte) bool { return bytes.HasPrefix(data, []byte(p)) }
}

func config(read func(io.Reader) (image.Config, error)) func([]byte) (image.Config, error) {
	return func(data []byte) (image.Config, error) { return read(bytes.NewReader(data)) }
}

func decoded(read func(io.Reader) (image.Image, error)) func([]byte) (image.Image, error) {
	return func(data []byte) (image.Image, error) { return read(bytes.NewReader(data)) }
}

// isAnimatedPNG reports whether a PNG has a chunk acTL before its data (PNG, third edition, 11.3.6.1).
func isAnimatedPNG(data []byte) bool {
	for at := 8; at+8 <= len(data); {
		length := int64(binary.BigEndian.Uint32(data[at:]))
		switch string(data[at+4 : at+8]) {
		case "acTL":
			return true
		case "IDAT", "IEND":
			return false
		}
		next := int64(at) + 12 + length
		if next > int64(len(data)) {
			return false
		}
		at = int(next)
	}
	return false
}

// isAnimatedWebP reports whether the flag of animation is set in an extended header (RFC 9649, section 2.7.1).
func isAnimatedWebP(data []byte) bool {
	const flagsAt, animation = 20, 0x02
	return len(data) > flagsAt && string(data[12:16]) == "VP8X" && data[flagsAt]&animation != 0
}

// isAnimatedGIF reports whether a GIF has more than one image (GIF89a specification, sections 18 to 25).
func isAnimatedGIF(data []byte) bool {
	const headerEnd = 13
	if len(data) < headerEnd {
		return false
	}
	at := headerEnd + colorTable(data[10])
	images := 0
	for at < len(data) {
		switch data[at] {
		case 0x21: // an extension: its label, and blocks
			at = skipBlocks(data, at+2)
		case 0x2c: // an image: its place, its colors, the size of codes, and blocks
			if images++; images > 1 {
				return true
			}
			if at+9 >= len(data) {
				return false
			}
			at = skipBlocks(data, at+10+colorTable(data[at+9])+1)
		default:
			return false
		}
	}
	return false
}

// colorTable returns the length of the color table that packed fields announce, in bytes.
func colorTable(packed byte) int {
	if packed&0x80 == 0 {
		return 0
	}
	return 3 << (packed&7 + 1)
}

// skipBlocks returns where blocks end that begin at a place, each with its length before it, and the last one empty.
func skipBlocks(data []byte, at int) int {
	for at < len(data) && data[at] != 0 {
		at += 1 + int(data[at])
	}
	return at + 1
}

// isTurned reports whether a JPEG says that it is to be shown turned or mirrored, by Exif's orientation (tag 0x0112).
// What is made here of the pixels alone would lie on its side.
func isTurned(data []byte) bool {
	for at := 2; at+4 <= len(data) && data[at] == 0xff; {
		marker, length := data[at+1], int(binary.BigEndian.Uint16(data[at+2:]))
		if marker == 0xda || length < 2 || at+2+length > len(data) { // the picture itself begins
			return false
		}
		segment := data[at+4 : at+2+length]
		if marker == 0xe1 && bytes.HasPrefix(segment, []byte("Exif\x00\x00")) {
			return orientation(segment[6:]) > 1
		}
		at += 2 + length
	}
	return false
}

// orientation reads the tag from the first directory of a TIFF; 0 if it is not there.
func orientation(tiff []byte) uint16 {
	if len(tiff) < 8 {
		return 0
	}
	var order binary.ByteOrder = binary.BigEndian
	if string(tiff[:2]) == "II" {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 0
	}
	entries := int64(order.Uint16(tiff[at:]))
	for i := range entries {
		entry := at + 2 + 12*i
		if entry+12 > int64(len(tiff)) {
			return 0
		}
		if order.Uint16(tiff[entry:]) == 0x0112 {
			return order.Uint16(tiff[entry+8:])
		}
	}
	return 0
}
