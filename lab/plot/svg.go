package plot

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
)

// fontFamily is what SVG asks for: the font that was measured, else what a reader has.
const fontFamily = "font-family:Go,'Liberation Sans',Arial,Helvetica,sans-serif;"

var (
	svgText = regexp.MustCompile(`<text ([^>]*font-weight:(\w+)[^>]*font-size:([\d.]+)px[^>]*)>([^<]*)</text>`)
	svgHead = regexp.MustCompile(`(?s)<svg (.*?)>\n`)
	svgSize = regexp.MustCompile(`font-family:[^;]*;(font-variant:[^;]*;)?`)
)

// finish gives the document a title for people that do not see it. Each text gets its measured width, because a
// reader's machine may have other fonts.
func finish(svg, title string) []byte {
	svg = svgText.ReplaceAllStringFunc(svg, func(element string) string {
		m := svgText.FindStringSubmatch(element)
		size, _ := strconv.ParseFloat(m[3], 64) // digits and dots by the pattern
		wide := style(size, m[2] == "bold", ink, left, top).Width(html.UnescapeString(m[4]))
		if wide == 0 {
			return ""
		}
		attributes := svgSize.ReplaceAllString(m[1], fontFamily)
		return fmt.Sprintf(`<text textLength="%.2f" lengthAdjust="spacingAndGlyphs" %s>%s</text>`, wide.Points(),
			attributes, m[4])
	})
	head := svgHead.FindStringSubmatchIndex(svg)
	attributes := strings.ReplaceAll(svg[head[2]:head[3]], "\n\t", " ")
	attributes = strings.ReplaceAll(attributes, ` xmlns:xlink="http://www.w3.org/1999/xlink"`, "")
	return []byte(fmt.Sprintf("<svg role=\"img\" %s>\n<title>%s</title>\n%s", attributes, html.EscapeString(title),
		svg[head[1]:]))
}
