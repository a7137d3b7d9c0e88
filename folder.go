package tidings

import "strings"

// A folder is kept as a path: the names of nested folders with "/" between them. A slash within a name is written
// "%2F", and a percent sign before "2F" or "25" is written "%25". So a path without those holds its names as they are.
var (
	escapeName   = strings.NewReplacer("/", "%2F", "%2F", "%252F", "%25", "%2525")
	unescapeName = strings.NewReplacer("%2F", "/", "%25", "%")
)

// FolderPath returns the path of nested folders, the outermost first. Blanks around a name are cut, empty names left
// out.
func FolderPath(names ...string) string {
	var escaped []string
	for _, name := range names {
		if name = strings.TrimSpace(name); name != "" {
			escaped = append(escaped, escapeName.Replace(name))
		}
	}
	return strings.Join(escaped, "/")
}

// FolderNames returns the names in a path, as people are shown them: the inverse of FolderPath.
func FolderNames(path string) []string {
	var names []string
	for name := range strings.SplitSeq(path, "/") {
		if name = strings.TrimSpace(unescapeName.Replace(name)); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// CleanFolder returns a path in the one way of writing it, which FolderPath has.
func CleanFolder(path string) string { return FolderPath(FolderNames(path)...) }

// FolderLabel is a path for people to read, as "Music / AC/DC".
func FolderLabel(path string) string { return strings.Join(FolderNames(path), " / ") }
