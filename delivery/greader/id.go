package greader

import (
	"fmt"
	"strconv"
	"strings"

	"tidings/delivery/sync"
)

// longID is what the long form of an item's number begins with.
const longID = "tag:google.com,2005:reader/item/"

// formatID returns the long form, with 16 hexadecimal digits.
func formatID(number int64) string { return fmt.Sprintf("%s%016x", longID, number) }

// parseID reads a number in any of its three forms: long, 16 hexadecimal digits alone, or decimal. It fails
// for what no item can have, which clients may keep from another server.
func parseID(s string) (int64, bool) {
	hex, long := strings.CutPrefix(s, longID)
	if !long && len(s) != 16 {
		return sync.ParseNumber(s)
	}
	n, err := strconv.ParseInt(hex, 16, 64)
	return n, err == nil && hex[0] != '+' && hex[0] != '-' && sync.IsNumber(n)
}

// numbers returns the items that the parameters i name, each once, in their order.
func (c *call) numbers() []int64 {
	seen := make(map[int64]bool)
	var numbers []int64
	for _, id := range c.form.All("i") {
		if n, ok := parseID(id); ok && !seen[n] && len(numbers) < sync.MaxNumbers {
			seen[n] = true
			numbers = append(numbers, n)
		}
	}
	return numbers
}
