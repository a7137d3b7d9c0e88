package process_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tidings/delivery/api"
	"tidings/lab/process"
	"tidings/lab/process/processtest"
)

func TestMain(m *testing.M) { processtest.Main(m) }

// Twenty processes form a correct ring. Five are killed, and the others close the ring. The five return, with the data
// that they had, and are let in again.
func TestTwentyProcessesFormARing(t *testing.T) {
	if testing.Short() {
		t.Skip("starts twenty processes")
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	var all []*process.Process
	start := func(some []*process.Process) {
		t.Helper()
		for _, p := range some {
			if err := p.Start(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	await := func(what string, running []*process.Process, began time.Time) {
		t.Helper()
		var clients []*api.Client
		for _, p := range running {
			clients = append(clients, p.Client())
		}
		if err := process.AwaitRing(ctx, clients); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s after %v", what, time.Since(began))
	}
	for i := range 20 {
		p := &process.Process{Program: os.Args[0], Data: filepath.Join(dir, fmt.Sprint(i)), Polls: time.Minute}
		defer p.Client().Close()
		defer p.Kill()
		all = append(all, p)
	}
	began := time.Now()
	start(all[:1])
	first, err := all[0].Client().Network(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all[1:] {
		p.Join = first.Addresses[0]
	}
	start(all[1:])
	await("one ring of 20 processes", all, began)

	began = time.Now()
	killed, others := all[3:8], slices.Concat(all[:3], all[8:])
	for _, p := range killed {
		p.Kill()
	}
	await("one ring of 15", others, began)

	began = time.Now()
	start(killed)
	await("one ring of 20", all, began)
}
