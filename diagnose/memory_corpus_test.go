package diagnose

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cel.dev/cel-go/cel"

	"a2ascope/capture"
	"a2ascope/capture/har"
	"a2ascope/capture/pcap"
	"a2ascope/capture/wire"
	"a2ascope/decode"
)

const captures = "../samples/captures"

// replay reads a saved capture and hands every checkpoint on, numbered as
// exchanges are numbered in reports: in the order in which the requests began.
type replay struct {
	conns   wire.Conns
	readers decode.Readers
	pending []observed
}

type observed struct {
	x  capture.ExchangeID
	c  *decode.Call
	at decode.Checkpoint
}

func (r *replay) Chunks(chunks []capture.Chunk) error {
	for i := range chunks {
		if err := r.Events(r.conns.Feed(&chunks[i], nil)); err != nil {
			return err
		}
	}
	return nil
}

func (r *replay) Events(events []capture.Event) error {
	for i := range events {
		e := &events[i]
		if c, at := r.readers.Read(e); at != decode.NoCheckpoint {
			r.pending = append(r.pending, observed{e.Exchange, c, at})
		}
	}
	return nil
}

func (r *replay) Progress(capture.Progress) {}

// replayFile runs a capture through wire and decode.
func replayFile(t testing.TB, name string, visit func(n int, c *decode.Call, at decode.Checkpoint)) {
	t.Helper()
	file := filepath.Join(captures, name)
	var src capture.Source
	var err error
	if strings.HasSuffix(name, ".har") {
		src, err = har.Open(file)
	} else {
		src, err = pcap.Open(file)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := &replay{conns: wire.Conns{}, readers: decode.Readers{}}
	if _, err := src.Run(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	list := slices.SortedFunc(maps.Values(r.readers), func(a, b *decode.Reading) int {
		return cmp.Or(cmp.Compare(a.Exchange.Seq, b.Exchange.Seq), cmp.Compare(a.Exchange.ID, b.Exchange.ID))
	})
	number := map[capture.ExchangeID]int{}
	for i, x := range list {
		number[x.Exchange.ID] = i + 1
	}
	for _, o := range r.pending {
		visit(number[o.x], o.c, o.at)
	}
}

// TestCorpusFacts holds facts of real traffic: for each line the condition
// must hold for the exchange at the checkpoint.
func TestCorpusFacts(t *testing.T) {
	type expect struct {
		exchange int
		at       decode.Checkpoint
		holds    string
	}
	end, silent := decode.AtEnd, decode.AtSilent
	for file, list := range map[string][]expect{
		"r01a_go10_on_go03_jsonrpc.pcap": {
			{1, end, `call.fault.code == -32601 && call.request.call_gen == "1.0" && iface.speaks == "" && !iface.served`},
			{6, end, `client.spoke_v10 && iface.calls == 5 && iface.failures == 5`},
		},
		"r02a_go03_on_go10_jsonrpc.pcap": {
			{2, end, `call.fault.code == -32601 && call.request.call_gen == "0.3" && call.declared.missing && iface.speaks == "1.0"`},
		},
		"r03a_v1names_on_go03_grpc.pcap": {
			{1, end, `call.grpc.package == "a2a.v1" && call.grpc.status == 12 && call.grpc.unknown_method && !call.fault.has_info && call.request.version == "1.0-draft"`},
			{3, end, `iface.all_unimplemented && !iface.served_package`},
		},
		"r03b_v1names_on_js03_grpc.pcap": {
			{2, end, `call.grpc.unknown_path && nameIn(call.operation, "0.3", "GRPC") == "/a2a.v1.A2AService/TaskSubscription"`},
		},
		"r03c_go10_on_go03_grpc_pkg.pcap": {
			{1, end, `call.grpc.unknown_service && call.grpc.counterpart == "/a2a.v1.A2AService/SendMessage"`},
			{2, end, `call.grpc.unknown_service && call.grpc.counterpart == "" && iface.all_unimplemented`},
		},
		"r04a_js03_on_go10_rest.pcap": {
			{1, end, `call.fault.foreign && call.http.status == 404 && call.path.has_v1 && call.path.v1 == "ambiguous" && "content-with-role-enum" in call.params.old`},
		},
		"r04d_js10_on_js03_rest.pcapng": {
			{1, end, `call.fault.foreign && call.http.status == 404 && !call.path.has_v1 && call.request.gen == "1.0" && call.http.response == "html"`},
		},
		"c09_js03_go10compat_rest03.pcap": {
			{2, end, `call.path.v1 == "yes" && call.path.as_card && iface.exact && iface.declares_spoken && !client.knows_v10`},
		},
		"r05a_versions_js10_jsonrpc.pcap": {
			{3, end, `call.fault.version && call.declared.presence == "absent" && call.fault.refuses == "0.3" && iface.name_ok_under == "1.0"`},
			{4, end, `call.fault.version && call.declared.presence == "empty"`},
			{7, end, `call.fault.version && call.declared.patch && call.declared.version == "1.0"`},
			{8, end, `"2.0" in iface.refused && "1.0" in iface.accepted && !("2.0" in iface.accepted)`},
		},
		"r05h_js03_on_js10_jsonrpc.pcap": {
			{1, end, `call.fault.version && call.request.gen == "0.3" && call.declared.missing && iface.speaks == "1.0"`},
		},
		"r06a_go10_buggygrpc_go10.pcap": {
			{2, end, `call.binding == "GRPC" && call.fault.version && call.declared.version == "1.0" && call.fault.refuses == "0.3" && iface.declares_header`},
			{1, silent, `client.failed_after && client.spoke_after == "1.0" && client.ok_after == "" && !client.gave_up`},
		},
		"r07a_rest400_js10.pcap": {
			{3, end, `call.http.status == 400 && call.fault.shared && call.fault.nine && call.fault.status_table != "none"`},
		},
		"r08a_push03params_go10.pcap": {
			{3, end, `call.ok && call.params.ids == "taskId+id" && !task.config_is_task`},
			{4, end, `call.failed && call.params.ids == "id+pushNotificationConfigId" && call.params.has_config_id`},
			{5, end, `call.ok && call.params.has_config_id && !call.params.has_task_id`},
			{6, end, `call.ok && call.params.ids == "id" && call.result.kind == "configs"`},
		},
		"r09a_bare_jsonrpc_stream_js10.pcap": {
			{3, end, `call.stream.open && call.stream.bare > 0 && call.stream.wrapped == 0 && call.stream.bare_at == "response/frame/0#"`},
		},
		"har07_chrome_row9_bare_stream.har": {
			{2, end, `call.stream.open && call.stream.bare > 0 && call.stream.wrapped == 0`},
		},
		"r10a_subscribe_get_on_go10.pcap": {
			{2, end, `call.path.task_id_has_verb && call.http.method == "GET" && task.known`},
			{3, end, `call.ok && session.other_verb == "refused" && "GET" in iface.deaf_verbs`},
		},
		"r11a_go10only03_dualcard_go10.pcap": {
			{1, end, `"JSONRPC" in call.card.old_first && call.card.has_v10 && call.card.has_v03`},
			{2, end, `call.request.gen == "0.3" && iface.newer_same && client.knows_v10 && iface.declares_spoken && iface.better == ""`},
		},
		"r11b_naive_card03first.pcap": {
			{2, end, `call.request.gen == "0.3" && iface.newer_same && client.reads_v10 && call.declared.missing`},
			{1, silent, `!client.gave_up && client.ok_after == "0.3"`},
		},
		"r12a_go10_reads_go03_card.pcap": {
			{1, silent, `client.gave_up && call.card.vocabulary == "0.3" && !call.card.has_v10`},
		},
		"r12c_v03clients_read_v10_card.pcap": {
			{1, silent, `client.gave_up && call.card.vocabulary == "1.0"`},
		},
		"c07_go03_go10compatserver.pcap": {
			{2, end, `!client.knows_v10 && iface.newer_same`},
			{7, end, `iface.speaks == "0.3" && !iface.overruled`}, // 1.0-shaped errors of a 0.3 interface do not overrule its card
		},
		"w01_webhook_go10.pcap": {
			{3, end, `call.kind == "push" && call.push.task_id != ""`},
			{1, silent, `call.push.known && call.push.deliveries == 4 && !call.push.task_moved && call.push.host_seen`}, // delivered while the send was waiting
		},
		"h01_go03_go03_jsonrpc_core.pcap": {
			{6, end, `call.fault.a2a == "TaskNotFoundError" && !task.known && iface.speaks == "0.3" && iface.speaks_from == "both"`},
			{1, silent, `client.ok_after == "0.3" && !client.gave_up`},
		},
		"f01_streaming_false_yet_streams.pcap": {
			{2, end, `agent.known && agent.denies == "streaming" && call.ok && call.stream.open`},
		},
		"n03_nginx_502.pcap": {
			{1, end, `call.http.status == 502 && call.fault.foreign`},
		},
	} {
		m, f, sc := newMemory(), NewFacts(), &scope{}
		sc.f = f
		met := make([]bool, len(list))
		number := map[capture.ExchangeID]int{}
		look := func(n int, c *decode.Call, at decode.Checkpoint) {
			for i, e := range list {
				if e.exchange != n || e.at != at {
					continue
				}
				met[i] = true
				m.facts(c, at, f)
				k := compileExpr(ruleEnv, e.holds, cel.BoolType)
				for _, err := range k.errs {
					t.Errorf("%s %d: %s", file, n, err.text)
				}
				if len(k.errs) > 0 || k.fn.b(sc) {
					continue
				}
				for _, part := range strings.Split(e.holds, " && ") {
					if p := compileExpr(ruleEnv, part, cel.BoolType); len(p.errs) == 0 && !p.fn.b(sc) {
						t.Errorf("%s exchange %d at %s: not so: %s", file, n, at, part)
					}
				}
			}
		}
		replayFile(t, file, func(n int, c *decode.Call, at decode.Checkpoint) {
			number[c.Exchange.ID] = n
			c = m.resolve(c)
			look(n, c, at)
			m.learn(c, at)
			for _, q := range m.quiet(m.now, false) {
				look(number[q.Exchange.ID], q, decode.AtSilent)
			}
		})
		for _, q := range m.quiet(m.now, true) {
			look(number[q.Exchange.ID], q, decode.AtSilent)
		}
		for i, e := range list {
			if !met[i] {
				t.Errorf("%s: exchange %d was never at %s", file, e.exchange, e.at)
			}
		}
	}
}
