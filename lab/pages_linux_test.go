package lab

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestTheHeapIsToBeOfLargePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil {
		t.Skip("this system has no transparent large pages")
	}
	const bytes = 4 * advised
	enlargePages(bytes)
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	size, sum := 0, 0
	for line := range strings.Lines(string(maps)) {
		_, _ = fmt.Sscanf(line, "Size: %d kB", &size)
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && strings.Contains(flags+" ", " hg ") {
			sum += size << 10
		}
	}
	if sum < bytes/2 {
		t.Errorf("large pages are asked for in %d bytes of memory, want %d", sum, bytes)
	}
}
