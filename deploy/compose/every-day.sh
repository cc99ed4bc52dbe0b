#!/usr/bin/env bash
# Runs a command of the program immediately and then once a day, because a compose file has no timers.
# A failed run is logged and repeated after an hour.
set -euo pipefail
trap 'kill -TERM $(jobs -p) 2> /dev/null || true; wait; exit 0' TERM INT

while :; do
  node /app/bin/agent-registry.mjs "$@" &
  if wait "$!"; then pause=86400; else pause=3600; fi
  sleep "$pause" &
  wait "$!"
done
