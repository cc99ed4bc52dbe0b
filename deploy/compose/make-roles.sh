#!/usr/bin/env bash
# Creates the role of all processes in the database of a stack, and sets the password from its file. It runs at each
# start, so that a rotated password takes effect. The service `schema` grants the rights of the role.
set -euo pipefail
secrets=${SECRETS:-/run/postgres-secrets}
role=${RUNTIME_ROLE:-registry_runtime}
export PGHOST=${PGHOST:-postgres} PGUSER=${PGUSER:-registry} PGDATABASE=${PGDATABASE:-registry}
PGPASSWORD=$(cat "$secrets/password")
# keeps statements with a password out of the server log, even if they fail
export PGPASSWORD PGOPTIONS='-c log_statement=none -c log_min_error_statement=panic -c log_min_duration_statement=-1'

psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=role="$role" --set=file="$secrets/runtime-password" << 'EOF'
\set password `cat :'file'`
SELECT format('CREATE ROLE %I LOGIN', :'role') WHERE to_regrole(:'role') IS NULL \gexec
ALTER ROLE :"role" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'password';
EOF
echo "make-roles: the role of the processes exists"
