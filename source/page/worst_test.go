package page

import (
	"fmt"
	"strings"
	"testing"
	"tidings/lab/cpu"

	"tidings"
)

// attributes returns n attributes of different names.
func attributes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " a%d", i)
	}
	return b.String()
}

func formatting(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<font size=%d>", i)
	}
	return b.String()
}

// worst are documents that their authors made to keep a reader busy.
func worst() map[string]string {
	return map[string]string{
		"one tag of attributes":     "<p>the text<a" + attributes(100_000) + ">x</a>",
		"a tag of attributes, many": "<p>the text<a" + attributes(20_000) + ">x</a>" + strings.Repeat("<i b>", 20_000),
		"html with attributes": "<html" + attributes(20_000) + ">" + strings.Repeat("<html b>", 20_000) +
			"<p>the text",
		"two formatting":             "<p>the text<b" + attributes(10_000) + "><b" + attributes(10_000) + ">",
		"formatting with attributes": "<p><b" + attributes(150) + ">" + strings.Repeat("<p>x", 100_000) + "the text",
		"formatting in paragraphs":   "<p>" + formatting(300) + strings.Repeat("<p>x", 100_000) + "the text",
		"nested headings":            strings.Repeat("<h1>", 500_000) + "the text",
		"nested headings 1-6":        strings.Repeat("<h1><h2>x", 220_000) + "the text",
		"nested headings div":        strings.Repeat("<h1><div>", 120_000) + "the text",
		"nested headings closed":     strings.Repeat("<h1>x<p></h2>", 170_000) + "the text",
		"cells with marks":           "<table><tr>" + strings.Repeat("<td><b>", 20_000) + "the text",
		"headers in sections": strings.Repeat("<div>",
			400) + strings.Repeat("<header>x</header><footer></footer>", 40_000) + "<p>the text",
		"nested headers": strings.Repeat("<header>", 400) + strings.Repeat("<b>x</b> ", 40_000) +
			"<p>the text",
		"nested role": strings.Repeat("<div role=banner>", 400) + strings.Repeat("<b>x</b> ", 40_000) +
			"<p>the text",
		"nested rows": "<p>the text" +
			strings.Repeat("<table><tr><td>", 120) + strings.Repeat("<b>x</b> ", 40_000),
		"buttons": "<p>the text" +
			strings.Repeat("<span>", 450) + strings.Repeat("<button>x</button> ", 80_000),
		"cells": "<p>the text<table>" + strings.Repeat("<tr>"+strings.Repeat("<td>", 490), 500),
		"cells flat": "<p>the text<table><tr>" +
			strings.Repeat("<td>", 490) + strings.Repeat("<tr>"+strings.Repeat("<td>", 490),
			400) + strings.Repeat("<div>", 600),
		"styles": "<p>the text" + strings.Repeat("<p style='"+strings.Repeat("a:b;", 1000)+"'>x",
			1200),
		"classes": "<p>the text" + strings.Repeat("<p class='"+strings.Repeat("aB", 1+40)+
			" x9 y-z'>x", 50000),
		"plain lines": "<pre>the text\n" + strings.Repeat("x\n", 2_500_000),
		"dates": "<p>the text" +
			strings.Repeat("<p>Last updated on 3 May 2024 at 12:00 3 hours ago, 5 comments", 70_000),
		"dates long": "<p>the text" +
			strings.Repeat("<p>"+strings.Repeat("Last updated on 3 May 2024 at ", 9)+"1:0:2 ", 18_000),
		"stamps in two": "<p>the text" + strings.Repeat("<p>Last updated on:<p>3 May 2024 at 12:00",
			62_000),
		"months":        "<p>the text" + strings.Repeat("<p>"+strings.Repeat("1 1 ", 70)+" may", 17_000),
		"counters long": "<p>the text" + strings.Repeat("<p>"+strings.Repeat("1 comment, ", 17), 26_000),
		"opaque": "<p>the text" + strings.Repeat("<p>"+strings.Repeat("session id ", 26)+"1",
			17_000),
		"ago": "<p>the text" + strings.Repeat("<p>"+strings.Repeat(" a few 1", 36)+" ago",
			17_000),
		"number":            "<p>the text" + strings.Repeat("<p>"+strings.Repeat("1.1 ", 45)+" view", 24_000),
		"numbers not noise": "<p>the text" + strings.Repeat("<p>"+strings.Repeat("1 1 ", 74), 17_000),
		"tokens":            "<p>the text" + strings.Repeat("<p>a://b?"+strings.Repeat("_=&", 96), 17_000),
		"noscript explodes": "<noscript><p>" + formatting(300) + strings.Repeat("<p>x", 100_000) + "the text",
		"many classes":      "<p class='" + strings.Repeat("top-ad-x ", 500_000) + "'>x</p><p>the text",
		"classes of elements": "<p>the text" + strings.Repeat("<p class='"+strings.Repeat("b a ", 49)+"'>x",
			25_000),
		"nested role, late heading": strings.Repeat("<div role=banner>", 400) + strings.Repeat("<b></b>", 120_000) +
			"<h1>the text",
		"nested ads, late text": strings.Repeat("<div class=ad>", 400) + strings.Repeat("<b></b>", 120_000) +
			"the text",
		"ignored end tags":      "<p>the text" + strings.Repeat("x</q>", 120_000),
		"ignored start tags":    "<p>the text" + strings.Repeat("x<td>", 120_000),
		"ignored cells":         "<table><table></table>the text" + strings.Repeat("x<td>", 120_000),
		"foster text and cells": "<table>" + strings.Repeat("x<td></td></tr>", 80_000) + "</table><p>the text",
		"blocks in spans": "<div>the text" + strings.Repeat("<span>", 490) + strings.Repeat("<div></div>",
			120_000),
		"end tags in spans": "<p>the text" + strings.Repeat("<span>", 490) + strings.Repeat("x</div>",
			120_000),
		"select":   "<p>the text<select>" + strings.Repeat("<option>", 300_000),
		"entities": "<p>the text " + strings.Repeat("&CounterClockwiseContourIntegral;", 150_000),
		"isindex":  "<p>the text " + strings.Repeat("</p>", 1_200_000),
		"br":       "<p>the text " + strings.Repeat("</br>", 1_000_000),
		"templates": "<p>the text " +
			strings.Repeat("<template>", 500) + strings.Repeat("<template></template>", 100000),
		"shadow":        "<p>the text " + strings.Repeat("<template shadowrootmode=open>", 170000),
		"meta":          strings.Repeat("<meta charset=x>", 300000) + "<p>the text",
		"comment":       strings.Repeat("<!--a-->", 600000) + "<p>the text",
		"hidden":        "<p hidden>" + strings.Repeat("x<br>", 240000),
		"noscript":      strings.Repeat("<noscript>"+"<p>x</noscript>", 80000),
		"noscript nest": "<noscript>" + strings.Repeat("<div>", 240000) + "x",
		"adoption":      strings.Repeat("<a><div>", 20_000) + "the text",
		"adoption2":     strings.Repeat("<b><div></b>", 20_000) + "the text",
		"adoption3": strings.Repeat("<i><b><u><s>", 8) + strings.Repeat("<div><p></b></i></u></s>",
			20_000) + "the text",
		"foster":        "<table>" + strings.Repeat("<a>x", 20_000) + "</table><p>the text",
		"foster text":   "<table>" + strings.Repeat("x<tr>", 120_000) + "</table><p>the text",
		"nulls":         "<p>the text" + strings.Repeat("\x01 ", 2_500_000),
		"text bits":     "<p>the text" + strings.Repeat("a<b", 800_000),
		"end tag scan":  "<p>the text" + strings.Repeat("<a>", 500) + strings.Repeat("</q>", 1_000_000),
		"end tag scan2": "<p>the text" + strings.Repeat("<span>", 500) + strings.Repeat("</q>", 1_000_000),
		"end tag scan3": "<p>the text" + strings.Repeat("<b>", 3) + strings.Repeat("<span>",
			490) + strings.Repeat("</q><li>", 300_000),
		"li": "<p>the text" +
			strings.Repeat("<ul><li><span>", 160) + strings.Repeat("</ul><dd>", 300_000),
		"svg attr": "<p>the text<svg>" + strings.Repeat("<g a b c d e f g h xlink:href=x>", 150_000),
		"frameset": strings.Repeat("<frameset>", 500_000) + "the text",
		"text in cells": "<p>the text<table>" + strings.Repeat("<tr><td>"+strings.Repeat("<p>x ", 200),
			5_000),
	}
}

func BenchmarkWorst(b *testing.B) {
	for name, doc := range worst() {
		body := []byte(doc)
		if len(body) > 5<<20 {
			body = body[:5<<20]
		}
		b.Run(name, func(b *testing.B) {
			start := cpu.Time()
			for b.Loop() {
				if _, err := Extract(body, "text/html", "https://example.org/", tidings.PageOptions{}, Noise{},
					Default()); err != nil {
					b.Log(err)
				}
			}
			b.ReportMetric(float64((cpu.Time()-start).Milliseconds())/float64(b.N), "CPU-ms")
		})
	}
}

// What the parser would blow up is read flat, with all its text; what is usual is not.
func TestHostile16WhatExplodesIsReadFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, c := range map[string]struct {
		doc  string
		want bool
	}{
		"attributes":        {"<p>the text<a" + attributes(maxAttributes+1) + ">x</a>", true},
		"few attributes":    {"<p>the text<a" + attributes(maxAttributes) + ">x</a>", false},
		"attributes in SVG": {"<p>the text<svg><style><g" + attributes(maxAttributes+1) + ">", true},
		"html again": {"<html" + attributes(100) + ">" + strings.Repeat("<html a0>", 10_000) +
			"<p>the text", true},
		"formatting in paragraphs": {"<p>" + formatting(100) + strings.Repeat("<p>x", 10_000) + "the text", true},
		"formatting with attributes": {"<p><b" + attributes(100) + ">" + strings.Repeat("<p>x", 10_000) + "the text",
			true},
		"ends that do not count": {"<p>" + formatting(100) + "<select>" + strings.Repeat("</font>", 100) +
			"</select>" + strings.Repeat("<p>x", 10_000) + "the text", true},
		"closed formatting":           {strings.Repeat("<p><b>x</b><font size=1>y</font>", 20_000) + "the text", false},
		"an open font":                {"<font size=1>" + strings.Repeat("<p>x", 20_000) + "the text", false},
		"text beside cells":           {"<p>the text<table>" + strings.Repeat("x<tr>", 30_000), true},
		"text beside cells, nested":   {"<p>the text<table>" + strings.Repeat("x<td></td></tr>", 30_000), true},
		"text around lost end tags":   {"<p>the text" + strings.Repeat("x</q>", 30_000), true},
		"text around lost start tags": {"<p>the text" + strings.Repeat("x<td>", 30_000), true},
		"cells without a table":       {"<table><table></table>the text" + strings.Repeat("x<td>", 30_000), true},
		"end tags in many elements": {"<p>the text" + strings.Repeat("<span>", 490) + strings.Repeat("</q>", 20_000),
			true},
		"blocks in many elements": {"<div>the text" + strings.Repeat("<span>", 490) + strings.Repeat("<div></div>",
			20_000), true},
		"buttons in many elements": {"<p>the text" +
			strings.Repeat("<span>", 490) + strings.Repeat("<button></button>", 20_000), true},
		"a table": {"<table>the text" +
			strings.Repeat("<tr><td>"+strings.Repeat("x", 100)+"<td>x</td></tr>\n", 20_000), false},
		"a table in a table": {"<table><tr><td>" + strings.Repeat("<table><tr><td>"+strings.Repeat("x", 100)+
			"<td>x</td></tr></table>\n", 20_000) + "the text", false},
		"paragraphs without end": {strings.Repeat("<p>"+strings.Repeat("x", 100), 40_000) + "the text", false},
		"items without end": {"<ul>" + strings.Repeat("<li><p>"+strings.Repeat("x", 100), 40_000) +
			"the text", false},
		"terms without end": {"<dl>" + strings.Repeat("<dt>x<dd>"+strings.Repeat("x", 100), 40_000) +
			"the text", false},
		"a page of 40 levels": {strings.Repeat("<div>", 40) + strings.Repeat("<p><b>x</b></p>", 30_000) +
			"the text", false},
		"spans without end": {strings.Repeat("<div><span>x</div>", 60_000) + "the text", false},
		"links":             {strings.Repeat("<p><a href=x>x", 20_000) + "the text", false},
	} {
		doc := read(t, c.doc, tidings.PageOptions{})
		if got := explodes(c.doc); got != c.want {
			t.Errorf("%s: explodes: %v, want %v", name, got, c.want)
		}
		if !strings.Contains(strings.Join(doc.Lines, "\n"), "the text") {
			t.Errorf("%s: the text is gone", name)
		}
	}
}

// What a tag with many attributes begins goes on behind it, with the first of them.
func TestFlatTreesHaveFewAttributes(t *testing.T) {
	root, flat := parse("<p id=x" + attributes(500) + ">the<script" + attributes(500) + ">if (a<b) {}</script><br" +
		attributes(500) + "/> text")
	n := 0
	for c := range root.Descendants() {
		n = max(n, len(c.Attr))
	}
	if got := plainText(root); !flat || n != maxAttributes || got != "theif (a<b) {} text" {
		t.Errorf("flat %v, %d attributes, text %q", flat, n, got)
	}
}
