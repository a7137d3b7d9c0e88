package news

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write what the documents in testdata give into their .golden files")

// Every field of every format: what the documents in testdata/documents give stands beside each as JSON.
func TestDocuments(t *testing.T) {
	files, err := filepath.Glob("testdata/documents/*[lmn]")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d documents, %v", len(files), err)
	}
	for _, file := range files {
		if filepath.Ext(file) == ".golden" {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			doc, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			d, err := Parse(doc, "", Default())
			if err != nil {
				t.Fatal(err)
			}
			if got := Sniff(doc, ""); got != d.Format && d.Items[0].ID != "a" { // too bare to differ from other JSON
				t.Errorf("sniffed %q, parsed %q", got, d.Format)
			}
			checkDocument(t, d)
			for _, it := range d.Items {
				checkStable(t, it)
			}
			got, err := json.MarshalIndent(d, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden := file + ".golden"
			if *rewrite {
				if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if string(want) != string(got)+"\n" {
				t.Errorf("%s is not what is read (see it with -rewrite and git diff):\n%s", golden, got)
			}
		})
	}
}
