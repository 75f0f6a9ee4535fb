#!/usr/bin/env bash
# An independent dissector agrees on the number of requests of every healthy
# capture: HTTP/1 requests and HTTP/2 request heads.
set -euo pipefail
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin/a2ascope" .
ports=()
for p in 7302 7313 7316 7322 7332 7334; do ports+=(-d "tcp.port==$p,http2"); done
checked=0
for f in samples/captures/{h,x,c,r,p,k,f,n,ka,mx,i,w,ss01}*.pcap*; do
	want=$(tshark -r "$f" "${ports[@]}" -Y 'http.request || http2.headers.method' -T fields -e frame.number -e http2.streamid -e http.request.method -e http2.headers.method 2>/dev/null |
		awk -F'\t' '{n += ($3 != "") ? split($3, a, ",") : split($4, a, ",")} END {print n + 0}')
	got=$("$bin/a2ascope" check --format jsonl --fail-on never "$f" | jq -s '[.[] | select(.type == "exchange" and .http_method != null)] | length')
	if [ "$got" != "$want" ]; then
		echo "$f: $got requests, tshark sees $want" >&2
		exit 1
	fi
	checked=$((checked + 1))
done
[ "$checked" -gt 50 ] || { echo "only $checked captures: the check does not check" >&2; exit 1; }
echo "$checked captures: as many requests as tshark sees"

# What we write as packets, the dissector reads without fault: sound packets, and
# the requests of the capture they were made of. The port is the one of the agent.
made=0
for f in samples/captures/{h01,h03,h07,r03a,r09a,x03,n01,mx03}*.pcap samples/captures/{har01,har07}*.har; do
	for flags in "" "--no-redact"; do
		out=$bin/$made.pcapng
		# shellcheck disable=SC2086 # no flag is no argument
		"$bin/a2ascope" export $flags "$f" "$out" 2>/dev/null
		check=(-o ip.check_checksum:TRUE -o tcp.check_checksum:TRUE)
		bad=$(tshark -r "$out" "${check[@]}" "${ports[@]}" -Y '_ws.malformed || ip.checksum.status == 0 || tcp.checksum.status == 0 || tcp.analysis.lost_segment || tcp.analysis.retransmission' 2>/dev/null | wc -l)
		if [ "$bad" != 0 ]; then
			echo "$f $flags: tshark finds fault with $bad packets of what was exported" >&2
			exit 1
		fi
		want=$("$bin/a2ascope" check --format jsonl --fail-on never "$f" | jq -s '[.[] | select(.type == "exchange" and .http_method != null)] | length')
		got=$(tshark -r "$out" "${ports[@]}" -Y 'http.request || http2.headers.method' -T fields -e http.request.method -e http2.headers.method 2>/dev/null |
			awk -F'\t' '{n += ($1 != "") ? split($1, a, ",") : split($2, a, ",")} END {print n + 0}')
		if [ "$got" != "$want" ]; then
			echo "$f $flags: $want requests, tshark sees $got in what was exported" >&2
			exit 1
		fi
		made=$((made + 1))
	done
done
echo "$made exported captures: sound, with as many requests"
