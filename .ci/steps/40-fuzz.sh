#!/usr/bin/env bash
# Every fuzz target for a few seconds (FUZZTIME, default 4s): no panic, bounded
# memory, the same events however the bytes are cut.
set -euo pipefail
for pkg in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
		echo "$pkg $target"
		out=$(go test -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-4s}" -fuzzminimizetime 1x "$pkg") || { echo "$out"; exit 1; }
		tail -1 <<<"$out"
	done
done
