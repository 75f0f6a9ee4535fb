#!/usr/bin/env bash
# The screen as its user sees it: in tmux, keys in, picture out, terminal restored.
set -euo pipefail
dir=$(mktemp -d)
trap 'tmux -L a2ascope kill-server 2>/dev/null || true; rm -rf "$dir"' EXIT
go build -o "$dir/a2ascope" .
export LC_ALL=C.UTF-8
tmux -L a2ascope -f /dev/null new-session -d -x 110 -y 30 "$BASH --norc"
keys() { tmux -L a2ascope send-keys "$@"; }
shows() { # shows TEXT: waits until it is on the screen
	for _ in $(seq 100); do
		tmux -L a2ascope capture-pane -p >"$dir/pane"
		grep -qF -- "$1" "$dir/pane" && return
		sleep 0.1
	done
	echo "the screen does not show: $1" >&2
	cat "$dir/pane" >&2
	exit 1
}
keys "cd $PWD; $dir/a2ascope open --lang en samples/captures/r04a_js03_on_go10_rest.pcap" Enter
shows 'SendMessage'
keys Enter
shows 'POST /v1/message:send was answered 404'
keys Enter
shows 'HTTP/1.1 404 Not Found'
keys L
shows '诊断'
keys L
keys '?'
shows 'Everywhere'
keys Escape
sleep 1 # Escape and a letter close together would be one key
keys Q
shows 'bash-' # what is typed while the screen leaves would be lost with it
keys 'echo back=$?' Enter
shows 'back=0'
keys "$dir/a2ascope demo --lang en" Enter
shows 'version-missing-rejected'
keys Q
shows 'bash-'
keys 'stty -a | grep -c -- -echo; echo after' Enter
shows 'after'
echo "screen: opens, diagnoses, jumps to the bytes, speaks Chinese, leaves the terminal as it was"
