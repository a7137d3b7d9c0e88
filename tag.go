package tidings

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of the tags that a person gives channels.
const (
	MaxTag  = 60 // characters of a tag
	MaxTags = 20 // tags of one channel
)

// TagChange says which tags a channel gets. First it has Only, if that is not nil; then it loses Remove and gets Add.
type TagChange struct {
	Only   *[]string `json:"only,omitempty"`
	Add    []string  `json:"add,omitempty"`
	Remove []string  `json:"remove,omitempty"`
}

// CleanTag returns a tag in the one way of writing it: blanks around it are cut, and those within are single.
func CleanTag(tag string) string { return strings.Join(strings.Fields(tag), " ") }

// ValidateTag reports which tags cannot be. Commas and slashes divide tags in lists of other programs.
func ValidateTag(tag string) error {
	switch {
	case tag == "" || tag != CleanTag(tag):
		return Invalidf("a tag needs a name, without blanks around it")
	case !utf8.ValidString(tag) || strings.ContainsFunc(tag, func(r rune) bool { return !unicode.IsPrint(r) }):
		return Invalidf("a tag has characters that can be read, and no others")
	case utf8.RuneCountInString(tag) > MaxTag:
		return Invalidf("a tag has at most %d characters", MaxTag)
	case strings.ContainsAny(tag, ",/"):
		return Invalidf("a tag has no comma and no slash: %q", Quote(tag))
	}
	return nil
}

// SplitTags reads tags as people and lists write them, with commas between them. Slashes divide tags too. Tags that
// cannot be are left out, and so is what exceeds MaxTags. The result is sorted and has each tag once.
func SplitTags(list string) []string {
	var tags []string
	for tag := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == '/' }) {
		if tag = CleanTag(tag); ValidateTag(tag) == nil && !slices.Contains(tags, tag) && len(tags) < MaxTags {
			tags = append(tags, tag)
		}
	}
	slices.SortFunc(tags, CompareNames)
	return tags
}

// JoinTags is the inverse of SplitTags.
func JoinTags(tags []string) string { return strings.Join(tags, ", ") }

// Apply returns the tags of a channel after the change, sorted and each once.
func (c TagChange) Apply(tags []string) []string {
	if c.Only != nil {
		tags = *c.Only
	}
	var all []string
	for _, tag := range slices.Concat(tags, c.Add) {
		if tag = CleanTag(tag); !slices.Contains(all, tag) {
			all = append(all, tag)
		}
	}
	all = slices.DeleteFunc(all, func(tag string) bool {
		return slices.Contains(c.Remove, tag) && !slices.Contains(c.Add, tag)
	})
	slices.SortFunc(all, CompareNames)
	return all
}
