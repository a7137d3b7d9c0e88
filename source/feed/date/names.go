package date

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// monthNames are the names of the months. A beginning of a name is its abbreviation: at least three letters, or all
// that stands before an apostrophe if fewer would be ambiguous. The names are those of Unicode's CLDR for English,
// German, French, Spanish, Catalan, Portuguese, Italian, Romanian, Dutch, Afrikaans, the Nordic and Baltic languages,
// Polish, Czech, Slovak, Slovene, Serbian, Hungarian, Turkish, Greek, Russian, Ukrainian, Belarusian, Bulgarian,
// Indonesian, Chinese and Japanese. Of Croatian's names "listopad" is missing: it is November to Poles and Czechs.
var monthNames = [12]string{
	"january jänner janvier enero gener janeiro gennaio januarie tamm'ikuu jaanuar janvāris sausis sausio styczeń stycznia leden ledna ianuarie ocak siječnja siječanj ιανουαρίου январь января січень січня студзень студзеня януари јануар 一月",
	"february feber février febrero fevereiro febbraio helm'ikuu veebruar vasari's vasari'o luty lutego únor února şubat veljača veljače φεβρουαρίου февраль лютий лютого люты лютага февруари фебруар 二月",
	"march mars marzo março maart mrt marts maal'iskuu märts kovas kovo marzec března březen marec március martie mart ožujak ožujka μαρτίου μαώ март марта березень березня сакавік maret 三月",
	"april avril abril aprile huht'ikuu aprīlis balandis balandžio kwiecień kwietnia duben dubna apríl április nisan trava'nj travn'ja απριλίου апрель квітень квітня красавік април 四月",
	"may mai mayo maig maio maggio mei touk'okuu maijs maj máj május gegužės maja květen května mayıs svibanj svibnja maí μαΐου май мая травень травня мај 五月",
	"june juin junio juny junho giugno kesä'kuu juni juuni jūnijs birželis birželio czerwiec czerwca červen čvn června jún június junij iunie haziran lipa'nj lipn'ja ιουνίου ιον июнь июня червень червня чэрвень юни јун 六月",
	"july juillet julio juliol julho luglio hein'äkuu juli juuli jūlijs liepa liepos lipiec lipca červenec července čvc júl július iulie temmuz srpa'nj srpnj'a ιουλίου ιολ июль июля липень липня ліпень юли јул 七月",
	"august août agosto agost ag elo'kuu rugp'jūtis sierpień sierpnia srpen srpna avgust augusztus ağustos agustus kolovoz ágúst αυγούστου август серпень серпня жнівень жніўня 八月",
	"september septembre septiembre setembre setembro settembre syys'kuu rugs'ėjis wrzesień września září szeptember eylül rujan rujna σεπτεμβρίου сентябрь вересень вересня верасень септември септембар 九月",
	"october oktober octubre octobre outubro ottobre loka'kuu oktoober spalis spalio październik října říjen october octombrie ekim októbra oktobar οκτωβρίου октябрь жовтень жовтня кастрычнік октомври октобар 十月",
	"november novembre noviembre novembro marr'askuu lapkritis lapkričio listopada listopadu noiembrie kasım studeni studenoga νοεμβρίου ноябрь листопада лістапада ноември новембар 十一月",
	"december dezember décembre diciembre desembre dezembro dicembre desember joul'ukuu detsember gruodis gruodžio grudzień grudnia prosinec prosince prosinac decembrie aralık δεκεμβρίου декабрь грудень грудня снежань снежня декември децембар 十二月",
}

// weekdayNames are those of the weekdays in the same languages, Sunday first.
var weekdayNames = [7]string{
	"sunday sonntag dimanche domingo diumenge domenica zondag sondag söndag søndag sunnuntai pühapäev svētdiena sekmadienis niedziela neděle nedeľa nedelja vasárnap duminică pazar κυριακή воскресенье неділя нядзеля неделя недеља minggu sunnudagur",
	"monday montag lundi lunes dilluns segunda lunedì maandag måndag mandag maanantai esmaspäev pirmdiena pirmadienis poniedziałek pondělí pondelok ponedeljek hétfő luni pazartesi pzt δευτέρα понедельник понеділок панядзелак понеделник ponedeljak ponedjeljak понедељак senin mánudagur",
	"tuesday dienstag mardi martes dimarts terça martedì dinsdag tisdag tirsdag tiistai teisipäev otrdiena antradienis wtorek úterý utorok torek kedd marți salı τρίτη вторник вівторок аўторак utorak уторак selasa þriðjudagur",
	"wednesday mittwoch mercredi miércoles dimecres quarta mercoledì woensdag onsdag keskiviikko kolmapäev trešdiena trečiadienis środa středa streda sreda srijeda szerda miercuri çarşamba τετάρτη среда середа серада сряда rabu miðvikudagur",
	"thursday donnerstag jeudi jueves dijous quinta giovedì donderdag torsdag torstai neljapäev ceturtdiena ketvirtadienis czwartek čtvrtek štvrtok četrtek csütörtök joi perşembe πέμπτη четверг чацвер четвъртък četvrtak четвртак kamis fimmtudagur",
	"friday freitag vendredi viernes divendres sexta venerdì vrijdag vrydag fredag perjantai reede piektdiena penktadienis piątek pátek piatok petek péntek vineri cuma παρασκευή пятница пʼятниця пятніца петък petak петак jumat föstudagur",
	"saturday samstag sonnabend samedi sábado dissabte sabato zaterdag saterdag lördag lørdag lauantai laupäev sestdiena šeštadienis sobota szombat sâmbătă cumartesi cmt σάββατο суббота субота събота subota sabtu laugardagur",
}

// sense is what a word of a date can mean.
type sense struct {
	months   uint16 // bit m: month m
	weekdays uint8  // bit d: time.Weekday d
}

// shortestName is how many letters distinguish a name from all others, unless monthNames says otherwise.
const shortestName = 3

// longestName is how many letters of a folded word are looked at: no name has more.
const longestName = 20

// senses holds, by each beginning of every name, folded, what it means.
var senses = sync.OnceValue(func() map[string]sense {
	found, whole := make(map[string]sense), make(map[string]uint16)
	for i, line := range monthNames {
		for name := range strings.FieldsSeq(line) {
			must, rest, marked := strings.Cut(name, "'")
			least := shortestName
			if marked {
				least = len([]rune(fold(must)))
			}
			bit := uint16(1) << (i + 1)
			eachBeginning(fold(must+rest), least, func(s string) {
				w := found[s]
				w.months |= bit
				found[s] = w
			})
			whole[fold(must+rest)] |= bit
		}
	}
	for name, months := range whole { // červen is June, though července begins like it
		w := found[name]
		w.months = months
		found[name] = w
	}
	for i, line := range weekdayNames {
		for name := range strings.FieldsSeq(line) {
			eachBeginning(fold(name), shortestName, func(s string) {
				w := found[s]
				w.weekdays |= 1 << i
				found[s] = w
			})
		}
	}
	return found
})

// eachBeginning calls f with the first least letters of s and every longer beginning; with all of s if it is shorter.
func eachBeginning(s string, least int, f func(string)) {
	n := 0
	for i := range s {
		if n >= least {
			f(s[:i])
		}
		n++
	}
	f(s)
}

// meaning returns what a folded word means: by itself, else by the longest beginning that means anything, as
// names are inflected and misspelt.
func meaning(word string) sense {
	known := senses()
	if w, ok := known[word]; ok {
		return w
	}
	end, letters := 0, 0
	for end < len(word) && letters < longestName {
		_, size := utf8.DecodeRuneInString(word[end:])
		end, letters = end+size, letters+1
	}
	for ; letters >= shortestName; letters-- {
		if w, ok := known[word[:end]]; ok {
			return w
		}
		_, size := utf8.DecodeLastRuneInString(word[:end])
		end -= size
	}
	return sense{}
}

// fold makes a word comparable: lower case, without accents.
func fold(word string) string {
	if isPlain(word) {
		return strings.ToLower(word)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case r == 'ı':
			return 'i'
		case r == 'ł':
			return 'l'
		case r == 'ø':
			return 'o'
		case r == 'đ':
			return 'd'
		case r == 'ς':
			return 'σ'
		}
		return r
	}, norm.NFKD.String(strings.ToLower(word)))
}
