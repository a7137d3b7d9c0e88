// Package cli is what the commands of this project have in common: how they start and end, what their errors look like,
// and how they read numbers and durations.
//
// A program's exit status is 0 if all went well, [Failed] if something failed, and [Misused] if the command line was
// not understood. An error is one line, with what to do about it in brackets.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"tidings"
	"tidings/cmd/console"
)

// Exit statuses.
const (
	Failed  = 1
	Misused = 2
)

// Program runs a command line until it has done what it says, or ctx ends. It returns the exit status.
type Program func(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer,
	env func(string) string) (status int)

// Main is the main function of p. The first interrupt ends p's context, a second one the process.
func Main(p Program) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the process at once
	}()
	os.Exit(p(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}

// exited carries the status with which a flag such as --help ends the program.
type exited int

// Status returns what run returns, or the status with which a flag such as --help has ended it.
func Status(run func() int) (status int) {
	defer func() {
		if cause := recover(); cause != nil {
			code, ok := cause.(exited)
			if !ok {
				panic(cause)
			}
			status = int(code)
		}
	}()
	return run()
}

// Options are those of every command line. It is read within Status.
func Options(name, description string, out, errOut io.Writer) []kong.Option {
	return append(numbers(),
		kong.Name(name),
		kong.Description(description),
		kong.Writers(out, errOut),
		kong.Exit(func(code int) { panic(exited(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
	)
}

// Failure returns an error with what to do about it.
func Failure(text, hint string) error { return tidings.WithHint(errors.New(text), hint) }

// Misuse is an error in a person's command.
type Misuse struct{ error }

func (m *Misuse) Unwrap() error { return m.error }

// Usage is Failure for a Misuse.
func Usage(text, hint string) error { return &Misuse{Failure(text, hint)} }

// Reason returns what is wrong with a command line that kong refuses.
func Reason(err error) string {
	var value *badValue
	if errors.As(err, &value) {
		return value.flag + " " + value.why
	}
	return tidings.Reason(err)
}

// Complain prints an error of a program.
func Complain(to *console.Console, program, text, hint string) {
	line := program + ": " + console.Neutral(text)
	if hint != "" {
		line += " (" + console.Neutral(hint) + ")"
	}
	to.Printf("%s\n", line)
}
