//go:build unix

package owner

import (
	"io/fs"
	"syscall"
)

func of(info fs.FileInfo) (ID, bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ID{}, false
	}
	return ID{int(s.Uid), int(s.Gid)}, true
}
