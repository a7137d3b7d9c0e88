package publish

import (
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"strings"

	"golang.org/x/net/html"

	"tidings"
	"tidings/node/filename"
	"tidings/source/feed"
)

// maxFullContent bounds a file with an item's whole content, in bytes.
const maxFullContent = 1 << 20

// contents is a directory with whole contents of items, such as the one that a static site is built into. Which file
// is an item's is said by [contentFiles], and which ones are its files by [candidatesOf].
type contents struct {
	root   *os.Root
	filing filing
}

// openContents opens a directory; none if dir is empty. Nothing outside of it is read, even through links in it.
func openContents(dir string) (*contents, error) {
	if dir == "" {
		return nil, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unreadable(err, dir, "leave --full-content out")
	}
	return &contents{root: root}, nil
}

func (c *contents) close() error {
	if c == nil {
		return nil
	}
	return c.root.Close()
}

// contentFiles returns the names that the file with an item's content may have, the first that is there counts.
// For a link https://blog.example/2026/03/hello/ and the id tag:blog.example,2026:hello they are
//
//	2026/03/hello/index.html, 2026/03/hello.html, hello.html, tag-blog.example-2026-hello.html
//
// A path that ends in .html or .htm is one too. In the id, every character that is no letter, digit, dot, dash or
// underscore counts as a dash.
func contentFiles(item *tidings.Item) []string {
	var names []string
	if u, err := url.Parse(item.URL); err == nil && item.URL != "" {
		place := strings.Trim(path.Clean("/"+u.Path), "/")
		if ext := path.Ext(place); ext == ".html" || ext == ".htm" {
			names = append(names, place, path.Base(place))
		} else {
			names = append(names, path.Join(place, "index.html"))
			if place != "" {
				names = append(names, place+".html", path.Base(place)+".html")
			}
		}
	}
	if id := filename.Safe(item.ID); strings.Trim(id, ".-") != "" {
		names = append(names, id+".html")
	}
	return names
}

// of returns an item's whole content, sanitised; "" if there is no usable file for it.
func (c *contents) of(item *tidings.Item) string {
	if c == nil {
		return ""
	}
	for _, name := range contentFiles(item) {
		text, err := c.read(name)
		if err != nil {
			continue
		}
		return feed.Sanitize(article(text), item.URL)
	}
	return ""
}

// openFile opens a regular file of the directory. To open a pipe would wait for its writer, for ever.
func (c *contents) openFile(name string) (*os.File, error) {
	info, err := c.root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	return c.root.Open(name)
}

func (c *contents) read(name string) (string, error) {
	f, err := c.openFile(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFullContent+1))
	if err == nil && len(b) > maxFullContent {
		err = fs.ErrInvalid
	}
	return string(b), err
}

// article returns the article of a page: the first of article, main and body that it has. Of what is only a part of a
// page it returns all.
func article(markup string) string {
	if !strings.Contains(strings.ToLower(markup), "<html") && !strings.Contains(strings.ToLower(markup), "<body") {
		return markup
	}
	page, err := html.Parse(strings.NewReader(markup))
	if err != nil {
		return markup
	}
	for _, name := range []string{"article", "main", "body"} {
		if n := firstElement(page, name); n != nil {
			var b strings.Builder
			for child := n.FirstChild; child != nil; child = child.NextSibling {
				if err := html.Render(&b, child); err != nil {
					return markup
				}
			}
			return b.String()
		}
	}
	return markup
}

func firstElement(n *html.Node, name string) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == name {
			return d
		}
	}
	return nil
}
