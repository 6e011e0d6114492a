package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// dependency is third-party software that is part of the program.
type dependency struct {
	kind    string // golang or npm
	name    string
	version string
	date    string // when the version was made, as 2026-01-31; "" if it is not known
	licence string // an SPDX expression
	dir     string // the folder of its licence text; "" if it is not on this machine
	hash    string // npm's sha512, in base64
}

// dependencies are the Go modules linked into the program on any system, and the npm packages in the dashboard's pages.
func dependencies(root string) ([]dependency, error) {
	modules, err := goModules(root)
	if err != nil {
		return nil, err
	}
	packages, err := npmPackages(filepath.Join(root, "web"))
	if err != nil {
		return nil, err
	}
	return append(modules, packages...), nil
}

const listFormat = `{{with .Module}}{{if not .Main}}{{.Path}}|{{.Version}}|{{with .Time}}{{.Format "2006-01-02"}}{{end}}|{{.Dir}}{{end}}{{end}}`

func goModules(root string) ([]dependency, error) {
	found := map[string]dependency{}
	for _, t := range targets {
		list := exec.Command("go", "list", "-deps", "-f", listFormat, ".")
		list.Dir, list.Env = root, append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch)
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for line := range strings.Lines(string(out)) {
			if part := strings.Split(strings.TrimSpace(line), "|"); len(part) == 4 {
				found[part[0]] = dependency{kind: "golang", name: part[0], version: part[1], date: part[2], dir: part[3]}
			}
		}
	}
	var modules []dependency
	for _, d := range found {
		text, err := licenceFile(d.dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.name, err)
		}
		if d.licence = classify(text); d.licence == "" {
			return nil, fmt.Errorf("%s: its licence is not known; look at %s and teach classify", d.name, d.dir)
		}
		modules = append(modules, d)
	}
	slices.SortFunc(modules, byName)
	return modules, nil
}

func byName(a, b dependency) int { return cmp.Compare(a.name, b.name) }

func npmPackages(web string) ([]dependency, error) {
	text, err := os.ReadFile(filepath.Join(web, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, Integrity, License string
			Dev, DevOptional            bool
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, err
	}
	var packages []dependency
	for path, p := range lock.Packages {
		if path == "" || p.Dev || p.DevOptional {
			continue
		}
		if p.License == "" {
			return nil, fmt.Errorf("%s: package-lock.json has no licence for it", path)
		}
		name := path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):]
		packages = append(packages, dependency{
			kind: "npm", name: name, version: p.Version, licence: strings.Trim(p.License, "()"), dir: filepath.Join(web, path), hash: strings.TrimPrefix(p.Integrity, "sha512-"),
		})
	}
	slices.SortFunc(packages, func(a, b dependency) int { return cmp.Or(byName(a, b), cmp.Compare(a.version, b.version)) })
	return slices.CompactFunc(packages, func(a, b dependency) bool { return a.name == b.name && a.version == b.version }), nil
}

// licenceFile is the text of a module's licence.
func licenceFile(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		name := strings.ToUpper(entry.Name())
		if !entry.IsDir() && (strings.HasPrefix(name, "LICENSE") || strings.HasPrefix(name, "LICENCE") || strings.HasPrefix(name, "COPYING")) {
			text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
			return string(text), err
		}
	}
	return "", errors.New("there is no licence file in " + dir)
}

// classify names a licence by words that only it contains. It returns "" if none matches.
func classify(text string) string {
	words := strings.Join(strings.Fields(text), " ")
	has := func(phrase string) bool { return strings.Contains(words, phrase) }
	switch {
	case has("Apache License") && has("Version 2.0"):
		return "Apache-2.0"
	case has("Mozilla Public License") && has("2.0"):
		return "MPL-2.0"
	case has("Permission is hereby granted, free of charge"):
		return "MIT"
	case has("Permission to use, copy, modify, and/or distribute this software"), has("Permission to use, copy, modify, and distribute this software"):
		return "ISC"
	case has("Redistribution and use in source and binary forms") && (has("Neither the name") || has("names of its contributors") || has("names of the contributors")):
		return "BSD-3-Clause"
	case has("Redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	}
	return ""
}
