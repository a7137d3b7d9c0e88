package date

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// language holds the names of the months and weekdays in a language, in every form that CLDR has.
type language struct {
	tag      string
	months   [12][]string
	weekdays [7][]string // Sunday first
}

// languages reads testdata/names.tsv, which was written with ICU 78: a language a line, with its names of
// months, then of weekdays; forms of a name are parted by "|", blanks in them written "_".
func languages(t *testing.T) []language {
	t.Helper()
	table, err := os.ReadFile("testdata/names.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var out []language
	for line := range strings.Lines(string(table)) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		l := language{tag: cells[0]}
		fill := func(into [][]string, names string) {
			for i, forms := range strings.Fields(names) {
				into[i] = strings.Split(strings.ReplaceAll(forms, "_", " "), "|")
			}
		}
		fill(l.months[:], cells[1])
		fill(l.weekdays[:], cells[2])
		out = append(out, l)
	}
	if len(out) != 32 {
		t.Fatalf("%d languages, want 32", len(out))
	}
	return out
}

// dateForms are how dates with names are written: %W is the weekday, %M the month, %d the day.
var dateForms = []string{
	"%W, %d %M 2020",
	"%W, %d. %M 2020 10:57",
	"%W, 0%d %M 2020 10:57:00 +0000",
	"%W %d de %M de 2020",
	"%W, %M %d, 2020",
	"%W, 2020. %M %d.",
	"2020. %M %d., %W",
	"%d-%M-20 (%W)",
	"2020 %M %d, %W, 10:57 GMT",
}

// hostile 72: with its own weekdays and months, in full and short, with and without a point, every language's date
// is the right one; beside a wrong weekday it is that or none.
func TestHostile72DatesInEveryLanguage(t *testing.T) {
	tried, none := 0, 0
	for _, l := range languages(t) {
		for m, monthForms := range l.months {
			for w, weekdayForms := range l.weekdays {
				first := time.Date(2020, time.Month(m+1), 1, 0, 0, 0, 0, time.UTC)
				day := 1 + (w-int(first.Weekday())+7)%7
				for _, month := range withAndWithoutPoint(monthForms) {
					for _, weekday := range withAndWithoutPoint(weekdayForms) {
						for range 2 { // the forms alternate
							wrong := tried / len(dateForms) % 2
							in := dateForms[tried%len(dateForms)]
							in = strings.NewReplacer("%W", weekday, "%M", month, "%d",
								string(rune('0'+day+wrong))).Replace(in)
							if tried%5 == 0 {
								in = strings.ToUpper(in)
							}
							tried++
							at, ok := Parse(in)
							if !ok && wrong > 0 {
								none++
							} else if want := first.AddDate(0, 0, day+wrong-1); !ok ||
								!at.Truncate(24*time.Hour).Equal(want) {
								t.Errorf("%s: %q gives %s, %v, want %s", l.tag, in, at.Format(time.DateOnly), ok,
									want.Format(time.DateOnly))
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d dates; %d with a wrong weekday give none", tried, none)
	if tried < 50_000 || none*100 > tried {
		t.Errorf("%d of %d dates give none", none, tried)
	}
}

// withAndWithoutPoint returns the forms, and the other of "mar" and "mar." for each.
func withAndWithoutPoint(forms []string) []string {
	out := slices.Clone(forms)
	for _, form := range forms {
		other, ok := strings.CutSuffix(form, ".")
		if !ok {
			other += "."
		}
		if len(form) < 8 && !slices.Contains(out, other) {
			out = append(out, other)
		}
	}
	return out
}

// hostile 72: weekdays that resemble months, names that are not in the tables, and numbers that could be either.
func TestHostile72AmbiguousDatesGiveNone(t *testing.T) {
	for in, want := range map[string]string{
		"mar., 01 déc. 2020":                  "2020-12-01",
		"martes, 10 de noviembre de 2020":     "2020-11-10",
		"maandag 1 juni 2020":                 "2020-06-01",
		"szerda, 2020. június 3.":             "2020-06-03",
		"sze, 2020. szept. 2.":                "2020-09-02",
		"mar 10 mar 2020":                     "2020-03-10",
		"marți, 3 mar. 2020":                  "2020-03-03",
		"2020. 06. 03., sze":                  "2020-06-03",
		"sze, 2020. 06. 03.":                  "2020-06-03",
		"2. listopad 2020":                    "2020-11-02",
		"10. 11. 2020":                        "2020-11-10",
		"06 tháng 5 2024":                     "2024-05-06",
		"2024年5月6日(月)":                        "2024-05-06",
		"２０２４年５月６日":                           "2024-05-06",
		"MAR 3 2020":                          "2020-03-03",
		"Fri, 05/06/2020":                     "2020-06-05",
		"Wed, 05/06/2020":                     "2020-05-06",
		"Febuary 3, 2020":                     "2020-02-03",
		"Septmber 3rd, 2020":                  "2020-09-03",
		"Wed Jun 03 2020 GMT+0200 (Nov Time)": "2020-06-03",
		"le 3 cervence 2020":                  "2020-07-03",
		"3 juin 2020":                         "2020-06-03",
		"mercredi 3 jui 2020":                 "2020-06-03", // 3 July was a Friday

		"3 jui 2020":            "", // juin or juillet
		"MAJ le 3 juin 2020":    "", // mise à jour, or May
		"mar. 10. 11. 2020":     "",
		"10 11 2020":            "",
		"3 Nosuchmonth 2020":    "",
		"1 Nosuchmonth 2020":    "",
		"Nosuchmonth 2020":      "",
		"3 June 2020 or 4 July": "",
	} {
		at, ok := Parse(in)
		got := ""
		if ok {
			got = at.Format(time.DateOnly)
		}
		if got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

func TestLongestName(t *testing.T) {
	for name := range senses() {
		if n := len([]rune(name)); n > longestName {
			t.Errorf("%q has %d letters", name, n)
		}
	}
}
