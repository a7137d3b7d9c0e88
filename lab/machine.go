package lab

import (
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
