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
