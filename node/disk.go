package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/singleflight"
)

// diskPatience is how long a file system may take to say how much is free. One that lies at a server that has gone may
// never answer.
const diskPatience = 5 * time.Second

var (
	errDiskSilent  = fmt.Errorf("the file system does not answer within %d seconds", diskPatience/time.Second)
	errDiskUnknown = errors.New("the file system does not say how much is free")
)

// disk asks how much is free. However often it is asked, one question at a time waits for the file system, as nothing
// can take that back.
type disk struct {
	free   func(dir string) (bytes uint64, ok bool) // nil: freeBytes
	asking singleflight.Group
}

// left returns how many bytes are free at dir. Errors: errDiskSilent, errDiskUnknown, or ctx's.
func (d *disk) left(ctx context.Context, dir string) (bytes uint64, err error) {
	free := d.free
	if free == nil {
		free = freeBytes
	}
	answer := d.asking.DoChan(dir, func() (any, error) {
		if bytes, ok := free(dir); ok {
			return bytes, nil
		}
		return uint64(0), errDiskUnknown
	})
	late := time.NewTimer(diskPatience)
	defer late.Stop()
	select {
	case a := <-answer:
		return a.Val.(uint64), a.Err
	case <-late.C:
		return 0, errDiskSilent
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
