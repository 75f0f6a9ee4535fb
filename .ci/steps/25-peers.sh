#!/usr/bin/env bash
# Real SDK peers with a2ascope between them: what each client says is the same
# with and without it, every call is read, and the cause is named where two peers
# do not fit. A text as argument runs only what has it in its name.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export XDG_CONFIG_HOME=$dir/config
go build -o "$dir/a2ascope" .
go build -o "$dir/matrix" ./.ci/peers/matrix
for peer in go10 go03; do
	(cd ".ci/peers/$peer" && go build -o "$dir/$peer" .)
done
for peer in js10 js03; do
	(cd ".ci/peers/$peer" && npm ci --no-audit --no-fund --loglevel=error >"$dir/npm.log" 2>&1) || { cat "$dir/npm.log"; exit 1; }
done
"$dir/matrix" -a2ascope "$dir/a2ascope" -scratch "$dir" -only "${1:-}"
