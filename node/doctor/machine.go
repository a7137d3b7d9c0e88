package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"tidings/node/diskspace"
)

// lowDisk is when a data directory's file system counts as nearly full, in bytes.
const lowDisk = 256 << 20

// checkDisk says how much room there is. Its error is diskspace.ErrSilent where the file system does not answer.
func (c Config) checkDisk(ctx context.Context) ([]Diagnosis, error) {
	free, err := c.Free(ctx, c.Data)
	switch {
	case errors.Is(err, diskspace.ErrSilent):
		return []Diagnosis{{LevelProblem,
				fmt.Sprintf("The file system of %s does not answer: there was nothing within %d seconds.", c.Data,
					diskspace.Patience/time.Second),
				"see that the disk is there, or the server that has it; nothing else of the data directory was checked"}},
			err
	case err != nil:
		return nil, err
	case free < lowDisk:
		return []Diagnosis{{LevelWarning, fmt.Sprintf("Only %d MiB are free on the disk of %s.", free>>20, c.Data),
			"make room"}}, nil
	}
	return []Diagnosis{fine("%d MiB are free on the disk.", free>>20)}, nil
}

// checkClock catches machines that woke without a clock: dates of origins and sessions
// mean nothing on them.
func checkClock() []Diagnosis {
	const built = 2026
	if now := time.Now(); now.Year() < built || now.Year() > built+50 {
		return []Diagnosis{{LevelProblem, "The clock says " + now.Format("2 January 2006 15:04") + ".",
			"set the machine's clock"}}
	}
	if kept, known := clockKept(); known && !kept {
		return []Diagnosis{{LevelWarning,
			"No time service (NTP) keeps this machine's clock, as far as the system knows.",
			"switch one on, for example with: timedatectl set-ntp true"}}
	}
	return []Diagnosis{fine("The clock is plausible.")}
}

func checkNames(ctx context.Context) []Diagnosis {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if _, err := net.DefaultResolver.LookupHost(ctx, "example.org"); err != nil {
		return []Diagnosis{{LevelWarning, "Names cannot be looked up: " + unanswered(err, patience),
			"see whether this machine is connected; origins in its own network may work all the same"}}
	}
	return []Diagnosis{fine("Names can be looked up.")}
}

// Resident returns the memory that a process holds, in bytes, as Linux reports it.
func Resident(pid int) (bytes uint64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, fmt.Errorf("reading a process's memory: %w", err)
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0, errors.New("reading a process's memory: no such field")
	}
	pages, err := strconv.ParseUint(fields[1], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("reading a process's memory: %w", err)
	}
	return pages * uint64(os.Getpagesize()), nil
}
