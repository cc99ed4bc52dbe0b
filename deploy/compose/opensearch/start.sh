#!/usr/bin/env bash
# OpenSearch with the users of this stack: the security plugin reads them at its first start.
set -euo pipefail
config=/usr/share/opensearch/config
cp "$config/secrets/internal_users.yml" "$config/opensearch-security/internal_users.yml"
exec /usr/share/opensearch/opensearch-docker-entrypoint.sh opensearch
