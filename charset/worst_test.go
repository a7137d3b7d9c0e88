package charset

import (
	"strings"
	"testing"
)

// BenchmarkDecode reads what takes the longest: runs of which it is not plain in what they are.
func BenchmarkDecode(b *testing.B) {
	for name, doc := range map[string]string{
		"UTF-8":              strings.Repeat("<a>Grüße aus Мурманск 论坛更新</a>", 1<<20/50),
		"ASCII":              strings.Repeat("<a>Greetings from Murmansk, and more</a>", 1<<20/40),
		"bad bytes":          strings.Repeat("<a>Grüße \xff \xd1 М\xd1</a>", 1<<20/24),
		"bad bytes, one run": strings.Repeat("Grüße \xff \xd1 М\xd1", 1<<20/17),
		"GBK, parts UTF-8":   strings.Repeat("<a>\xc2\xdb\xcc\xb3\xb8\xfc\xd0\xc2</a><b>论坛更新</b>", 1<<20/34),
		"windows-1251":       strings.Repeat("<a>\xcf\xf0\xe8\xe2\xe5\xf2</a>", 1<<20/13),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				Decode([]byte(doc), "gbk")
			}
		})
	}
}
