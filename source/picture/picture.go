package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

// Bounds.
const (
	MaxBytes  = 10 << 20   // of a picture as it is received, and as it is returned
	MaxPixels = 40_000_000 // of all of a picture
	MaxWidth  = 1600       // in pixels, of a picture that is returned, unless it passes unchanged
	passBytes = 1 << 20    // up to this size a picture that is narrow enough passes unchanged
	quality   = 82         // of a JPEG that is made here

	// Larger pictures pass unchanged: to decode one can need 24 bytes of memory a pixel.
	maxDecoded = 16_000_000 // pixels
)

// Why pictures are refused.
var (
	ErrKind  = errors.New("not a JPEG, PNG, GIF or WebP picture")
	ErrLarge = errors.New("the picture is too large")
)

// Picture is one that a page can show.
type Picture struct {
	Type          string // "image/jpeg", "image/png", "image/gif" or "image/webp"
	Bytes         []byte
	Width, Height int // in pixels
}

// kind is a format that is known.
type kind struct {
	media    string
	begins   func(data []byte) bool
	config   func(data []byte) (image.Config, error)
	decode   func(data []byte) (image.Image, error)
	animated func(data []byte) bool // or something else that scaling would lose
}

var kinds = []kind{
	{"image/jpeg", prefix("\xff\xd8\xff"), config(jpeg.DecodeConfig), decoded(jpeg.Decode), isTurned},
	{"image/png", prefix("\x89PNG\r\n\x1a\n"), config(png.DecodeConfig), decoded(png.Decode), isAnimatedPNG},
	{"image/gif", func(d []byte) bool { return prefix("GIF87a")(d) || prefix("GIF89a")(d) }, config(gif.DecodeConfig),
		decoded(gif.Decode), isAnimatedGIF},
	{"image/webp", func(d []byte) bool { return len(d) >= 12 && prefix("RIFF")(d) && string(d[8:12]) == "WEBP" },
		config(webp.DecodeConfig), decoded(webp.Decode), isAnimatedWebP},
}

// Prepare returns a picture as a page can show it. It fails with [ErrKind] for an unknown kind of picture, with
// [ErrLarge] beyond the bounds, and with another error for one that is broken. It can need 400 MB of memory: a caller
// bounds how many run at a time.
func Prepare(data []byte) (p Picture, err error) {
	defer func() { // what decodes strangers' bytes may be wrong about them
		if cause := recover(); cause != nil {
			p, err = Picture{}, fmt.Errorf("decoding a picture: %v", cause)
		}
	}()
	return prepare(data)
}

func prepare(data []byte) (Picture, error) {
	if len(data) > MaxBytes {
		return Picture{}, fmt.Errorf("%w: %d bytes", ErrLarge, len(data))
	}
	k := kindOf(data)
	if k == nil {
		return Picture{}, ErrKind
	}
	c, err := k.config(data)
	if err != nil {
		return Picture{}, fmt.Errorf("reading the head of a picture: %w", err)
	}
	if c.Width <= 0 || c.Height <= 0 {
		return Picture{}, fmt.Errorf("%w: it has no size", ErrKind)
	}
	if int64(c.Width)*int64(c.Height) > MaxPixels {
		return Picture{}, fmt.Errorf("%w: %d × %d pixels", ErrLarge, c.Width, c.Height)
	}
	p := Picture{k.media, data, c.Width, c.Height}
	small := c.Width <= MaxWidth && len(data) <= passBytes && k.media != "image/webp"
	if small || k.animated(data) || c.Width*c.Height > maxDecoded {
		return p, nil
	}
	whole, err := k.decode(data)
	if err != nil {
		return Picture{}, fmt.Errorf("decoding a picture: %w", err)
	}
	if size := whole.Bounds().Size(); size.X != c.Width || size.Y != c.Height {
		return Picture{}, fmt.Errorf("%w: its head says %d × %d pixels, and it has %d × %d", ErrKind, c.Width, c.Height,
			size.X, size.Y)
	}
	made, err := encode(scale(whole))
	if err != nil {
		return Picture{}, err
	}
	if k.media != "image/webp" && len(made.Bytes) >= len(data) {
		return p, nil
	}
	if len(made.Bytes) > MaxBytes {
		return Picture{}, fmt.Errorf("%w: %d bytes once it is decoded", ErrLarge, len(made.Bytes))
	}
	return made, nil
}

func kindOf(data []byte) *kind {
	for i := range kinds {
		if kinds[i].begins(data) {
			return &kinds[i]
		}
	}
	return nil
}

// scale returns a picture that is at most MaxWidth wide.
func scale(whole image.Image) image.Image {
	b := whole.Bounds()
	if b.Dx() <= MaxWidth {
		return whole
	}
	height := max(1, b.Dy()*MaxWidth/b.Dx())
	small := image.NewNRGBA(image.Rect(0, 0, MaxWidth, height))
	draw.ApproxBiLinear.Scale(small, small.Rect, whole, b, draw.Src, nil)
	return small
}

// encode writes a picture as JPEG, or as PNG where something is transparent.
func encode(m image.Image) (Picture, error) {
	var out bytes.Buffer
	media := "image/png"
	var err error
	if o, ok := m.(interface{ Opaque() bool }); ok && o.Opaque() {
		media = "image/jpeg"
		err = jpeg.Encode(&out, m, &jpeg.Options{Quality: quality})
	} else {
		err = png.Encode(&out, m)
	}
	if err != nil {
		return Picture{}, fmt.Errorf("encoding a picture: %w", err)
	}
	return Picture{media, out.Bytes(), m.Bounds().Dx(), m.Bounds().Dy()}, nil
}
