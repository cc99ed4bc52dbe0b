#!/usr/bin/env bash
# Runs a command of the program at once and then once a day, until it is stopped: a compose file has no timers.
# A run that fails is said in the log, and comes again after an hour.
set -euo pipefail
trap 'kill -TERM "${child:-}" 2> /dev/null; wait; exit 0' TERM INT

while :; do
  node /app/bin/agent-registry.mjs "$@" & child=$!
  if wait "$child"; then pause=86400; else pause=3600; fi
  sleep "$pause" & child=$!
  wait "$child"
done
