package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"tidings"
	"tidings/cmd/console"
	"tidings/view"
)

type backupCmd struct {
	File   string `arg:"" help:"File to write; - for the standard output. The node keeps running."`
	NoKeys bool   `help:"Leave out the publishing keys."`
}

func (c *backupCmd) Run(p *program) error {
	if c.File == "-" {
		return c.print(p)
	}
	file, err := filepath.Abs(c.File)
	if err != nil {
		return err
	}
	var b view.Backup
	err = writeNew(file, func(part *os.File) (err error) {
		b, err = p.client.Backup(p.ctx, view.BackupOrder{NoKeys: c.NoKeys || !isPrivate(part)}, part)
		return err
	})
	if errors.Is(err, tidings.ErrExists) {
		return failure(file+" is there already", "name another file, or move it away")
	}
	if err != nil {
		return err
	}
	p.out.Printf("Backed up to %s\n", console.Neutral(file))
	if b.Keys > 0 {
		p.out.Printf("  with %s to publish with: keep it as safe as the data directory, and never run both at a time\n",
			console.Of(b.Keys, "key"))
	}
	c.complain(p, b)
	return nil
}

// print writes the copy to the standard output. Its kind decides whether keys are in the copy: the reader of a pipe is
// unknown.
func (c *backupCmd) print(p *program) error {
	if p.out.Terminal {
		return usage("a database cannot be read on a terminal", "name a file: tidings backup FILE")
	}
	file, ok := p.out.Out.(*os.File)
	b, err := p.client.Backup(p.ctx, view.BackupOrder{NoKeys: c.NoKeys || !ok || !isPrivate(file)}, p.out.Out)
	if err != nil {
		return err
	}
	c.complain(p, b)
	return nil
}

// complain says which keys are missing that a person may expect.
func (c *backupCmd) complain(p *program, b view.Backup) {
	if b.LeftOut > 0 && !c.NoKeys {
		p.complain(console.Of(b.LeftOut, "key")+" to publish with had to be left out: others could read the file there",
			"copy "+filepath.Join(p.data, "keys")+" to a safe place yourself")
	}
}

// isPrivate reports whether a file is an ordinary one that only its owner can read, according to its mode.
func isPrivate(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode().IsRegular() && (info.Mode().Perm()&0o077 == 0 || runtime.GOOS == "windows")
}

// writeNew has a file written that must not be there (tidings.ErrExists). It appears when it is whole, and its owner
// alone can read it.
func writeNew(file string, write func(part *os.File) error) (err error) {
	if _, err := os.Lstat(file); err == nil {
		return tidings.ErrExists
	}
	part, err := os.CreateTemp(filepath.Dir(file), ".tidings-backup-*") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if gone := os.Remove(part.Name()); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}()
	if err = write(part); err == nil {
		err = part.Sync()
	}
	if err = errors.Join(err, part.Close()); err != nil {
		return err
	}
	err = tidings.AppearAs(part.Name(), file, os.Link)
	// so that its name outlasts a power cut, where the system can
	if dir, failed := os.Open(filepath.Dir(file)); failed == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
	return err
}
