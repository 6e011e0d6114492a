package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"runtime/debug"
	"strings"
	"time"
)

// The parts of a CycloneDX 1.6 document that are used here.
type (
	cdxDocument struct {
		Format       string          `json:"bomFormat"`
		Spec         string          `json:"specVersion"`
		Serial       string          `json:"serialNumber"`
		Version      int             `json:"version"`
		Metadata     cdxMetadata     `json:"metadata"`
		Components   []cdxComponent  `json:"components"`
		Dependencies []cdxDependency `json:"dependencies"`
	}
	cdxMetadata struct {
		Timestamp string       `json:"timestamp"`
		Component cdxComponent `json:"component"`
	}
	cdxComponent struct {
		Type       string        `json:"type"`
		Ref        string        `json:"bom-ref"`
		Name       string        `json:"name"`
		Version    string        `json:"version"`
		Hashes     []cdxHash     `json:"hashes,omitempty"`
		Licenses   []cdxLicense  `json:"licenses,omitempty"`
		PURL       string        `json:"purl"`
		Properties []cdxProperty `json:"properties,omitempty"`
	}
	cdxHash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	cdxLicense struct {
		Expression string `json:"expression"`
	}
	cdxProperty struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	cdxDependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

// sbom lists the contents of a built program: the modules named in the binary, the packages of its pages, and the Go
// release that built it.
func sbom(info *debug.BuildInfo, version string, when time.Time, used []dependency) ([]byte, error) {
	known := map[string]dependency{}
	for _, d := range used {
		known[d.kind+d.name] = d
	}
	self := cdxComponent{Type: "application", Ref: "parley", Name: "parley", Version: version, PURL: "pkg:golang/" + info.Main.Path + "@" + version}
	for _, s := range info.Settings {
		if s.Key == "GOOS" || s.Key == "GOARCH" || s.Key == "CGO_ENABLED" || s.Key == "-trimpath" {
			self.Properties = append(self.Properties, cdxProperty{"go:" + s.Key, s.Value})
		}
	}
	components := []cdxComponent{component("golang", "stdlib", info.GoVersion, "BSD-3-Clause")}
	for _, m := range info.Deps {
		d, listed := known["golang"+m.Path]
		if !listed || d.version != m.Version {
			return nil, fmt.Errorf("the program has %s %s, and the list of modules %q", m.Path, m.Version, d.version)
		}
		c := component("golang", m.Path, m.Version, d.licence)
		c.Properties = []cdxProperty{{"go:sum", m.Sum}}
		components = append(components, c)
	}
	for _, d := range used {
		if d.kind != "npm" {
			continue
		}
		c := component("npm", d.name, d.version, d.licence)
		if sum, err := base64.StdEncoding.DecodeString(d.hash); err == nil && len(sum) > 0 {
			c.Hashes = []cdxHash{{"SHA-512", fmt.Sprintf("%x", sum)}}
		}
		components = append(components, c)
	}
	document := cdxDocument{
		Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: cdxMetadata{when.Format(time.RFC3339), self}, Components: components,
		Dependencies: []cdxDependency{{Ref: self.Ref, DependsOn: refs(components)}},
	}
	return encode(document)
}

func component(kind, name, version, licence string) cdxComponent {
	purl := "pkg:" + kind + "/" + escape(name) + "@" + version
	return cdxComponent{Type: "library", Ref: purl, Name: name, Version: version, Licenses: []cdxLicense{{licence}}, PURL: purl}
}

// escape writes a name for a package URL, so that the @ of a scope is not taken for the one before the version.
func escape(name string) string {
	parts := strings.Split(name, "/")
	for i := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(parts[i]), "@", "%40")
	}
	return strings.Join(parts, "/")
}

func refs(components []cdxComponent) (list []string) {
	for _, c := range components {
		list = append(list, c.Ref)
	}
	return list
}

// encode writes the document with a serial number derived from its content.
func encode(document cdxDocument) ([]byte, error) {
	text, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // a UUID of version 8, which allows a custom rule
	document.Serial = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err = encoder.Encode(document)
	return out.Bytes(), err
}
