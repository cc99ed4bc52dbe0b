#!/usr/bin/env bash
# Makes the role of all processes in the database of a stack, and gives it the password of its file; each start does it
# again, so a rotated password counts from then on. What the role may do, the service `schema` grants.
set -euo pipefail
secrets=${SECRETS:-/run/postgres-secrets}
role=${RUNTIME_ROLE:-registry_runtime}
export PGHOST=${PGHOST:-postgres} PGUSER=${PGUSER:-registry} PGDATABASE=${PGDATABASE:-registry}
PGPASSWORD=$(cat "$secrets/password")
# a statement with a password stands in no log of the server, not even when it fails
export PGPASSWORD PGOPTIONS='-c log_statement=none -c log_min_error_statement=panic -c log_min_duration_statement=-1'

psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=role="$role" --set=file="$secrets/runtime-password" << 'EOF'
\set password `cat :'file'`
SELECT format('CREATE ROLE %I LOGIN', :'role') WHERE to_regrole(:'role') IS NULL \gexec
ALTER ROLE :"role" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'password';
EOF
echo "make-roles: the role of the processes is there"
