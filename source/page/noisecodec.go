package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// ErrNoise says that a text is not a Noise of a version known here. What was learned
// is lost then, and can be learned again.
var ErrNoise = errors.New("not a known encoding of noise")

const (
	noiseVersion = 1
	maxEncoded   = 128 << 10 // bytes; MaxRules of the longest templates stay below
)

type encodedNoise struct {
	Version int    `json:"v"`
	Rules   []rule `json:"rules"`
}

// Encode returns n as a short text for the store. The zero Noise gives "".
func (n Noise) Encode() string {
	if len(n.rules) == 0 {
		return ""
	}
	text, err := json.Marshal(encodedNoise{Version: noiseVersion, Rules: n.rules})
	if err != nil {
		panic("page: a rule that JSON cannot hold: " + err.Error()) // plain structs of text and numbers
	}
	return string(text)
}

// DecodeNoise reads what Encode wrote, and refuses everything else with ErrNoise.
func DecodeNoise(text string) (Noise, error) {
	if text == "" {
		return Noise{}, nil
	}
	if len(text) > maxEncoded {
		return Noise{}, fmt.Errorf("reading noise: %w: %d bytes", ErrNoise, len(text))
	}
	var e encodedNoise
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return Noise{}, fmt.Errorf("reading noise: %w: %v", ErrNoise, err)
	}
	if e.Version != noiseVersion || len(e.Rules) == 0 || len(e.Rules) > MaxRules {
		return Noise{}, fmt.Errorf("reading noise: %w: version %d, %d rules", ErrNoise, e.Version, len(e.Rules))
	}
	for i, r := range e.Rules {
		if !r.valid() {
			return Noise{}, fmt.Errorf("reading noise: %w: rule %d", ErrNoise, i+1)
		}
	}
	return Noise{rules: e.Rules}, nil
}

func (r rule) valid() bool {
	switch {
	case r.Template != nil:
		return r.Place == nil && r.Gap == nil && r.Template.valid() && r.Template.decodable()
	case r.Place != nil:
		return r.Gap == nil
	case r.Gap != nil:
		return r.Gap.Most >= 1 && r.Gap.Most <= maxGap && r.Gap.Before.valid() && r.Gap.After.valid()
	}
	return false
}

func (t template) decodable() bool {
	size := 0
	for _, part := range t.Parts {
		if !utf8.ValidString(part) {
			return false
		}
		size += len(part)
	}
	return size <= maxTemplate
}

func (c context) valid() bool { return c.Lines >= 0 && c.Lines <= maxContext }
