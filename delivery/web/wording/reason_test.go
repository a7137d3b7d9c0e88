package wording

import (
	"testing"

	"tidings"
	"tidings/delivery/locale"
)

func TestReasonsInTheReadersLanguage(t *testing.T) {
	german := Words{locale.Tagged("de")}
	for _, test := range []struct {
		got  string
		want string
	}{
		{string(german.Reason("<i>: no such host", 300)), "&lt;i&gt;: diesen Host gibt es nicht"},
		{string(german.Reason("nobody translated <this>", 300)),
			`<span lang="en">nobody translated &lt;this&gt;</span>`},
		{string(german.Reason("doing it: nobody knew", 300)), `<span lang="en">doing it: nobody knew</span>`},
		{string(german.Reason("nobody knew it: no such host", 300)),
			`<span lang="en">nobody knew it</span>: diesen Host gibt es nicht`},
		{string(german.Reason("nobody knew it: no such host", 8)), `<span lang="en">nobody …</span>`},
		{string(german.Reason("the connection was refused", 10)), "die Verbi…"},
		{string(german.Reason("", 10)), ""},
		{string(german.Sentence("", 10)), ""},
		{string(german.Advice("did you mean this?", 300)), "Meintest du this?"},
		{string(german.Advice("add a )", 300)), "Füge ein ) hinzu."},
		{string(german.Sentence("the connection was refused.", 300)), "Die Verbindung wurde abgelehnt"},
		{string(Words{}.Sentence("the connection was refused", 300)), "The connection was refused"},
		{string(Words{}.Reason("nobody translated this", 300)), "nobody translated this"},
		{german.Explained(
			tidings.WithHint(tidings.Invalidf("you have %d filters, and more are not possible: remove one first", 5),
				"add a )")),
			"du hast 5 Filter, mehr sind nicht möglich: Entferne erst einen (füge ein ) hinzu)"},
		{Words{}.Explained(tidings.Invalidf("nothing to do")), "nothing to do"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
