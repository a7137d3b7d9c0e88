// Package simtest runs tests on simulated worlds: the same test with many seeds, on all cores,
// each able to fail by itself with the command that repeats it.
//
//	func TestJoin(t *testing.T) {
//		simtest.Run(t, 20, func(t *simtest.T) {
//			c := sim.Default(codec)
//			w := t.World(c) // c with the run's seed
//			…
//		})
//	}
//
// A run that fails, or panics, prints
//
//	seed 7; repeat: go test ./network/corona -run '^TestJoin$' -seed 7
//
// With the flag -seed, or TIDINGS_SEED in the environment, one seed runs and no other. With the
// flag -simtrace FOLDER, or TIDINGS_TRACE, each run writes the trace of its worlds to a file
// there.
package simtest

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"tidings/lab/effort"
	"tidings/network/sim"
)

var (
	seedFlag  = flag.String("seed", "", "run simulations with this seed alone (or TIDINGS_SEED)")
	traceFlag = flag.String("simtrace", "", "write the traces of simulations into this folder (or TIDINGS_TRACE)")
)

// rarely is how much garbage there may be for each byte in use, in percent. Worlds make much of it and keep little, and
// collecting it as often as by default needs a sixth of the time.
const rarely = 400

func init() { debug.SetGCPercent(rarely) }

// T is one run of a test, with one seed.
type T struct {
	*testing.T
	seed   uint64
	test   string // the name of the test that all seeds share
	worlds int
}

// Run calls f as subtests, in parallel, once for each of k seeds if all cases are requested (effort.All). Otherwise it
// uses a third of them, with -short a sixteenth, each rounded up: 1, 2, …, or those of the flag or the environment.
// With -short and -race it is one: a world is one goroutine's, so that other seeds would show nothing that they do not
// show without.
func Run(t *testing.T, k int, f func(t *T)) {
	t.Helper()
	seeds := sim.Seeds(1, share(k))
	asked, err := askedSeed()
	if err != nil {
		t.Fatal(err)
	}
	if asked != nil {
		seeds = []uint64{*asked}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(sub *testing.T) {
			sub.Parallel()
			one(&T{T: sub, seed: seed, test: t.Name()}, f)
		})
	}
}

// share returns how many of k seeds run.
func share(k int) int {
	switch {
	case raced && testing.Short():
		return 1
	case testing.Short():
		return (k + 15) / 16
	case effort.All():
		return k
	}
	return (k + 2) / 3
}

// one makes one run. A panic fails it, and leaves the others alone.
func one(t *T, f func(t *T)) {
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("panic: %v\n%s", r, debug.Stack())
		}
		if t.Failed() {
			t.Log(t.Repeat())
		}
	}()
	f(t)
}

// askedSeed returns the one seed that is to run; nil if none was asked for.
func askedSeed() (*uint64, error) {
	s := *seedFlag
	if s == "" {
		s = os.Getenv("TIDINGS_SEED")
	}
	if s == "" {
		return nil, nil
	}
	seed, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		return nil, fmt.Errorf("reading the seed %q: it is no number", s)
	}
	return &seed, nil
}

// Seed returns the seed of this run.
func (t *T) Seed() uint64 { return t.seed }

// wireEvery is how many seeds share one in which messages pass through the codec.
const wireEvery = 4

// World returns a new world of configuration c, with the seed of this run. It writes a trace on request. Of the worlds
// that should pass messages through the codec those with every fourth seed do, the first among them, and none with
// -race. The codec needs a third of the time, and finds the same with all seeds.
func (t *T) World(c sim.Config) *sim.World {
	t.Helper()
	c.Seed, c.Wire = t.seed, c.Wire && !raced && t.seed%wireEvery == 1
	w := sim.New(c)
	t.worlds++
	if folder := traceFolder(); folder != "" {
		t.trace(w, folder)
	}
	return w
}

func traceFolder() string {
	if *traceFlag != "" {
		return *traceFlag
	}
	return os.Getenv("TIDINGS_TRACE")
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_=-]+`)

// trace writes what happens in w to a file of its own.
func (t *T) trace(w *sim.World, folder string) {
	t.Helper()
	name := fmt.Sprintf("%s-seed%d-world%d.txt", notInNames.ReplaceAllString(t.test, "-"), t.seed, t.worlds)
	file, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		t.Fatalf("writing a trace: %v", err)
	}
	out := bufio.NewWriter(file)
	w.WriteTrace(out)
	t.Cleanup(func() {
		if err := out.Flush(); err != nil {
			t.Errorf("writing a trace: %v", err)
		}
		if err := file.Close(); err != nil {
			t.Errorf("writing a trace: %v", err)
		}
		t.Logf("trace in %s", file.Name())
	})
}

// Repeat returns the seed and the command that repeats this run.
func (t *T) Repeat() string {
	var pattern []string
	for _, part := range strings.Split(t.test, "/") {
		pattern = append(pattern, "^"+regexp.QuoteMeta(part)+"$")
	}
	return fmt.Sprintf("seed %d; repeat: go test %s -run '%s' -seed %d", t.seed, packagePath(),
		strings.Join(pattern, "/"), t.seed)
}

// packagePath returns the tested package as an argument of go test from the module's root.
// Tests run in the folder of their package.
func packagePath() string {
	here, err := os.Getwd()
	if err != nil {
		return "."
	}
	for root := here; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			path, err := filepath.Rel(root, here)
			if err != nil {
				return "."
			}
			return "./" + filepath.ToSlash(path)
		}
		if root == filepath.Dir(root) {
			return "."
		}
	}
}
