package spidercast

import (
	"fmt"
	"strings"
)

// packageOf returns the name of the package that a value's type is of.
func packageOf(v any) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(fmt.Sprintf("%T", v), "*"), ".")
	return name
}
