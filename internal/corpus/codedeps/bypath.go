package codedeps

import (
	"path"
	"regexp"
	"strings"
)

// This file has the languages that name files by their paths.

var (
	includeLine = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"`)
	crystalLine = regexp.MustCompile(`(?m)^[ \t]*require[ \t]+"([^"\n]+)"`)
	rubyLine    = regexp.MustCompile(`(?m)^[ \t]*(require|require_relative|load)[ \t(]+["']([^"'\n]+)["']`)
	scriptName  = regexp.MustCompile(`(?m)(?:^[ \t]*(?:import|export)\b[^"'` + "`" + `;]*?|\brequire[ \t]*\([ \t]*|\bimport[ \t]*\([ \t]*)["'](\.[^"'\n]*)["']`)
)

// includes follows quoted includes: beside the file, else below the root.
func (t *Tree) includes(file, text string) []string {
	var out []string
	for _, m := range includeLine.FindAllStringSubmatch(text, -1) {
		out = append(out, t.first(path.Join(path.Dir(file), m[1]), m[1])...)
	}
	return out
}

// crystal follows requires that begin with a dot: a file, all files of a folder
// (/*), or all files below it (/**).
func (t *Tree) crystal(file, text string) []string {
	const suffix = ".cr"
	var out []string
	for _, m := range crystalLine.FindAllStringSubmatch(text, -1) {
		name := m[1]
		if !strings.HasPrefix(name, ".") {
			continue
		}
		target := path.Join(path.Dir(file), name)
		switch {
		case strings.HasSuffix(name, "/**"):
			out = append(out, t.below(path.Dir(target), suffix)...)
		case strings.HasSuffix(name, "/*"):
			out = append(out, t.withSuffix(path.Dir(target), suffix)...)
		default:
			out = append(out, t.first(strings.TrimSuffix(target, suffix)+suffix)...)
		}
	}
	return out
}

// below returns the files of a folder and of all folders in it that end in a suffix.
func (t *Tree) below(folder, suffix string) []string {
	var out []string
	for _, p := range sortedKeys(t.paths) {
		if strings.HasSuffix(p, suffix) && (folder == "." || strings.HasPrefix(p, folder+"/")) {
			out = append(out, p)
		}
	}
	return out
}

// ruby follows relative requires, and plain ones below lib or the root.
func (t *Tree) ruby(file, text string) []string {
	const suffix = ".rb"
	var out []string
	for _, m := range rubyLine.FindAllStringSubmatch(text, -1) {
		name := strings.TrimSuffix(m[2], suffix) + suffix
		beside := path.Join(path.Dir(file), name)
		switch {
		case m[1] == "require_relative" || strings.HasPrefix(name, "."):
			out = append(out, t.first(beside)...)
		default:
			out = append(out, t.first(path.Join("lib", name), name)...)
		}
	}
	return out
}

// script follows relative imports of JavaScript and TypeScript, which may leave out
// the suffix, or name a folder with an index, or name what a TypeScript file will
// be compiled to.
func (t *Tree) script(file, text string) []string {
	suffixes := []string{"", ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts",
		"/index.ts", "/index.tsx", "/index.js", "/index.jsx", "/index.mjs"}
	var out []string
	for _, m := range scriptName.FindAllStringSubmatch(text, -1) {
		target := path.Join(path.Dir(file), m[1])
		var candidates []string
		for _, s := range suffixes {
			candidates = append(candidates, target+s)
		}
		for _, compiled := range []string{".js", ".jsx", ".mjs", ".cjs"} {
			if stem, ok := strings.CutSuffix(target, compiled); ok {
				source := strings.Replace(compiled, "j", "t", 1)
				candidates = append(candidates, stem+source, stem+".ts", stem+".tsx")
			}
		}
		out = append(out, t.first(candidates...)...)
	}
	return out
}
