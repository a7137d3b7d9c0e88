package plot

import (
	"fmt"
	"image/color"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colours of all plots. A page can put others in their place.
var (
	ground    = color.RGBA{0xff, 0xff, 0xff, 0xff} // behind everything
	ink       = color.RGBA{0x1b, 0x1b, 0x1b, 0xff} // text and axes
	quiet     = color.RGBA{0x5c, 0x5c, 0x5c, 0xff} // references
	gridlines = color.RGBA{0xe3, 0xe3, 0xe3, 0xff}
)

// palette has the colours of Okabe and Ito, "Color Universal Design" (2008), those first that
// differ most on white.
var palette = [MaxSeries]color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x00, 0x9e, 0x73, 0xff}, // bluish green
	{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	{0x7f, 0x7f, 0x7f, 0xff}, // grey
}

// markers go with the colours, so that a plot can be read without them.
var markers = [MaxSeries]draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{},
	draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{},
}

// Sizes of text, in points.
const (
	titleSize  = 11.5
	labelSize  = 10
	tickSize   = 9
	legendSize = 9
	saidSize   = 8.5
)

var (
	regular = parse(goregular.TTF)
	fonts   = font.NewCache(font.Collection{
		{Font: face(false), Face: regular},
		{Font: face(true), Face: parse(gobold.TTF)}, // which has the same characters
	})
)

func face(bold bool) font.Font {
	f := font.Font{Typeface: "Go"}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return f
}

func parse(ttf []byte) *opentype.Font {
	f, err := opentype.Parse(ttf)
	if err != nil {
		panic(fmt.Sprintf("plot: a font that comes with the program: %v", err))
	}
	return f
}

// style returns text of a size, placed by where its point lies in it.
func style(size float64, bold bool, c color.Color, x text.XAlignment, y text.YAlignment) text.Style {
	f := face(bold)
	f.Size = vg.Points(size)
	return text.Style{Color: c, Font: f, XAlign: x, YAlign: y, Handler: text.Plain{Fonts: fonts}}
}

// unknownTo returns the first character of text that the font cannot show; 0 if there is none.
func unknownTo(f *opentype.Font, text string) rune {
	var b sfnt.Buffer
	for _, r := range text {
		if i, err := f.GlyphIndex(&b, r); err != nil || i == 0 {
			return r
		}
	}
	return 0
}

// lift brings the middle of digits to where the middle of a line of text is.
const lift = 1

// The alignments of text.
const (
	left, centre, right = text.XLeft, text.XCenter, text.XRight
	top, middle, bottom = text.YTop, text.YCenter, text.YBottom
)
