package lab

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// Machine is where a result was measured, and with which versions.
type Machine struct {
	System    string `json:"system"` // "linux/amd64"
	Processor string `json:"processor"`
	Cores     int    `json:"cores"` // that the run might use
	Memory    uint64 `json:"memory_bytes"`
	Go        string `json:"go"`
	Tidings   string `json:"tidings"` // the commit, with "+" after it if files were changed
}

// ThisMachine returns what the program runs on; what cannot be found out is empty.
func ThisMachine() Machine {
	return Machine{
		System: runtime.GOOS + "/" + runtime.GOARCH, Processor: processor(), Cores: runtime.GOMAXPROCS(0),
		Memory: memInfo("MemTotal"), Go: runtime.Version(), Tidings: revision(),
	}
}

func processor() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	commit := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))] + commit
		case s.Key == "vcs.modified" && s.Value == "true":
			commit += "+"
		}
	}
	if commit == "" {
		return info.Main.Version
	}
	return commit
}

// Commit names the commit that this program was built of. It fails where that is not all that the program was built of,
// or unknown.
func Commit() (string, error) {
	commit := revision()
	if isCommit(commit) {
		return commit, nil
	}
	if before, changed := strings.CutSuffix(commit, "+"); changed {
		return "", fmt.Errorf("this program was built of files that differ from commit %s", before)
	}
	return "", errors.New("this program does not know which commit it was built of")
}

// isCommit reports whether a revision is a commit without changes.
func isCommit(revision string) bool {
	return len(revision) == 12 && strings.Trim(revision, "0123456789abcdef") == ""
}

// Busy returns how many threads of all programs ran or waited for a core during the last minute, on average; 0:
// unknown.
func Busy() float64 {
	data, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(data), " ")
	load, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return 0
	}
	return load
}

// freeMemory returns how many bytes programs can still have; 0: unknown.
func freeMemory() uint64 { return memInfo("MemAvailable") }

// memInfo reads a line of Linux's /proc/meminfo, in bytes.
func memInfo(name string) uint64 { return kilobytes("/proc/meminfo", name) }

// kilobytes reads a line "Name:  123 kB" of a file.
func kilobytes(path, name string) uint64 {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(line, ":")
		if fields := strings.Fields(value); key == name && len(fields) > 0 {
			n, err := strconv.ParseUint(fields[0], 10, 64)
			if err != nil {
				return 0
			}
			return n << 10
		}
	}
	return 0
}
