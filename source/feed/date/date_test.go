package date

import (
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for in, want := range map[string]string{
		// RFC 3339 and ISO 8601
		"2024-05-06T07:08:09Z":           "2024-05-06T07:08:09Z",
		"2024-05-06T07:08:09.123+02:00":  "2024-05-06T05:08:09.123Z",
		"2024-05-06T07:08:09+0200":       "2024-05-06T05:08:09Z",
		"2024-05-06T07:08:09":            "2024-05-06T07:08:09Z",
		"2024-05-06T07:08Z":              "2024-05-06T07:08:00Z",
		"2024-05-06 07:08:09 +0200":      "2024-05-06T05:08:09Z",
		"2024-05-06 07:08:09.5":          "2024-05-06T07:08:09.5Z",
		"2024-05-06":                     "2024-05-06T00:00:00Z",
		"2024-05":                        "2024-05-01T00:00:00Z",
		"2024":                           "2024-01-01T00:00:00Z",
		"20240506":                       "2024-05-06T00:00:00Z",
		"20240506T070809Z":               "2024-05-06T07:08:09Z",
		"202405060708":                   "2024-05-06T07:08:00Z",
		"2024-127":                       "2024-05-06T00:00:00Z",
		"2024127":                        "2024-05-06T00:00:00Z",
		"04-12-31":                       "2004-12-31T00:00:00Z",
		"2020-W12-1":                     "2020-03-16T00:00:00Z",
		"2020-W53-7T10:57Z":              "2021-01-03T10:57:00Z",
		"2020W233":                       "2020-06-03T00:00:00Z",
		"2021-W01":                       "2021-01-04T00:00:00Z",
		"2024-05-06T07:08:09\u221207:00": "2024-05-06T14:08:09Z",
		"2024-05-06T24:00:00Z":           "2024-05-07T00:00:00Z",
		"2024-5-6":                       "2024-05-06T00:00:00Z",
		"2024-05-06T07:08:09-03:30":      "2024-05-06T10:38:09Z",
		"2016-12-31T23:59:60Z":           "2017-01-01T00:00:00Z",
		// RFC 822 and what became of it
		"Mon, 06 May 2024 07:08:09 +0000":     "2024-05-06T07:08:09Z",
		"Mon, 06 May 2024 07:08:09 GMT":       "2024-05-06T07:08:09Z",
		"Mon, 06 May 2024 07:08:09 EST":       "2024-05-06T12:08:09Z",
		"Mon, 06 May 2024 07:08:09 GMT+02:00": "2024-05-06T05:08:09Z",
		"Mon, 06 May 2024 07:08:09 UTC+2":     "2024-05-06T05:08:09Z",
		"Mon, 06 May 2024 07:08:09 Etc/GMT":   "2024-05-06T07:08:09Z",
		"Mon, 6 May 24 07:08 PDT":             "2024-05-06T14:08:00Z",
		"6 May 2024":                          "2024-05-06T00:00:00Z",
		"Tue, 06 May 2024 07:08:09 +0000":     "2024-05-06T07:08:09Z", // the weekday is wrong
		"Monday, 06 May 2024 07:08:09 +0000":  "2024-05-06T07:08:09Z",
		"Mon,06 May 2024 07:08:09 +0000":      "2024-05-06T07:08:09Z",
		"Mon, 06-May-2024 07:08:09 GMT":       "2024-05-06T07:08:09Z",
		"Mon, 06 May 2024 7:8:9 +0000":        "2024-05-06T07:08:09Z",
		"Mon, 06 May 2024 07:08:09 -0000":     "2024-05-06T07:08:09Z",
		"Thu, 5 Apr 2012 23:47:37 +1000":      "2012-04-05T13:47:37Z",
		"01 Jan 99 00:00:00 Z":                "1999-01-01T00:00:00Z",
		"Sat, Dec 16 2023 02:02:33 PM":        "2023-12-16T14:02:33Z",
		"May 6, 2024 at 12:30 am":             "2024-05-06T00:30:00Z",
		"May 6th, 2024":                       "2024-05-06T00:00:00Z",
		"Mon May  6 07:08:09 2024":            "2024-05-06T07:08:09Z",
		"Mon May 6 07:08:09 EDT 2024":         "2024-05-06T11:08:09Z",
		"Fri, 2006/09/15 08:19:53 EDT":        "2006-09-15T12:19:53Z",
		// other ways and languages
		"05/06/2024 07:08:09":            "2024-05-06T07:08:09Z",
		"31/12/2024":                     "2024-12-31T00:00:00Z",
		"31.12.2024 23:59":               "2024-12-31T23:59:00Z",
		"Mo, 06 Mai 2024 07:08:09 +0200": "2024-05-06T05:08:09Z",
		"lundi 6 août 2024 07:08:09":     "2024-08-06T07:08:09Z",
		"6 de mayo de 2024":              "2024-05-06T00:00:00Z",
		"Κυρ, 11 Ιούλ 2004 12:00:00 EST": "2004-07-11T17:00:00Z",
		"2004-július-13T9:15-05:00":      "2004-07-13T14:15:00Z",
		"2004년 05월 28일 01:31:15":         "2004-05-28T01:31:15Z",
		"Пн, 06 май 2024 07:08:09 +0300": "2024-05-06T04:08:09Z",
		"  2024-05-06T07:08:09Z \n":      "2024-05-06T07:08:09Z",
	} {
		got, ok := Parse(in)
		if s := got.Format(time.RFC3339Nano); !ok || s != want {
			t.Errorf("%q gives %s, %v, want %s", in, s, ok, want)
		}
	}
}

// hostile 72: halves of the day, zones by name and by number, and times without colons.
func TestHostile72Times(t *testing.T) {
	for in, want := range map[string]string{
		"June 3, 2020 10:57 a.m.":                                          "2020-06-03T10:57:00Z",
		"June 3, 2020 10:57 p.m.":                                          "2020-06-03T22:57:00Z",
		"June 3, 2020 12:00 p.m.":                                          "2020-06-03T12:00:00Z",
		"June 3, 2020 12:30 AM":                                            "2020-06-03T00:30:00Z",
		"June 3, 2020 12:30\u202fAM":                                       "2020-06-03T00:30:00Z",
		"June 3, 2020, 1:30\u00a0p.\u00a0m.":                               "2020-06-03T13:30:00Z",
		"3 de junio de 2020, 1:30 a. m.":                                   "2020-06-03T01:30:00Z",
		"03/06/2020 1:30 μ.μ.":                                             "2020-03-06T13:30:00Z",
		"June 3, 2020 10:57pm EDT":                                         "2020-06-04T02:57:00Z",
		"June 3, 2020 10:57 a.m. -0312":                                    "2020-06-03T14:09:00Z",
		"June 3, 2020 3pm":                                                 "2020-06-03T15:00:00Z",
		"10:57 A, 3 June 2020":                                             "2020-06-03T11:57:00Z", // a military zone
		"2020年6月3日 下午3:30":                                                 "2020-06-03T15:30:00Z",
		"2020년 6월 3일 오전 12:30":                                             "2020-06-03T00:30:00Z",
		"2020. június 3. du. 3:30":                                         "2020-06-03T15:30:00Z",
		"mercredi 3 juin 2020 à 10h57":                                     "2020-06-03T10:57:00Z",
		"10:57, publié le 3 du mois de juin 2020":                          "2020-06-03T10:57:00Z",
		"3. Juni 2020, 14.30 Uhr":                                          "2020-06-03T14:30:00Z",
		"um 12:30 Uhr am 3. Juni 2020":                                     "2020-06-03T12:30:00Z",
		"2020-06-03 10:57 America/Los_Angeles":                             "2020-06-03T17:57:00Z",
		"2020-12-03 10:57 America/Los_Angeles":                             "2020-12-03T18:57:00Z",
		"2020-06-03T10:57:00 Europe/Berlin":                                "2020-06-03T08:57:00Z",
		"2020-06-03T10:57:00+02:00[Europe/Berlin]":                         "2020-06-03T08:57:00Z",
		"2020-06-03T10:57:00[America/New_York]":                            "2020-06-03T14:57:00Z",
		"Wed, 3 Jun 2020 10:57 Etc/GMT+5":                                  "2020-06-03T15:57:00Z",
		"2020-06-03 10:57 America/Argentina/Ushuaia":                       "2020-06-03T13:57:00Z",
		"Wed Jun 03 2020 10:57:00 GMT+0200 (Mitteleuropäische Sommerzeit)": "2020-06-03T08:57:00Z",
		"Wed, 03 Jun 2020 10:57:00 EST -0400":                              "2020-06-03T14:57:00Z",
		"03 Jun 20 -0312":                                                  "2020-06-03T03:12:00Z",
		"10:57 03-Jun-2020":                                                "2020-06-03T10:57:00Z",
		"1591181820":                                                       "2020-06-03T10:57:00Z",
		"1591181820.5":                                                     "2020-06-03T10:57:00.5Z",
		"1591181820123":                                                    "2020-06-03T10:57:00.123Z",
		// milliseconds; in digits it would be the year 9943
		"994309200000": "2001-07-05T05:00:00Z",
	} {
		got, ok := Parse(in)
		if s := got.Format(time.RFC3339Nano); !ok || s != want {
			t.Errorf("%q gives %s, %v, want %s", in, s, ok, want)
		}
	}
}

// hostile 15: what is no date gives none; absurd dates are read as claimed.
func TestHostile15Dates(t *testing.T) {
	for _, in := range []string{"", "now", "yesterday", "31 February 2024", "2024-13-01", "2024-00-10", "25:61:00",
		"99999999999999999999", "2021-W53-1", "2020-W00-1", "0000-00-00T00:00:00Z", "Mon, 06 May 2024 25:08:09 GMT",
		"-1", "::", "1:2:3:4:5"} {
		if got, ok := Parse(in); ok {
			t.Errorf("%q gives %s", in, got)
		}
	}
	if got, ok := Parse("2099-01-01T00:00:00Z"); !ok || got.Year() != 2099 {
		t.Errorf("2099 gives %s, %v", got, ok)
	}
	if got, ok := Parse("Thu, 01 Jan 1970 00:00:00 GMT"); !ok || got.Unix() != 0 {
		t.Errorf("1970 gives %s, %v", got, ok)
	}
	if got, ok := Parse("2026-03-01 12:00:00"); !ok || !got.Equal(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("a date without zone gives %s, %v", got, ok)
	}
}

func FuzzParse(f *testing.F) {
	seeds := []string{"2024-05-06T07:08:09Z", "Mon, 06 May 2024 07:08:09 EST", "31.12.24 1:2 pm", "2004년 05월 28일",
		"20240506T0708", "12/31/99",
		"mar., 01 déc. 2020", "sze, 2020. 06. 03.", "06 tháng 5 2024", "3 juin 2020 à 10h57", "1591181820123",
		"2020-06-03T10:57:00+02:00[Europe/Berlin]", "June 3, 2020 10:57 a. m. -0312", "14.30 Uhr, 3. 6. 2020"}
	for _, seed := range seeds {
		if _, ok := Parse(seed); !ok {
			f.Fatalf("the seed %q is no date", seed)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, ok := Parse(s)
		if ok != !at.IsZero() && at.Year() != 1 {
			t.Fatalf("%q gives %v, %v", s, at, ok)
		}
		if !ok {
			return
		}
		if y := at.Year(); y < 1 || y > 10000 {
			t.Fatalf("%q gives the year %d", s, y)
		}
		for _, layout := range []string{time.RFC3339Nano, "Mon, 02 Jan 2006 15:04:05.999999999 -0700",
			"Monday, January 2, 2006 3:04:05.999999999 PM UTC"} {
			if at.Year() < 1000 || at.Year() > 9999 {
				break // years of four digits are all that the longer forms can say
			}
			if again, ok := Parse(at.Format(layout)); !ok || !again.Equal(at) {
				t.Fatalf("%q gives %v, which is read back as %v, %v", s, at.Format(layout), again, ok)
			}
		}
	})
}
