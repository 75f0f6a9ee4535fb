package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "a2ascope"

// allowed says which of our packages each package may import. Test files may
// import more: they wire whole pipelines.
var allowed = map[string][]string{
	"":                  {"internal/cli"},
	"capture":           {},
	"capture/wire":      {"capture"},
	"capture/pcap":      {"capture"},
	"capture/har":       {"capture", "capture/wire", "internal/jsontree"},
	"capture/h2":        {},
	"capture/script":    {"capture", "capture/h2"},
	"capture/remake":    {"capture", "capture/h2", "capture/wire"},
	"capture/proxy":     {"capture", "internal/jsontree"},
	"decode":            {"capture", "decode/spec", "decode/schema", "internal/jsontree"},
	"decode/spec":       {},
	"decode/audit":      {"decode", "decode/spec", "internal/jsontree"},
	"decode/schema":     {"decode/spec", "internal/jsontree"},
	"decode/translate":  {"capture", "decode", "decode/spec", "internal/jsontree"},
	"diagnose":          {"decode/audit", "capture", "decode", "decode/spec", "internal/jsontree", "internal/redact"},
	"diagnose/ruletest": {"capture", "capture/script", "capture/wire", "decode", "decode/schema", "decode/spec", "diagnose", "internal/session"},
	"rules":             {},
	"samples":           {},
	"internal/jsontree": {},
	"internal/lang":     {},
	"internal/redact":   {"capture", "internal/jsontree"},
	"internal/archtest": {},
	"internal/child":    {},
	"internal/session":  {"decode/audit", "capture", "capture/wire", "decode", "decode/spec", "diagnose"},
	"internal/explain":  {"capture", "decode", "decode/spec", "decode/translate", "diagnose", "internal/jsontree", "internal/lang", "internal/redact"},
	"internal/report":   {"capture", "decode", "decode/spec", "diagnose", "internal/explain", "internal/lang", "internal/redact", "internal/session"},
	"internal/save":     {"capture", "capture/har", "capture/pcap", "capture/remake", "capture/wire", "decode", "decode/schema", "decode/spec", "diagnose", "internal/jsontree", "internal/redact", "internal/session"},
	"internal/cli":      {"capture", "capture/har", "capture/pcap", "capture/proxy", "capture/script", "decode", "decode/schema", "decode/spec", "diagnose", "diagnose/ruletest", "internal/child", "internal/explain", "internal/jsontree", "internal/lang", "internal/redact", "internal/report", "internal/save", "internal/session", "rules", "samples", "ui"},
	"ui":                {"capture", "decode", "decode/spec", "diagnose", "internal/explain", "internal/jsontree", "internal/lang", "internal/redact", "internal/session", "ui/"},
	"ui/kit":            {"capture", "decode", "decode/spec", "diagnose", "internal/jsontree", "internal/lang", "internal/redact", "internal/session"},
	"ui/text":           {"internal/jsontree", "internal/redact", "ui/kit"},
	"ui/detail":         {"capture", "decode", "decode/spec", "diagnose", "internal/explain", "internal/jsontree", "internal/lang", "internal/redact", "internal/session", "ui/kit", "ui/text"},
	"ui/*":              {"capture", "decode", "decode/spec", "diagnose", "internal/jsontree", "internal/lang", "internal/redact", "internal/session", "ui/kit", "ui/text"},
	"ui/uitest":         {"*"},
}

// rooms names the packages that may import an outside library (by prefix).
var rooms = map[string][]string{
	"github.com/google/gopacket":         {"capture/pcap"},
	"cel.dev/cel-go":                     {"diagnose"},
	"go.yaml.in/yaml":                    {"diagnose"},
	"charm.land/bubbletea":               {"ui", "ui/uitest"},
	"charm.land/bubbles":                 {"ui", "ui/*"},
	"charm.land/lipgloss":                {"ui", "ui/*"},
	"github.com/charmbracelet":           {"ui", "ui/*"},
	"github.com/alecthomas/chroma":       {"ui/kit", "ui/*"},
	"github.com/spf13/cobra":             {"internal/cli"},
	"google.golang.org/protobuf":         {"decode/schema", "diagnose"},
	"github.com/klauspost/compress":      {"capture/wire"},
	"github.com/andybalholm/brotli":      {"capture/wire"},
	"golang.org/x/net":                   {"capture/wire", "capture/script", "capture/proxy", "capture/pcap"},
	"golang.org/x/crypto":                {"capture/wire"},
	"golang.org/x/sys":                   {"capture/pcap", "capture/har", "capture/proxy", "internal/session", "internal/child", "internal/cli"},
	"software.sslmate.com/src/go-pkcs12": {"internal/child"},
	"github.com/mattn/go-runewidth":      {"internal/report", "internal/cli", "ui/kit"},
	"golang.org/x/text":                  {"ui/kit"},
	"github.com/creack/pty":              {},
	"github.com/rogpeppe/go-internal":    {"internal/cli"},
	"golang.org/x/tools/txtar":           {"diagnose/ruletest", "samples", "ui/uitest", "internal/cli"},
	"github.com/clipperhouse":            {"ui/kit"},
	"github.com/rivo/uniseg":             {"ui/kit"},
	"go.uber.org/goleak":                 {},
	"github.com/lucasb-eyer/go-colorful": {"ui/kit"},
}

// maxLines is the limit of a source file; files aim at 150 and are split at 400.
const maxLines = 600

type source struct {
	file, pkg string
	test      bool
	ast       *ast.File
	lines     int
}

func load(t *testing.T) []source {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var all []source
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, name)
		rel = filepath.ToSlash(rel)
		dir := path.Dir(rel)
		if dir == "." {
			dir = ""
		}
		all = append(all, source{rel, dir, strings.HasSuffix(name, "_test.go"), f, strings.Count(string(text), "\n")})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestImportsFollowTheArchitecture(t *testing.T) {
	for _, s := range load(t) {
		if s.test {
			continue
		}
		may, known := allowed[s.pkg]
		if !known && strings.HasPrefix(s.pkg, "ui/") {
			may, known = allowed["ui/*"], true
		}
		if !known {
			t.Errorf("%s: package %q has no line in archtest's table: say there what it may import", s.file, s.pkg)
			continue
		}
		for _, i := range s.ast.Imports {
			p, _ := strconv.Unquote(i.Path.Value)
			if own, ok := strings.CutPrefix(p, module+"/"); ok && !permits(may, own) {
				t.Errorf("%s imports %s, which %q may not: the direction is capture ← decode ← diagnose ← session ← {ui, report} ← cli", s.file, own, s.pkg)
			}
		}
	}
}

func TestOutsideLibrariesStayInTheirRooms(t *testing.T) {
	for _, s := range load(t) {
		if s.test {
			continue
		}
		for _, i := range s.ast.Imports {
			p, _ := strconv.Unquote(i.Path.Value)
			first, _, _ := strings.Cut(p, "/")
			if !strings.Contains(first, ".") {
				continue
			}
			lib := ""
			for l := range rooms {
				if strings.HasPrefix(p, l) && len(l) > len(lib) {
					lib = l
				}
			}
			if lib == "" {
				t.Errorf("%s imports %s, which has no room in archtest's table", s.file, p)
			} else if !permits(rooms[lib], s.pkg) {
				t.Errorf("%s imports %s, which belongs to %v", s.file, p, rooms[lib])
			}
		}
	}
}

func permits(list []string, pkg string) bool {
	return slices.ContainsFunc(list, func(l string) bool {
		return l == pkg || l == "*" || strings.HasSuffix(l, "/") && strings.HasPrefix(pkg, l) ||
			strings.HasSuffix(l, "/*") && strings.HasPrefix(pkg, strings.TrimSuffix(l, "*"))
	})
}

func TestFilesStaySmall(t *testing.T) {
	for _, s := range load(t) {
		if s.lines > maxLines {
			t.Errorf("%s has %d lines: split it (limit %d)", s.file, s.lines, maxLines)
		}
	}
}

func TestNoHiddenState(t *testing.T) {
	for _, s := range load(t) {
		if s.test {
			continue
		}
		for _, d := range s.ast.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s has an init function: lists of things are visible slices, nothing registers itself", s.file)
			}
		}
		if s.pkg == "internal/cli" {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" && (sel.Sel.Name == "Now" || sel.Sel.Name == "Since") {
					t.Errorf("%s calls time.%s: time is an input below internal/cli", s.file, sel.Sel.Name)
				}
			}
			return true
		})
	}
}
