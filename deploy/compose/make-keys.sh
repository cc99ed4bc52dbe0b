#!/usr/bin/env bash
# Creates the keys that sign badges and heads of the audit log, and those that seal credentials, on the first start of a stack;
# existing keys do not change. To replace one, or to use a key service: docs/reference/badges.md and docs/operating/members.md.
set -euo pipefail
badges=${BADGE_KEYS:-/run/badge-keys}
audit=${AUDIT_KEYS:-/run/audit-keys}
credentials=${CREDENTIAL_KEYS:-/run/credential-keys}
program=${PROGRAM:-/app/bin/agent-registry.mjs}

# signing_key KIND VOLUME: creates the folder with its key atomically, because an existing folder is skipped
signing_key() {
  [ -d "$2/keys" ] && return
  rm -rf "$2/new"
  node "$program" keys generate --kind "$1" --keys "$2/new"
  mv "$2/new" "$2/keys"
}

signing_key badge "$badges"
signing_key audit "$audit"
[ -s "$credentials/keys.json" ] || node "$program" keys generate --kind credential --out "$credentials/keys.json"
echo "make-keys: the keys exist"
