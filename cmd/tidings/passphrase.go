package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"tidings/node/keyring"
)

// passphraseFlags say where a passphrase comes from. It never stands on the command line, where others can
// see it.
type passphraseFlags struct {
	PassphraseFile string `help:"File whose first line is the key's passphrase. Without it, that of TIDINGS_PASSPHRASE, or you are asked." placeholder:"FILE"`
}

// passphraseVariable is the environment's name for a passphrase.
const passphraseVariable = "TIDINGS_PASSPHRASE"

// given returns the passphrase that needs no person; "" if there is none.
func (f passphraseFlags) given(p *program) (string, error) {
	if f.PassphraseFile == "" {
		return p.env(passphraseVariable), nil
	}
	file, err := os.Open(f.PassphraseFile)
	if err != nil {
		return "", fmt.Errorf("reading the passphrase: %w", err)
	}
	defer file.Close()
	line, err := bufio.NewReader(io.LimitReader(file, maxPasswordLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("reading the passphrase: %w", err)
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", failure("the first line of "+f.PassphraseFile+" is empty", "it should be the passphrase")
	}
	return line, nil
}

// passphrase returns that of a key, and asks for it if need be; "" if there is nobody to ask.
func (f passphraseFlags) passphrase(p *program, name string) (string, error) {
	given, err := f.given(p)
	if err != nil || given != "" {
		return given, err
	}
	return p.askSecret("Passphrase of key " + name + ": ")
}

// newPassphrase returns the one that a new key is to have.
func (f passphraseFlags) newPassphrase(p *program, name string) (string, error) {
	given, err := f.given(p)
	if err != nil || given != "" {
		return given, err
	}
	first, err := p.askSecret("New passphrase of key " + name + ": ")
	if err != nil {
		return "", err
	}
	if first == "" {
		return "", keyFailure(keyring.ErrLocked)
	}
	again, err := p.askSecret("Once more: ")
	if err != nil {
		return "", err
	}
	if first != again {
		return "", failure("the two are not the same", "nothing was changed")
	}
	return first, nil
}

// askSecret asks the person at the terminal; "" if there is none.
func (p *program) askSecret(prompt string) (string, error) {
	terminal, ok := p.in.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(terminal.Fd())) {
		return "", nil
	}
	p.errors.Printf("%s", prompt)
	text, err := term.ReadPassword(int(terminal.Fd()))
	p.errors.Printf("\n")
	if err != nil {
		return "", fmt.Errorf("reading the passphrase: %w", err)
	}
	return string(text), nil
}

// signing has something done that a key must sign.
func (f passphraseFlags) signing(p *program, name string,
	do func(name, passphrase string) (keyring.Key, error)) (keyring.Key, error) {
	key, err := keyring.In(p.data).Get(name)
	if err != nil {
		return key, keyFailure(err)
	}
	passphrase := ""
	if key.Encrypted {
		if passphrase, err = f.passphrase(p, name); err != nil {
			return key, err
		}
	}
	key, err = do(name, passphrase)
	if err != nil {
		return key, keyFailure(err)
	}
	return key, nil
}
