package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var gallerySaved = flag.String("gallery", "", "folder to write the test plots into, for people to look at")

func TestEveryKindIsDrawn(t *testing.T) {
	for i, p := range gallery() {
		t.Run(p.Name, func(t *testing.T) {
			document, err := p.SVG()
			if err != nil {
				t.Fatal(err)
			}
			save(t, p.Name+".svg", document)
			checkSVG(t, document, p)
			if testing.Short() && i%4 != 0 { // pictures need a tenth of a second each
				return
			}
			picture, err := p.PNG()
			if err != nil {
				t.Fatal(err)
			}
			save(t, p.Name+".png", picture)
			checkPNG(t, picture, p)
		})
	}
}

func save(t *testing.T, name string, content []byte) {
	if *gallerySaved == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(*gallerySaved, name), content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkPNG wants the colour of every series in the picture, and black text.
func checkPNG(t *testing.T, picture []byte, p Plot) {
	t.Helper()
	decoded, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	size := decoded.Bounds().Size()
	if size.X != 1267 || size.Y != 787 {
		t.Errorf("the picture is %v", size)
	}
	seen := pixels(decoded)
	for i := range p.Series {
		if n := seen[palette[i]]; n < 60 {
			t.Errorf("series %d shows in %d pixels", i, n)
		}
	}
	if seen[ink] < 1000 || seen[ground] < size.X*size.Y/3 {
		t.Errorf("%d pixels of ink on %d of ground", seen[ink], seen[ground])
	}
}

// pixels counts the pixels of each colour.
func pixels(m image.Image) map[color.RGBA]int {
	rgba := image.NewRGBA(m.Bounds())
	draw.Draw(rgba, rgba.Rect, m, m.Bounds().Min, draw.Src)
	seen := map[color.RGBA]int{}
	for i := 0; i < len(rgba.Pix); i += 4 {
		seen[color.RGBA{rgba.Pix[i], rgba.Pix[i+1], rgba.Pix[i+2], rgba.Pix[i+3]}]++
	}
	return seen
}

// checkSVG wants well-formed XML with all words of the plot as text.
func checkSVG(t *testing.T, document []byte, p Plot) {
	t.Helper()
	var words []string
	for d := xml.NewDecoder(bytes.NewReader(document)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			words = append(words, string(text))
		}
	}
	text := strings.Join(words, "\n")
	want := []string{p.Title, p.X.title(), p.Y.title()}
	for _, s := range p.Series {
		want = append(want, s.Label)
	}
	for _, r := range p.Said {
		want = append(want, r.Label)
	}
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in the document", w)
		}
	}
	if strings.Contains(string(document), "NaN") || strings.Contains(string(document), "Inf") {
		t.Error("the document has a place that is no number")
	}
	if len(document) > 300_000 {
		t.Errorf("the document has %d bytes", len(document))
	}
}

func TestWhatIsDrawnIsAFunctionOfTheData(t *testing.T) {
	first, second := gallery()[1], gallery()[1]
	a, err := first.SVG()
	b, err2 := second.SVG()
	if err != nil || err2 != nil || !bytes.Equal(a, b) {
		t.Errorf("the same data gave different documents (%v, %v)", err, err2)
	}
}
