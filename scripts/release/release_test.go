package main

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// day matches the column that is empty on a machine without the modules' dates.
var day = regexp.MustCompile(`\| (\d{4}-\d\d-\d\d)? \|`)

// docs/licences.md names every dependency of the program, with its version and its licence.
func TestLicencePageIsCurrent(t *testing.T) {
	t.Parallel()
	used, err := dependencies("../..")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/licences.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := licencePage(used); day.ReplaceAllString(string(page), "|") != day.ReplaceAllString(want, "|") {
		t.Errorf("docs/licences.md is behind: run make licences. It should be\n%s", want)
	}
	for _, d := range used {
		for licence := range strings.SplitSeq(d.licence, " OR ") {
			if !permissive[licence] {
				t.Errorf("%s is under %s: decide whether we can ship it", d.name, d.licence)
			}
		}
	}
}

// permissive are licences that only require us to ship their notice with the work.
var permissive = map[string]bool{
	"MIT": true, "BSD-2-Clause": true, "BSD-3-Clause": true, "Apache-2.0": true, "ISC": true, "0BSD": true, "Unlicense": true, "CC0-1.0": true, "MPL-2.0": true,
}

func TestClassify(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Apache License\n   Version 2.0, January 2004":                                     "Apache-2.0",
		"Permission is hereby granted, free of charge, to any person":                      "MIT",
		"Redistribution and use in source and binary forms ... Neither the name of Google": "BSD-3-Clause",
		"Redistribution and use in source and binary forms, with or without modification":  "BSD-2-Clause",
		"Permission to use, copy, modify, and/or distribute this software for any purpose": "ISC",
		"You may not use this at all.":                                                     "",
	} {
		if got := classify(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// The same input gives the same bytes.
func TestReproducible(t *testing.T) {
	t.Parallel()
	when := time.Unix(1_700_000_000, 0).UTC()
	info := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Path: "m"}, Deps: []*debug.Module{{Path: "a.example/b", Version: "v1", Sum: "h1:x"}}}
	used := []dependency{{kind: "golang", name: "a.example/b", version: "v1", licence: "MIT"}, {kind: "npm", name: "@s/p", version: "2", licence: "ISC", hash: "AAAA"}}
	make1 := func(order ...int) (archive, bill []byte) {
		files := []file{{"a", 0o755, []byte("x")}, {"b", 0o644, []byte("y")}}
		bill, err := sbom(info, "v9", when, used)
		if err == nil {
			archive, err = pack("parley", when, []file{files[order[0]], files[order[1]]})
		}
		if err != nil {
			t.Fatal(err)
		}
		return archive, bill
	}
	archive, bill := make1(0, 1)
	again, billAgain := make1(1, 0)
	if !bytes.Equal(archive, again) || !bytes.Equal(bill, billAgain) {
		t.Error("the second differs from the first")
	}
	var document cdxDocument
	if err := json.Unmarshal(bill, &document); err != nil || document.Format != "CycloneDX" || len(document.Components) != 3 {
		t.Fatalf("%v: %s", err, bill)
	}
	if purl := document.Components[2].PURL; purl != "pkg:npm/%40s/p@2" {
		t.Errorf("the package is %s", purl)
	}
}

// A release for Linux has all that its Dockerfile copies and its compose file builds.
func TestImageFromAnArchive(t *testing.T) {
	t.Parallel()
	for _, target := range targets {
		sources := target.sources()
		if _, found := sources["Dockerfile"]; found != (target.os == "linux") {
			t.Errorf("%s: there is a Dockerfile: %v", target, found)
		}
		for name, source := range sources {
			text, err := os.ReadFile("../../" + source)
			if err != nil {
				t.Fatal(err)
			}
			if name != "Dockerfile" {
				continue
			}
			for _, line := range regexp.MustCompile(`(?m)^COPY (?:--chmod=\S+ )?([^-\s]\S*) `).FindAllSubmatch(text, -1) {
				if copied := string(line[1]); copied != "parley" && sources[copied] == "" {
					t.Errorf("%s copies %s, which is not there", source, copied)
				}
			}
		}
	}
	ours, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := os.ReadFile("../../deploy/Dockerfile.release")
	if err != nil {
		t.Fatal(err)
	}
	last := func(text []byte) string { return string(text[bytes.Index(text, []byte("\nUSER ")):]) }
	if last(ours) != last(theirs) {
		t.Error("the two images do not run alike")
	}
	// Files pass through /tmp on their way to object storage, and an image from scratch has none.
	for name, text := range map[string][]byte{"Dockerfile": ours, "deploy/Dockerfile.release": theirs} {
		if !regexp.MustCompile(`(?m)/open/tmp$`).Match(text) || !regexp.MustCompile(`(?m)^COPY --from=\w+ --chmod=1777 /open /$`).Match(text) {
			t.Errorf("the image of %s has no /tmp that all may write to", name)
		}
	}
}

// A program with a module that is not listed is not published.
func TestUnknownModule(t *testing.T) {
	t.Parallel()
	info := &debug.BuildInfo{Deps: []*debug.Module{{Path: "a.example/b", Version: "v2"}}}
	if _, err := sbom(info, "v9", time.Time{}, []dependency{{kind: "golang", name: "a.example/b", version: "v1"}}); err == nil {
		t.Error("it was taken")
	}
}

func TestChecksums(t *testing.T) {
	t.Parallel()
	x := strings.Repeat("a", 64)
	if got := checksums(map[string]string{"b": x, "a": x}); got != x+"  a\n"+x+"  b\n" {
		t.Errorf("got %q", got)
	}
}
