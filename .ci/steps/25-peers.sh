#!/usr/bin/env bash
# Real SDK peers through `a2ascope proxy`: what the client says is the same with
# and without us, over every binding, and every call was seen.
set -euo pipefail
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$dir"' EXIT
export XDG_CONFIG_HOME=$dir/config
go build -o "$dir/a2ascope" .
(cd .ci/peers/go10 && go build -o "$dir/go10" .)

"$dir/go10" server -jsonrpc 7311 -rest 7312 -grpc 7313 >"$dir/server.log" 2>&1 &
listening() { # listening PORT: waits until somebody does
	for _ in $(seq 100); do
		(exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
		sleep 0.1
	done
	echo "nobody listens on port $1" >&2
	exit 1
}
listening 7311
"$dir/a2ascope" proxy http://127.0.0.1:7311 --listen 127.0.0.1:4100 --headless --fail-on never --for 25s >"$dir/seen.jsonl" 2>"$dir/notices" &
tap=$!
listening 4100

ops=send:hello,stream:hello,get:unknown,cancel,list
for binding in JSONRPC HTTP+JSON GRPC; do
	"$dir/go10" -card http://127.0.0.1:7311 -binding $binding -ops $ops >"$dir/direct" 2>&1 || true
	"$dir/go10" -card http://127.0.0.1:4100 -binding $binding -ops $ops >"$dir/tapped" 2>&1 || true
	diff -u "$dir/direct" "$dir/tapped"
done
kill -INT $tap
wait $tap || true
# a card fetch and five calls a binding
for want in '.kind == "card" == 3' '.binding == "JSONRPC" == 5' '.binding == "HTTP+JSON" == 5' '.binding == "GRPC" == 5'; do
	n=${want##* == }
	got=$(jq -s "[.[] | select(.type == \"exchange\" and ${want% == *})] | length" "$dir/seen.jsonl")
	if [ "$got" != "$n" ]; then
		echo "${want% == *}: $got exchanges, want $n" >&2
		cat "$dir/notices" "$dir/seen.jsonl" >&2
		exit 1
	fi
done
jq -se '[.[] | select(.type == "finding" and .severity == "error")] | length == 0' "$dir/seen.jsonl" >/dev/null
echo "go10 through the proxy: JSONRPC, HTTP+JSON and GRPC say the same, 18 exchanges seen, no error"
