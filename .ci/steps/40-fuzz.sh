#!/usr/bin/env bash
# Every fuzz target for a few seconds (FUZZTIME, default 4s): no panic, bounded
# memory, the same events however the bytes are cut.
set -euo pipefail

fuzz() { # fuzz PACKAGE TARGET
	go test -run '^$' -fuzz "^$2\$" -fuzztime "${FUZZTIME:-4s}" -fuzzminimizetime 1x "$1" 2>&1
}

# Up to Go 1.26 the end of the time can itself be taken for a failure
# (go.dev/issue/75804): the target then fails with this one line and with nothing
# that made it fail. A finding names its input, a panic its stack.
only_out_of_time() {
	grep -q '^ *context deadline exceeded$' <<<"$1" &&
		! grep -qE 'Failing input|panic:|fatal error|DATA RACE|_test\.go:' <<<"$1"
}

for pkg in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
		echo "$pkg $target"
		if ! out=$(fuzz "$pkg" "$target"); then
			only_out_of_time "$out" || { echo "$out"; exit 1; }
			echo "out of time at its very end, once more"
			out=$(fuzz "$pkg" "$target") || { echo "$out"; exit 1; }
		fi
		tail -1 <<<"$out"
	done
done
