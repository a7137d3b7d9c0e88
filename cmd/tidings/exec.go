package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"tidings"
	"tidings/node/wholefile"
)

// Bounds on a command that is run for updates.
const (
	commandTime  = 30 * time.Second
	commandTries = 3
	commandWait  = time.Second // before the second try; four times as long before the third
)

// executor runs a command for each update, one after the other, and remembers the last one in a file.
type executor struct {
	p       *program
	command string
	file    string
}

// newExecutor returns the executor of a command. Without a file for its cursor it has one of its own in the data
// directory.
func newExecutor(p *program, command, file string) (*executor, error) {
	if file == "" {
		dir := filepath.Join(p.data, "exec")
		if err := wholefile.MakeDir(dir); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, &tidings.Failure{Op: "making a place for the cursor", Err: err}
		}
		sum := sha256.Sum256([]byte(command))
		file = filepath.Join(dir, hex.EncodeToString(sum[:8])+".cursor")
	}
	return &executor{p, command, file}, nil
}

// after returns after which update to begin: where it ended, or else now.
func (e *executor) after() (int64, error) {
	text, err := wholefile.Read(e.file, 64)
	if err == nil {
		id, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err != nil || id < 0 {
			return 0, failure(e.file+" holds no cursor", "remove it to begin now")
		}
		return id, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return 0, &tidings.Failure{Op: "reading the cursor", Err: err}
	}
	newest, err := e.p.client.Updates(e.p.ctx, tidings.UpdateQuery{Newest: true, Limit: 1})
	if err != nil {
		return 0, err
	}
	id := int64(0)
	if len(newest) > 0 {
		id = newest[0].ID
	}
	return id, e.done(id)
}

// done notes that the command need not be run for an update again.
func (e *executor) done(id int64) error {
	if err := wholefile.Write(e.file, []byte(strconv.FormatInt(id, 10)+"\n")); err != nil {
		return &tidings.Failure{Op: "writing the cursor", Err: err}
	}
	return nil
}

// run runs the command for an update. One that fails is tried again; after the last try it is left out, and said so.
func (e *executor) run(u tidings.Update) error {
	input, err := json.Marshal(u)
	if err != nil {
		return fmt.Errorf("encoding update %d: %w", u.ID, err)
	}
	wait := commandWait
	for try := 1; ; try++ {
		err := e.try(input, u.ID)
		if err == nil || e.p.ctx.Err() != nil {
			break
		}
		if try == commandTries {
			e.p.complain(fmt.Sprintf("update %d is left out: the command failed %d times: %v", u.ID, try, err), "")
			break
		}
		select {
		case <-time.After(wait):
		case <-e.p.ctx.Done():
		}
		wait *= 4
	}
	if err := e.p.ctx.Err(); err != nil {
		return err
	}
	return e.done(u.ID)
}

func (e *executor) try(input []byte, id int64) error {
	ctx, cancel := context.WithTimeout(e.p.ctx, commandTime)
	defer cancel()
	shell := []string{"sh", "-c"}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C"}
	}
	c := exec.CommandContext(ctx, shell[0], shell[1], e.command)
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(input), e.p.out.Out, e.p.errors.Out
	c.Env = append(os.Environ(), "TIDINGS_UPDATE="+strconv.FormatInt(id, 10))
	c.WaitDelay = time.Second // what it has started may hold its output open
	err := c.Run()
	if ctx.Err() != nil && e.p.ctx.Err() == nil {
		return fmt.Errorf("it took longer than %v", commandTime)
	}
	return err
}
