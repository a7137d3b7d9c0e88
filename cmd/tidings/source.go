package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"tidings/cmd/console"
	"tidings/delivery/api"
)

// sourceOf returns a source in a form for a node that runs elsewhere and as another user: a URL, or the path of a file,
// which is opened here. With whole it returns the document of a file too; without, the node reads that.
func sourceOf(p *program, source string, whole bool) (place string, doc []byte, err error) {
	if source == "-" {
		doc, err = readDocument("the standard input", p.in)
		return "", doc, err
	}
	if strings.Contains(source, "://") {
		return source, nil, nil
	}
	if place, err = absolute(source); err != nil {
		return "", nil, err
	}
	file, err := os.Open(source)
	if err != nil {
		return "", nil, fmt.Errorf("reading what to send: %w", err)
	}
	defer file.Close()
	if whole {
		doc, err = readDocument(source, file)
	}
	return place, doc, err
}

// readDocument reads a document, which must not be empty nor too long for an order.
func readDocument(name string, from io.Reader) ([]byte, error) {
	doc, err := io.ReadAll(io.LimitReader(from, api.MaxDocument+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading what to send: %w", err)
	case len(doc) > api.MaxDocument:
		return nil, failure(name+" has more than "+console.Bytes(api.MaxDocument), "publish it in parts")
	case len(doc) == 0:
		return nil, failure(name+" is empty", "name a file with a feed or news, or write one to the standard input")
	}
	return doc, nil
}
