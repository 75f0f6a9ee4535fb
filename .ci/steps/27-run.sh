#!/usr/bin/env bash
# Real clients under `a2ascope run`: led there by variables, and in a network of
# their own, which needs no root. Every call is seen, and says the same.
set -euo pipefail
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$dir"' EXIT
chmod 755 "$dir"
mkdir -m 777 "$dir/home" "$dir/tmp"
go build -o "$dir/a2ascope" .
(cd .ci/peers/go10 && go build -o "$dir/go10" .)
export XDG_CONFIG_HOME=$dir/home HOME=$dir/home TMPDIR=$dir/tmp
user=()
if [ "$(id -u)" = 0 ]; then # the rights of root must not be what makes it work
	user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
fi
"$dir/go10" server -jsonrpc 7321 -rest 7322 -grpc 7323 >"$dir/server.log" 2>&1 &
for _ in $(seq 100); do
	(exec 3<>/dev/tcp/127.0.0.1/7321) 2>/dev/null && break
	sleep 0.1
done
card=http://127.0.0.1:7321/.well-known/agent-card.json

fail() {
	echo "$1" >&2
	cat "$dir/said" "$dir/seen" >&2
	exit 1
}
# seen N NAME FLAGS... -- CMD...: runs it, and wants N exchanges
seen() {
	local want=$1 name=$2
	shift 2
	"${user[@]}" "$dir/a2ascope" run --headless --fail-on never "$@" >"$dir/seen" 2>"$dir/said" || fail "$name: exit code $?"
	local got
	got=$(jq -s '[.[] | select(.type == "exchange")] | length' "$dir/seen")
	[ "$got" = "$want" ] || fail "$name: $got exchanges, want $want"
	echo "$name: $got exchanges"
}

# plain FILE: what the client says but for ids and times, which are new each time
plain() {
	sed -E 's/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/ID/g; s/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/TIME/g' "$1"
}

seen 1 "curl" -- curl -fsS "$card"
for python in /usr/bin/python3 "$(command -v python3)"; do # one that this user may run
	if "${user[@]}" "$python" -c '' 2>/dev/null; then
		seen 1 "python urllib" -- "$python" -c "import urllib.request as u; u.urlopen('$card').read()"
		break
	fi
done
seen 0 "go on localhost, led by variables" -- "$dir/go10" -card http://127.0.0.1:7321 -binding JSONRPC -ops list
grep -q 'Go (grpc-go too) never uses a proxy for localhost' "$dir/said" || fail "why nothing was seen is not said"
grep -q 'a2ascope proxy http://127.0.0.1:7321' "$dir/said" || fail "the line that works is not said"

if ! "${user[@]}" "$dir/a2ascope" run --isolate --headless -- true >/dev/null 2>"$dir/said"; then
	grep -q 'cannot be made here' "$dir/said" || fail "--isolate fails without a reason"
	echo "run --isolate: skipped, namespaces are refused here: $(head -2 "$dir/said")"
	exit 0
fi
ops=send:hello,stream:hello,get:unknown,cancel,list
for binding in JSONRPC HTTP+JSON GRPC; do
	"$dir/go10" -card http://127.0.0.1:7321 -binding $binding -ops $ops >"$dir/direct" 2>&1 || true
	seen 6 "go, $binding, isolated" --isolate --output "$dir/home/out" -- "$dir/go10" -card http://127.0.0.1:7321 -binding $binding -ops $ops
	diff -u <(plain "$dir/direct") <(plain "$dir/home/out")
	rm -f "$dir/home/out"
done
if command -v node >/dev/null; then # any version: nobody asks it
	seen 1 "node fetch, isolated" --isolate -- node -e "fetch('http://localhost:7321/.well-known/agent-card.json').then(r => r.text())"
fi
if command -v java >/dev/null && command -v keytool >/dev/null; then
	"${user[@]}" "$dir/a2ascope" run --headless -- sh -c 'f=${JAVA_TOOL_OPTIONS##*trustStore=}; keytool -list -keystore "${f%% *}" -storepass changeit | grep -c trustedCertEntry' >/dev/null 2>"$dir/said" || fail "keytool cannot read the store"
	echo "java: keytool reads the store"
fi
[ -z "$(ls "$dir/tmp")" ] || fail "left behind: $(ls "$dir/tmp")"
echo "run: led by variables and isolated, no root; nothing left behind"
