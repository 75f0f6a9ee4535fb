#!/usr/bin/env bash
# Exact counts and the ratios to the rivals, on small inputs: the figures of
# docs/PERFORMANCE.md come from .ci/bench/run with its defaults.
set -euo pipefail
.ci/bench/run 20 1
# The proxy: a short run that compares every answer and counts what was recorded;
# its figures come from .ci/bench/proxy/run with its defaults.
.ci/bench/proxy/run -smoke
