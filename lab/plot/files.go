package plot

import (
	"bytes"
	"fmt"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// PNG returns the plot as a picture of 1,267 by 787 pixels.
func (p Plot) PNG() ([]byte, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(192))}
	p.draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("writing plot %q as PNG: %w", p.Name, err)
	}
	return b.Bytes(), nil
}

// SVG returns the plot as a document that stands alone.
func (p Plot) SVG() ([]byte, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	c := vgsvg.NewWith(vgsvg.UseWH(width, height))
	p.draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("writing plot %q as SVG: %w", p.Name, err)
	}
	return finish(b.String(), p.Title), nil
}
