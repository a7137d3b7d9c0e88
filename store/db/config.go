package db

import (
	"fmt"
	"log/slog"
	"time"

	"tidings"
)

// Config says where a database is and how it works. A field with its zero value gets the value that Default returns,
// except Dir and Schema.
type Config struct {
	// Dir is the data directory. It is made with mode 0700 where there is none.
	Dir string

	// Schema says what tables there are.
	Schema Schema

	// Logger gets what the operator of the node should know.
	Logger *slog.Logger

	// Now returns the time.
	Now func() time.Time

	// Readers is how many queries run at once (1 to 64). Each costs up to 2 MiB of cache.
	Readers int

	// MaxChecked is the size in bytes up to which the whole file is checked at each start. That lasts about a quarter
	// of a second for 256 MiB, before Open returns; CheckVirtual is for the rest. A larger file is checked if damage
	// was found in it that is not repaired. Checksums show other damage when it is read, and in the scrub. Negative: no
	// size is checked.
	MaxChecked int64

	// VFS is the name of the layer below, as SQLite knows it; empty: checksums over the system. Tests put faults there.
	VFS string
}

// Default returns the configuration for a data directory, without a schema.
func Default(dir string) Config {
	return Config{
		Dir:        dir,
		Logger:     slog.New(slog.DiscardHandler),
		Now:        time.Now,
		Readers:    4,
		MaxChecked: 256 << 20,
	}
}

// Validate reports the first field that cannot be used.
func (c Config) Validate() error {
	switch {
	case c.Dir == "":
		return fmt.Errorf("%w store configuration: no data directory", tidings.ErrInvalid)
	case c.Readers < 1 || c.Readers > 64:
		return fmt.Errorf("%w store configuration: %d readers, want 1 to 64", tidings.ErrInvalid, c.Readers)
	}
	return nil
}

func (c Config) withDefaults() Config {
	d := Default(c.Dir)
	if c.Logger == nil {
		c.Logger = d.Logger
	}
	if c.Now == nil {
		c.Now = d.Now
	}
	if c.Readers == 0 {
		c.Readers = d.Readers
	}
	if c.MaxChecked == 0 {
		c.MaxChecked = d.MaxChecked
	}
	return c
}
