package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// file is one file of an archive.
type file struct {
	name    string
	mode    int64
	content []byte
}

// published are the source files that an operator needs beside the program.
var published = []string{
	"LICENSE", "README.md", "CHANGELOG.md", "deploy/Caddyfile", "deploy/nginx.conf", "deploy/monitoring/alerts.yml", "deploy/monitoring/grafana.json",
}

// publishedForLinux are the source files that go with a program for Linux alone, by their names in the archive.
var publishedForLinux = map[string]string{
	"Dockerfile": "deploy/Dockerfile.release", "deploy/compose.yaml": "deploy/compose.yaml", "deploy/parley.service": "deploy/parley.service",
	"deploy/parley-backup.service": "deploy/parley-backup.service", "deploy/parley-backup.timer": "deploy/parley-backup.timer",
}

// sources are the source files of an archive, by their names in it.
func (t target) sources() map[string]string {
	all := map[string]string{}
	for _, name := range published {
		all[name] = name
	}
	if t.os == "linux" {
		maps.Copy(all, publishedForLinux)
	}
	return all
}

// contents are the files of an archive.
func contents(t target, program string, notices, bill []byte) ([]file, error) {
	binary, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	files := []file{{"parley", 0o755, binary}, {"THIRD_PARTY.txt", 0o644, notices}, {"sbom.cdx.json", 0o644, bill}}
	for name, source := range t.sources() {
		text, err := os.ReadFile(filepath.FromSlash(source))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, 0o644, text})
	}
	return files, nil
}

// pack makes a compressed archive with one folder. Nothing in it reveals who made it, where, or when.
func pack(folder string, when time.Time, files []file) ([]byte, error) {
	var out bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	archive := tar.NewWriter(compressed)
	sorted := slices.SortedFunc(slices.Values(files), func(a, b file) int { return bytes.Compare([]byte(a.name), []byte(b.name)) })
	for _, f := range sorted {
		header := &tar.Header{
			Name: folder + "/" + f.name, Mode: f.mode, Size: int64(len(f.content)), ModTime: when, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR,
		}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := compressed.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
