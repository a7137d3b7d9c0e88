package cert

import (
	"bytes"
	"encoding/pem"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func file() File { return File{root[0], chain()} }

// What is written is read as it was, also with words for people around it, and as mail programs send it on.
func TestFileText(t *testing.T) {
	for _, f := range []File{file(), {Authority: root[0]},
		{Authority: Authority{"/eu/de", root[0].Key}, Chain: chain()[1:]}} {
		text := string(f.Text())
		for _, sent := range []string{text, "For Anna.\n\n" + text + "\nYours\n",
			strings.ReplaceAll(text, "\n", "\r\n")} {
			got, err := ParseFile([]byte(sent))
			if err != nil || !reflect.DeepEqual(got, f) {
				t.Errorf("it was read as %v, %v", got, err)
			}
		}
	}
}

// What is no such text is refused, each with its reason.
func TestFileRefused(t *testing.T) {
	text := file().Text()
	first := string(text[:bytes.Index(text, []byte("-----BEGIN "+pemCertificate))])
	block := func(kind string, b []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}))
	}
	whole := chain()[0].bytes()
	capital := append([]byte{3}, append([]byte("/EU"), whole[4:]...)...)
	for what, test := range map[string]struct {
		text string
		want error
	}{
		"nothing":                      {"", ErrNoFile},
		"certificates alone":           {string(text[len(first):]), ErrNoFile},
		"another block first":          {block("PUBLIC KEY", root[0].Key) + string(text), ErrNoFile},
		"an authority without a key":   {block(pemAuthority, []byte{1, '/'}), ErrForm},
		"an authority of no zone":      {block(pemAuthority, append([]byte{2, 'e', 'u'}, root[0].Key...)), ErrForm},
		"an authority without all":     {block(pemAuthority, nil), ErrForm},
		"another block in the chain":   {first + block("PUBLIC KEY", whole), ErrForm},
		"an empty certificate":         {first + block(pemCertificate, nil), ErrForm},
		"one without its end":          {first + block(pemCertificate, whole[:len(whole)-1]), ErrForm},
		"one with more":                {first + block(pemCertificate, append(slices.Clone(whole), 0)), ErrForm},
		"a zone that is written wrong": {first + block(pemCertificate, capital), ErrForm},
		"a chain that is too long":     {first + strings.Repeat(block(pemCertificate, whole), MaxChain+1), ErrForm},
		"too much":                     {first + strings.Repeat(" ", MaxFile), ErrTooLarge},
	} {
		if _, err := ParseFile([]byte(test.text)); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", what, err, test.want)
		}
	}
	if _, err := ParseFile([]byte(first + strings.Repeat(block(pemCertificate, whole), MaxChain))); err != nil {
		t.Errorf("the longest chain: %v", err)
	}
}

// A chain holds no longer than the certificate that expires first.
func TestUntil(t *testing.T) {
	for at := range 3 {
		c := chain()
		c[at].NotAfter = uint64(noon.Add(time.Minute).Unix())
		c.signed()
		if want := noon.Add(time.Minute + grace); !c.Until().Equal(want) {
			t.Errorf("it holds until %v, want %v", c.Until(), want)
		}
		if _, err := c.Verify(root, c.Until()); err != nil {
			t.Error(err)
		}
		if _, err := c.Verify(root, c.Until().Add(time.Second)); !errors.Is(err, ErrExpired) {
			t.Errorf("afterwards: %v", err)
		}
	}
	c := chain()
	c[2].NotAfter = 1<<64 - 1
	if c[:0].Until().Before(noon) || c[2:].Until().Before(noon) {
		t.Error("what expires never has expired")
	}
}

// A node that may publish to a zone has the right, and is certified for that zone or one above.
func TestMayPublish(t *testing.T) {
	c := Certificate{Zone: "/eu", Member: member, Rights: MayPublish}
	if err := errors.Join(c.MayPublish("/eu"), c.MayPublish("/eu/de")); err != nil {
		t.Error(err)
	}
	if !errors.Is(c.MayPublish("/"), ErrScope) || !errors.Is(c.MayPublish("/us"), ErrScope) ||
		!errors.Is(c.MayPublish("/eur"), ErrScope) {
		t.Error("it may publish beyond its zone")
	}
	if c.Rights = 0; !errors.Is(c.MayPublish("/eu"), ErrRights) {
		t.Error("it may publish without the right")
	}
	if key := (&Certificate{Zone: "/eu", Key: public(2), Rights: MayPublish}); !errors.Is(key.MayPublish("/eu"),
		ErrScope) {
		t.Error("a key may publish")
	}
}

// Whatever is read is written as what is read as the same.
func FuzzFile(f *testing.F) {
	f.Add(file().Text())
	f.Add(File{Authority: root[0]}.Text())
	f.Add([]byte("-----BEGIN " + pemAuthority + "-----\n-----END " + pemAuthority + "-----\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := ParseFile(text)
		if err != nil {
			return
		}
		again, err := ParseFile(got.Text())
		if err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%v is read again as %v, %v", got, again, err)
		}
	})
}
