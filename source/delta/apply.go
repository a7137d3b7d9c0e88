package delta

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// Hash returns the SHA-256 over each line and a newline, in hexadecimal: what
// sha256sum prints for the file.
func Hash(lines []string) string {
	h := sha256.New()
	buf := make([]byte, 0, 4096)
	for _, line := range lines {
		if len(buf)+len(line) >= cap(buf) {
			h.Write(buf)
			buf = buf[:0]
		}
		buf = append(append(buf, line...), '\n')
	}
	h.Write(buf)
	return hex.EncodeToString(h.Sum(nil))
}

// Apply returns the lines that d makes of old. It changes nothing in old. It refuses
// a d that was made for other lines (ErrBase), and a result over the limits
// (ErrLimit), before it makes anything.
func Apply(old []string, d Delta, limits Limits) ([]string, error) {
	lines, err := d.fits(old, limits)
	if err != nil {
		return nil, fmt.Errorf("applying delta: %w", err)
	}
	result := make([]string, 0, lines)
	done := 0
	for _, h := range d {
		result = append(result, old[done:h.At]...)
		result = append(result, h.New...)
		done = h.At + len(h.Old)
	}
	return append(result, old[done:]...), nil
}

// ApplyTo reads a delta's text, proves that it fits base, and applies it. baseHash is the hash of the delta's base.
// wantHash is the promised hash of the result (see Hash).
func ApplyTo(base []string, baseHash, text, wantHash string, limits Limits) ([]string, error) {
	if have := Hash(base); have != baseHash {
		return nil, fmt.Errorf("applying delta: %w: its base is %.12s, here is %.12s", ErrBase, baseHash, have)
	}
	d, err := Parse(text, limits)
	if err != nil {
		return nil, fmt.Errorf("applying delta: %w", err)
	}
	result, err := Apply(base, d, limits)
	if err != nil {
		return nil, err
	}
	if have := Hash(result); have != wantHash {
		return nil, fmt.Errorf("applying delta: %w: promised %.12s, made %.12s", ErrResult, wantHash, have)
	}
	return result, nil
}

// fits proves that d can be applied to old and returns how many lines that gives.
func (d Delta) fits(old []string, limits Limits) (int, error) {
	if len(d) > limits.Hunks {
		return 0, fmt.Errorf("%w: %d hunks, at most %d", ErrLimit, len(d), limits.Hunks)
	}
	lines, bytes := len(old), size(old)
	done := 0
	for i, h := range d {
		// The lengths are compared by subtraction, which cannot overflow.
		if h.At < done || h.At > len(old) || len(h.Old) > len(old)-h.At {
			return 0, fmt.Errorf("%w: hunk %d is not within them", ErrBase, i+1)
		}
		if !slices.Equal(h.Old, old[h.At:h.At+len(h.Old)]) {
			return 0, fmt.Errorf("%w: hunk %d takes away other lines", ErrBase, i+1)
		}
		done = h.At + len(h.Old)
		lines += len(h.New) - len(h.Old)
		bytes += size(h.New) - size(h.Old)
	}
	if lines > limits.Lines || bytes > limits.Bytes {
		return 0, fmt.Errorf("%w: a result of %d lines and %d bytes, at most %d and %d",
			ErrLimit, lines, bytes, limits.Lines, limits.Bytes)
	}
	return lines, nil
}

// size returns the bytes of lines, with a newline for each.
func size(lines []string) int {
	n := len(lines)
	for _, line := range lines {
		n += len(line)
	}
	return n
}
