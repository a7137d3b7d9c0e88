package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/png"

	"golang.org/x/image/draw"
)

// Bounds of icons.
const (
	IconSide  = 64       // pixels, of an icon that is returned: at most so wide and high
	IconBytes = 64 << 10 // of an icon that is returned
)

// Icon returns a picture as a small PNG, of at most [IconSide] pixels a side and [IconBytes]. It knows ICO beside what
// [Prepare] knows, and fails as that does. Of what can be decoded nothing but its pixels is left.
func Icon(data []byte) (p Picture, err error) {
	defer func() { // what decodes strangers' bytes may be wrong about them
		if cause := recover(); cause != nil {
			p, err = Picture{}, fmt.Errorf("decoding an icon: %v", cause)
		}
	}()
	whole, err := decodeIcon(data)
	if err != nil {
		return Picture{}, err
	}
	small := shrink(whole)
	var out bytes.Buffer
	if err := png.Encode(&out, small); err != nil {
		return Picture{}, fmt.Errorf("encoding an icon: %w", err)
	}
	if out.Len() > IconBytes {
		return Picture{}, fmt.Errorf("%w: the icon has %d bytes", ErrLarge, out.Len())
	}
	return Picture{"image/png", out.Bytes(), small.Bounds().Dx(), small.Bounds().Dy()}, nil
}

// decodeIcon decodes a picture within the bounds.
func decodeIcon(data []byte) (image.Image, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes", ErrLarge, len(data))
	}
	if isICO(data) {
		return decodeICO(data)
	}
	k := kindOf(data)
	if k == nil {
		return nil, ErrKind
	}
	return k.within(data, maxDecoded)
}

// within decodes a picture of at most so many pixels, which its head states truly.
func (k *kind) within(data []byte, pixels int) (image.Image, error) {
	c, err := k.config(data)
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the head of a picture: %w", err)
	case c.Width <= 0 || c.Height <= 0:
		return nil, fmt.Errorf("%w: it has no size", ErrKind)
	case int64(c.Width)*int64(c.Height) > int64(pixels):
		return nil, fmt.Errorf("%w: %d × %d pixels", ErrLarge, c.Width, c.Height)
	}
	whole, err := k.decode(data)
	if err != nil {
		return nil, fmt.Errorf("decoding a picture: %w", err)
	}
	if size := whole.Bounds().Size(); size.X != c.Width || size.Y != c.Height {
		return nil, fmt.Errorf("%w: its head says %d × %d pixels, and it has %d × %d", ErrKind, c.Width, c.Height,
			size.X, size.Y)
	}
	return whole, nil
}

// shrink returns a picture that fits into IconSide, with its proportions. A large one is first made smaller in a quick
// way: a careful way costs time for each of its pixels.
func shrink(whole image.Image) image.Image {
	if longest(whole) > 8*IconSide {
		whole = fit(whole, 8*IconSide, draw.ApproxBiLinear)
	}
	return fit(whole, IconSide, draw.CatmullRom)
}

func longest(m image.Image) int { return max(m.Bounds().Dx(), m.Bounds().Dy()) }

// fit returns a picture of at most so many pixels a side.
func fit(whole image.Image, side int, by draw.Interpolator) image.Image {
	b := whole.Bounds()
	width, height := b.Dx(), b.Dy()
	if longest := longest(whole); longest > side {
		width, height = max(1, width*side/longest), max(1, height*side/longest)
	}
	small := image.NewNRGBA(image.Rect(0, 0, width, height))
	by.Scale(small, small.Rect, whole, b, draw.Src, nil)
	return small
}
