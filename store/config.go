package store

import (
	"fmt"
	"log/slog"
	"time"

	"tidings"
	"tidings/store/reader"
)

// Config says where a store is and how it works. A field with its zero value gets the value that Default returns.
type Config struct {
	// Dir is the data directory. It is made with mode 0700 where there is none.
	Dir string

	// Logger gets what the operator of the node should know.
	Logger *slog.Logger

	// Retention says what is removed, and when.
	Retention Retention

	// Now, Readers, MaxChecked and VFS are as in db.Config.
	Now        func() time.Time
	Readers    int
	MaxChecked int64
	VFS        string

	// ReaderSubscriptions is how many channels a reader can follow; 0: any number. Administrators follow any number.
	ReaderSubscriptions int

	// ReaderStarred is how many items a reader can star, which are kept for as long; 0: any number. Administrators star
	// any number.
	ReaderStarred int

	// Conditions is the language of the conditions of filters. Nil: filters do nothing.
	Conditions reader.Conditions

	// TouchDelay is how long a poll that found nothing new may wait in memory
	// (1 ms to 1 s). A crash forgets so much, and costs so many early polls; a
	// longer delay saves writes of channels that are polled again meanwhile.
	TouchDelay time.Duration
}

// Default returns the configuration for a data directory.
func Default(dir string) Config {
	return Config{
		Dir:        dir,
		Logger:     slog.New(slog.DiscardHandler),
		Retention:  DefaultRetention(),
		Now:        time.Now,
		TouchDelay: 500 * time.Millisecond,
	}
}

// Validate reports the first field that cannot be used.
func (c Config) Validate() error {
	if c.TouchDelay < time.Millisecond || c.TouchDelay > time.Second {
		return fmt.Errorf("%w store configuration: touch delay %v, want 1ms to 1s", tidings.ErrInvalid, c.TouchDelay)
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
	if c.TouchDelay == 0 {
		c.TouchDelay = d.TouchDelay
	}
	c.Retention = c.Retention.withDefaults()
	return c
}
