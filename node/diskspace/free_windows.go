package diskspace

import "golang.org/x/sys/windows"

// freeBytes returns how many bytes an ordinary user may still write at dir. It waits for as long as the file system
// does.
func freeBytes(dir string) (uint64, bool) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(path, &free, nil, nil); err != nil {
		return 0, false
	}
	return free, true
}
