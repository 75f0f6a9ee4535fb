package translate

import (
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// content is a part in the members of 1.0, whoever wrote it.
type content struct {
	members []contentMember
	what    string // text, data, raw or url; "" when none is there
}

type contentMember struct {
	name  string // in 1.0; "" for a member of no table
	node  jsontree.Node
	where string // "file" or "data" where 0.3 nests it
}

func isContent(name string) bool {
	return name == "text" || name == "raw" || name == "url" || name == "data"
}

// take adds a member; of several contents only the first is one.
func (c *content) take(w *walker, m contentMember) {
	if isContent(m.name) {
		if m.node.Kind() == jsontree.Null {
			return // unset
		}
		if c.what != "" {
			w.note(Lost, PartContent, m.node.Key(), w.at(m.node), "")
			return
		}
		c.what = m.name
	}
	c.members = append(c.members, m)
}

// part translates a part: 1.0 writes text, raw, url or data directly into it,
// 0.3 JSON-RPC says the kind and nests files, 0.3 ProtoJSON nests files and data.
func (w *walker) part(n jsontree.Node) tree {
	var c content
	if w.from == spec.Dialect10 {
		c = w.readFlat(n)
	} else {
		c = w.readNested(n)
	}
	if c.what == "" {
		w.note(Unsaid, PartContent, "parts", w.at(n), w.here(""))
	}
	if w.to == spec.Dialect10 {
		return w.writeFlat(n, &c)
	}
	return w.writeNested(n, &c)
}

// readFlat reads a part of 1.0.
func (w *walker) readFlat(n jsontree.Node) (c content) {
	shape := shapeOf(spec.Dialect10, "Part")
	for m := range n.Children() {
		f, _ := fieldOf(shape, m.Key())
		c.take(w, contentMember{f.JSON, m, ""})
	}
	return c
}

// readNested reads a part of 0.3.
func (w *walker) readNested(n jsontree.Node) (c content) {
	file := spec.FileTwin()
	for m := range n.Children() {
		key := m.Key()
		switch {
		case key == "kind" && w.from == spec.DialectJ:
			w.note(Dropped, Kind, key, w.at(m), "")
		case key == "text", key == "metadata":
			c.take(w, contentMember{key, m, ""})
		case key == "data" && w.from == spec.DialectP && m.IsObject():
			for d := range m.Children() {
				name := ""
				if d.Key() == "data" {
					name = "data"
				}
				c.take(w, contentMember{name, d, "data"})
			}
		case key == "data":
			c.take(w, contentMember{"data", m, ""})
		case key == "file" && m.IsObject():
			for d := range m.Children() {
				name := ""
				for i := range file.Members {
					if x := &file.Members[i]; x.Name(w.from) == d.Key() || x.Name(w.from) == spec.Camel(d.Key()) {
						name = x.V10
					}
				}
				c.take(w, contentMember{name, d, "file"})
			}
		default:
			c.take(w, contentMember{"", m, ""})
		}
	}
	return c
}

// writeFlat writes a part of 1.0.
func (w *walker) writeFlat(n jsontree.Node, c *content) tree {
	out := object()
	for _, m := range c.members {
		switch {
		case m.name == "":
			w.stranger(&out, m.node, shapeOf(spec.Dialect10, "Part"))
		case !out.put(m.name, asIs(m.node)):
			w.note(Lost, Twice, m.node.Key(), w.at(m.node), w.here(m.name))
		case m.where != "" || m.node.Key() != m.name:
			w.note(Renamed, Flat, m.node.Key(), w.at(m.node), w.here(m.name))
		}
		if m.name == "raw" && w.from == spec.DialectP {
			w.note(Differs, TwiceBase64, m.node.Key(), w.at(m.node), w.here(m.name))
		}
	}
	return out
}

// writeNested writes a part of 0.3.
func (w *walker) writeNested(n jsontree.Node, c *content) tree {
	out := object()
	isFile := c.what == "raw" || c.what == "url"
	kind := c.what
	if isFile {
		kind = "file"
	}
	if w.to == spec.DialectJ && kind != "" {
		out.put("kind", text(kind))
		w.note(Added, Kind, "kind", spot{}, w.here("kind"))
	}
	file, at := object(), -1
	for _, m := range c.members {
		switch m.name {
		case "":
			w.stranger(&out, m.node, shapeOf(w.to, "Part"))
		case "metadata":
			out.put("metadata", asIs(m.node))
			if w.to == spec.DialectP {
				w.note(Changed, LaterMember, "metadata", w.at(m.node), w.here("metadata"))
			}
		case "text":
			out.put("text", asIs(m.node))
		case "data":
			w.writeData(&out, m.node)
		default: // raw, url, filename, mediaType
			if !isFile {
				if m.node.Str() != "" {
					w.note(Lost, NoPlace, m.node.Key(), w.at(m.node), "")
				}
				continue
			}
			if at < 0 && out.put("file", tree{}) {
				at = len(out.kids) - 1
			}
			w.fileMember(&file, m)
		}
	}
	if at >= 0 {
		out.kids[at] = file
	}
	return out
}

// writeData: data is any value in 1.0 and an object in 0.3.
func (w *walker) writeData(out *tree, n jsontree.Node) {
	v := asIs(n)
	if !n.IsObject() {
		w.note(Lost, DataObject, "data", w.at(n), w.here("data"))
		v = object()
		v.put("value", asIs(n))
	}
	if w.to == spec.DialectP {
		nest := object()
		nest.put("data", v)
		v = nest
		w.note(Renamed, Flat, "data", w.at(n), w.here("data"))
	}
	out.put("data", v)
}

// fileMember writes a member of 0.3's file object.
func (w *walker) fileMember(file *tree, m contentMember) {
	name, _ := spec.FileTwin().Member(spec.Dialect10, w.to, m.name)
	w.enter("file")
	defer w.leave()
	if !file.put(name, asIs(m.node)) {
		w.note(Lost, Twice, m.node.Key(), w.at(m.node), w.here(name))
		return
	}
	w.note(Renamed, Flat, m.node.Key(), w.at(m.node), w.here(name))
	switch {
	case m.name == "filename" && w.to == spec.DialectP:
		w.note(Changed, LaterMember, m.node.Key(), w.at(m.node), w.here(name))
	case m.name == "raw" && w.to == spec.DialectP:
		w.note(Differs, TwiceBase64, m.node.Key(), w.at(m.node), w.here(name))
	}
}
