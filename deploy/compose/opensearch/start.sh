#!/usr/bin/env bash
# OpenSearch with the users of this stack: the security plugin reads them here when it is started for the first time.
set -euo pipefail
config=/usr/share/opensearch/config
cp "$config/secrets/internal_users.yml" "$config/opensearch-security/internal_users.yml"
exec /usr/share/opensearch/opensearch-docker-entrypoint.sh opensearch
