package charset

import (
	"bytes"
	"mime"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// InHeader returns the name of an encoding that a Content-Type has; "" if it has none.
func InHeader(contentType string) string {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return ""
	}
	return params["charset"]
}

// InXML returns the name that a document's XML declaration has; "" if there is none.
func InXML(doc []byte) string {
	head := doc[:min(len(doc), 1024)]
	start := bytes.Index(head, []byte("<?xml"))
	if start < 0 {
		return ""
	}
	head = head[start:]
	end := bytes.IndexByte(head, '>')
	if end < 0 {
		return ""
	}
	_, rest, ok := strings.Cut(string(head[:end]), "encoding")
	if !ok {
		return ""
	}
	rest = strings.TrimLeft(rest, " \t\r\n=")
	if rest == "" || rest[0] != '"' && rest[0] != '\'' {
		return ""
	}
	name, _, _ := strings.Cut(rest[1:], rest[:1])
	return name
}

// maxDeclaration is how far into a page its declaration of an encoding is looked for. The HTML standard has it in the
// first 1024 bytes; browsers heed it later as well.
const maxDeclaration = 64 << 10

var inPage = regexp.MustCompile(`(?i)^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]{1,40})["']|<meta\s[^>]*charset\s*=\s*["']?\s*([\w.:-]{1,40})`)

// InHTML returns the name that a page has in a meta element, where browsers look for it or further behind, or in an XML
// declaration; "" if there is none.
func InHTML(page []byte) string {
	// These two it also returns for what declares nothing.
	if _, name, _ := charset.DetermineEncoding(page, ""); name != utf8Name && name != "windows-1252" {
		return name
	}
	if utf8.Valid(page) { // it needs no other name
		return ""
	}
	found := inPage.FindSubmatch(page[:min(len(page), maxDeclaration)])
	if found == nil {
		return ""
	}
	return string(found[1]) + string(found[2])
}
