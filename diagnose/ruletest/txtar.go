package ruletest

import (
	"bytes"
	"fmt"
	"strings"
)

// archive is a txtar text: files between lines of the form "-- name --". It is
// read here so that the lines of a play can be named as lines of the archive.
type archive struct {
	comment string
	files   []file
}

type file struct {
	name string
	line int // of its first line in the archive, from 1
	text []byte
}

func parseArchive(text []byte) *archive {
	a := &archive{}
	var b bytes.Buffer
	put := func() {
		if n := len(a.files); n > 0 {
			a.files[n-1].text = bytes.Clone(b.Bytes())
		} else {
			a.comment = b.String()
		}
		b.Reset()
	}
	line := 0
	for len(text) > 0 {
		l, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		line++
		if name, ok := marker(string(l)); ok {
			put()
			a.files = append(a.files, file{name: name, line: line + 1})
			continue
		}
		b.Write(l)
		b.WriteByte('\n')
	}
	put()
	return a
}

func marker(line string) (string, bool) {
	line = strings.TrimSuffix(line, "\r")
	if !strings.HasPrefix(line, "-- ") || !strings.HasSuffix(line, " --") || len(line) < 7 {
		return "", false
	}
	name := strings.TrimSpace(line[3 : len(line)-3])
	return name, name != ""
}

func (a *archive) format() []byte {
	var b bytes.Buffer
	b.WriteString(a.comment)
	for _, f := range a.files {
		fmt.Fprintf(&b, "-- %s --\n", f.name)
		b.Write(f.text)
	}
	return b.Bytes()
}

func (a *archive) find(name string) *file {
	for i := range a.files {
		if a.files[i].name == name {
			return &a.files[i]
		}
	}
	return nil
}

// set replaces a file, or puts it behind another; an empty text removes it.
func (a *archive) set(name, behind string, text []byte) {
	for i := range a.files {
		if a.files[i].name != name {
			continue
		}
		if len(text) == 0 {
			a.files = append(a.files[:i], a.files[i+1:]...)
		} else {
			a.files[i].text = text
		}
		return
	}
	if len(text) == 0 {
		return
	}
	for i := range a.files {
		if a.files[i].name == behind {
			rest := append([]file{{name: name, text: text}}, a.files[i+1:]...)
			a.files = append(a.files[:i+1], rest...)
			return
		}
	}
}
