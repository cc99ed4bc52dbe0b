#!/usr/bin/env bash
# Makes the keys that sign badges and those that seal credentials, on the first start of a stack; what is there stays.
# To replace one, or to leave it to a key service: docs/reference/badges.md and docs/operating/members.md.
set -euo pipefail
badges=${BADGE_KEYS:-/run/badge-keys}
credentials=${CREDENTIAL_KEYS:-/run/credential-keys}
program=${PROGRAM:-/app/bin/agent-registry.mjs}

[ -s "$credentials/keys.json" ] || node "$program" keys generate --kind credential --out "$credentials/keys.json"
# the whole folder or none: one without a key would stay without
if [ ! -d "$badges/keys" ]; then
  rm -rf "$badges/new"
  node "$program" keys generate --kind badge --keys "$badges/new"
  mv "$badges/new" "$badges/keys"
fi
echo "make-keys: the keys are there"
