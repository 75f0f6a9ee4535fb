#!/usr/bin/env bash
# Exact counts and the ratios to the rivals, on small inputs: the figures of
# docs/PERFORMANCE.md come from .ci/bench/run with its defaults.
set -euo pipefail
.ci/bench/run 20 1
