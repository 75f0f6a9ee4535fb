#!/usr/bin/env bash
# The commands of the README's section "Beside a failing integration", as they
# stand there but without a screen, each between a real client and a real agent.
set -euo pipefail
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$dir"' EXIT
go build -o "$dir/a2ascope" .
(cd .ci/peers/go10 && go build -o "$dir/go10" .)
sed -n '/^## Beside a failing integration/,/^## Headless/p' README.md >"$dir/section"
cd "$dir"
export XDG_CONFIG_HOME=$dir/config
touch said seen

fail() {
	echo "$1" >&2
	cat said seen >&2
	exit 1
}
line() { # line TEXT: the command that has it
	local l
	l=$(grep -m1 -F -- "$1" section | sed 's/ *#.*//')
	[ -n "$l" ] || fail "the section has no line with: $1"
	printf '%s\n' "$l"
}
up() { # up PORT: waits until somebody listens
	for _ in $(seq 100); do
		(exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
		sleep 0.1
	done
	fail "nobody listens on $1"
}
call() { ./go10 -card "http://127.0.0.1:$1" -binding JSONRPC -ops list >client 2>&1 || fail "the client fails: $(cat client)"; }
ended() { # ended NAME: what runs as $pid ends well, and the call was seen
	wait "$pid" || fail "$1: exit code $?"
	local got
	got=$(jq -s '[.[] | select(.type == "exchange" and .operation == "ListTasks")] | length' seen)
	[ "$got" = 1 ] || fail "$1: $got calls seen, want 1"
	echo "$1: the call is seen"
}

./go10 server -jsonrpc 9999 -rest 9998 -grpc 9997 >server.log 2>&1 &
up 9999

proxy=$(line 'proxy http://localhost:9999 ')
for file in session.har session.pcapng; do
	grep -qF -- "-w $file" section || fail "the section does not name -w $file"
	$proxy --headless --fail-on never -w $file >seen 2>said &
	pid=$!
	up 4100
	call 4100
	kill -TERM $pid
	ended "$proxy -w $file"
	./a2ascope check --fail-on never --format jsonl $file >seen
	jq -se '[.[] | select(.operation == "ListTasks")] | length == 1' seen >/dev/null || fail "$file does not hold the call"
done

until=$(line '--until')
eval "${until/severity == \"error\"/call.operation == \"ListTasks\"} --fail-on never >seen 2>said &"
pid=$!
up 4100
call 4100
ended "$until"

run=$(line 'run -- npm start')
cat >package.json <<'J'
{"name": "client", "private": true, "scripts": {"start": "curl -fsS http://localhost:9999/.well-known/agent-card.json"}}
J
${run/run/run --headless --fail-on never} >seen 2>said || fail "$run: exit code $?"
jq -se '[.[] | select(.kind == "card")] | length == 1' seen >/dev/null || fail "$run: the card is not seen"
echo "$run: the call is seen"

live=$(line 'live -i lo')
if ! $live --headless --for 1ms >seen 2>said; then
	grep -q setcap said || fail "$live: what helps is not said"
	echo "$live: skipped, there is no right to capture here"
	exit 0
fi
$live --headless --fail-on never >seen 2>said &
pid=$!
sleep 1
call 9999
sleep 1
kill -TERM $pid
ended "$live"

pipe=$(line tcpdump)
mkfifo packets
${pipe% | *} >packets 2>said &
tcpdump=$!
open=${pipe#* | }
${open/open/check --format jsonl --fail-on never} <packets >seen &
pid=$!
sleep 2
call 9999
sleep 1
kill -TERM $tcpdump
ended "$pipe"
