package report

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"time"

	"a2ascope/decode"
	"a2ascope/diagnose"
)

type fileLine struct {
	Type        string       `json:"type"`
	File        string       `json:"file"`
	Format      *string      `json:"format"`
	Packets     int64        `json:"packets"`
	Connections int          `json:"connections"`
	Exchanges   int          `json:"exchanges"`
	Damage      []damageJSON `json:"damage"`
	Error       *string      `json:"error"`
	Other       []connJSON   `json:"other_connections"`
}

type damageJSON struct {
	What   string `json:"what"`
	Detail string `json:"detail"`
}

type connJSON struct {
	Connection int      `json:"connection"`
	Protocol   string   `json:"protocol"`
	ServerName *string  `json:"server_name"`
	ALPN       *string  `json:"alpn"`
	Bytes      [2]int64 `json:"bytes"` // from the client, from the server
	Detail     string   `json:"detail"`
}

type exchangeLine struct {
	Type       string   `json:"type"`
	File       string   `json:"file"`
	Exchange   int      `json:"exchange"`
	Connection int      `json:"connection"`
	Time       string   `json:"time"`
	DurationMS *float64 `json:"duration_ms"`

	Kind            string  `json:"kind"`
	Protocol        string  `json:"protocol"`
	Binding         *string `json:"binding"`
	Operation       *string `json:"operation"`
	Method          *string `json:"method"`
	RequestVersion  *string `json:"request_version"`
	ResponseVersion *string `json:"response_version"`
	DeclaredVersion *string `json:"declared_version"`
	CardVersion     *string `json:"card_version"`
	Dialect         *string `json:"dialect"`

	HTTPVersion *string `json:"http_version"`
	HTTPMethod  *string `json:"http_method"`
	Path        *string `json:"path"`
	Status      *int    `json:"status"`
	GRPCStatus  *int    `json:"grpc_status"`

	Outcome     string  `json:"outcome"`
	A2AError    *string `json:"a2a_error"`
	ErrorCode   *int64  `json:"error_code"`
	ErrorReason *string `json:"error_reason"`

	TaskID    *string `json:"task_id"`
	ContextID *string `json:"context_id"`
	Tenant    *string `json:"tenant"`
	Streaming bool    `json:"streaming"`
	Events    *int    `json:"events"`
	Complete  bool    `json:"complete"`
	Gaps      int     `json:"gaps"`
	Client    *string `json:"client"`
	Server    *string `json:"server"`
}

type findingLine struct {
	Type        string         `json:"type"`
	File        string         `json:"file"`
	Exchange    int            `json:"exchange"`
	Connection  int            `json:"connection,omitempty"` // of a finding about a connection without an exchange
	Frame       *int           `json:"frame"`
	Rule        string         `json:"rule"`
	Severity    string         `json:"severity"`
	SeverityWas *string        `json:"severity_was"`
	Origin      string         `json:"origin"`
	Blame       string         `json:"blame"`
	Sure        string         `json:"sure"`
	Table       []int          `json:"table"`
	Root        bool           `json:"root"`
	FollowsFrom *string        `json:"follows_from"`
	RecoveredBy *int           `json:"recovered_by"`
	FoldedInto  *int           `json:"folded_into"`
	Count       int            `json:"count"`
	Symptom     string         `json:"symptom"`
	Cause       string         `json:"cause"`
	Fix         fixJSON        `json:"fix"`
	Evidence    []evidenceJSON `json:"evidence"`
	Spec        []string       `json:"spec"`
}

type fixJSON struct {
	Client *string `json:"client"`
	Server *string `json:"server"`
}

type evidenceJSON struct {
	Place  string  `json:"place"`
	Value  *string `json:"value"`            // null: nothing stands there
	Absent bool    `json:"absent,omitempty"` // and that is the evidence
}

type summaryLine struct {
	Type       string `json:"type"`
	Files      int    `json:"files"`
	Exchanges  int    `json:"exchanges"`
	A2A        int    `json:"a2a"`
	Errors     int    `json:"errors"`
	Warnings   int    `json:"warnings"`
	Infos      int    `json:"infos"`
	TableRows  []int  `json:"table_rows"`
	Unreadable int    `json:"unreadable"`

	Rules rulesJSON `json:"rules"`
}

type rulesJSON struct {
	BuiltIn  int      `json:"built_in"`
	User     int      `json:"user"`
	Override int      `json:"override"` // of the user's
	Disabled int      `json:"disabled"`
	Severity int      `json:"severity_changed"`
	Folders  []string `json:"folders"`
}

func writeJSONL(w io.Writer, r *Report) error {
	out := bufio.NewWriterSize(w, 1<<16)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for i := range r.Files {
		f := &r.Files[i]
		if err := enc.Encode(f.line()); err != nil {
			return err
		}
		for j := range f.Rows {
			row := &f.Rows[j]
			if err := enc.Encode(r.exchangeLine(row, f.Name)); err != nil {
				return err
			}
			for _, fd := range row.Findings {
				if err := enc.Encode(r.findingLine(f, row, fd)); err != nil {
					return err
				}
			}
		}
	}
	for i := range r.Files {
		if err := r.Files[i].encodeReview(enc, r.Options); err != nil {
			return err
		}
	}
	if err := enc.Encode(r.summaryLine()); err != nil {
		return err
	}
	return out.Flush()
}

func (r *Report) summaryLine() summaryLine {
	s := r.Summary
	return summaryLine{"summary", s.Files, s.Exchanges, s.A2A, s.Errors, s.Warnings, s.Infos, orEmpty(s.TableRows), s.Unreadable, r.rules()}
}

func (r *Report) rules() rulesJSON {
	c := r.Options.Rules
	return rulesJSON{c.BuiltIn, c.Own, c.Replaced, c.Disabled, c.Severity, orEmpty(c.Folders)}
}

func (f *FileReport) line() fileLine {
	l := fileLine{Type: "file", File: f.Name, Format: known(f.Format), Packets: f.Packets, Connections: f.Conns,
		Exchanges: f.Exchanges, Damage: []damageJSON{}, Other: []connJSON{}}
	if f.Err != nil {
		l.Error = known(f.Err.Error())
	}
	for _, d := range f.Damage {
		l.Damage = append(l.Damage, damageJSON{d.What, d.Detail})
	}
	for _, row := range f.Other {
		c := connJSON{Connection: row.ConnNo, Protocol: row.Conn.Protocol, Bytes: row.Conn.Sent, Detail: row.Conn.Text}
		if row.Link != nil {
			c.ServerName, c.ALPN = known(row.Link.ServerName), known(row.Link.ALPN)
		}
		l.Other = append(l.Other, c)
	}
	return l
}

func (r *Report) exchangeLine(row *RowReport, file string) exchangeLine {
	c, x := row.Call(), row.Call().Exchange
	mask := r.mask(x)
	said := func(s string) *string { return known(mask.Text(s)) } // by a peer, in words of its own
	l := exchangeLine{
		Type: "exchange", File: file, Exchange: row.Number, Connection: row.ConnNo,
		Time: x.Started.UTC().Format("2006-01-02T15:04:05.000000Z"),
		Kind: string(c.Kind), Protocol: string(c.Protocol), Binding: known(string(c.Binding)),
		Operation: known(string(c.Operation)), Method: said(c.Method),
		RequestVersion: known(string(c.Request.Value)), ResponseVersion: known(string(c.Response.Value)),
		CardVersion: known(string(c.Card.Value)), Dialect: known(string(c.Dialect)),
		Outcome: string(c.Outcome), A2AError: known(faultName(c.Fault)),
		TaskID: said(c.TaskID), ContextID: said(c.ContextID), Tenant: said(c.Tenant),
		Streaming: c.Streaming, Complete: x.Complete(), Gaps: x.Gaps(),
		Client: clientOf(x.Link), Server: serverOf(x),
	}
	if !x.Ended.IsZero() {
		ms := math.Round(float64(x.Ended.Sub(x.Started))/float64(time.Microsecond)) / 1000
		l.DurationMS = &ms
	}
	if c.Declared.Presence == "set" || c.Declared.Presence == "empty" {
		raw := mask.Text(c.Declared.Raw)
		l.DeclaredVersion = &raw
	}
	if q := x.Request; q != nil {
		path := q.Path()
		l.HTTPVersion, l.HTTPMethod, l.Path = known(q.Proto), known(q.Method), said(path)
	} else if x.Response != nil {
		l.HTTPVersion = known(x.Response.Proto)
	}
	if x.Response != nil {
		l.Status = &x.Response.Status
	}
	if c.Binding == "GRPC" && c.GRPC.Status >= 0 {
		l.GRPCStatus = &c.GRPC.Status
	}
	if f := c.Fault; f != nil {
		if f.Code != 0 {
			l.ErrorCode = &f.Code
		}
		l.ErrorReason = said(f.Reason)
	}
	if c.Streaming && (x.Response != nil || c.NumEvents() > 0) {
		n := c.NumEvents()
		l.Events = &n
	}
	return l
}

func (r *Report) findingLine(f *FileReport, row *RowReport, fd *diagnose.Finding) findingLine {
	t := r.texts(fd)
	l := findingLine{
		Type: "finding", File: f.Name, Exchange: row.Number, Rule: fd.Rule.ID, Severity: string(fd.Severity),
		SeverityWas: known(string(fd.Was)), Origin: origin(fd.Rule),
		Blame: string(fd.Blame), Sure: string(fd.Sure), Table: orEmpty(fd.Table), Root: fd.Root, Count: max(fd.Count, 1),
		Symptom: t.Symptom, Cause: t.Cause, Fix: fixJSON{known(t.FixClient), known(t.FixServer)},
		Evidence: r.evidence(fd), Spec: orEmpty(fd.Rule.Spec),
	}
	if row.Conn != nil {
		l.Connection = row.ConnNo
	}
	if fd.Key.Frame >= 0 {
		l.Frame = &fd.Key.Frame
	}
	if fd.FollowsFrom != nil {
		l.FollowsFrom = &fd.FollowsFrom.Rule
	}
	if fd.RecoveredBy != nil {
		l.RecoveredBy = f.number(*fd.RecoveredBy)
	}
	if fd.FoldedInto != nil {
		l.FoldedInto = f.number(fd.FoldedInto.Exchange)
	}
	return l
}

func (r *Report) evidence(fd *diagnose.Finding) []evidenceJSON {
	list := []evidenceJSON{}
	for _, e := range fd.Evidence {
		j := evidenceJSON{Place: string(e.Place), Absent: e.Absent}
		if !e.Absent {
			v := r.value(e)
			j.Value = &v
		}
		list = append(list, j)
	}
	return list
}

// known turns "" into null: absent knowledge is never a guess.
func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// placeLine prints a place with its value, cut to what a line holds.
func placeLine(p decode.Place, value string) string {
	return string(p) + " = " + strconv.Quote(value)
}
