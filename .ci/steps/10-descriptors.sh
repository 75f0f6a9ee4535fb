#!/usr/bin/env bash
# Our field table says what the SDKs' own descriptors say: the committed
# listing, against which go test compares the table, is what the SDKs print today.
set -euo pipefail
listing=decode/schema/testdata/sdk-descriptors.txt
(cd .ci/peers/descriptors && go run .) | diff -u "$listing" -
echo "the listing is what the SDKs say"
